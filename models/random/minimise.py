"""Makes a counterexample smaller: whole members dropped, then single steps, as long as it fails."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from counterpoint.models.limits import LimitReached, Limits
from counterpoint.models.verdict import Trace, violates
from counterpoint.spec.notation import Model, Property, RangeError, Step


def minimise(model: Model, claim: Property, trace: Trace, limits: Limits | None = None) -> Trace:
    """Return a trace that still violates a property, from which nothing more can be dropped.

    Parameters
    ----------
    model : Model
        The spec.
    claim : Property
        The property that the trace violates.
    trace : Trace
        The violation.
    limits : Limits, optional
        Where one is reached, the smallest trace so far is returned.

    Notes
    -----
    First all steps of one member of an index are dropped (a whole transaction), then halves,
    quarters and so on down to single steps, then pairs, again and again until nothing can go; what
    is left need not be the shortest counterexample.
    """
    best, limits = trace, limits or Limits()
    try:
        smaller = _cut(model, claim, trace.states[0], trace.steps)
        while smaller is not None:
            best, smaller = smaller, _smaller_one(model, claim, smaller, limits)
    except LimitReached:
        pass
    return best


def _smaller_one(model: Model, claim: Property, best: Trace, limits: Limits) -> Trace | None:
    """Return a violation with fewer steps, if dropping some leaves one."""
    for steps in _smaller(model, best.steps):
        limits.check()
        found = _cut(model, claim, best.states[0], steps)
        if found is not None and len(found.steps) < len(best.steps):
            return found
    return None


def _smaller(model: Model, steps: Sequence[Step]) -> Iterator[list[Step]]:
    parameters = {a.name: a.parameters for a in model.actions}
    members = {
        (index.name, member)
        for s in steps
        for (_, index), member in zip(parameters[s.action], s.binding, strict=True)
    }
    for name, member in sorted(members):
        yield [
            s
            for s in steps
            if all(
                (index.name, m) != (name, member)
                for (_, index), m in zip(parameters[s.action], s.binding, strict=True)
            )
        ]
    size = len(steps) // 2
    while size:
        for i in range(0, len(steps), size):
            yield [*steps[:i], *steps[i + size :]]
        size //= 2
    for i, j in combinations(range(len(steps)), 2):
        yield [*steps[:i], *steps[i + 1 : j], *steps[j + 1 :]]


def _cut(
    model: Model, claim: Property, start: tuple[int, ...], steps: Sequence[Step]
) -> Trace | None:
    """Return the run up to its first violation; None if a step is not possible or none occurs."""
    trace = Trace((start,), ())
    if violates(model, claim, trace):
        return trace
    for step in steps:
        taken = (*trace.steps, step)
        try:
            after = model.take(trace.states[-1], step)
        except RangeError:
            return Trace(trace.states, taken) if claim.kind == "range" else None
        if after is None:
            return None
        trace = Trace((*trace.states, after), taken)
        if violates(model, claim, trace):
            return trace
    return None
