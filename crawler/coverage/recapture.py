"""How large a web is, from samples that were drawn twice or more: capture-recapture.

With n1 pages marked and m of them among n2 drawn later, Lincoln and Petersen's estimate of the
number of pages is n1 n2 / m. With the crawl itself as the first capture it says that the crawl has
n1 / N = m / n2 of them: that is [COV]'s share, so a rival needs two samples beside the crawl, and
the coverage is then the crawl's size over the estimated number.

Pages are not equally easy to draw; those drawn in one sample are drawn in others as well, and
numbers come out too low. Chao's estimates are bounds from below for that reason; bounds they are
where samples are alike. With a crawl of 30,000 pages as one sample more beside five of 1,000 most
pages are met once, because the others are small, and numbers may come out too high.
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
    """Return n1 n2 / m; nothing if no page was drawn twice.

    Parameters
    ----------
    first, second : int
        Sizes of two samples.
    both : int
        Pages in both.
    confidence : float
    """
    _check(first, second, both)
    if both == 0:
        return NOTHING
    number = first * second / both
    variance = first * second * (first - both) * (second - both) / both**3
    return _above(number, variance, first + second - both, confidence)


def chapman(first: int, second: int, both: int, confidence: float = CONFIDENCE) -> Estimate:
    """Return (n1 + 1)(n2 + 1) / (m + 1) - 1, with Seber's variance (Chapman 1951, Seber 1970).

    Unbiased where both samples are simple random ones and n1 + n2 is no less than the number of
    pages; exists also if no page was drawn twice. The parameters are those of `lincoln_petersen`.
    """
    _check(first, second, both)
    number = (first + 1) * (second + 1) / (both + 1) - 1
    variance = (
        (first + 1) * (second + 1) * (first - both) * (second - both)
        / ((both + 1) ** 2 * (both + 2))
    )  # fmt: skip
    return _above(number, variance, first + second - both, confidence)


def chao1(once: int, twice: int, distinct: int, confidence: float = CONFIDENCE) -> Estimate:
    """Return a bound from below on the number of pages, from how often single draws met each.

    D + f1 (f1 - 1) / (2 (f2 + 1)) (Chao 1984, the bias-corrected form).

    Parameters
    ----------
    once, twice : int
        Pages drawn exactly once, exactly twice.
    distinct : int
        Pages drawn at all.
    confidence : float
    """
    return _chao(once, twice, distinct, 1.0, confidence)


def chao2(
    once: int, twice: int, distinct: int, samples: int, confidence: float = CONFIDENCE
) -> Estimate:
    """Return a bound from below on the number of pages, from how many samples have each.

    D + (t - 1) / t * q1 (q1 - 1) / (2 (q2 + 1)) for t samples (Chao 1987).

    Parameters
    ----------
    once, twice : int
        Pages in exactly one sample, in exactly two.
    distinct : int
        Pages in any.
    samples : int
        At least two, or nothing can be told.
    confidence : float
    """
    if samples < 2:
        return NOTHING
    return _chao(once, twice, distinct, (samples - 1) / samples, confidence)


def met(samples: Iterable[Sequence[int] | Array]) -> tuple[int, int, int]:
    """Return how many pages are in exactly one of some samples, in exactly two, and in any."""
    held = [np.unique(np.asarray(sample)) for sample in samples]
    if not held:
        return 0, 0, 0
    _, counts = np.unique(np.concatenate(held), return_counts=True)
    return int((counts == 1).sum()), int((counts == 2).sum()), len(counts)


def covered_of(crawled: int, number: Estimate, known: int = 0) -> Estimate:
    """Return the coverage of a crawl of so many pages, from an estimate of how many there are.

    Parameters
    ----------
    crawled : int
    number : Estimate
    known : int
        Pages of the crawl and the samples together: there are no fewer.
    """
    number = Estimate(*(max(value, known) for value in number)) if number.bounded else number
    if not number.told or number.value <= 0:
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
    """Return an estimate whose interval begins no lower than what was seen (Chao 1987).

    The logarithm of the number not seen is taken as normal.
    """
    unseen = number - seen
    if unseen <= 0 or variance <= 0:
        return Estimate(number, number, number)
    z = float(ndtri(0.5 + confidence / 2))
    factor = math.exp(z * math.sqrt(math.log(1 + variance / unseen**2)))
    return Estimate(number, seen + unseen / factor, seen + unseen * factor)
