"""Edges between transactions: which one must stand before which other one, and why."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from typing import NamedTuple

from counterpoint.histories.history import Label


class Kind(Enum):
    """Why a transaction stands before another one; the letters are Adya's."""

    WW = "ww"
    """The other one overwrote its version."""
    WR = "wr"
    """The other one read its version."""
    RW = "rw"
    """The other one overwrote the version that it read."""
    SESSION = "session"
    """The other one came later in the same process."""
    REAL_TIME = "real time"
    """It had ended when the other one began."""
    EFFECT = "effect"
    """It had taken effect when the other one could first do so."""
    VISIBLE = "visible"
    """The other one's version was read though its own version was visible to the reader."""


class Edge(NamedTuple):
    """An edge of a graph of transactions.

    Attributes
    ----------
    source, target : int
        Transactions, or numbers beyond them for nodes that only pass edges on.
    kind : Kind or None
        None of an edge that leaves such a node: it goes on what entered there.
    object : int, str or None
        The object that it is about.
    about : int or None
        Of ``rw``: whose version was read. Of ``visible``: who read.
    """

    source: int
    target: int
    kind: Kind | None
    object: Label | None = None
    about: int | None = None


class Graph:
    """A graph of transactions.

    Parameters
    ----------
    size : int
        The number of nodes.
    edges : iterable of Edge
    """

    def __init__(self, size: int, edges: Iterable[Edge]) -> None:
        self.edges: list[Edge] = list(edges)
        self.out: list[list[int]] = [[] for _ in range(size)]
        for k, edge in enumerate(self.edges):
            self.out[edge.source].append(k)

    def __len__(self) -> int:
        return len(self.out)

    def following(self, node: int) -> Iterator[int]:
        """Yield the targets of a node's edges."""
        edges = self.edges
        return (edges[k].target for k in self.out[node])


def parts_of(graph: Graph) -> list[list[int]]:
    """Return the strongly connected components, those further on first (R. Tarjan, 1972)."""
    search = _Parts(graph)
    for root in range(len(graph)):
        if search.order[root] < 0:
            search.visit(root)
    return search.found


class _Parts:
    """Tarjan's search without recursion."""

    def __init__(self, graph: Graph) -> None:
        size = len(graph)
        self._graph = graph
        self.order, self._low = [-1] * size, [0] * size
        self._is_open = bytearray(size)
        self._stack: list[int] = []
        self.found: list[list[int]] = []
        self._number = 0

    def visit(self, root: int) -> None:
        """Add the components of all nodes that can be reached from a node and are new."""
        todo = [self._entered(root)]
        order, low = self.order, self._low
        while todo:
            node, rest = todo[-1]
            for after in rest:
                if order[after] < 0:
                    todo.append(self._entered(after))
                    break
                if self._is_open[after]:
                    low[node] = min(low[node], order[after])
            else:
                todo.pop()
                self._left(node)
                if todo:
                    above = todo[-1][0]
                    low[above] = min(low[above], low[node])

    def _entered(self, node: int) -> tuple[int, Iterator[int]]:
        self.order[node] = self._low[node] = self._number
        self._number += 1
        self._stack.append(node)
        self._is_open[node] = 1
        return node, self._graph.following(node)

    def _left(self, node: int) -> None:
        if self._low[node] != self.order[node]:
            return
        part: list[int] = []
        while not part or part[-1] != node:
            part.append(self._stack.pop())
            self._is_open[part[-1]] = 0
        self.found.append(part)


def cyclic_parts(graph: Graph) -> list[list[int]]:
    """Return the strongly connected components that contain a cycle, the smallest first."""
    parts = [p for p in parts_of(graph) if len(p) > 1 or p[0] in graph.following(p[0])]
    return sorted(parts, key=len)


MOST_STARTS = 400
"""From how many nodes of a component a shortest cycle is searched."""


