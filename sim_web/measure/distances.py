"""How many links it is from page to page, by breadth-first search from some of the pages."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from counterpoint.compiling import Array

from .graph import Graph
from .kernels import spread

BATCH = 64
"""Sources of one search: the bits of a word."""

RESAMPLES = 2000


@dataclass(frozen=True)
class Sample:
    """Pages drawn from strata, such as the components of the bow-tie.

    Attributes
    ----------
    pages : int64[k]
        The pages.
    stratum : int64[k]
        Of each page.
    weight : float64[k]
        How many pages each of them stands for; the sum is the number of all pages.
    """

    pages: Array
    stratum: Array
    weight: Array


@dataclass(frozen=True)
class Distances:
    """Of the ordered pairs of different pages between which there is a path.

    Attributes
    ----------
    mean : float or None
        Links of the shortest path, on average; None: no source reaches a page.
    interval : (float, float) or None
        95%, by resampling the sources within their strata; None if there is no mean.
    connected : float
        The share of such pairs in all pairs.
    connected_interval : (float, float)
        95%.
    greatest : int
        The longest shortest path found.
    sources : int
        From how many pages was searched.
    """

    mean: float | None
    interval: tuple[float, float] | None
    connected: float
    connected_interval: tuple[float, float]
    greatest: int
    sources: int


def sampled(strata: Array, number: int, seed: int) -> Sample:
    """Draw about ``number`` different pages, from each stratum as many as its size asks for.

    Parameters
    ----------
    strata : integers[n]
        The stratum of each page. Each gives two pages or more, or all it has.
    number : int
        All pages are taken if there are not more.
    seed : int
        Of the draw.
    """
    rng = np.random.default_rng(seed)
    parts = []
    for stratum, size in enumerate(np.bincount(strata).tolist()):
        if size:
            share = min(size, max(2, number * size // len(strata)))
            taken = size if number >= len(strata) else share
            drawn = np.sort(rng.choice(size, taken, replace=False))
            pages = np.nonzero(strata == stratum)[0][drawn]
            parts.append((pages, np.full(taken, stratum), np.full(taken, size / taken)))
    return Sample(*(np.concatenate(part) for part in zip(*parts, strict=True)))


def distances(
    graph: Graph, sample: Sample, *, seed: int, undirected: bool = False, threads: int = 1
) -> Distances:
    """Estimate the average distance between pages, by search from a sample to all others.

    The average is the sum of all distances over the number of pairs, both weighted. If the sample
    is all pages, both figures are exact and the intervals are points.
    """
    none = (np.zeros_like(graph.offsets), graph.targets[:0])
    other_offsets, other_targets = graph.backward if undirected else none
    sources = sample.pages
    total, count, greatest = (np.zeros(len(sources), np.int64) for _ in range(3))

    def search(at: int) -> None:
        here = slice(at, at + BATCH)
        spread(graph.offsets, graph.targets, other_offsets, other_targets,
               sources[here], total[here], count[here], greatest[here])  # fmt: skip

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(search, range(0, len(sources), BATCH)))
    sums, pairs = sample.weight * total, sample.weight * count
    all_pairs = graph.pages * max(1, graph.pages - 1)
    exact = len(sources) == graph.pages
    drawn = np.arange(len(sources))[None, :] if exact else _resampled(sample.stratum, seed)
    some = pairs[drawn].sum(axis=1)
    means = sums[drawn].sum(axis=1)[some > 0] / some[some > 0]
    return Distances(
        mean=float(sums.sum() / pairs.sum()) if count.any() else None,
        interval=_middle(means) if len(means) else None,
        connected=float(pairs.sum() / all_pairs),
        connected_interval=_middle(some / all_pairs),
        greatest=int(greatest.max()),
        sources=len(sources),
    )


def _resampled(stratum: Array, seed: int) -> Array:
    """Return places of the sample, drawn again within each stratum, a row for each resample."""
    rng = np.random.default_rng(seed)
    drawn = np.empty((RESAMPLES, len(stratum)), np.int64)
    for one in np.unique(stratum):
        here = np.nonzero(stratum == one)[0]
        drawn[:, here] = here[rng.integers(len(here), size=(RESAMPLES, len(here)))]
    return drawn


def _middle(values: Array) -> tuple[float, float]:
    low, high = np.quantile(values, (0.025, 0.975))
    return float(low), float(high)
