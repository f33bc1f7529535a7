"""How many links pages have, and the exponent of the tail.

The exponent is the most likely one of the discrete law P(k) = k^-a / zeta(a, m) for k >= m. The
tail begins at the m for which law and data are nearest by the greatest difference of their
distributions (Clauset, Shalizi, Newman: Power-law distributions in empirical data, 2009). The error
is 1 / sqrt(points x information), which takes m as given; that of resampled pages does not.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from counterpoint.compiling import Array

LEAST_POINTS = 50
"""Pages a tail must have."""

BEGINNINGS = 120
"""Beginnings of the tail that are tried, at most: the first ones, then ever sparser ones."""

LOWEST, HIGHEST = 1.001, 15.0
"""Where the exponent is sought."""


class Histogram(NamedTuple):
    """Different degrees, rising, and how many pages have each; both int64."""

    degrees: Array
    pages: Array


@dataclass(frozen=True)
class PowerLaw:
    """The tail of a distribution of degrees.

    Attributes
    ----------
    exponent, error : float
        a, and its standard error if the beginning is given.
    least : int
        m, the degree at which the tail begins.
    points : int
        Pages in the tail.
    distance : float
        The greatest difference of the distributions of law and data in the tail.
    interval : (float, float) or None
        95% of the exponents of resampled pages, the beginning chosen anew each time. None: not
        asked for, or all resamples have too few pages in a tail.
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


def fitted(of: Histogram, *, resamples: int = 0, seed: int = 0) -> PowerLaw | None:
    """Fit the tail; None if too few pages, or too few different degrees, are above 0.

    Parameters
    ----------
    of : Histogram
    resamples : int
        How often the pages are drawn anew for the interval; 0: none is made.
    seed : int
        Of the draws.
    """
    best = _fitted(of)
    if best is None or not resamples:
        return best
    rng = np.random.default_rng(seed)
    total = int(of.pages.sum())
    again = []
    for _ in range(resamples):
        drawn = rng.multinomial(total, of.pages / total)
        one = _fitted(Histogram(of.degrees[drawn > 0], drawn[drawn > 0]))
        if one is not None:
            again.append(one.exponent)
    if not again:
        return best
    low, high = np.quantile(again, (0.025, 0.975))
    return PowerLaw(**{**vars(best), "interval": (float(low), float(high))})


def _fitted(of: Histogram) -> PowerLaw | None:
    positive = of.degrees > 0
    degrees, pages = of.degrees[positive], of.pages[positive]
    if len(degrees) < 3:
        return None
    found: PowerLaw | None = None
    for i in _beginnings(pages):
        law = _law(degrees[i:], pages[i:])
        if found is None or law.distance < found.distance:
            found = law
    return found


def _beginnings(pages: Array) -> list[int]:
    """Return places at which a tail of enough points and of three different degrees can begin."""
    points = np.cumsum(pages[::-1])[::-1]
    last = min(int(np.count_nonzero(points >= LEAST_POINTS)), len(pages) - 2)
    if last <= 0:
        return []
    if last <= BEGINNINGS:
        return list(range(last))
    spread = np.round(np.geomspace(1, last, BEGINNINGS)).astype(int) - 1
    return sorted(set(spread.tolist()))


def _law(degrees: Array, pages: Array) -> PowerLaw:
    """Return the most likely law of a tail."""
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
