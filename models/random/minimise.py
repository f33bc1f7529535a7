"""Makes runs smaller: removes steps as long as the run still shows what it was found for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from counterpoint.models.limits import LimitReached, Limits
from counterpoint.models.verdict import Trace, violates
from counterpoint.spec.notation import Model, Property, RangeError, Step, Values

MOST_FOR_PAIRS = 120
"""The most steps of a run from which pairs are removed; longer runs have too many pairs."""


def minimise(model: Model, claim: Property, trace: Trace, limits: Limits | None = None) -> Trace:
    """Return a trace that still shows a violation or a witness, with no step that can be removed.

    Parameters
    ----------
    model : Model
        The spec.
    claim : Property
        The property that the trace violates, or the witness that it reaches.
    trace : Trace
        The run.
    limits : Limits, optional
        If one is reached, the smallest trace so far is returned.

    Notes
    -----
    First all steps of one member of an index are removed (a whole transaction), then halves,
    quarters and so on down to single steps, then, of up to 120 steps, pairs. This is repeated until
    no removal is possible. The result need not be a shortest run.
    """
    best, limits = trace, limits or Limits()
    cut = _Cutter(model, claim)
    try:
        smaller = cut.first_end(trace.states[0], trace.steps)
        while smaller is not None:
            best, smaller = smaller, _smaller_one(cut, smaller, limits)
    except LimitReached:
        pass
    return best


def ends_in(model: Model, claim: Property, trace: Trace) -> bool:
    """Return whether a run ends in a violation of a property, or in a state that a witness wants.

    Parameters
    ----------
    model : Model
        The spec.
    claim : Property
        Any property or lemma.
    trace : Trace
        The run.
    """
    if claim.kind == "sometimes":
        return len(trace.states) > len(trace.steps) and model.holds(claim, trace.states[-1])
    return violates(model, claim, trace)


class _Cutter:
    """Takes steps and looks where a run shows a claim; remembers both, since runs are alike.

    Parameters
    ----------
    model : Model
        The spec.
    claim : Property
        What a run shows.
    """

    def __init__(self, model: Model, claim: Property) -> None:
        self.model, self.claim = model, claim
        self._after: dict[tuple[Values, Step], Values | RangeError | None] = {}
        self._ends: dict[tuple[Values, ...], bool] = {}

    def first_end(self, start: Values, steps: Sequence[Step]) -> Trace | None:
        """Return the run up to where it first shows the claim.

        Parameters
        ----------
        start : Values
            The initial state.
        steps : sequence of Step
            The steps to take.

        Returns
        -------
        Trace or None
            None if a step is not possible, or if the run never shows the claim.
        """
        states = [start]
        if self._shows(states):
            return Trace((start,), ())
        for number, step in enumerate(steps, 1):
            after = self._take(states[-1], step)
            if isinstance(after, RangeError):
                leaves = Trace(tuple(states), tuple(steps[:number]))
                return leaves if self.claim.kind == "range" else None
            if after is None:
                return None
            states.append(after)
            if self._shows(states):
                return Trace(tuple(states), tuple(steps[:number]))
        return None

    def _take(self, values: Values, step: Step) -> Values | RangeError | None:
        if (values, step) not in self._after:
            try:
                self._after[values, step] = self.model.take(values, step)
            except RangeError as error:
                self._after[values, step] = error
        return self._after[values, step]

    def _shows(self, states: Sequence[Values]) -> bool:
        """Return whether a run ends here; only its last two states matter."""
        last = tuple(states[-2:])
        if last not in self._ends:
            steps = (Step("", ()),) * (len(last) - 1)
            self._ends[last] = ends_in(self.model, self.claim, Trace(last, steps))
        return self._ends[last]


def _smaller_one(cut: _Cutter, best: Trace, limits: Limits) -> Trace | None:
    """Return a run with fewer steps that still shows the claim; None if there is none.

    Parameters
    ----------
    cut : _Cutter
        Takes the steps.
    best : Trace
        The run so far.
    limits : Limits
        Time and memory.
    """
    for steps in _smaller(cut.model, best.steps):
        limits.check()
        found = cut.first_end(best.states[0], steps)
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
    if len(steps) <= MOST_FOR_PAIRS:
        for i, j in combinations(range(len(steps)), 2):
            yield [*steps[:i], *steps[i + 1 : j], *steps[j + 1 :]]
