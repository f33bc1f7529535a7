"""The exponent of a power-law tail, by discrete maximum likelihood.

Clauset, Shalizi and Newman, Power-law distributions in empirical data (2009): P(x) is proportional
to x^-a for x >= least. For each candidate ``least`` the exponent a maximizes the likelihood; the
candidate wins whose distribution is nearest to the data in the Kolmogorov-Smirnov distance.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from counterpoint.compiling import Array

LEAST_POINTS = 50
"""How many points a tail must have; with fewer, the error is large ([Clauset], section 3.3)."""

CANDIDATES = 150
"""How many beginnings of the tail are tried: all small ones, then fewer and fewer."""

LOWEST, HIGHEST = 1.01, 12.0
"""The range in which the exponent is searched."""


@dataclass(frozen=True)
class Tail:
    """The fitted tail of a distribution.

    Attributes
    ----------
    exponent, error : float
        The exponent a and its standard error.
    least : int
        The value at which the tail begins.
    points : int
        How many values are in the tail.
    distance : float
        The Kolmogorov-Smirnov distance between the tail and the fitted law.
    """

    exponent: float
    error: float
    least: int
    points: int
    distance: float


def tail(values: Array) -> Tail | None:
    """Fit the tail of whole numbers; return None if too few of them are different or above 0."""
    counts = np.bincount(np.asarray(values, dtype=np.int64))
    numbers = np.nonzero(counts)[0]
    numbers = numbers[numbers > 0]
    return _of_histogram(numbers, counts[numbers])


def _of_histogram(numbers: Array, counts: Array) -> Tail | None:
    """Fit the tail of a histogram: different numbers, ascending, and how often each occurs."""
    points = np.cumsum(counts[::-1])[::-1]
    logs = np.cumsum((counts * np.log(numbers))[::-1])[::-1] / points
    # A tail of one number has no exponent.
    possible = np.nonzero(points >= LEAST_POINTS)[0]
    possible = possible[possible < len(numbers) - 1]
    if not len(possible):
        return None
    places = _thinned(possible)
    exponents = _likeliest(numbers[places].astype(float), logs[places])
    fits = [
        (_distance(numbers[i:], counts[i:], a), i, a)
        for i, a in zip(places.tolist(), exponents.tolist(), strict=True)
    ]
    distance, i, exponent = min(fits)
    error = _error(exponent, float(numbers[i]), int(points[i]))
    return Tail(exponent, error, int(numbers[i]), int(points[i]), distance)


def _thinned(possible: Array) -> Array:
    if len(possible) <= CANDIDATES:
        return possible
    steps = np.geomspace(1, len(possible), CANDIDATES).astype(np.int64) - 1
    return possible[np.unique(steps)]


def _likeliest(least: Array, mean_log: Array) -> Array:
    """Return the exponent of greatest likelihood for each beginning of the tail.

    The logarithm of the likelihood is concave in the exponent, so that golden-section search finds
    its maximum.
    """
    from scipy.special import zeta

    def cost(a: Array) -> Array:
        return np.log(zeta(a, least)) + a * mean_log

    golden = (np.sqrt(5) - 1) / 2
    low, high = np.full(len(least), LOWEST), np.full(len(least), HIGHEST)
    for _ in range(45):
        one, two = high - golden * (high - low), low + golden * (high - low)
        left = cost(one) < cost(two)
        low, high = np.where(left, low, one), np.where(left, two, high)
    return (low + high) / 2


def _distance(numbers: Array, counts: Array, exponent: float) -> float:
    """Return the Kolmogorov-Smirnov distance: the greatest difference of the two distributions.

    Parameters
    ----------
    numbers, counts : int64, shape (k,)
        The different values of the tail, ascending, and how often each occurs.
    exponent : float
        The exponent of the law.
    """
    from scipy.special import zeta

    reached = np.cumsum(counts) / counts.sum()
    whole = zeta(exponent, float(numbers[0]))
    at = 1 - zeta(exponent, numbers + 1.0) / whole
    below = 1 - zeta(exponent, numbers[1:].astype(float)) / whole
    return float(max(np.abs(reached - at).max(), np.abs(reached[:-1] - below).max()))


def _error(exponent: float, least: float, points: int) -> float:
    """Return the standard error 1 / sqrt(n I); finite differences give the information I."""
    from scipy.special import zeta

    step = 1e-3
    log = np.log(zeta(np.array([exponent - step, exponent, exponent + step]), least))
    information = (log[0] - 2 * log[1] + log[2]) / step**2
    return float(1 / np.sqrt(points * information))
