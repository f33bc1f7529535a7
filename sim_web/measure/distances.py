"""Estimates how many links it takes from page to page, by search from a sample of the pages."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from counterpoint.compiling import Array
from counterpoint.threads import for_each

from .graph import MeasuredGraph
from .kernels import spread

BATCH = 64
"""How many sources one search has: the bits of a word."""

RESAMPLES = 2000
"""How many resamples give a confidence interval."""


@dataclass(frozen=True)
class Sample:
    """Pages drawn from strata, such as the components of the bow-tie.

    Attributes
    ----------
    pages : int64, shape (k,)
        The pages.
    stratum : int64, shape (k,)
        The stratum of each page.
    weight : float64, shape (k,)
        How many pages each of them represents; the sum is the number of all pages.
    """

    pages: Array
    stratum: Array
    weight: Array


@dataclass(frozen=True)
class Distances:
    """Distances in the ordered pairs of different pages between which there is a path.

    Attributes
    ----------
    mean : float or None
        The number of links of the shortest path, on average; None: no source reaches a page.
    interval : (float, float) or None
        The 95% confidence interval of the mean, by resampling the sources within their strata;
        None if there is no mean.
    connected : float
        The share of these pairs in all pairs.
    connected_interval : (float, float)
        The 95% confidence interval of that share.
    greatest : int
        The length of the longest shortest path that was found.
    sources : int
        From how many pages the searches started.
    """

    mean: float | None
    interval: tuple[float, float] | None
    connected: float
    connected_interval: tuple[float, float]
    greatest: int
    sources: int


def sampled(strata: Array, number: int, seed: int) -> Sample:
    """Draw about ``number`` different pages, from each stratum in proportion to its size.

    Parameters
    ----------
    strata : int, shape (pages,)
        The stratum of each page. At least two pages are drawn from each stratum, or all it has.
    number : int
        How many pages; if the graph has no more, all are drawn.
    seed : int
        The seed of the draw.
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
    graph: MeasuredGraph, sample: Sample, *, seed: int, undirected: bool = False, threads: int = 1
) -> Distances:
    """Estimate the average distance between pages, by search from a sample to all others.

    The average is the sum of all distances divided by the number of pairs, both weighted. If the
    sample contains all pages, both figures are exact and the intervals are points.

    Parameters
    ----------
    graph : MeasuredGraph
        The links.
    sample : Sample
        The pages from which searches start.
    seed : int
        The seed of the resampling.
    undirected : bool
        Whether links are followed in both directions.
    threads : int
        How many searches run at the same time.
    """
    none = (np.zeros_like(graph.offsets), graph.targets[:0])
    other_offsets, other_targets = graph.backward if undirected else none
    sources = sample.pages
    total, count, greatest = (np.zeros(len(sources), np.int64) for _ in range(3))

    def search(first: int) -> None:
        batch = slice(first, first + BATCH)
        spread(graph.offsets, graph.targets, other_offsets, other_targets,
               sources[batch], total[batch], count[batch], greatest[batch])  # fmt: skip

    for_each(search, range(0, len(sources), BATCH), threads)
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
    """Return indices into the sample, drawn with replacement within each stratum.

    Returns
    -------
    int64, shape (RESAMPLES, k)
        A row for each resample.
    """
    rng = np.random.default_rng(seed)
    drawn = np.empty((RESAMPLES, len(stratum)), np.int64)
    for one in np.unique(stratum):
        here = np.nonzero(stratum == one)[0]
        drawn[:, here] = here[rng.integers(len(here), size=(RESAMPLES, len(here)))]
    return drawn


def _middle(values: Array) -> tuple[float, float]:
    """Return the range of the middle 95% of the values."""
    low, high = np.quantile(values, (0.025, 0.975))
    return float(low), float(high)
