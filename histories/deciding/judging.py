"""Judges whether transactions fit one order: known edges first, then what is open.

The orders of versions that are open are decided in four steps, each only if the one before did not:
one guess, the order of the ends; what is forced, since the other order would close a cycle; and a
solver over what is left, which learns from each cycle.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from itertools import islice, pairwise

from counterpoint.histories.sources import Finding, Sources
from counterpoint.models.limits import LimitReached, Limits

from .demands import Demand
from .edges import (
    Edge,
    Graph,
    Kind,
    clearest_cycle,
    cyclic_parts,
    parts_of,
    shortest_cycle,
    without_passing,
)
from .layouts import Whole
from .versions import Choice, Orders, Segment, orders_of

MANY_CHOICES = 20_000
"""With more pairs of versions in an open order the kernel is asked."""

MOST_CHOICES = 3_000_000
"""With more pairs of versions in an open order the answer is unknown."""

Pair = tuple[Segment, Segment]


@dataclass
class Judgement:
    """Whether transactions fit one order.

    Attributes
    ----------
    fits : bool or None
        None if it is unknown.
    cycle : list of Edge
        If they do not: a cycle of edges from transaction to transaction.
    finding : Finding or None
        If they do not, and no cycle is needed: a read that is wrong by itself.
    opened : int
        How many pairs of versions were in an open order, after a guess had failed.
    forced : int
        How many of them had one possible order.
    reasons : dict
        For pairs (early, late) of writers whose order was forced and is part of the cycle: the
        cycle that the other order closes.
    reason : str
        Why it is unknown.
    """

    fits: bool | None
    cycle: list[Edge] = field(default_factory=list)
    finding: Finding | None = None
    opened: int = 0
    forced: int = 0
    reasons: dict[tuple[int, int], list[Edge]] = field(default_factory=dict)
    reason: str = ""


def judged(
    sources: Sources, demand: Demand, limits: Limits, layout: type[Whole] = Whole
) -> Judgement:
    """Return whether the members of a demand fit an order.

    Parameters
    ----------
    sources : Sources
    demand : Demand
    limits : Limits
        Of the search for open orders.
    layout : type
        Which cycles are forbidden.
    """
    orders = orders_of(sources, demand, unread_too=layout is not Whole)
    if orders.findings:
        return Judgement(False, finding=min(orders.findings, key=lambda one: one.place))
    return _Judge(sources, demand, orders, layout(orders.size), limits).judgement()


class _Judge:
    def __init__(
        self, sources: Sources, demand: Demand, orders: Orders, layout: Whole, limits: Limits
    ) -> None:
        self._sources, self._orders, self._layout, self._limits = sources, orders, layout, limits
        self._known = [*demand.kept, *orders.edges]

    def judgement(self) -> Judgement:
        """Return the answer."""
        known = self._graph(self._known)
        cycle = self._cycle(known)
        if cycle:
            return Judgement(False, cycle)
        if not self._orders.open or self._is_acyclic(self._guess()):
            return Judgement(True)
        choices = list(islice(self._orders.choices(), MANY_CHOICES + 1))
        if len(choices) > MANY_CHOICES:
            many = self._decided_many(known)
            if many is not None:
                return many
            choices = list(islice(self._orders.choices(), MOST_CHOICES + 1))
        if len(choices) > MOST_CHOICES:
            return Judgement(None, reason=f"more than {MOST_CHOICES:,} pairs of versions are "
                                          "in an open order")  # fmt: skip
        try:
            return self._decided(known, choices)
        except LimitReached as limit:
            return Judgement(None, opened=len(choices), reason=str(limit))

    def _decided_many(self, known: Graph) -> Judgement | None:
        """Return the answer where many pairs are open; None if the kernel cannot help."""
        from .saturating import MOST_LEFT, saturated

        twice = self._layout.copies > 1
        found = saturated(self._known, self._orders, twice=twice)
        if found is None:
            return None
        answer = Judgement(None, opened=found.opened, forced=found.forced)
        edges, why = list(self._known), {k: v for one in found.rounds for k, v in one.items()}
        for one in found.rounds:
            before, edges = edges, [*edges, *one]
        if found.is_cyclic:
            answer.fits, answer.cycle = False, self._cycle(self._graph(edges))
            answer.reasons = self._reasons(answer.cycle, why, self._graph(before))
            return answer
        if self._is_acyclic([*edges, *self._in_line(edges)]):
            answer.fits = True
            return answer
        try:
            if found.opened - found.forced > MOST_LEFT:
                answer.reason = f"more than {MOST_LEFT:,} pairs of versions are in an open order"
            elif self._solved(edges, found.left, answer):
                answer.fits = True
        except LimitReached as limit:
            answer.reason = str(limit)
        return answer

    def _in_line(self, edges: list[Edge]) -> Iterator[Edge]:
        """Yield the edges of open versions in an order of all transactions that edges allow.

        Of those that can come next the one that ended first does.
        """
        place = self._places(Graph(self._orders.size, edges))
        for what, segments in self._orders.open:
            for early, late in pairwise(sorted(segments, key=lambda s: place[s[0]])):
                yield from self._orders.overwritten(what, early[-1], late[0])

    def _places(self, graph: Graph) -> list[int]:
        """Return the place of each node in an order; nodes on cycles stand in the end."""
        size = len(graph)
        entering = [0] * size
        for edge in graph.edges:
            entering[edge.target] += edge.kind is not Kind.RW
        ends = [self._ended((k,)) for k in range(len(self._sources.history))]
        ends += [0] * (size - len(ends))
        ready = [(ends[k], k) for k in range(size) if not entering[k]]
        heapify(ready)
        place = [size] * size
        done = 0
        while ready:
            _, node = heappop(ready)
            place[node] = done
            done += 1
            for k in graph.out[node]:
                edge = graph.edges[k]
                if edge.kind is not Kind.RW:
                    entering[edge.target] -= 1
                    if not entering[edge.target]:
                        heappush(ready, (ends[edge.target], edge.target))
        return place

    def _graph(self, edges: list[Edge]) -> Graph:
        return self._layout.graph(edges)

    def _cycle(self, graph: Graph) -> list[Edge]:
        """Return a clear forbidden cycle of transactions; an empty list if there is none."""
        return self._layout.between_transactions(clearest_cycle(graph))

    def _is_acyclic(self, edges: list[Edge]) -> bool:
        return not cyclic_parts(self._graph(edges))

    def _guess(self) -> list[Edge]:
        """Return the known edges, with all open versions in the order in which writers ended."""
        edges = list(self._known)
        for what, segments in self._orders.open:
            for early, late in pairwise(sorted(segments, key=self._ended)):
                edges += self._orders.overwritten(what, early[-1], late[0])
        return edges

    def _ended(self, segment: Segment) -> int:
        one = self._sources.history.transactions[segment[0]]
        return one.end or one.asked or one.begin

    # Orders that are forced

    def _decided(self, known: Graph, choices: list[Choice]) -> Judgement:
        """Return the answer after deciding what is open."""
        answer = Judgement(None, opened=len(choices))
        edges, graph, todo = list(self._known), known, choices
        why: dict[Edge, tuple[Choice, bool]] = {}
        while True:
            left = self._forced(graph, todo, edges, why)
            answer.forced += len(todo) - len(left)
            if len(left) == len(todo):
                break
            before, graph = graph, self._graph(edges)
            answer.cycle = self._cycle(graph)
            if answer.cycle:
                answer.fits = False
                answer.reasons = self._reasons(answer.cycle, why, before)
                return answer
            todo = left
        if not left or self._solved(edges, left, answer):
            answer.fits = True
        return answer

    def _forced(
        self,
        graph: Graph,
        choices: list[Choice],
        edges: list[Edge],
        why: dict[Edge, tuple[Choice, bool]],
    ) -> list[Choice]:
        """Return the choices of which both orders are possible; add the edges of the others.

        A choice without a possible order gets the edges of one, which close a cycle.
        """
        reach = _reach(graph, self._limits)
        left: list[Choice] = []
        for choice in choices:
            possible = [way for way in (True, False) if self._is_possible(choice, way, reach)]
            if len(possible) == 2:
                left.append(choice)
                continue
            way = possible != [False]
            for edge in self._orders.edges_of(choice, way):
                edges.append(edge)
                why[edge] = choice, way
        return left

    def _is_possible(self, choice: Choice, forward: bool, reach: list[int]) -> bool:
        """Return whether an order of a choice closes no cycle by itself."""
        return not any(
            reach[one.target] >> one.source & 1
            for edge in self._orders.edges_of(choice, forward)
            for one in self._layout.drawn(edge)
        )

    def _reasons(
        self, cycle: list[Edge], why: dict[Edge, tuple[Choice, bool]], known: Graph
    ) -> dict[tuple[int, int], list[Edge]]:
        """Return for each forced order in a cycle the cycle that the other order closes."""
        found: dict[tuple[int, int], list[Edge]] = {}
        for edge in cycle:
            if edge in why:
                choice, way = why[edge]
                early, late = (choice.first, choice.second) if way else choice[:0:-1]
                extra = [one for e in self._orders.edges_of(choice, not way)
                         for one in self._layout.drawn(e)]  # fmt: skip
                other = self._cycle(Graph(len(known), [*known.edges, *extra]))
                if other:
                    found[early[-1], late[0]] = other
        return found

    # Orders that are left to the solver

    def _solved(self, edges: list[Edge], left: list[Choice], answer: Judgement) -> bool:
        """Return whether some choice of the orders that are left closes no cycle."""
        from .solving import Learner

        learner = Learner(len(left))
        cycle: list[Edge] = []
        while True:
            self._limits.check(f"{len(left):,} open orders, {learner.rounds:,} tries")
            ways = learner.next()
            if ways is None:
                answer.fits, answer.cycle = False, cycle
                return False
            chosen: dict[Edge, tuple[int, bool]] = {}
            for k, (choice, way) in enumerate(zip(left, ways, strict=True)):
                chosen.update((edge, (k, way)) for edge in self._orders.edges_of(choice, way))
            graph = self._graph([*edges, *chosen])
            found = list(self._cycles(graph))
            if not found:
                return True
            for cycle in found:
                learner.forbid({chosen[edge] for edge in cycle if edge in chosen})

    def _cycles(self, graph: Graph) -> Iterator[list[Edge]]:
        """Yield a short cycle of each component, with the edges as they are known."""
        for part in cyclic_parts(graph):
            found = shortest_cycle(graph, part)
            if found:
                yield self._layout.between_transactions(without_passing(found))


def _reach(graph: Graph, limits: Limits) -> list[int]:
    """Return for each node of a graph without cycles the mask of the nodes that it reaches."""
    reach = [0] * len(graph)
    for count, (node,) in enumerate(parts_of(graph)):
        if count % 1024 == 0:
            limits.check("open orders: which transaction reaches which")
        mask = 1 << node
        for after in graph.following(node):
            mask |= reach[after]
        reach[node] = mask
    return reach
