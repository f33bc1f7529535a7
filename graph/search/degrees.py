"""Histograms of degrees, and the exponent of their power-law tail.

The exponent a of the discrete law P(k) = k^-a / zeta(a, m) for k >= m is estimated by maximum
likelihood. The tail begins at the m for which the greatest difference between the distributions of
law and data is least (Clauset, Shalizi, Newman: Power-law distributions in empirical data, 2009).
The standard error 1 / sqrt(points x information) takes m as given; the interval from resampled
pages does not.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from counterpoint.compiling import Array

LEAST_POINTS = 50
"""How many pages a tail must have."""

BEGINNINGS = 120
"""How many beginnings of the tail are tried at most: the first ones, then fewer and fewer."""

LOWEST, HIGHEST = 1.001, 15.0
"""The range in which the exponent is searched."""


class Histogram(NamedTuple):
    """The different degrees, ascending, and how many pages have each; both int64."""

    degrees: Array
    pages: Array


@dataclass(frozen=True)
class PowerLaw:
    """The tail of a distribution of degrees.

    Attributes
    ----------
    exponent, error : float
        a, and its standard error for a given beginning.
    least : int
        m, the degree at which the tail begins.
    points : int
        The number of pages in the tail.
    distance : float
        The greatest difference between the distributions of law and data in the tail.
    interval : (float, float) or None
        The range of the middle 95% of the exponents of resampled pages; each resample chooses its
        own beginning. None: there was no resampling, or all resamples have too few pages in a tail.
    """

    exponent: float
    error: float
    least: int
    points: int
    distance: float
    interval: tuple[float, float] | None = None


def histogram(degrees: Array) -> Histogram:
    """Return how many pages have each degree that occurs."""
    pages = np.bincount(degrees)
    found = np.flatnonzero(pages)
    return Histogram(found, pages[found])


def fitted(degrees: Histogram, *, resamples: int = 0, seed: int = 0) -> PowerLaw | None:
    """Fit the tail; return None if too few pages, or too few different degrees, are above 0.

    Parameters
    ----------
    degrees : Histogram
    resamples : int
        How often the pages are resampled for the interval; 0: there is no interval.
    seed : int
        The seed of the resampling.
    """
    best = _fitted(degrees)
    if best is None or not resamples:
        return best
    rng = np.random.default_rng(seed)
    total = int(degrees.pages.sum())
    exponents = []
    for _ in range(resamples):
        drawn = rng.multinomial(total, degrees.pages / total)
        one = _fitted(Histogram(degrees.degrees[drawn > 0], drawn[drawn > 0]))
        if one is not None:
            exponents.append(one.exponent)
    if not exponents:
        return best
    low, high = np.quantile(exponents, (0.025, 0.975))
    return PowerLaw(**{**vars(best), "interval": (float(low), float(high))})


def _fitted(histogram: Histogram) -> PowerLaw | None:
    positive = histogram.degrees > 0
    degrees, pages = histogram.degrees[positive], histogram.pages[positive]
    if len(degrees) < 3:
        return None
    found: PowerLaw | None = None
    for i in _beginnings(pages):
        law = _law(degrees[i:], pages[i:])
        if found is None or law.distance < found.distance:
            found = law
    return found


def _beginnings(pages: Array) -> list[int]:
    """Return the indices at which a tail with enough points and three degrees can begin."""
    points = np.cumsum(pages[::-1])[::-1]
    last = min(int(np.count_nonzero(points >= LEAST_POINTS)), len(pages) - 2)
    if last <= 0:
        return []
    if last <= BEGINNINGS:
        return list(range(last))
    spread = np.round(np.geomspace(1, last, BEGINNINGS)).astype(int) - 1
    return sorted(set(spread.tolist()))


def _law(degrees: Array, pages: Array) -> PowerLaw:
    """Fit the law of a tail by maximum likelihood."""
    from scipy.optimize import minimize_scalar
    from scipy.special import zeta

    least, points = int(degrees[0]), int(pages.sum())
    mean = float((pages * np.log(degrees)).sum()) / points

    def cost(a: float) -> float:
        return float(np.log(zeta(a, least))) + a * mean

    a = float(minimize_scalar(cost, bounds=(LOWEST, HIGHEST), method="bounded",
                              options={"xatol": 1e-7}).x)  # fmt: skip
    step = 1e-3
    information = (cost(a - step) - 2 * cost(a) + cost(a + step)) / step**2
    error = 1 / math.sqrt(points * information) if information > 0 else math.inf
    above = np.cumsum(pages) / points
    law = 1 - zeta(a, degrees + 1.0) / zeta(a, least)
    before = 1 - zeta(a, degrees[1:].astype(float)) / zeta(a, least)
    distance = max(np.abs(above - law).max(), np.abs(above[:-1] - before).max())
    return PowerLaw(a, error, least, points, float(distance))
