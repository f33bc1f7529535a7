"""Computes how often each page should be visited, given the rate at which it changes.

Model: the changes of a page are a Poisson process with rate l, and the page is visited at even
intervals, f times per unit of time. The page's freshness, the share of time for which the last copy
is up to date, is then (f / l) (1 - exp(-l / f)) (Cho and Garcia-Molina, 2000).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from counterpoint.crawler.errors import CrawlError

Numbers = npt.NDArray[np.float64]


def optimal_frequencies(rates: Sequence[float] | Numbers, budget: float) -> Numbers:
    """Return the frequencies whose sum is ``budget`` and whose mean freshness is greatest.

    By Lagrange's condition, with r = l / f, the marginal gain of a visit, (1 - (1 + r) exp(-r)) /
    l, is the same for all pages that are visited, and no greater for pages that are not: those
    change too often to be worth a visit. The result is exact up to rounding if no rate is more than
    10^15 times another.

    Parameters
    ----------
    rates : sequence of float
        Changes of each page per unit of time, at least 0.
    budget : float
        Visits per unit of time, above 0.

    Raises
    ------
    CrawlError
        If a rate or the budget is out of its range.
    """
    rate = _checked(rates, budget)
    changing = rate > 0
    if not changing.any():
        return np.full(len(rate), budget / max(1, len(rate)))
    found = np.zeros(len(rate))
    moving = rate[changing]

    def too_many(log_ratio: float) -> float:
        return float(_frequencies(moving, math.exp(log_ratio)).sum() - budget)

    low, high = -1.0, 1.0
    while too_many(low) < 0:
        low *= 2.0
    while too_many(high) > 0:
        high *= 2.0
    from scipy.optimize import brentq  # slow to import, and other policies do not need it

    frequencies = _within(moving, budget, brentq(too_many, low, high, xtol=1e-13))
    found[changing] = frequencies * (budget / frequencies.sum())
    return found


def proportional_frequencies(rates: Sequence[float] | Numbers, budget: float) -> Numbers:
    """Return frequencies proportional to the rates, with sum ``budget``; equal ones if all are 0.

    Raises
    ------
    CrawlError
        If a rate or the budget is out of its range, as in `optimal_frequencies`.
    """
    rate = _checked(rates, budget)
    total = rate.sum()
    if not total:
        return np.full(len(rate), budget / max(1, len(rate)))
    return np.asarray(rate * (budget / total))


def freshness(rates: Sequence[float] | Numbers, frequencies: Sequence[float] | Numbers) -> Numbers:
    """Return the freshness of each page, from 0 to 1.

    A page that does not change is always fresh; a page that changes and is not visited never is.
    """
    rate, often = np.asarray(rates, dtype=float), np.asarray(frequencies, dtype=float)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        ratio = np.where(often > 0, rate / often, np.inf)
        fresh = -np.expm1(-ratio) / ratio
    return np.where(rate == 0, 1.0, np.where(ratio == 0, 1.0, fresh))


def _checked(rates: Sequence[float] | Numbers, budget: float) -> Numbers:
    rate = np.asarray(rates, dtype=float)
    if rate.ndim != 1 or not np.isfinite(rate).all() or (rate < 0).any():
        raise CrawlError("rates of change must be finite numbers of at least 0")
    if not (np.isfinite(budget) and budget > 0):
        raise CrawlError(f"a budget of visits must be a finite number above 0, not {budget!r}")
    return rate


# All frequencies follow from r of the page that changes least. g(r) = 1 - (1 + r) exp(-r) has no
# inverse in closed form: a table gives a first value, and Newton's method makes it exact, applied
# to g where g is small and to the logarithm of 1 - g where g is close to 1.


def _gain(ratio: Numbers) -> Numbers:
    """Return g(r), by its power series where r is so small that the terms would cancel."""
    r = np.minimum(ratio, 1e-2)
    series = r * r * (1 / 2 - r * (1 / 3 - r * (1 / 8 - r * (1 / 30 - r * (1 / 144 - r / 840)))))
    return np.where(ratio < 1e-2, series, 1.0 - (1.0 + ratio) * np.exp(-ratio))


_RATIOS = np.exp(np.linspace(np.log(1e-3), np.log(30.0), 1024))
_GAINS = _gain(_RATIOS)


def _within(rate: Numbers, budget: float, log_ratio: float) -> Numbers:
    """Return the frequencies at a ratio, interpolated if their sum jumps over the budget there.

    In floating point the gain of a page that changes more than about thirty times between visits is
    exactly 1, so its frequency jumps to 0 between two neighbouring ratios. Interpolation gives such
    a page the rest of the budget.

    Parameters
    ----------
    rate : float64 array
        Rates above 0.
    budget : float
        The sum that the frequencies shall have.
    log_ratio : float
        The logarithm of r of the page that changes least.
    """
    found = _frequencies(rate, math.exp(log_ratio))
    step = 1e-13
    while abs(found.sum() - budget) > 1e-9 * budget:
        many = _frequencies(rate, math.exp(log_ratio - step))
        few = _frequencies(rate, math.exp(log_ratio + step))
        if many.sum() >= budget >= few.sum():
            found = few + (many - few) * ((budget - few.sum()) / (many.sum() - few.sum()))
            break
        step *= 2.0
    return found


def _frequencies(rate: Numbers, ratio: float) -> Numbers:
    """Return the frequencies at which all pages have the same gain as the one that changes least.

    Parameters
    ----------
    rate : float64 array
        Rates above 0.
    ratio : float
        r of the page that changes least.
    """
    least = rate.min()
    times = rate / least
    gain = times * _gain(np.array([ratio]))
    rest = 1.0 - times + times * (1.0 + ratio) * math.exp(-ratio)  # 1 - gain, without cancellation
    visited = (gain < 1.0) & (rest > 0.0)
    inner = _ratio(np.clip(gain, 1e-300, 1.0), np.clip(rest, 1e-300, 1.0))
    found = np.where(visited, rate / inner, 0.0)
    found[rate == least] = least / ratio
    return found


def _ratio(gain: Numbers, rest: Numbers) -> Numbers:
    """Return r, given g(r) and 1 - g(r)."""
    ratio = np.interp(gain, _GAINS, _RATIOS)
    ratio = np.where(gain < _GAINS[0], np.sqrt(2.0 * gain), ratio)
    ratio = np.where(rest < 1e-9, -np.log(rest) + np.log1p(-np.log(rest)), ratio)
    for _ in range(4):
        by_gain = (_gain(ratio) - gain) / (ratio * np.exp(-np.minimum(ratio, 50.0)))
        by_rest = (np.log(rest) - np.log1p(ratio) + ratio) * (1.0 + ratio) / ratio
        ratio = np.maximum(ratio - np.where(gain < 0.5, by_gain, by_rest), 0.5 * ratio)
    return ratio
