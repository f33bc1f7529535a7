"""The average distance of pages, and the share of pairs between which there is a path.

Pages are drawn at random, and every page that one of them reaches is met in a breadth-first search:
64 searches go on at once, a bit of a word each (Then et al., The more the merrier: efficient
multi-source graph traversal, 2014).
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
"""Searches of one pass: the bits of a word."""

CONFIDENCE = 0.95

_trailing_zeros: Any = numbers.trailing_zeros


@dataclass(frozen=True)
class Distances:
    """What searches from a sample of the pages say of all ordered pairs of different pages.

    Attributes
    ----------
    mean : float or None
        The average number of links of the shortest path, of the pairs that have one; None: no page
        of the sample reaches another.
    interval : (float, float) or None
        95%, of the ratio of two means over the sample, with Student's t and the share of the pages
        that were drawn; None if nothing is known of the variance.
    connected : float
        The share of the pairs that have a path.
    connected_interval : (float, float) or None
        95%, likewise.
    longest : int
        The longest shortest path that was met: no estimate, a lower bound of the greatest.
    sources : int
        Pages in the sample.
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
    """Estimate distances from some pages, all different; needs 36 bytes a page beside the graph.

    Parameters
    ----------
    graph : Graph
    sources : int
        How many pages are drawn. If there are not more, all are, and the figures are exact.
    direction : str
        As in `bfs`.
    seed : int
        Of the draw.
    tell : callable or None
    """
    if sources < 1:
        raise GraphError(f"a sample of {sources} pages is none")
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
    return _told(total, count, pages, longest)


def _told(total: Array, count: Array, pages: int, longest: int) -> Distances:
    reached = int(count.sum())
    others = max(1, pages - 1)
    mean = int(total.sum()) / reached if reached else None
    interval = None
    if mean is not None:
        # The error of a ratio is, to first order, the mean of what is left of the line through 0.
        left = (total - mean * count) / (reached / len(count))
        interval = _interval(mean, left, pages)
    share = reached / max(1, len(count)) / others
    low_high = _interval(share, count / others, pages)
    if low_high is not None:
        low_high = max(0.0, low_high[0]), min(1.0, low_high[1])
    return Distances(mean, interval, share, low_high, longest, len(count))


def _interval(mean: float, values: Array, pages: int) -> tuple[float, float] | None:
    """Return the interval of a mean of values that were drawn from so many without repetition."""
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
    """Add distances and numbers of what each source reaches; return the greatest distance."""
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
    """Pass the bits of the frontier along its links; return how many pages are new somewhere."""
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
    """Pass the bits of pages, whose links are in some rows, along these links."""
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
