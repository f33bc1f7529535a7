"""The graph of all reachable states, for specs small enough to be drawn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from counterpoint.models.limits import LimitReached, Limits
from counterpoint.spec.notation import Model, Property, RangeError, SpecError, Values

from .counterexample import UndecidedExport


@dataclass(frozen=True)
class GraphState:
    """A state of the graph.

    Attributes
    ----------
    values : tuple of int
        The value of every cell of `Model.cells`.
    shown : tuple of str
        The cells with several values in the graph, as in ``turn=1``.
    initial, may_end : bool
        Whether a run may start, or may end, here.
    violates : tuple of str
        The invariants that are false here, and ``no-deadlock`` in a deadlock.
    reaches : tuple of str
        The witnesses that are true here.
    """

    values: Values
    shown: tuple[str, ...]
    initial: bool
    may_end: bool
    violates: tuple[str, ...]
    reaches: tuple[str, ...]


@dataclass(frozen=True)
class GraphEdge:
    """A step from one state to another.

    Attributes
    ----------
    source : int
        The number of the state before.
    target : int or None
        The number of the state after; None if the step leaves a range.
    label : str
        The step.
    violates : tuple of str
        The transition properties that the step violates, or ``ranges``.
    """

    source: int
    target: int | None
    label: str
    violates: tuple[str, ...]


@dataclass(frozen=True)
class StateGraph:
    """All reachable states, breadth first, and the steps between them."""

    model: Model
    states: tuple[GraphState, ...]
    edges: tuple[GraphEdge, ...]


def graph(
    model: Model, wanted: Sequence[Property] = (), most_states: int = 200,
    limits: Limits | None = None,
) -> StateGraph:  # fmt: skip
    """Return the graph of a spec's states, explored in plain Python.

    Parameters
    ----------
    model : Model
        The spec.
    wanted : sequence of Property, optional
        The properties to mark; all by default.
    most_states : int
        The most states of a graph.
        limits : Limits, optional
        Time.

    Raises
    ------
    SpecError
        If there are more states than `most_states`, or none.
    UndecidedExport
        If a limit was reached.
    """
    walk = _Walk(model, tuple(wanted or model.properties), most_states)
    try:
        walk.go(limits or Limits())
    except LimitReached as limit:
        raise UndecidedExport(f"{model.name}: not all states were visited: {limit}") from None
    return StateGraph(model, tuple(walk.described()), tuple(walk.edges))


class _Walk:
    def __init__(self, model: Model, wanted: tuple[Property, ...], most: int) -> None:
        self.model, self.wanted, self.most = model, wanted, most
        self.place: dict[Values, int] = {}
        self.edges: list[GraphEdge] = []
        self.started = 0

    def go(self, limits: Limits) -> None:
        for values in self.model.initial_states():
            self._add(values)
        self.started = len(self.place)
        if not self.place:
            raise SpecError(f"{self.model.name} has no initial state")
        todo = list(self.place)
        for values in todo:
            limits.check(f"{len(self.place):,} states")
            before = len(self.place)
            self._expand(values)
            todo += list(self.place)[before:]

    def _add(self, values: Values) -> int:
        found = self.place.setdefault(values, len(self.place))
        if len(self.place) > self.most:
            raise SpecError(f"{self.model.name} has more than {self.most} states, too many to "
                            "draw; --most-states raises the limit")  # fmt: skip
        return found

    def _expand(self, values: Values) -> None:
        model, source = self.model, self.place[values]
        kept = [p for p in self.wanted if p.kind == "transition"]
        ranges = tuple(p.name for p in self.wanted if p.kind == "range")
        for step in model.steps:
            label = model.show_step(step)
            try:
                after = model.take(values, step)
            except RangeError:
                self.edges.append(GraphEdge(source, None, label, ranges))
                continue
            if after is not None:
                failed = tuple(p.name for p in kept if not model.holds(p, values, after))
                self.edges.append(GraphEdge(source, self._add(after), label, failed))

    def described(self) -> Iterator[GraphState]:
        model = self.model
        alive = {edge.source for edge in self.edges}
        moving = [len(set(found)) > 1 for found in zip(*self.place, strict=True)]
        cells = model.cells
        ends = bool(model.methods("finished"))
        for values, i in self.place.items():
            shown = tuple(
                f"{c.label}={model.show_value(c, v)}"
                for c, v, moves in zip(cells, values, moving, strict=True)
                if moves
            )
            may_end = ends and model.may_end(values)
            stuck = ends and i not in alive and not may_end
            failed = [p.name for p in self.wanted if self._fails(p, values, stuck)]
            reached = [p.name for p in self.wanted if p.kind == "sometimes"]
            reached = [n for n in reached if model.holds(model.property_named(n), values)]
            yield GraphState(
                values, shown, i < self.started, may_end, tuple(failed), tuple(reached)
            )

    def _fails(self, claim: Property, values: Values, stuck: bool) -> bool:
        if claim.kind == "deadlock":
            return stuck
        return claim.kind in ("invariant", "lemma") and not self.model.holds(claim, values)
