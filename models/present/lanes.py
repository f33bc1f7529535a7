"""Which lane of a chart a step stands in: that of the member which acts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from counterpoint.models.verdict import Trace, Verdict
from counterpoint.spec.notation import Index, Model, SpecError, Step, Values, readable_changes
from counterpoint.spec.notation.nodes import Cell


@dataclass(frozen=True)
class Move:
    """A step as a chart shows it.

    Attributes
    ----------
    lane : int
        The number of its lane.
    text : str
        The action with the parameters that the lane does not show.
    changes : tuple of str
        Its changes, as in ``date[x] 0→1``; empty if no state follows it.
    """

    lane: int
    text: str
    changes: tuple[str, ...]


def traced(verdict: Verdict) -> Trace:
    """Return the verdict's trace.

    Raises
    ------
    SpecError
        If it has none.
    """
    if verdict.trace is None:
        raise SpecError(f"{verdict.model.name}: {verdict.claim.name} has no trace to show")
    return verdict.trace


def arrange(verdict: Verdict) -> tuple[tuple[str, ...], tuple[Move, ...]]:
    """Return the labels of the lanes, and the steps of a verdict's trace; see `arranged`."""
    return arranged(verdict.model, traced(verdict))


def arranged(model: Model, trace: Trace) -> tuple[tuple[str, ...], tuple[Move, ...]]:
    """Return the labels of the lanes, and the steps of a run with their lanes.

    Every member of the lane index has a lane. A step without a parameter of that index stands in
    the lane of its own first parameter's member. Steps without parameters share one more lane.
    """
    acting = _acting(model, trace)
    lanes = _lanes(model, trace, acting)
    moves = []
    for i, step in enumerate(trace.steps):
        place = acting[step.action]
        lane = lanes.index(_member(model, step, place)) if place is not None else len(lanes)
        ends = trace.states[i : i + 2]
        changes = changes_as_text(model, *ends) if len(ends) == 2 else ()
        moves.append(Move(lane, _text(model, step, place), changes))
    labels = _labels(model, lanes)
    if not labels or any(m.lane == len(labels) for m in moves):
        labels.append("environment" if labels else model.name)
    return tuple(labels), tuple(moves)


def _parameters(model: Model, action: str) -> tuple[tuple[str, Index], ...]:
    return next(a.parameters for a in model.actions if a.name == action)


def _lane_index(model: Model) -> Index | None:
    """Return the index all of whose members have a lane; None if no action has a parameter."""
    named = model.spec.lane
    if named:
        for found in _indices(model):
            if named in (found.attribute, found.name, *found.names):
                return found
        raise SpecError(f"{model.name} has no index {named!r} for its lanes")
    return next((i for a in model.actions for _, i in a.parameters if i.acts), None)


def _indices(model: Model) -> list[Index]:
    """Return the declared indices."""
    spec = model.spec
    every = (*spec.declared_parameters.values(), *spec.declared_domains.values())
    return [found for found in every if isinstance(found, Index)]


def _acting(model: Model, trace: Trace) -> dict[str, int | None]:
    """Return, for each action, the place of the parameter whose member acts; None without one.

    It is the parameter that `Spec.lane` names, or the only one of the lane index. Of several, as in
    ``vote(i, j)``, it is the one whose member's variables change in every step of the trace, if
    this is true of one only, and else the first.
    """
    found: dict[str, int | None] = {}
    index = _lane_index(model)
    for action in dict.fromkeys(step.action for step in trace.steps):
        parameters = _parameters(model, action)
        named = [k for k, (name, _) in enumerate(parameters) if name == model.spec.lane]
        members = [i for _, i in parameters if i.acts]
        wanted = index if index in members else next(iter(members), None)
        own = named or [k for k, (_, i) in enumerate(parameters) if i is wanted]
        changing = _changing(model, trace, action, own) if len(own) > 1 else own
        found[action] = next(iter(changing or own), None)
    return found


def _changing(model: Model, trace: Trace, action: str, places: Sequence[int]) -> list[int]:
    """Return the one place whose members' variables change in all steps, or nothing."""
    always = set(places)
    for step, before, after in zip(trace.steps, trace.states, trace.states[1:], strict=False):
        if step.action == action and len({step.binding[k] for k in places}) == len(places):
            index = _parameters(model, action)[places[0]][1]
            changed = set(_members_changed(model, index, before, after))
            always &= {k for k in places if step.binding[k] in changed}
    return [*always] if len(always) == 1 else []


def _members_changed(model: Model, index: Index, before: Values, after: Values) -> Iterator[int]:
    """Yield the members of an index with a changed variable that belongs to one of them alone."""
    for cell, old, new in zip(model.cells, before, after, strict=True):
        if old != new:
            own = _members_of(model, cell, index)
            if len(own) == 1:
                yield own[0]


def _members_of(model: Model, cell: Cell, index: Index) -> list[int]:
    indices = model.spec.declared_variables[cell.variable].indices
    return [m for i, m in zip(indices, cell.index, strict=True) if i is index]


_Lane = tuple[Index, int]


def _member(model: Model, step: Step, place: int) -> _Lane:
    return _parameters(model, step.action)[place][1], step.binding[place]


def _lanes(model: Model, trace: Trace, acting: dict[str, int | None]) -> list[_Lane]:
    """Return the members with a lane: all of the lane index, and others that take steps."""
    index = _lane_index(model)
    if index is None:
        return []
    places = [(step, place) for step in trace.steps if (place := acting[step.action]) is not None]
    others = {_member(model, step, place) for step, place in places}
    order = _indices(model)
    first = [(index, member) for member in range(index.size(model.spec))]
    return first + sorted(others - set(first), key=lambda one: (order.index(one[0]), one[1]))


def _labels(model: Model, lanes: Sequence[_Lane]) -> list[str]:
    """Return the labels of lanes, with the names of their indices where two would be equal."""
    labels = [index.label(model.spec, member) for index, member in lanes]
    if len(set(labels)) == len(labels):
        return labels
    return [f"{lane[0].name} {label}" for lane, label in zip(lanes, labels, strict=True)]


def _text(model: Model, step: Step, place: int | None) -> str:
    """Return a step without its lane; a single further parameter is shown without its name."""
    shown = model.show_binding(step)
    if place is not None:
        del shown[_parameters(model, step.action)[place][0]]
    if len(shown) == 1:
        return f"{step.action}({next(iter(shown.values()))})"
    inside = ", ".join(f"{name}={label}" for name, label in shown.items())
    return f"{step.action}({inside})" if inside else step.action


def changes_as_text(model: Model, before: Values, after: Values) -> tuple[str, ...]:
    """Return the changes of a step as text, as in ``date[x] 0→1``.

    Of a truth value, only the new one is shown. A sequence is shown as a whole.
    """
    return tuple(
        f"{label}→{new}" if isinstance(new, bool) else f"{label} {old}→{new}"
        for label, (old, new) in readable_changes(model, before, after).items()
    )
