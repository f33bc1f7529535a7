"""Lassos: runs whose last steps are repeated for ever, judged in plain Python."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from counterpoint.spec.notation import (
    Explanation,
    Fairness,
    Model,
    Property,
    RangeError,
    Step,
    Values,
)

from .ltl.on_lassos import OnLasso
from .ltl.words import why_false
from .verdict import Disagreement, Trace, Verdict, explained, in_steps


def violated_by(verdict: Verdict, found: Trace) -> Verdict:
    """Return the verdict that a lasso, or a run that breaks an `until`, violates a property.

    It is unknown if constraints leave out steps that the run would have to take.

    Parameters
    ----------
    verdict : Verdict
        Names the property; the rest of it is kept.
    found : Trace
        The replayed run.

    Raises
    ------
    Disagreement
        If plain Python does not confirm it.
    """
    model, claim = verdict.model, verdict.claim
    if left := promises_left_out(model, found):
        why = (
            f"constraints leave out steps of {', '.join(left)}, which a run must take: what "
            "was found is no run of the spec"
        )
        return replace(verdict, answer="unknown", extent="", reason=why)
    confirm_lasso(model, claim, found)
    changed = replace(
        verdict, answer="violated", extent=extent_of(found), depth=len(found.steps), trace=found,
        reason=what_happens(model, claim, found),
    )  # fmt: skip
    changed = explained(changed)
    if found.loop is not None and not changed.explanation.lines:
        changed = replace(changed, explanation=Explanation(tuple(promises(model, found))))
    return changed


def extent_of(found: Trace) -> str:
    """Return the length of a lasso in words."""
    if found.loop is None:
        return in_steps(len(found.steps))
    return f"{in_steps(found.loop)}, then {len(found.steps) - found.loop or 'none'} for ever"


def promised(promises: Sequence[Fairness]) -> str:
    """Return the fair actions in words, as a note of a verdict."""
    found: dict[str, None] = {}
    for one in promises:
        strength = "strongly" if one.strong else "weakly"
        found.setdefault(f"{one.name.partition('(')[0]} {strength}")
    return f"fair: {', '.join(found) or 'no action'}"


MOST_IDLE = 8
"""With more promises that are never due in a cycle, only their number is shown."""

IDLE_AT_END = "has no step there that changes the state"
IDLE_IN_CYCLE = "has no step in the cycle that changes the state"


def confirm_lasso(model: Model, claim: Property, trace: Trace) -> None:
    """Check in plain Python that a lasso is fair and violates a temporal property.

    Parameters
    ----------
    model : Model
    claim : Property
        A temporal property.
    trace : Trace
        The replayed run. Without a loop it may only be a run that breaks an `until`.

    Raises
    ------
    Disagreement
        If it is not fair, or does not violate the property.
    """
    if fault := fault_of_lasso(model, claim, trace):
        raise Disagreement(f"{model.name}: plain Python does not confirm {claim.name}: {fault}")


def fault_of_lasso(model: Model, claim: Property, trace: Trace) -> str:
    """Return why a run is no fair lasso that violates a temporal property; "" if it is one."""
    if trace.loop is None and claim.kind != "until":
        return "it has no cycle, and a run that ends decides nothing"
    if trace.loop is not None:
        if trace.states[-1] != trace.states[trace.loop]:
            return "the last state is not the one where the cycle begins"
        for promise in model.fairness:
            if not is_kept(model, promise, trace):
                return f"the cycle does not keep {promise.name} fair"
    return "" if violates_lasso(model, claim, trace) else "not violated"


def violates_lasso(model: Model, claim: Property, trace: Trace) -> bool:
    """Return whether a lasso, or a run that breaks an `until`, violates a temporal property."""
    truth = [model.conditions(claim, values) for values in trace.states]
    if claim.kind == "until":
        return _breaks_until(truth, ends=trace.loop is None)
    if trace.loop is None:
        return False
    if claim.kind == "temporal":
        shape = model.shapes.of(model, claim.method)
        return not OnLasso(*_repeated(truth, trace)).truth(shape)[0]
    cycle = truth[trace.loop :]
    if claim.kind == "eventually":
        return not any(first for (first,) in truth)
    if claim.kind == "infinitely-often":
        return not any(first for (first,) in cycle)
    if claim.kind == "stays":
        return not all(first for (first,) in cycle)
    return any(
        first and not any(second for _, second in (*truth[k:], *cycle))
        for k, (first, _) in enumerate(truth)
    )


def _repeated(
    truth: Sequence[tuple[bool, ...]], trace: Trace
) -> tuple[Sequence[tuple[bool, ...]], int]:
    """Return the conditions in the states of a lasso, the last one not twice, and the loop."""
    assert trace.loop is not None
    return truth[: max(len(trace.steps), trace.loop + 1)], trace.loop


def _breaks_until(truth: Sequence[tuple[bool, ...]], ends: bool) -> bool:
    """Return whether a run breaks an `until`, from both conditions in its states.

    Parameters
    ----------
    truth : sequence of (bool, bool)
    ends : bool
        Whether nothing is known of what follows; otherwise the last states are repeated for ever.
    """
    for first, second in truth:
        if second or not first:
            return not second
    return not ends


def is_kept(model: Model, promise: Fairness, trace: Trace) -> bool:
    """Return whether the cycle of a lasso keeps a promise of fairness."""
    if any(step in promise.steps and before != after for step, before, after in _cycle(trace)):
        return True
    assert trace.loop is not None
    due = [_is_due(model, promise, values) for values in trace.states[trace.loop :]]
    return not any(due) if promise.strong else not all(due)


def _cycle(trace: Trace) -> Iterator[tuple[Step, Values, Values]]:
    loop = trace.loop or 0
    yield from zip(trace.steps[loop:], trace.states[loop:-1], trace.states[loop + 1 :], strict=True)


def promises_left_out(model: Model, trace: Trace) -> list[str]:
    """Return the promises that a cycle does not keep since constraints leave out their steps."""
    if trace.loop is None or not model.constraints:
        return []
    return [one.name for one in model.fairness if not is_kept(model, one, trace)]


def _is_due(model: Model, promise: Fairness, values: Values) -> bool:
    """Return whether a step of a promise is possible and changes the state.

    A step that a constraint leaves out counts: the run is one of the spec, not of what is explored.
    """
    for step in promise.steps:
        if model.is_left_out(values, step):
            return True
        try:
            after = model.take(values, step)
        except RangeError:
            continue
        if after is not None and after != values:
            return True
    return False


def what_happens(model: Model, claim: Property, trace: Trace) -> str:
    """Return in words what a lasso does for ever, and which promises it keeps.

    Parameters
    ----------
    model : Model
    claim : Property
    trace : Trace
        The lasso.
    """
    if trace.loop is None:
        return "neither of its conditions is true there"
    length = len(trace.steps) - trace.loop
    if length == 0:
        what = "nothing happens any more"
    elif length == 1:
        what = "its last step is repeated for ever"
    else:
        what = f"its last {length} steps are repeated for ever"
    return f"{what}: {_missing(model, claim, trace)}"


def _missing(model: Model, claim: Property, trace: Trace) -> str:
    if claim.kind == "temporal":
        truth = [model.conditions(claim, values) for values in trace.states]
        return why_false(model, claim, *_repeated(truth, trace)) or "the formula is true"
    return {
        "eventually": "the condition is never true",
        "infinitely-often": "the condition is not true again",
        "stays": "the condition is false again and again",
        "leads-to": "the first condition was true, and the second is not true from then on",
        "until": "the second condition is never true",
    }[claim.kind]


def promises(model: Model, trace: Trace) -> Sequence[str]:
    """Return for each promise of fairness how the cycle of a lasso keeps it, in words."""
    found: list[tuple[str, str]] = []
    assert trace.loop is not None
    for promise in model.fairness:
        strength = "strong" if promise.strong else "weak"
        if any(step in promise.steps and a != b for step, a, b in _cycle(trace)):
            how = "is taken in the cycle"
        elif trace.loop == len(trace.steps):
            how = IDLE_AT_END
        elif promise.strong:
            how = IDLE_IN_CYCLE
        else:
            due = [_is_due(model, promise, values) for values in trace.states[trace.loop :]]
            how = "is not always possible in the cycle" if any(due) else IDLE_IN_CYCLE
        found.append((f"{promise.name} ({strength})", how))
    idle = [name for name, how in found if how in (IDLE_AT_END, IDLE_IN_CYCLE)]
    if len(idle) <= MOST_IDLE:
        return [f"{name} {how}" for name, how in found]
    shown = [f"{name} {how}" for name, how in found if name not in idle]
    return [*shown, f"{len(idle)} other fair actions {IDLE_IN_CYCLE.replace('has', 'have')}"]
