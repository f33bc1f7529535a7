"""Graphs whose cycles a criterion forbids.

An order of whole transactions forbids every cycle. Snapshot isolation forbids those in which no two
edges ``rw`` follow each other (A. Cerone and A. Gotsman, *Analysing snapshot isolation*, JACM
2018). They are the cycles of a graph in which each transaction stands twice: an edge ``rw`` leaves
the second copy alone and enters the first one, any other edge leaves the first copy and enters
both.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from .edges import Edge, Graph, Kind


class Whole:
    """All cycles are forbidden."""

    copies = 1
    """How often each transaction stands in the graph."""

    def __init__(self, size: int) -> None:
        self.size = size

    def graph(self, edges: Iterable[Edge]) -> Graph:
        """Return the graph of edges between transactions."""
        return Graph(self.size, edges)

    def drawn(self, edge: Edge) -> Iterator[Edge]:
        """Yield the edges of the graph that stand for one between transactions."""
        yield edge

    def between_transactions(self, cycle: Iterable[Edge]) -> list[Edge]:
        """Return a cycle of the graph as one between transactions."""
        return list(cycle)


class Snapshots(Whole):
    """Cycles are forbidden in which no two edges ``rw`` follow each other."""

    copies = 2

    def graph(self, edges: Iterable[Edge]) -> Graph:
        """Return the graph of edges between transactions."""
        return Graph(2 * self.size, (one for edge in edges for one in self.drawn(edge)))

    def drawn(self, edge: Edge) -> Iterator[Edge]:
        """Yield the edges of the graph that stand for one between transactions."""
        if edge.kind is None:
            yield edge
        elif edge.kind is Kind.RW:
            yield edge._replace(source=self.size + edge.source)
        else:
            yield edge
            yield edge._replace(target=self.size + edge.target)

    def between_transactions(self, cycle: Iterable[Edge]) -> list[Edge]:
        """Return a cycle of the graph as one between transactions."""
        return [edge._replace(source=edge.source % self.size, target=edge.target % self.size)
                for edge in cycle]  # fmt: skip
