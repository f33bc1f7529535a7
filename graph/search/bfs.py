"""Breadth-first search: the fewest links from some pages to every page."""

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
    """What a search reached.

    Attributes
    ----------
    level : int32[n]
        The fewest links from a start to each page; -1: no links lead there.
    sizes : int64[levels]
        The pages of each level.
    """

    level: Array
    sizes: Array

    @property
    def reached(self) -> int:
        """The number of pages that are reached, the starts among them."""
        return int(self.sizes.sum())


def bfs(graph: Graph, starts: Iterable[int], direction: str = "forward") -> Search:
    """Search breadth first; needs eight bytes a page beside the graph.

    Parameters
    ----------
    graph : Graph
    starts : iterable of int
        Pages at level 0.
    direction : str
        One of `DIRECTIONS`: links are followed as they lead, against, or either way.

    Raises
    ------
    GraphError
        If there is no start, or it is no page.
    """
    begins = sorted(set(starts))
    if not begins:
        raise GraphError("a search begins at one page at least")
    for page in begins:
        if not 0 <= page < graph.nodes:
            raise GraphError(f"page {page:,} is none of the {graph.nodes:,} pages")
    level = np.full(graph.nodes, -1, np.int32)
    queue = np.empty(graph.nodes, np.uint32)
    level[begins] = 0
    queue[: len(begins)] = begins
    end = spread(followed(graph, direction), level, queue, len(begins))
    return Search(level, _counted(level, queue[:end]))


@compiled
def _counted(level: Array, queue: Array) -> Array:
    """Return how many pages of a queue are at each level; the last is at the greatest."""
    sizes = np.zeros(level[queue[-1]] + 1, np.int64)
    for page in queue:
        sizes[level[page]] += 1
    return sizes


def followed(graph: Graph, direction: str) -> tuple[Links, ...]:
    """Return the links that a direction follows."""
    kinds: dict[str, tuple[Links, ...]] = {
        "forward": (graph.out,),
        "backward": (graph.into,),
        "undirected": (graph.out, graph.into),
    }
    if direction not in kinds:
        raise GraphError(f"{direction} is none of {', '.join(DIRECTIONS)}")
    return kinds[direction]
