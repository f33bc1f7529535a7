"""Random calls of an object beside a spec, by a Hypothesis state machine; the shortest difference.

A failing run is shortened here, since calls often can be left out in pairs alone: a put with its
take.
"""

from __future__ import annotations

import random
from typing import Any

from hypothesis import HealthCheck, Phase, Verbosity, seed, settings
from hypothesis import strategies as st
from hypothesis.errors import Flaky
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from .calls import Call
from .objects import ObjectComparison, ObjectDiffers, Question
from .shortening import shortened

SELDOM = 4
"""Of so many calls one is such that the spec forbids it, if these are tried."""

NUMBERS = st.integers(0, 2**20 - 1)
"""From one number all choices of a call follow: to draw each one would take most of the time."""


class ObjectMachine(RuleBasedStateMachine):
    """One run of an object beside a spec; a subclass provides the question."""

    question: Question
    beside: ObjectComparison | None = None

    @initialize()
    def begin(self) -> None:
        """Make the object."""
        self.beside = ObjectComparison(self.question)

    @rule(number=NUMBERS)
    def call(self, number: int) -> None:
        """Make a call that the spec allows, or at times one that it forbids."""
        assert self.beside is not None
        chance = random.Random(number)
        allowed, forbidden = self.beside.possible()
        wrong = not allowed or (bool(forbidden) and chance.randrange(SELDOM) == 0)
        calls = forbidden if wrong else allowed
        if calls:
            self.beside.call(_chosen(chance, calls))

    def teardown(self) -> None:
        """Finish with the object."""
        if self.beside is not None:
            self.beside.end()


def _chosen(chance: random.Random, calls: list[Call]) -> Call:
    """Choose an action, and then its arguments, so that no action is rare."""
    action = chance.choice(sorted({one.action for one in calls}))
    return chance.choice([one for one in calls if one.action == action])


UNSTEADY = "the code does not do the same when the same calls are repeated"


class Unsteady(AssertionError):
    """The code does not do the same when the same calls are repeated."""


def run(question: Question, runs: int, steps: int, random_seed: int) -> None:
    """Make random runs.

    Parameters
    ----------
    question : Question
    runs, steps : int
        How many runs, and the most calls of one.
    random_seed : int
        The same seed makes the same runs.

    Raises
    ------
    ObjectDiffers
        If the code differs from the spec; no part of the run can be left out.
    Unsteady
        If a run that failed does not fail again.
    """
    made: type[Any] = type("Machine", (ObjectMachine,), {"question": question})
    chosen = settings(
        max_examples=runs,
        stateful_step_count=steps + 1,  # the first makes the object
        deadline=None,
        database=None,
        derandomize=False,
        phases=(Phase.generate,),  # `shortened` shortens better
        report_multiple_bugs=False,
        print_blob=False,
        suppress_health_check=list(HealthCheck),
        verbosity=Verbosity.quiet,
    )
    try:
        run_state_machine_as_test(seed(random_seed)(made), settings=chosen)
    except ObjectDiffers as differs:
        found = shortened(question, differs)
        if found is None:
            raise Unsteady(UNSTEADY) from differs
        raise found from None
    except Flaky as error:
        raise Unsteady(UNSTEADY) from error
