"""Many pairs of versions in an open order: the kernel finds those that have one possible order."""

from __future__ import annotations

import ctypes
from array import array
from collections.abc import Iterable
from dataclasses import dataclass

from counterpoint.histories.kernel.library import library
from counterpoint.models.explore.compiled.compiler import NoCompiler

from .edges import Edge, Kind
from .versions import Choice, Orders, Segment

MOST_LEFT = 200_000
"""With more pairs that have two possible orders the answer is unknown."""


@dataclass
class Saturated:
    """What is known of pairs of versions whose order was open.

    Attributes
    ----------
    opened, forced : int
        The number of pairs, and of those with one possible order.
    left : list of Choice
        The others.
    rounds : list of dict
        In each round the edges that were added, with the choice and the order that they come from.
        Edges that follow from others are left out.
    is_cyclic : bool
        Whether the edges of the last round close a cycle.
    """

    opened: int
    forced: int
    left: list[Choice]
    rounds: list[dict[Edge, tuple[Choice, bool]]]
    is_cyclic: bool


def saturated(edges: Iterable[Edge], orders: Orders, *, twice: bool) -> Saturated | None:
    """Return what is known of all pairs; None if the kernel cannot say.

    Parameters
    ----------
    edges : iterable of Edge
        What is known; without a forbidden cycle.
    orders : Orders
    twice : bool
        Whether cycles are forbidden as snapshot isolation forbids them.
    """
    try:
        kernel = library()
    except NoCompiler:
        return None
    return _Saturation(kernel, edges, orders).run(twice)


class _Saturation:
    def __init__(self, kernel: ctypes.CDLL, edges: Iterable[Edge], orders: Orders) -> None:
        self._kernel, self._orders = kernel, orders
        self._numbers: dict[int, int] = {}
        self._edges = array("I")
        for edge in edges:
            kind = 2 if edge.kind is None else int(edge.kind is Kind.RW)
            self._edges.extend((self._node(edge.source), self._node(edge.target), kind))
        self._segments: list[tuple[int, Segment]] = []
        self._objects, self._firsts, self._lasts = array("I", [0]), array("I"), array("I")
        self._matters, self._reader_first, self._readers = bytearray(), array("I", [0]), array("I")
        for number, (what, segments) in enumerate(orders.open):
            for segment in segments:
                self._add(number, segment, orders.readers.get((what, segment[-1]), []))
            self._objects.append(len(self._segments))

    def _node(self, node: int) -> int:
        return self._numbers.setdefault(node, len(self._numbers))

    def _add(self, number: int, segment: Segment, readers: list[int]) -> None:
        self._segments.append((number, segment))
        self._firsts.append(self._node(segment[0]))
        self._lasts.append(self._node(segment[-1]))
        matters = self._orders.unread_too or len(segment) > 1 or bool(readers)
        self._matters.append(matters)
        self._readers.extend(map(self._node, readers))
        self._reader_first.append(len(self._readers))

    def run(self, twice: bool) -> Saturated | None:
        """Return what is known of all pairs; None if the kernel has too little memory."""
        made = self._kernel.kernel_new(-1, 0)
        if not made:
            return None
        try:
            return self._run(made, twice)
        finally:
            self._kernel.kernel_free(made)

    def _run(self, made: int, twice: bool) -> Saturated | None:
        result = (ctypes.c_uint64 * 5)()
        code = self._kernel.kernel_saturate(
            made, len(self._numbers), twice, _at(self._edges), len(self._edges) // 3,
            _at(self._objects), len(self._objects) - 1, _at(self._firsts), _at(self._lasts),
            bytes(self._matters), _at(self._reader_first), _at(self._readers), MOST_LEFT, result,
        )  # fmt: skip
        if code:
            return None
        opened, forced, left, is_cyclic, added = result
        names = list(self._numbers)
        pairs = self._kernel.kernel_left(made)
        choices = [self._choice(pairs[2 * k], pairs[2 * k + 1])
                   for k in range(min(left, MOST_LEFT))]  # fmt: skip
        found = Saturated(opened, forced, choices, [], bool(is_cyclic))
        rows = self._kernel.kernel_added(made)
        for k in range(added):
            turn, kind, source, target, early, late = rows[6 * k : 6 * k + 6]
            while len(found.rounds) <= turn:
                found.rounds.append({})
            number, segment = self._segments[early]
            what = self._orders.open[number][0]
            edge = Edge(names[source], names[target], Kind.WW, what)
            if kind:
                edge = edge._replace(kind=Kind.RW, about=segment[-1])
            found.rounds[turn][edge] = self._choice(early, late), True
        return found

    def _choice(self, first: int, second: int) -> Choice:
        number, segment = self._segments[first]
        return Choice(self._orders.open[number][0], segment, self._segments[second][1])


def _at(numbers: array[int]) -> ctypes.Array[ctypes.c_char] | None:
    """Return where an array's numbers stand."""
    if not numbers:
        return None
    return (ctypes.c_char * (numbers.itemsize * len(numbers))).from_buffer(numbers)
