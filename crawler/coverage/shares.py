"""Estimates the covered share of a sample, with confidence intervals.

On a random sample V0, |V0 & V'| / |V0| ([COV]) is a binomial share; the intervals are those of
Wilson (1927) and of Clopper and Pearson (1934). If pages come in lumps (the links of a sampled
page, the pages of a sampled site), they are not independent draws, and binomial intervals are too
narrow. Then the lumps are resampled (`bootstrap`), or several samples are compared
(`over_samples`).
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
"""Number of resamplings of a bootstrap."""

METHODS = ("wilson", "clopper-pearson")


class Estimate(NamedTuple):
    """An estimate with its confidence interval.

    Attributes
    ----------
    value : float
        NaN if nothing can be estimated.
    low, high : float
        Ends of the interval; NaN if there is none.
    """

    value: float
    low: float = math.nan
    high: float = math.nan

    @property
    def has_value(self) -> bool:
        """Whether there is an estimate."""
        return not math.isnan(self.value)

    @property
    def bounded(self) -> bool:
        """Whether there is an interval."""
        return not math.isnan(self.low)

    def contains(self, truth: float) -> bool:
        """Return whether there is an interval that contains the value."""
        return self.low <= truth <= self.high

    def times(self, factor: float) -> Estimate:
        """Return the estimate multiplied by a known positive factor."""
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
        Wilson's interval contains the true share with the given confidence on average over all
        shares. Clopper and Pearson's contains it with at least that confidence for every share,
        and is wider.
    confidence : float
        The level of the interval, from 0 to 1.

    Raises
    ------
    ValueError
        If `covered` is not in 0..`size`.
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
    """Return the covered share of the pages of all lumps, with a bootstrap interval.

    The value is sum(covered) / sum(sizes). The ends of the interval are percentiles of the same
    ratio over lumps drawn with replacement (Efron 1979).

    Parameters
    ----------
    covered, sizes : sequence of float, n each
        The covered pages and all pages of each lump; a lump is, for example, a sampled site.
    seed : int
    rounds : int
        Number of resamplings.
    confidence : float
        The level of the interval, from 0 to 1.
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
    """The covered shares of several samples of the same web, taken together.

    Attributes
    ----------
    mean : Estimate
        The unweighted mean of the shares, with Student's interval, cut to 0..1.
    variance : float
        The variance of the shares, divided by n - 1.
    variance_of_all : float
        The same divided by n: [COV] reports a variance and does not say which of the two it is.
    pooled : float
        The covered share of the pages of all samples.
    unlike : float
        The p-value of a chi-square test of homogeneity: the probability that samples of
        independent pages differ at least as much. If it is small, binomial intervals are invalid.
    """

    mean: Estimate
    variance: float
    variance_of_all: float
    pooled: float
    unlike: float

    def times(self, factor: float) -> OverSamples:
        """Return all values for shares that are multiplied by a known positive factor."""
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
        The covered pages and all pages of each sample; empty samples are ignored.
    confidence : float
        The level of the interval, from 0 to 1.
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
    """Return the probability that binomial samples with one share differ at least as much.

    Parameters
    ----------
    covered, sizes : float64[n]
    pooled : float
        The covered share of the pages of all samples.
    """
    if pooled in (0.0, 1.0):
        return 1.0
    square = (covered - sizes * pooled) ** 2 / (sizes * pooled * (1 - pooled))
    return float(chdtrc(len(sizes) - 1, square.sum()))
