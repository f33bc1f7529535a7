"""Compares the engines with the oracle on one spec; each difference becomes a sentence."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from counterpoint.models.explore import exhaustive
from counterpoint.models.explore.python.exploration import Exploration
from counterpoint.models.limits import Limits
from counterpoint.models.prove import bounded, induction
from counterpoint.models.random import stateful
from counterpoint.models.verdict import Verdict
from counterpoint.spec.notation import Model, RangeError, SpecError, Step
from tests import strategies
from tests.oracle import functions
from tests.oracle.functions import Leaves
from tests.oracle.search import Found, Runner, Values, search, spec_in

LIMIT = 1500
"""States that the oracle visits; specs that have more are left out."""


@dataclass
class Outcome:
    """The result of one comparison.

    Attributes
    ----------
    answers : Counter
        The number of claims with each answer: holds, violated, unknown or refused.
    wrong : list of str
        The differences, each a sentence.
    """

    answers: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    def check(self, right: bool, sentence: str) -> None:
        """Record a difference, if there is one."""
        if not right:
            self.wrong.append(sentence)


class Judged:
    """A spec, with the oracle's results.

    Attributes
    ----------
    source : str
        The text.
    model : Model
        The spec as the engines see it.
    runner, found : Runner and Found
        The spec as the oracle sees it, and all its states.
    error : str
        The error of the spec; empty if it has none.
    """

    def __init__(self, source: str, limit: int = LIMIT, **given: int) -> None:
        self.source = source
        self.model = modelled(source, **given)
        self.runner = Runner(spec_in(source)(**given))
        self.found, self.error = Found(), ""
        try:
            self.found = search(self.runner, limit)
        except functions.SpecError as error:
            self.error = str(error)

    @property
    def large(self) -> bool:
        """Whether there are more states than the oracle visits."""
        return not self.error and not self.found.complete

    def endless(self, model: Model) -> Runner:
        """Return the runner of the same spec, without upper ends of ranges that grow."""
        return Runner(type(self.runner.spec)(endless=True, **model.spec.parameters))


def modelled(source: str, **given: int) -> Model:
    """Return the model of a spec with other sizes than the declared ones."""
    model = strategies.build(source)
    return Model(type(model.spec)(**given)) if given else model


def held(judged: Judged, run: Callable[[Outcome], None]) -> Outcome:
    """Return the outcome of a comparison.

    An engine may refuse a spec; it must refuse one that has an error in a reachable state.
    """
    outcome = Outcome()
    try:
        run(outcome)
    except SpecError:
        outcome.answers["refused"] += 1
    except Exception as error:
        outcome.wrong.append(f"the engine fails: {error!r}")
    else:
        outcome.check(not judged.error, f"no error, and it has one: {judged.error}")
    return outcome


# One step, one state


def steps(judged: Judged, number: int = 40, seed: int = 0) -> Outcome:
    """Compare plain steps and properties in reachable states and in other states."""
    model, runner = judged.model, judged.runner
    chance = random.Random(seed)
    reached = list(judged.found.states)
    anywhere = [tuple(chance.randint(c.low, c.high) for c in model.cells) for _ in range(10)]
    states = chance.sample(reached, min(number, len(reached))) + anywhere
    outcome = Outcome()
    mine = [Step(name, binding) for name, binding in runner.steps]
    outcome.check(mine == list(model.steps), f"other steps: {mine}")
    for values in states:
        _compare_steps(judged, outcome, values)
        _compare_claims(judged, outcome, values, chance.choice(reached or anywhere))
    outcome.answers["holds"] += not outcome.wrong
    return outcome


def _compare_steps(judged: Judged, outcome: Outcome, values: Values) -> None:
    """Compare the successors of a state."""
    for step in judged.model.steps:
        try:
            ours: Any = judged.model.take(values, step)
        except RangeError:
            ours = "leaves"
        except SpecError:
            ours = "error"
        try:
            true: Any = judged.runner.take(values, (step.action, step.binding))
        except Leaves:
            true = "leaves"
        except functions.SpecError:
            true = "error"
        outcome.check(ours == true, f"{step} in {values}: {ours}, not {true}")


def _compare_claims(judged: Judged, outcome: Outcome, values: Values, after: Values) -> None:
    """Compare the values of claims in a state, and in a state and each next one."""
    for claim in (*judged.model.properties, *judged.model.lemmas):
        if claim.kind in ("deadlock", "range"):
            continue
        more = [after] if claim.kind == "transition" else []
        try:
            ours: Any = judged.model.holds(claim, values, *more)
        except SpecError:
            ours = "error"
        try:
            true: Any = judged.runner.holds(claim.name, values, *more)
        except functions.SpecError:
            true = "error"
        outcome.check(ours == true, f"{claim.name} in {values}, {more}: {ours}, not {true}")


# Engines that look for runs


def full(judged: Judged, explorer: str = "python") -> Outcome:
    """Compare an exhaustive run without reductions; every number must be equal."""

    def run(outcome: Outcome) -> None:
        model, found = judged.model, judged.found
        made = exhaustive.explore(model, explorer=explorer)
        _compare(judged, outcome, exhaustive.verdicts(made, model.properties, 0.0), exact=True)
        if judged.error or not made.complete:
            early = judged.error or not found.states or len(made.failures) == len(model.properties)
            outcome.check(bool(early), f"it ends early: {made.reason}")
            return
        ours = {made.layout.unpack(state) for state in made.states}
        outcome.check(ours == set(found.states), f"{len(ours)} states, not {len(found.states)}")
        outcome.check(
            made.transitions == found.transitions,
            f"{made.transitions} transitions, not {found.transitions}",
        )
        _compare_actions(judged, outcome, made)

    return held(judged, run)


def _compare_actions(judged: Judged, outcome: Outcome, made: Exploration) -> None:
    actions = {name for name, _ in judged.runner.steps}
    never = sorted(actions - judged.found.possible)
    dead = sorted(made.dead_actions())
    outcome.check(dead == never, f"never possible: {dead}, not {never}")


def reduced(judged: Judged, *names: str) -> Outcome:
    """Compare an exhaustive run with reductions; the answers must be equal."""

    def run(outcome: Outcome) -> None:
        made = exhaustive.explore(judged.model, explorer="compiled", reduce=names)
        verdicts = exhaustive.verdicts(made, judged.model.properties, 0.0)
        _compare(judged, outcome, verdicts, exact=names == ("symmetry",))
        if made.complete and not judged.error:
            _compare_actions(judged, outcome, made)

    return held(judged, run)


def in_steps(judged: Judged, most: int = 6, seconds: float = 20.0) -> Outcome:
    """Compare the bounded engine: it must find exactly the claims that fail within its bound."""

    def run(outcome: Outcome) -> None:
        verdicts = bounded.check(judged.model, Limits(seconds), steps=most)
        _compare(judged, outcome, verdicts, exact=True, most=most)

    return held(judged, run)


def at_random(judged: Judged, runs: int = 60) -> Outcome:
    """Compare random runs: the failures that they find must exist; they may miss some."""

    def run(outcome: Outcome) -> None:
        for verdict in stateful.check(judged.model, Limits(20.0), runs=runs):
            outcome.answers[verdict.answer] += 1
            if verdict.trace is not None and not judged.error:
                outcome.check(*_replayed(judged.runner, verdict))

    return _lenient(judged, held(judged, run))


def _lenient(judged: Judged, outcome: Outcome) -> Outcome:
    """Return the outcome of an engine that may miss the state where the spec has its error."""
    if judged.error:
        outcome.wrong = [w for w in outcome.wrong if not w.startswith("no error")]
    return outcome


def _compare(
    judged: Judged,
    outcome: Outcome,
    verdicts: Sequence[Verdict],
    exact: bool,
    most: int | None = None,
) -> None:
    """Compare answers, with ``exact`` also lengths; ``most`` is how far the engine looked."""
    for verdict in verdicts:
        outcome.answers[verdict.answer] += 1
        if judged.error or verdict.answer == "unknown":
            continue
        claim = verdict.claim
        depth = judged.found.first.get(claim.name)
        if most is not None and depth is not None and depth > most:
            depth = None
        expected = "violated" if (depth is None) == (claim.kind == "sometimes") else "holds"
        right = verdict.answer == expected
        outcome.check(right, f"{claim.name} {verdict.answer}, but it {expected} ({depth})")
        if right and exact and depth is not None:
            outcome.check(verdict.depth == depth, f"{claim.name} at {verdict.depth}, not {depth}")
        if verdict.trace is not None:
            outcome.check(*_replayed(judged.runner, verdict))


def _replayed(runner: Runner, verdict: Verdict) -> tuple[bool, str]:
    """Return whether a trace is a run that shows its violation, and the difference if not."""
    trace, claim = verdict.trace, verdict.claim
    assert trace is not None
    sentence = f"{claim.name}: the trace {trace.steps} from {trace.states[0]} shows nothing"
    if trace.states[0] not in runner.starts():
        return False, sentence
    try:
        for i, step in enumerate(trace.steps):
            after = runner.take(trace.states[i], (step.action, step.binding))
            if after is None or after != trace.states[i + 1]:
                return False, sentence
    except Leaves:
        return claim.kind == "range" and i == len(trace.steps) - 1, sentence
    return claim.kind != "range" and _shown(runner, verdict, trace.states), sentence


def _shown(runner: Runner, verdict: Verdict, states: Sequence[Values]) -> bool:
    """Return whether the last step or state of a run shows the violation that a verdict reports."""
    kind, name = verdict.claim.kind, verdict.claim.name
    if kind == "deadlock":
        return not runner.may_end(states[-1]) and not any(
            _possible(runner, states[-1], step) for step in runner.steps
        )
    if kind == "transition":
        return not runner.holds(name, *states[-2:])
    return runner.holds(name, states[-1]) == (kind == "sometimes")


def _possible(runner: Runner, values: Values, step: tuple[str, tuple[int, ...]]) -> bool:
    try:
        return runner.take(values, step) is not None
    except Leaves:
        return True


# Proofs


def proved(judged: Judged, seconds: float = 20.0) -> Outcome:
    """Compare induction: proved claims must hold in all states, violated ones must fail."""

    def run(outcome: Outcome) -> None:
        for verdict in induction.check(judged.model, Limits(seconds)):
            outcome.answers[verdict.answer] += 1
            if judged.error:
                continue
            if verdict.answer == "holds":
                outcome.check(*never_fails(judged, verdict))
            elif verdict.trace is not None:
                outcome.check(*_replayed(judged.endless(verdict.model), verdict))

    return held(judged, run)


def never_fails(judged: Judged, verdict: Verdict) -> tuple[bool, str]:
    """Return whether a proved claim holds in all states, and the difference if not."""
    name, found = verdict.claim.name, judged.found
    depth = found.leaves if verdict.claim.kind == "range" else found.first.get(name)
    sizes = judged.runner.spec._given
    return depth is None, f"{name} proved, but it fails after {depth} steps with {sizes}"
