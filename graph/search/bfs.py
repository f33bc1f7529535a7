"""Breadth-first search: the least number of links from some pages to every page."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from counterpoint.compiling import Array, compiled
from counterpoint.graph.csr import Graph, Links
from counterpoint.graph.errors import GraphError

from .walks import spread

DIRECTIONS = ("forward", "backward", "undirected")


@dataclass(frozen=True)
class Search:
    """The result of a breadth-first search.

    Attributes
    ----------
    level : int32, shape (pages,)
        The least number of links from a start to each page; -1: no path.
    sizes : int64, shape (levels,)
        The number of pages of each level.
    """

    level: Array
    sizes: Array

    @property
    def reached(self) -> int:
        """The number of pages that are reached, including the starts."""
        return int(self.sizes.sum())


def bfs(graph: Graph, starts: Iterable[int], direction: str = "forward") -> Search:
    """Search breadth first; needs 8 bytes a page besides the graph.

    Parameters
    ----------
    graph : Graph
    starts : iterable of int
        Pages at level 0.
    direction : str
        One of `DIRECTIONS`: links are followed forward, backward, or in both directions.

    Raises
    ------
    GraphError
        If there is no start, a start is not a page of the graph, or the direction is unknown.
    """
    begins = sorted(set(starts))
    if not begins:
        raise GraphError("a search needs at least one start page")
    for page in begins:
        if not 0 <= page < graph.nodes:
            raise GraphError(f"there is no page {page:,}: the graph has {graph.nodes:,} pages")
    level = np.full(graph.nodes, -1, np.int32)
    queue = np.empty(graph.nodes, np.uint32)
    level[begins] = 0
    queue[: len(begins)] = begins
    end = spread(followed(graph, direction), level, queue, len(begins))
    return Search(level, _counted(level, queue[:end]))


@compiled
def _counted(level: Array, queue: Array) -> Array:
    """Return how many pages of a queue are at each level; its last page has the greatest level."""
    sizes = np.zeros(level[queue[-1]] + 1, np.int64)
    for page in queue:
        sizes[level[page]] += 1
    return sizes


def followed(graph: Graph, direction: str) -> tuple[Links, ...]:
    """Return the links that a search in a direction follows."""
    kinds: dict[str, tuple[Links, ...]] = {
        "forward": (graph.out,),
        "backward": (graph.into,),
        "undirected": (graph.out, graph.into),
    }
    if direction not in kinds:
        raise GraphError(f"there is no direction {direction}; there are {', '.join(DIRECTIONS)}")
    return kinds[direction]
