"""Estimates of a share with intervals: how much of a sample is covered.

|V0 & V'| / |V0| on a random sample V0 ([COV]) is a binomial share; the intervals are those of
Wilson (1927) and of Clopper and Pearson (1934). Where pages come in lumps (the links of a sampled
page, the pages of a sampled site) they are no independent draws, and binomial intervals are too
narrow: there the lumps are drawn again (`bootstrap`), or samples are compared (`over_samples`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.special import betaincinv, chdtrc, ndtri, stdtrit

Array = np.ndarray[Any, Any]

CONFIDENCE = 0.95
ROUNDS = 1000
"""Of a bootstrap."""

METHODS = ("wilson", "clopper-pearson")


class Estimate(NamedTuple):
    """A figure with its interval.

    Attributes
    ----------
    value : float
        NaN if there is nothing to tell it from.
    low, high : float
        Ends of the interval; NaN if none can be told.
    """

    value: float
    low: float = math.nan
    high: float = math.nan

    @property
    def told(self) -> bool:
        """Whether there is an estimate."""
        return not math.isnan(self.value)

    @property
    def bounded(self) -> bool:
        """Whether there is an interval."""
        return not math.isnan(self.low)

    def contains(self, truth: float) -> bool:
        """Tell whether the interval contains a value; without an interval it does not."""
        return self.low <= truth <= self.high

    def times(self, factor: float) -> Estimate:
        """Return the estimate of a multiple, for a factor above 0 that is known."""
        return Estimate(self.value * factor, self.low * factor, self.high * factor)


NOTHING = Estimate(math.nan)


def share(
    covered: int, size: int, method: str = "wilson", confidence: float = CONFIDENCE
) -> Estimate:
    """Return the share of a sample that is covered, with a binomial interval.

    Parameters
    ----------
    covered, size : int
        |V0 & V'| and |V0|.
    method : {"wilson", "clopper-pearson"}
        Wilson's interval covers the truth with the confidence on average over shares, Clopper and
        Pearson's with no less than the confidence whatever the share is, and is wider.
    confidence : float
    """
    if not 0 <= covered <= size:
        raise ValueError(f"{covered} covered of {size} is no share")
    if size == 0:
        return NOTHING
    ends = _wilson if method == "wilson" else _clopper_pearson
    low, high = ends(covered, size, confidence)
    return Estimate(covered / size, low, high)


def _wilson(covered: int, size: int, confidence: float) -> tuple[float, float]:
    z = float(ndtri(0.5 + confidence / 2))
    middle = (covered + z * z / 2) / (size + z * z)
    half = z * math.sqrt(covered * (size - covered) / size + z * z / 4) / (size + z * z)
    low = 0.0 if covered == 0 else middle - half
    return low, 1.0 if covered == size else middle + half


def _clopper_pearson(covered: int, size: int, confidence: float) -> tuple[float, float]:
    tail = (1 - confidence) / 2
    low = float(betaincinv(covered, size - covered + 1, tail)) if covered else 0.0
    high = float(betaincinv(covered + 1, size - covered, 1 - tail)) if covered < size else 1.0
    return low, high


def bootstrap(
    covered: Sequence[float] | Array,
    sizes: Sequence[float] | Array,
    seed: int,
    rounds: int = ROUNDS,
    confidence: float = CONFIDENCE,
) -> Estimate:
    """Return the share of all pages of some lumps that is covered; the lumps are drawn again.

    The value is sum(covered) / sum(sizes); the interval lies between percentiles of the same ratio
    over lumps drawn with replacement (Efron 1979).

    Parameters
    ----------
    covered, sizes : sequence of float, n each
        Of each lump, such as the pages of a sampled site.
    seed : int
    rounds : int
    confidence : float
    """
    above, below = np.asarray(covered, dtype=np.float64), np.asarray(sizes, dtype=np.float64)
    if below.sum() == 0:
        return NOTHING
    value = float(above.sum() / below.sum())
    if len(below) < 2:
        return Estimate(value)
    random = np.random.default_rng(seed)
    counts = random.multinomial(len(below), np.full(len(below), 1 / len(below)), size=rounds)
    totals = counts @ below
    ratios = (counts @ above)[totals > 0] / totals[totals > 0]
    tail = (1 - confidence) / 2
    low, high = np.quantile(ratios, [tail, 1 - tail])
    return Estimate(value, float(low), float(high))


@dataclass(frozen=True)
class OverSamples:
    """What several samples of the same web say together.

    Attributes
    ----------
    mean : Estimate
        Mean of their shares, each counting alike, with Student's interval, cut to 0..1.
    variance : float
        Of the shares, divided by n - 1.
    variance_of_all : float
        The same divided by n: [COV] reports a variance and does not say which.
    pooled : float
        Share of all samples thrown together.
    unlike : float
        The chance that samples of independent pages differ at least as much from each other (a
        chi-square test of homogeneity). Where it is small, binomial intervals mean nothing.
    """

    mean: Estimate
    variance: float
    variance_of_all: float
    pooled: float
    unlike: float

    def times(self, factor: float) -> OverSamples:
        """Return the same of a multiple, such as the share of the Web that is reachable."""
        return OverSamples(
            self.mean.times(factor),
            self.variance * factor**2,
            self.variance_of_all * factor**2,
            self.pooled * factor,
            self.unlike,
        )


def over_samples(
    covered: Sequence[float], sizes: Sequence[float], confidence: float = CONFIDENCE
) -> OverSamples:
    """Return mean and variance of the shares of several samples ([COV], breadth-first).

    Parameters
    ----------
    covered, sizes : sequence of float
        Of each sample; samples without a page are left out.
    confidence : float
    """
    above, below = np.asarray(covered, dtype=np.float64), np.asarray(sizes, dtype=np.float64)
    above, below = above[below > 0], below[below > 0]
    if len(below) == 0:
        return OverSamples(NOTHING, math.nan, math.nan, math.nan, math.nan)
    shares, pooled = above / below, float(above.sum() / below.sum())
    value = float(shares.mean())
    if len(shares) < 2:
        return OverSamples(Estimate(value), math.nan, 0.0, pooled, math.nan)
    half = float(stdtrit(len(shares) - 1, 0.5 + confidence / 2)) * float(
        shares.std(ddof=1)
    ) / math.sqrt(len(shares))  # fmt: skip
    return OverSamples(
        Estimate(value, max(0.0, value - half), min(1.0, value + half)),
        float(shares.var(ddof=1)),
        float(shares.var()),
        pooled,
        _unlike(above, below, pooled),
    )


def _unlike(covered: Array, sizes: Array, pooled: float) -> float:
    """Return the chance of differences like these between binomial samples of one share."""
    if pooled in (0.0, 1.0):
        return 1.0
    square = (covered - sizes * pooled) ** 2 / (sizes * pooled * (1 - pooled))
    return float(chdtrc(len(sizes) - 1, square.sum()))