def shortest_cycle(
    graph: Graph, part: Sequence[int], kinds: frozenset[Kind] | None = None
) -> list[Edge] | None:
    """Return a short cycle within a component; the shortest if that is not large.

    Nodes that only pass edges on count nothing.

    Parameters
    ----------
    graph : Graph
    part : sequence of int
        A strongly connected component.
    kinds : set of Kind, optional
        The kinds of edges that may be used; all by default.
    """
    inside = set(part)
    best: list[Edge] | None = None
    starts = [k for k in sorted(part) if not passes(graph, k)]
    for start in starts[:: max(1, len(starts) // MOST_STARTS)]:
        longest = None if best is None else length(best) - 1
        found = _cycle_from(graph, start, inside, kinds, longest)
        if found is not None:
            best = found
        if best is not None and length(best) <= 2:
            break
    return best


def passes(graph: Graph, node: int) -> bool:
    """Return whether a node only passes edges on."""
    out = graph.out[node]
    return bool(out) and graph.edges[out[0]].kind is None


def length(cycle: Iterable[Edge]) -> int:
    """Return the number of transactions in a cycle."""
    return sum(edge.kind is not None for edge in cycle)


def _cycle_from(
    graph: Graph, start: int, inside: set[int], kinds: frozenset[Kind] | None, longest: int | None
) -> list[Edge] | None:
    """Return a shortest cycle through a node, of at most a length."""
    before: dict[int, Edge] = {}
    layer, depth = [start], 0
    while layer and (longest is None or depth < longest):
        depth += 1
        later: list[int] = []
        todo = list(layer)
        for node in todo:  # which grows by nodes that only pass edges on
            for k in graph.out[node]:
                edge = graph.edges[k]
                after = edge.target
                if not _may_follow(edge, inside, kinds):
                    continue
                if after == start:
                    return _back(before, edge, start)
                if after not in before:
                    before[after] = edge
                    (todo if passes(graph, after) else later).append(after)
        layer = later
    return None


def _may_follow(edge: Edge, inside: set[int], kinds: frozenset[Kind] | None) -> bool:
    return edge.target in inside and (kinds is None or edge.kind is None or edge.kind in kinds)


def _back(before: dict[int, Edge], last: Edge, start: int) -> list[Edge]:
    cycle = [last]
    while cycle[-1].source != start:
        cycle.append(before[cycle[-1].source])
    return cycle[::-1]


def without_passing(cycle: Sequence[Edge]) -> list[Edge]:
    """Return a cycle whose edges lead from transaction to transaction."""
    begin = next(k for k, edge in enumerate(cycle) if edge.kind is not None)
    found: list[Edge] = []
    for edge in (*cycle[begin:], *cycle[:begin]):
        if edge.kind is None:
            found[-1] = found[-1]._replace(target=edge.target)
        else:
            found.append(edge)
    return found


DEPENDENCIES = frozenset((Kind.WW, Kind.WR, Kind.RW))
CLEAREST = (
    frozenset((Kind.WW,)),
    frozenset((Kind.WW, Kind.WR)),
    DEPENDENCIES,
    DEPENDENCIES | {Kind.SESSION},
)
"""Kinds of edges: a cycle of the first ones is the plainest to read, and the gravest anomaly."""


def clearest_cycle(graph: Graph) -> list[Edge]:
    """Return a short cycle of as plain kinds as there are; an empty list if there is no cycle."""
    whole = cyclic_parts(graph)
    if not whole:
        return []
    inside = {node for part in whole for node in part}
    edges = [e for e in graph.edges if e.source in inside and e.target in inside]
    for kinds in CLEAREST:
        some = Graph(len(graph), [e for e in edges if e.kind is None or e.kind in kinds])
        for part in cyclic_parts(some):
            found = shortest_cycle(some, part)
            if found:
                return without_passing(found)
    return without_passing(shortest_cycle(graph, whole[0]) or [])
