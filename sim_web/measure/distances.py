"""How many links it is from page to page, by breadth-first search from some of the pages."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from .graph import Graph
from .kernels import Array, spread

BATCH = 64
"""Sources of one search: the bits of a word."""

RESAMPLES = 2000


@dataclass(frozen=True)
class Distances:
    """Of the ordered pairs of different pages between which there is a path.

    Attributes
    ----------
    mean : float or None
        Links of the shortest path, on average; None: no source reaches a page.
    interval : (float, float) or None
        95%, by resampling the sources; None if there is no mean, or there was one source.
    connected : float
        The share of such pairs in all pairs.
    connected_interval : (float, float) or None
        95%.
    greatest : int
        The longest shortest path found.
    sources : int
        From how many pages was searched.
    """

    mean: float | None
    interval: tuple[float, float] | None
    connected: float
    connected_interval: tuple[float, float] | None
    greatest: int
    sources: int


def distances(
    graph: Graph, sources: Array, *, seed: int, undirected: bool = False, threads: int = 1
) -> Distances:
    """Estimate the average distance between the pages of a graph, from ``sources`` to all others.

    The average is the sum of all distances over the number of pairs. If ``sources`` are all pages,
    it is exact and the interval is the point itself.
    """
    none = (np.zeros_like(graph.offsets), graph.targets[:0])
    more = graph.backward if undirected else none
    total, count, greatest = (np.zeros(len(sources), np.int64) for _ in range(3))

    def search(at: int) -> None:
        here = slice(at, at + BATCH)
        spread(graph.offsets, graph.targets, *more,
               sources[here], total[here], count[here], greatest[here])  # fmt: skip

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(search, range(0, len(sources), BATCH)))
    pairs = max(1, graph.pages - 1)
    connected = float(count.mean() / pairs)
    mean = float(total.sum() / count.sum()) if count.any() else None
    interval = connected_interval = None
    if len(sources) >= graph.pages:
        interval = None if mean is None else (mean, mean)
        connected_interval = (connected, connected)
    elif len(sources) > 1:
        interval, connected_interval = _intervals(total, count, pairs, seed)
    return Distances(
        mean, interval, connected, connected_interval, int(greatest.max()), len(sources)
    )


def sampled(pages: int, number: int, seed: int) -> Array:
    """Return ``number`` different pages, drawn at random, in rising order; all if there are fewer."""
    if number >= pages:
        return np.arange(pages)
    return np.sort(np.random.default_rng(seed).choice(pages, number, replace=False))


def _intervals(
    total: Array, count: Array, pairs: int, seed: int
) -> tuple[tuple[float, float] | None, tuple[float, float]]:
    drawn = np.random.default_rng(seed).integers(len(total), size=(RESAMPLES, len(total)))
    counts = count[drawn].sum(axis=1)
    some = counts > 0
    means = total[drawn].sum(axis=1)[some] / counts[some]
    return _middle(means) if len(means) else None, _middle(counts / (len(total) * pairs))


def _middle(values: Array) -> tuple[float, float]:
    low, high = np.quantile(values, (0.025, 0.975))
    return float(low), float(high)
