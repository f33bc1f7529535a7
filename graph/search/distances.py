"""Estimates the average distance of pages, and the share of pairs with a path between them.

Breadth-first searches start from a random sample of pages. 64 searches run at once, each with a bit
of a word (Then et al., The more the merrier: efficient multi-source graph traversal, 2014).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba.cpython.unsafe import numbers

from counterpoint.compiling import Array, Number, compiled
from counterpoint.graph.csr import Csr, Graph, Links
from counterpoint.graph.errors import GraphError
from counterpoint.graph.storage.pages import Tell

from .bfs import followed
from .walks import BATCH

AT_ONCE = 64
"""How many searches run at once: the bits of a word."""

CONFIDENCE = 0.95
"""The confidence level of the intervals."""

_trailing_zeros: Any = numbers.trailing_zeros


@dataclass(frozen=True)
class Distances:
    """Estimates for all ordered pairs of different pages, from searches from a sample.

    Attributes
    ----------
    mean : float or None
        The average number of links of the shortest path, over the pairs that have one; None: no
        page of the sample reaches another.
    interval : (float, float) or None
        The 95% confidence interval of the mean. It is that of a ratio of two means over the sample,
        with Student's t and the finite population correction; None if the variance is unknown.
    connected : float
        The share of the pairs that have a path.
    connected_interval : (float, float) or None
        The 95% confidence interval of that share, computed likewise.
    longest : int
        The length of the longest shortest path that was found: a lower bound of the greatest
        distance.
    sources : int
        The number of pages in the sample.
    """

    mean: float | None
    interval: tuple[float, float] | None
    connected: float
    connected_interval: tuple[float, float] | None
    longest: int
    sources: int


def distances(
    graph: Graph, sources: int = 128, *, direction: str = "forward", seed: int = 0,
    tell: Tell = None,
) -> Distances:  # fmt: skip
    """Estimate distances from a sample of pages; needs 36 bytes a page besides the graph.

    Parameters
    ----------
    graph : Graph
    sources : int
        How many different pages are drawn. If the graph has no more, all are drawn, and the figures
        are exact.
    direction : str
        As in `bfs`.
    seed : int
        The seed of the draw.
    tell : callable, optional
        Gets a line of text on the progress.

    Raises
    ------
    GraphError
        If ``sources`` is below 1, or the direction is unknown.
    """
    if sources < 1:
        raise GraphError(f"a sample of {sources} pages: it must have at least one")
    links = followed(graph, direction)
    pages = graph.nodes
    taken = min(sources, pages)
    drawn = np.sort(np.random.default_rng(seed).choice(pages, taken, replace=False))
    total, count = np.zeros(taken, np.int64), np.zeros(taken, np.int64)
    longest = 0
    for at in range(0, taken, AT_ONCE):
        here = slice(at, at + AT_ONCE)
        longest = max(longest, _search(links, drawn[here].tolist(), total[here], count[here]))
        if tell:
            tell(f"{min(at + AT_ONCE, taken):,} of {taken:,} searches")
    return _estimated(total, count, pages, longest)


def _estimated(total: Array, count: Array, pages: int, longest: int) -> Distances:
    """Return the estimates.

    Parameters
    ----------
    total, count : int64, shape (sources,)
        For each source the sum of the distances of the pages that it reaches, and their number.
    pages : int
        The number of pages of the graph.
    longest : int
        The greatest distance.
    """
    reached = int(count.sum())
    others = max(1, pages - 1)
    mean = int(total.sum()) / reached if reached else None
    interval = None
    if mean is not None:
        # To first order, the error of a ratio is the mean of the residuals of the line through 0.
        left = (total - mean * count) / (reached / len(count))
        interval = _interval(mean, left, pages)
    share = reached / max(1, len(count)) / others
    low_high = _interval(share, count / others, pages)
    if low_high is not None:
        low_high = max(0.0, low_high[0]), min(1.0, low_high[1])
    return Distances(mean, interval, share, low_high, longest, len(count))


def _interval(mean: float, values: Array, pages: int) -> tuple[float, float] | None:
    """Return the confidence interval of a mean.

    Parameters
    ----------
    mean : float
    values : float64, shape (drawn,)
        The values, drawn without repetition.
    pages : int
        The size of the population from which they were drawn.
    """
    from scipy.stats import t

    drawn = len(values)
    if drawn == pages:
        return mean, mean
    if drawn < 2:
        return None
    error = math.sqrt(float(values.var(ddof=1)) / drawn * (1 - drawn / pages))
    wide = float(t.ppf((1 + CONFIDENCE) / 2, drawn - 1)) * error
    return mean - wide, mean + wide


def _search(links: Sequence[Links], sources: list[int], total: Array, count: Array) -> int:
    """Search from at most 64 sources; return the greatest distance.

    Parameters
    ----------
    links : sequence of Links
        The links of each direction that is followed.
    sources : list of int
        Pages.
    total, count : int64, shape (sources,)
        For each source, the distances of the pages that it reaches are added to ``total``, and
        their number to ``count``.
    """
    pages = links[0].nodes
    seen, bits, coming = (np.zeros(pages, np.uint64) for _ in range(3))
    for place, page in enumerate(sources):
        seen[page] |= np.uint64(1) << np.uint64(place)
        bits[page] = seen[page]
    frontier = np.array(sorted(set(sources)), np.uint32)
    following = np.empty(pages, np.uint32)
    depth = 0
    while len(frontier):
        end = 0
        for one in links:
            end = _pushed(one, frontier, bits, seen, coming, following, end)
        bits[frontier] = 0
        depth += int(end > 0)
        frontier = np.sort(following[:end])
        _arrived(frontier, bits, seen, coming, depth, total, count)
    return depth


def _pushed(
    links: Links, frontier: Array, bits: Array, seen: Array, coming: Array, following: Array,
    end: int,
) -> int:  # fmt: skip
    """Pass the bits of the frontier along its links.

    Parameters
    ----------
    links : Links
    frontier : uint32
        The pages that were reached in the last step, ascending.
    bits, seen, coming : uint64, shape (pages,)
        For each page the sources that reached it in the last step, that have seen it, and that
        reach it in this step.
    following : uint32, shape (pages,)
        Gets the pages that are reached in this step.
    end : int
        How many pages ``following`` has already.

    Returns
    -------
    int
        How many pages ``following`` has then.
    """
    if isinstance(links, Csr):
        return int(_push(*links, frontier, frontier, bits, seen, coming, following, end))
    for at in range(0, len(frontier), BATCH):
        pages = frontier[at : at + BATCH]
        places = np.arange(len(pages), dtype=np.uint32)
        end = int(_push(*links.lists(pages), places, pages, bits, seen, coming, following, end))
    return end


@compiled
def _push(
    offsets: Array, targets: Array, rows: Array, pages: Array, bits: Array, seen: Array,
    coming: Array, following: Array, end: Number,
) -> Number:  # fmt: skip
    """Do the work of `_pushed` for pages whose links are in the rows ``rows``."""
    none, one = np.uint64(0), np.uint64(1)
    last = np.uint64(end)
    for i in range(len(pages)):
        mine, row = bits[pages[i]], np.uint64(rows[i])
        for k in range(offsets[row], offsets[row + one]):
            target = targets[k]
            fresh = mine & ~seen[target]
            if fresh != none:
                if coming[target] == none:
                    following[last] = target
                    last += one
                coming[target] |= fresh
    return last


@compiled
def _arrived(
    frontier: Array, bits: Array, seen: Array, coming: Array, depth: Number, total: Array,
    count: Array,
) -> None:  # fmt: skip
    none, one = np.uint64(0), np.uint64(1)
    for page in frontier:
        fresh = coming[page]
        coming[page] = none
        seen[page] |= fresh
        bits[page] = fresh
        while fresh != none:
            source = _trailing_zeros(fresh)
            total[source] += depth
            count[source] += 1
            fresh &= fresh - one
