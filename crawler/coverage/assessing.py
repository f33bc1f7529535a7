"""Assesses a crawl by samples: all estimates that need no knowledge of the true coverage."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from counterpoint.crawler.errors import CrawlError

from .lists import ListedSample
from .quality import curve, knee
from .recapture import chao2, chapman, covered_of, met
from .shares import METHODS, Estimate, OverSamples, over_samples, share
from .slopes import Line, increments, through_origin, with_intercept

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class SampleAssessment:
    """The coverage of a crawl, estimated from one sample.

    Attributes
    ----------
    name : str
    size, covered : int
        Pages of the sample, and those of them that the crawl has.
    shares : dict of str to Estimate
        Quantity coverage, by the method that computes the interval.
    quality : dict of float to Estimate
        Coverage of the important pages, by threshold; empty if the pages have no weights.
    knee : float or None
        The threshold at which the curve of the quality coverage flattens, if it has one.
    """

    name: str
    size: int
    covered: int
    shares: dict[str, Estimate]
    quality: dict[float, Estimate]
    knee: float | None


@dataclass(frozen=True)
class CoverageAssessment:
    """The coverage of a crawl, estimated from one or several samples.

    Attributes
    ----------
    crawled : int
        Pages of the crawl.
    samples : tuple of SampleAssessment
    over : OverSamples or None
        Mean and variance over several independent samples; None for one sample, or growing ones.
    lines : dict of str to Line
        Least-squares lines through growing samples; empty if the samples are independent.
    steps : OverSamples or None
        Mean and variance over the pages that each growing sample adds.
    numbers : dict of str to Estimate
        The number of pages of the web: Chapman's estimate from the first two samples, and Chao's
        from all.
    rivals : dict of str to Estimate
        The coverage that follows from each of these numbers.
    reachable : float or None
        The factor by which all quantity estimates except `rivals` were multiplied.
    """

    crawled: int
    samples: tuple[SampleAssessment, ...]
    over: OverSamples | None
    lines: dict[str, Line]
    steps: OverSamples | None
    numbers: dict[str, Estimate]
    rivals: dict[str, Estimate]
    reachable: float | None


def assess(
    samples: Sequence[ListedSample],
    crawl: frozenset[str],
    thresholds: Sequence[float],
    growing: bool = False,
    reachable: float | None = None,
    confidence: float = 0.95,
) -> CoverageAssessment:
    """Estimate the coverage of a crawl from samples.

    Parameters
    ----------
    samples : sequence of ListedSample
    crawl : frozenset of str
        The crawl's pages, by the keys that `counterpoint.crawler.coverage.lists` compares.
    thresholds : sequence of float
        The shares of a sample that count as its important pages, from 0 to 1.
    growing : bool
        Whether each sample contains the previous one, as [COV]'s samples by random IP do.
    reachable : float, optional
        The share of the Web that the samples could reach; quantity coverage is multiplied by it.
    confidence : float
        The level of all intervals, from 0 to 1.

    Raises
    ------
    CrawlError
        If `growing` is set, and a sample does not contain the previous one.
    """
    if growing:
        _must_grow(samples)
    factor = 1.0 if reachable is None else reachable
    estimates = [_assess_sample(one, crawl, thresholds, factor, confidence) for one in samples]
    covered, sizes = [one.covered for one in estimates], [one.size for one in estimates]
    several = len(estimates) > 1
    apart = several and not growing
    numbers = _numbers(samples, confidence) if apart else {}
    known = crawl.union(*(one.pages for one in samples))
    return CoverageAssessment(
        len(crawl),
        tuple(estimates),
        over_samples(covered, sizes, confidence).times(factor) if apart else None,
        _lines(sizes, covered, factor, confidence) if several and growing else {},
        over_samples(increments(covered).tolist(), increments(sizes).tolist(), confidence)
        .times(factor) if several and growing else None,
        numbers,
        {name: covered_of(len(crawl), number, len(known)) for name, number in numbers.items()},
        reachable,
    )  # fmt: skip


def _must_grow(samples: Sequence[ListedSample]) -> None:
    for one, other in pairwise(samples):
        missing = len(set(one.pages).difference(other.pages))
        if missing:
            raise CrawlError(f"{other.name}: does not contain {one.name}, as samples do that grow: "
                             f"{missing:,} of {len(one.pages):,} pages are missing")  # fmt: skip


def _assess_sample(
    one: ListedSample,
    crawl: frozenset[str],
    thresholds: Sequence[float],
    factor: float,
    level: float,
) -> SampleAssessment:
    covered = one.covered(crawl)
    size, number = len(covered), int(covered.sum())
    shares = {method: share(number, size, method, level).times(factor) for method in METHODS}
    if one.weights is None:
        return SampleAssessment(one.name, size, number, shares, {}, None)
    ascending = sorted({*thresholds, 1.0})
    values = curve(one.weights, covered, ascending)
    quality = {}
    for part, value in zip(ascending, values.tolist(), strict=True):
        important = min(size, max(1, round(size * part)))
        quality[part] = share(round(value * important), important, "wilson", level)
    return SampleAssessment(one.name, size, number, shares, quality, knee(ascending, values))


def _lines(
    sizes: Sequence[int], covered: Sequence[int], factor: float, level: float
) -> dict[str, Line]:
    found = {
        "through the origin": through_origin(sizes, covered, level),
        "with an intercept": with_intercept(sizes, covered, level),
    }
    return {
        name: Line(line.slope.times(factor), line.intercept * factor, line.residual * factor)
        for name, line in found.items()
    }


def _numbers(samples: Sequence[ListedSample], level: float) -> dict[str, Estimate]:
    first, second = (set(one.pages) for one in samples[:2])
    names = {page: number for number, page in enumerate({p for one in samples for p in one.pages})}
    held = [np.array([names[page] for page in one.pages]) for one in samples]
    once, twice, distinct = met(held)
    return {
        "chapman": chapman(len(first), len(second), len(first & second), level),
        "chao": chao2(once, twice, distinct, len(samples), level),
    }
