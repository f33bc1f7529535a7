"""Estimates the number of pages of a web from two or more samples: capture-recapture.

If a first sample has n1 pages, a second n2, and m pages are in both, then Lincoln and Petersen's
estimate of the number N of all pages is n1 n2 / m. With the crawl as the first sample, the crawl's
coverage is n1 / N = m / n2, which is [COV]'s share and nothing new. So an independent estimate
needs two samples in addition to the crawl; the coverage is then the crawl's size divided by the
estimated number of pages.

Some pages are easier to draw than others and are in more of the samples, which makes the estimated
numbers too low. For that reason Chao's estimates are called lower bounds. They are bounds only if
the samples are of similar size. If a crawl of 30,000 pages counts as another sample next to five of
1,000 pages, most pages are in one sample only, because the others are small, and the estimate may
be too high.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from scipy.special import ndtri

from .shares import CONFIDENCE, NOTHING, Estimate

Array = np.ndarray[Any, Any]


def lincoln_petersen(
    first: int, second: int, both: int, confidence: float = CONFIDENCE
) -> Estimate:
    """Return Lincoln and Petersen's estimate n1 n2 / m; `NOTHING` if no page is in both samples.

    Parameters
    ----------
    first, second : int
        Sizes of the two samples.
    both : int
        Number of pages in both.
    confidence : float
        The level of the interval, from 0 to 1.

    Raises
    ------
    ValueError
        If the numbers contradict each other.
    """
    _check(first, second, both)
    if both == 0:
        return NOTHING
    number = first * second / both
    variance = first * second * (first - both) * (second - both) / both**3
    return _above(number, variance, first + second - both, confidence)


def chapman(first: int, second: int, both: int, confidence: float = CONFIDENCE) -> Estimate:
    """Return (n1 + 1)(n2 + 1) / (m + 1) - 1, with Seber's variance (Chapman 1951, Seber 1970).

    The estimate is unbiased if both samples are simple random samples and n1 + n2 is at least the
    number of pages. It exists even if no page is in both samples. The parameters are those of
    `lincoln_petersen`.
    """
    _check(first, second, both)
    number = (first + 1) * (second + 1) / (both + 1) - 1
    variance = (
        (first + 1) * (second + 1) * (first - both) * (second - both)
        / ((both + 1) ** 2 * (both + 2))
    )  # fmt: skip
    return _above(number, variance, first + second - both, confidence)


def chao1(once: int, twice: int, distinct: int, confidence: float = CONFIDENCE) -> Estimate:
    """Return a lower bound on the number of pages, from how often each page was drawn.

    The estimate is D + f1 (f1 - 1) / (2 (f2 + 1)) (Chao 1984, the bias-corrected form).

    Parameters
    ----------
    once, twice : int
        f1 and f2: pages drawn exactly once, and exactly twice.
    distinct : int
        D: pages drawn at least once.
    confidence : float
        The level of the interval, from 0 to 1.

    Raises
    ------
    ValueError
        If the numbers contradict each other.
    """
    return _chao(once, twice, distinct, 1.0, confidence)


def chao2(
    once: int, twice: int, distinct: int, samples: int, confidence: float = CONFIDENCE
) -> Estimate:
    """Return a lower bound on the number of pages, from the number of samples that have each page.

    The estimate is D + (t - 1) / t * q1 (q1 - 1) / (2 (q2 + 1)) for t samples (Chao 1987).

    Parameters
    ----------
    once, twice : int
        q1 and q2: pages in exactly one sample, and in exactly two.
    distinct : int
        D: pages in at least one sample.
    samples : int
        t; for fewer than two samples the result is `NOTHING`.
    confidence : float
        The level of the interval, from 0 to 1.

    Raises
    ------
    ValueError
        If the numbers contradict each other.
    """
    if samples < 2:
        return NOTHING
    return _chao(once, twice, distinct, (samples - 1) / samples, confidence)


def met(samples: Iterable[Sequence[int] | Array]) -> tuple[int, int, int]:
    """Return how many pages are in exactly one sample, in exactly two, and in at least one."""
    held = [np.unique(np.asarray(sample)) for sample in samples]
    if not held:
        return 0, 0, 0
    _, counts = np.unique(np.concatenate(held), return_counts=True)
    return int((counts == 1).sum()), int((counts == 2).sum()), len(counts)


def covered_of(crawled: int, number: Estimate, known: int = 0) -> Estimate:
    """Return the coverage of a crawl that follows from an estimated number of all pages.

    Parameters
    ----------
    crawled : int
        Number of pages of the crawl.
    number : Estimate
        The estimated number of all pages.
    known : int
        Number of distinct pages in the crawl and the samples; a smaller estimate is raised to it.
    """
    number = Estimate(*(max(value, known) for value in number)) if number.bounded else number
    if not number.has_value or number.value <= 0:
        return NOTHING
    if not number.bounded:
        return Estimate(crawled / number.value)
    return Estimate(crawled / number.value, crawled / number.high, crawled / number.low)


def _check(first: int, second: int, both: int) -> None:
    if not 0 <= both <= min(first, second):
        raise ValueError(f"{both} pages cannot be in samples of {first} and {second} pages")


def _chao(once: int, twice: int, distinct: int, part: float, confidence: float) -> Estimate:
    if not 0 <= once + twice <= distinct:
        raise ValueError(f"{once} + {twice} of {distinct} pages cannot be")
    if distinct == 0:
        return NOTHING
    unseen = part * once * (once - 1) / (2 * (twice + 1))
    variance = (
        unseen
        + part**2 * once * (2 * once - 1) ** 2 / (4 * (twice + 1) ** 2)
        + part**2 * once**2 * twice * (once - 1) ** 2 / (4 * (twice + 1) ** 4)
    )
    return _above(distinct + unseen, variance, distinct, confidence)


def _above(number: float, variance: float, seen: int, confidence: float) -> Estimate:
    """Return an estimate whose interval does not begin below the number of pages seen (Chao 1987).

    The logarithm of the number of unseen pages is taken as normally distributed.

    Parameters
    ----------
    number : float
        The estimated number of pages.
    variance : float
        The variance of that estimate.
    seen : int
        The number of distinct pages seen.
    confidence : float
        The level of the interval, from 0 to 1.
    """
    unseen = number - seen
    if unseen <= 0 or variance <= 0:
        return Estimate(number, number, number)
    z = float(ndtri(0.5 + confidence / 2))
    factor = math.exp(z * math.sqrt(math.log(1 + variance / unseen**2)))
    return Estimate(number, seen + unseen / factor, seen + unseen * factor)
