"""A Hypothesis `RuleBasedStateMachine` made from any spec; each run walks through states."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from typing import Any

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from counterpoint.models.limits import Limits
from counterpoint.models.verdict import Trace
from counterpoint.spec.notation import Model, Property, Spec, SpecError

from . import remembered
from .minimise import ends_in, minimise
from .walker import Change, Walker, WalkStopped
from .ways import WAYS, SeldomVisited

DEFAULT_MOVES = 4
"""The number of rules in a run."""

STEPS_OF_A_RULE = 16
"""The number of steps that a rule takes."""


class Violation(AssertionError):
    """A run ends in a violation of some properties."""

    def __init__(self, model: Model, claims: Sequence[Property], trace: Trace) -> None:
        steps = "\n".join(f"  {i + 1:3} {model.show_step(s)}" for i, s in enumerate(trace.steps))
        names = ", ".join(c.name for c in claims)
        super().__init__(f"{model.name}: violated after these steps: {names}\n{steps}")
        self.claims, self.trace = claims, trace


def machine(spec: Spec | Model, wanted: Sequence[Property] | None = None) -> type[SpecMachine]:
    """Return a Hypothesis state machine that takes a spec's steps and checks its properties.

    A run takes up to 64 steps: `stateful_step_count` of its settings, times 16. A violation is
    minimised, and Hypothesis' database keeps it: the next test begins with it.

    Parameters
    ----------
    spec : Spec or Model
        The spec under its parameters.
    wanted : sequence of Property, optional
        The properties to check; all by default. Witnesses never fail a run; they are only recorded.
    """
    model = spec if isinstance(spec, Model) else Model(spec)
    wanted = model.properties if wanted is None else wanted
    return machine_of(Walker(model, wanted, Limits()))


def machine_of(walker: Walker, random_seed: int | None = None) -> type[SpecMachine]:
    """Return a machine whose runs share what a walker knows.

    Parameters
    ----------
    walker : Walker
        Knows the spec.
    random_seed : int, optional
        All choices follow from this seed, and the walker only records violations. Without a seed
        they follow from bytes that Hypothesis chooses, and a violation fails the run, as in a test.
    """
    name = "".join(part.title() for part in re.split(r"\W", walker.model.name)) + "Machine"
    own: dict[str, Any] = {"walker": walker, "random_seed": random_seed, "ends": {}}
    made: type[SpecMachine] = type(name, (SpecMachine,), own)
    made.TestCase.settings = settings(
        max_examples=500,
        stateful_step_count=DEFAULT_MOVES,
        deadline=None,
        phases=(Phase.explicit, Phase.reuse, Phase.generate),  # `minimise` shrinks faster
        suppress_health_check=list(HealthCheck),
    )
    return made


class SpecMachine(RuleBasedStateMachine):
    """One run of a spec; a subclass provides the walker.

    The bytes that Hypothesis chooses are the name of a run, and all its random choices follow from
    them, or from a seed and the number of the run. What the run does also depends on what earlier
    runs have visited, so its end is kept for the case that Hypothesis repeats it.

    Attributes
    ----------
    walker : Walker
        What all runs know.
    random_seed : int or None
        The seed; with None, the choices follow from the bytes, and a violation fails the run.
    ends : dict
        For the bytes of each run, after how many rules it ended, and the error if it failed.
    """

    walker: Walker
    random_seed: int | None
    ends: dict[bytes, tuple[int, BaseException | None]]
    way: SeldomVisited
    changes: list[Change]
    taken_rules = 0

    @initialize(choice=st.binary(min_size=8, max_size=8))
    def start(self, choice: bytes) -> None:
        """Choose a way to walk and the first state; a run that is repeated only ends again."""
        self.choice, self.repeated = choice, choice in self.ends
        self.ends.setdefault(choice, (0, None))
        self.take(self.begin)

    @rule()
    def go_on(self) -> None:
        """Take some steps; do nothing if the run has ended.

        One rule serves all actions, since Hypothesis discards a run in which it has switched off
        every enabled rule.
        """
        self.taken_rules += 1
        self.take(self.walk)

    def take(self, part: Callable[[], None]) -> None:
        """Take a part of the run, and record how it fails; a repeated run only fails again."""
        if not self.repeated:
            try:
                part()
                self.fail()
            except (SpecError, Violation) as error:
                self.ends[self.choice] = self.taken_rules, error
        rules, failure = self.ends[self.choice]
        if failure is not None and rules == self.taken_rules:
            raise failure

    def begin(self) -> None:
        """Visit the first state."""
        number = self.walker.runs
        if self.random_seed is None:
            chance = random.Random(self.choice)
            if number == 0:
                remembered.recall(type(self).TestCase.settings.database, self.walker)
        else:
            chance = random.Random(f"{self.random_seed} {number}")
            if self.walker.complete():
                raise WalkStopped
        self.walker.runs += 1
        self.way = WAYS[number % len(WAYS)](self.walker, chance)
        self.changes = self.walker.visit(self.way.begin())

    def fail(self) -> None:
        """Raise the first violation that was found, and keep it for the next test."""
        violation = _violation(self.walker) if self.random_seed is None else None
        if violation is not None:
            remembered.keep(type(self).TestCase.settings.database, self.walker, violation.trace)
            raise violation

    def walk(self) -> None:
        """Take the steps of one rule."""
        for _ in range(STEPS_OF_A_RULE):
            if self.changes:
                self.changes = self.walker.visit(self.way.choose(self.changes)[1])


def _violation(walker: Walker) -> Violation | None:
    """Return the violation that was found first, minimised; None if there is none."""
    violated = walker.violated()
    if not violated:
        return None
    model, first = walker.model, violated[0]
    trace = walker.found[first.name] = minimise(model, first, walker.found[first.name])
    return Violation(model, [c for c in violated if ends_in(model, c, trace)], trace)
