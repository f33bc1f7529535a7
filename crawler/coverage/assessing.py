"""All that samples say of a crawl, where nothing is known of the truth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from counterpoint.crawler.errors import CrawlError

from .lists import Listed
from .quality import curve, knee
from .recapture import chao2, chapman, covered_of, met
from .shares import METHODS, Estimate, OverSamples, over_samples, share
from .slopes import Line, increments, through_origin, with_intercept

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class OfSample:
    """What one sample says.

    Attributes
    ----------
    name : str
    size, covered : int
    shares : dict of str to Estimate
        Quantity coverage, by the method of the interval.
    quality : dict of float to Estimate
        Coverage of the important pages, by the threshold, if pages have weights.
    knee : float or None
        Of the curve through these thresholds and all pages.
    """

    name: str
    size: int
    covered: int
    shares: dict[str, Estimate]
    quality: dict[float, Estimate]
    knee: float | None


@dataclass(frozen=True)
class Assessed:
    """What samples say of a crawl.

    Attributes
    ----------
    crawled : int
        Pages of the crawl.
    samples : tuple of OfSample
    over : OverSamples or None
        Over several samples that are drawn apart.
    lines : dict of str to Line
        Over samples each of which contains the one before; empty if they are drawn apart.
    steps : OverSamples or None
        Over what each of those adds.
    numbers : dict of str to Estimate
        How many pages there are, by Chapman of the first two samples, by Chao of all.
    rivals : dict of str to Estimate
        The coverage by these numbers.
    reachable : float or None
        The factor that all but the rivals were multiplied with.
    """

    crawled: int
    samples: tuple[OfSample, ...]
    over: OverSamples | None
    lines: dict[str, Line]
    steps: OverSamples | None
    numbers: dict[str, Estimate]
    rivals: dict[str, Estimate]
    reachable: float | None


def assess(
    samples: Sequence[Listed],
    crawl: frozenset[str],
    thresholds: Sequence[float],
    growing: bool = False,
    reachable: float | None = None,
    confidence: float = 0.95,
) -> Assessed:
    """Return what samples say of a crawl.

    Parameters
    ----------
    samples : sequence of Listed
    crawl : frozenset of str
        Its pages, as `counterpoint.crawler.coverage.lists` compares them.
    thresholds : sequence of float
        Parts of a sample that are important, from 0 to 1.
    growing : bool
        Whether each sample contains the one before, as [COV]'s by random IP do.
    reachable : float, optional
        The part of the Web that samples could reach; quantity is multiplied with it.
    confidence : float

    Raises
    ------
    CrawlError
        If samples are said to grow, and one does not contain the one before.
    """
    if growing:
        _must_grow(samples)
    factor = 1.0 if reachable is None else reachable
    told = [_of_sample(one, crawl, thresholds, factor, confidence) for one in samples]
    covered, sizes = [one.covered for one in told], [one.size for one in told]
    several = len(told) > 1
    apart = several and not growing
    numbers = _numbers(samples, confidence) if apart else {}
    known = crawl.union(*(one.pages for one in samples))
    return Assessed(
        len(crawl),
        tuple(told),
        over_samples(covered, sizes, confidence).times(factor) if apart else None,
        _lines(sizes, covered, factor, confidence) if several and growing else {},
        over_samples(increments(covered).tolist(), increments(sizes).tolist(), confidence)
        .times(factor) if several and growing else None,
        numbers,
        {name: covered_of(len(crawl), number, len(known)) for name, number in numbers.items()},
        reachable,
    )  # fmt: skip


def _must_grow(samples: Sequence[Listed]) -> None:
    for one, other in pairwise(samples):
        missing = len(set(one.pages).difference(other.pages))
        if missing:
            raise CrawlError(f"{other.name}: does not contain {one.name}, as samples do that grow: "
                             f"{missing:,} of {len(one.pages):,} pages are missing")  # fmt: skip


def _of_sample(
    one: Listed, crawl: frozenset[str], thresholds: Sequence[float], factor: float, level: float
) -> OfSample:
    covered = one.covered(crawl)
    size, number = len(covered), int(covered.sum())
    shares = {method: share(number, size, method, level).times(factor) for method in METHODS}
    if one.weights is None:
        return OfSample(one.name, size, number, shares, {}, None)
    ascending = sorted({*thresholds, 1.0})
    values = curve(one.weights, covered, ascending)
    quality = {}
    for part, value in zip(ascending, values.tolist(), strict=True):
        important = min(size, max(1, round(size * part)))
        quality[part] = share(round(value * important), important, "wilson", level)
    return OfSample(one.name, size, number, shares, quality, knee(ascending, values))


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


def _numbers(samples: Sequence[Listed], level: float) -> dict[str, Estimate]:
    first, second = (set(one.pages) for one in samples[:2])
    names = {page: number for number, page in enumerate({p for one in samples for p in one.pages})}
    held = [np.array([names[page] for page in one.pages]) for one in samples]
    once, twice, distinct = met(held)
    return {
        "chapman": chapman(len(first), len(second), len(first & second), level),
        "chao": chao2(once, twice, distinct, len(samples), level),
    }
