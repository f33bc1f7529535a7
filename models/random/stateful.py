"""The engine ``stateful``: random runs, made by a Hypothesis state machine from any spec.

As a test class, one line::

    TestWindow = machine(Window(transactions=3)).TestCase

The engine's function `check` makes such runs until each property has a counterexample. It
minimises the counterexamples and the runs that reach witnesses.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

from hypothesis import HealthCheck, Phase, Verbosity, seed, settings
from hypothesis.errors import HypothesisException
from hypothesis.stateful import run_state_machine_as_test

from counterpoint.models.limits import Limits
from counterpoint.models.symbolic import comparing
from counterpoint.models.verdict import (
    Disagreement,
    Trace,
    Verdict,
    explained,
    in_steps,
    what_failed,
)
from counterpoint.spec.notation import Model, Property, SpecError, Values

from .machines import DEFAULT_MOVES, SpecMachine, Violation, machine, machine_of
from .minimise import minimise
from .walker import Walker, WalkStopped

__all__ = ["SpecMachine", "Violation", "check", "machine", "settings"]

DEFAULT_RUNS = 6000

AGAIN = 200
"""The number of states whose steps and claims are run again at the end."""

BATCH = 500
"""The number of runs in one call of Hypothesis."""


def check(
    model: Model,
    limits: Limits | None = None,
    wanted: Sequence[Property] | None = None,
    runs: int = DEFAULT_RUNS,
    moves: int = DEFAULT_MOVES,
    random_seed: int = 0,
) -> list[Verdict]:
    """Return a verdict for each property from random runs, which may miss violations.

    Parameters
    ----------
    model : Model
        The spec.
    limits : Limits, optional
        Time and memory.
    wanted : sequence of Property, optional
        The properties; all by default.
    runs, moves : int
        The number of runs, and of rules in each (a rule takes up to 16 steps). The runs end early
        once all reachable states and all their steps were judged, or all properties are decided.
    random_seed : int
        The same seed gives the same runs.

    Notes
    -----
    A witness that no run reached is unknown.
    """
    limits = limits or Limits()
    wanted = list(model.properties if wanted is None else wanted)
    walker = Walker(model, wanted, limits)
    reason = walker.stopped or ("" if walker.starts else "there is no initial state")
    try:
        while not reason and walker.runs < runs:
            size = min(BATCH, runs - walker.runs)
            _run(walker, size, moves, random_seed)
    except (WalkStopped, HypothesisException) as error:
        reason = walker.stopped or _flaky(error)
    found = _minimised(walker, wanted, limits)
    verdicts = [_verdict(walker, claim, found, reason, limits) for claim in wanted]
    return comparing.with_comparison(verdicts, _again(walker, wanted, random_seed))


def _minimised(walker: Walker, wanted: Sequence[Property], limits: Limits) -> dict[str, Trace]:
    """Return the traces that were found, minimised: violations first, since they matter more."""
    named = {p.name: p for p in sorted(wanted, key=lambda p: p.kind == "sometimes")}
    return {
        name: minimise(walker.model, claim, walker.found[name], limits)
        for name, claim in named.items()
        if name in walker.found
    }


def _flaky(error: BaseException) -> str:
    """Raise an error for a run that ended differently when Hypothesis repeated it.

    If the runs ended since nothing more can be found, there is no error. If a limit was reached,
    Hypothesis may call a run flaky because the limit ended it early; then return the limit's
    message.
    """
    if isinstance(error, WalkStopped):
        return ""
    for inner in getattr(error, "exceptions", ()):
        if isinstance(inner, SpecError):
            raise inner from error
    raise Disagreement("plain Python has another result when it is run again") from error


def _judged_alike(walker: Walker, wanted: Sequence[Property], values: Values) -> bool:
    """Return whether claims have the same values in a state when they are evaluated three times."""
    claims = [p for p in wanted if p.kind in ("invariant", "lemma", "sometimes")]
    answers = [[walker.model.holds(c, values) for c in claims] for _ in range(3)]
    return answers[0] == answers[1] == answers[2]


def _again(
    walker: Walker, wanted: Sequence[Property], random_seed: int
) -> comparing.ComparisonResult:
    """Take the steps of some states again; their results must be the same."""
    model = walker.model
    states = sorted(walker.moves)
    chosen = random.Random(random_seed).sample(states, min(AGAIN, len(states)))
    for values in chosen:
        try:
            same = walker.possible(values) == walker.moves[values]
            same = same and _judged_alike(walker, wanted, values)
        except SpecError as error:
            return comparing.ComparisonResult(len(chosen), str(error))
        if not same:
            where = comparing.show_state(model, values)
            return comparing.ComparisonResult(
                len(chosen), f"plain Python has another result when it is run again, at {where}"
            )
    return comparing.ComparisonResult(len(chosen))


def _run(walker: Walker, runs: int, moves: int, random_seed: int) -> None:
    """Make runs.

    Parameters
    ----------
    walker : Walker
        Takes the steps and judges them.
    runs, moves : int
        The number of runs, and of rules in each.
    random_seed : int
        The seed of the runs.
    """
    chosen = settings(
        max_examples=runs,
        stateful_step_count=moves,
        deadline=None,
        database=None,
        derandomize=False,
        phases=(Phase.generate,),
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
        verbosity=Verbosity.quiet,
    )
    test = seed(random_seed)(machine_of(walker, random_seed))
    run_state_machine_as_test(test, settings=chosen)


def _verdict(
    walker: Walker,
    claim: Property,
    found: dict[str, Trace],
    reason: str,
    limits: Limits,
) -> Verdict:
    """Return the verdict on a claim.

    Parameters
    ----------
    walker : Walker
        Has the numbers of runs and states.
    claim : Property
    found : dict of str to Trace
        For each violated claim or reached witness, by name, its shortest run.
    reason : str
        Why the engine stopped early; empty if it did not.
    limits : Limits
    """
    extent = f"{walker.runs:,} random runs"
    base = Verdict(
        walker.model, claim, "stateful", "holds", extent, len(walker.seen),
        seconds=limits.elapsed(),
    )  # fmt: skip
    if claim.name not in found:
        if claim.kind == "sometimes":
            return replace(base, answer="unknown", reason=reason or "no run reached it")
        return replace(base, answer="unknown", reason=reason) if reason else base
    trace = found[claim.name]
    length = len(trace.steps)
    shown = replace(base, trace=trace, depth=length, extent=in_steps(length))
    if claim.kind == "sometimes":
        return shown
    what = what_failed(walker.model, claim, trace)
    return explained(replace(shown, answer="violated", reason=what))
