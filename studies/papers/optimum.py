"""The best allocation of a crawler's time, if it knows how often pages change but not when.

After m runs without a visit, a page has changed k times with the probability of Poisson's law, and
its term of Q is then on average what texts of this page lose by k changes. This gives g(m), the
expected term. A page that is visited every n runs has the mean term
V(n) = (g(0) + ... + g(n-1)) / n and costs c / n. How often should each page be visited, so that the
sum of V is greatest and the sum of c / n is the time of a run? This is a knapsack of rates; by
Lagrange the price of time mu is the same for all pages, and

    D(mu) = sum over pages of the greatest V(n) - mu c / n, plus mu times the time

is an upper bound on Q for every mu. Its minimum, found by bisection of its slope, is the limit. No
crawler that learns of changes by visits alone has a greater expected Q, since changes are
memoryless: all that it knows of a page is the time since the visit.

At the price mu a page is due from the age n on where (g(0) + ... + g(n-1) - n g(n)) / c reaches mu.
This index of Whittle makes a policy: in each run, visit the pages with the greatest index that fit.

A page that may die has in g also its death, after which only its copy counts, negatively. It is
visited at birth and then every n runs until it is found gone, so its value and its cost in a unit
of time are those of such a life times the births in that time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import gammaln

from . import visiting
from .sites import DAY, Sites

Array = np.ndarray[Any, Any]

AGES = 256
"""The largest interval between two visits that is considered, in runs, other than none at all.

It goes into compiled code.
"""
CHANGES, SAMPLES = 40, 5
"""The largest number of changes that is told apart, and the number of copies for a mean."""


@dataclass(frozen=True)
class Values:
    """What pages are worth at each age.

    Attributes
    ----------
    kept : float64[pages, AGES + 1]
        g(m), the expected term of Q of a page that was there when visited m runs ago.
    never : float64[pages]
        The mean term of a page that is never visited.
    size : float64[pages]
        Mean sizes.
    life : float64[pages]
        The mean life in runs; infinite for pages that are for ever.
    births : float64[pages]
        Births in a run; 0 for pages that are for ever.
    """

    kept: Array
    never: Array
    size: Array
    life: Array
    births: Array


def poisson(means: Array, most: int) -> Array:
    """Return Poisson's probabilities of 0 to ``most`` events; the last is that of all others.

    Parameters
    ----------
    means : float64[...]
    most : int

    Returns
    -------
    float64[..., most + 1]
    """
    k = np.arange(most)
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = k * np.log(means[..., None]) - means[..., None] - gammaln(k + 1)
    found = np.where(means[..., None] > 0, np.exp(logs), k == 0)
    rest = np.maximum(0.0, 1.0 - found.sum(axis=-1, keepdims=True))
    return np.concatenate((found, rest), axis=-1)


def values(sites: Sites, rates: Array | None = None) -> Values:
    """Return what pages are worth at each age.

    Parameters
    ----------
    sites : Sites
    rates : float64[pages], optional
        Changes of each page from one run to the next; by default the true ones.
    """
    rates = sites.rates if rates is None else rates
    count = len(rates)
    moments = np.linspace(0, sites.runs - 1, SAMPLES).astype(np.int64)
    copies = np.maximum(sites.versions[moments], 0)
    texts, size = visiting.values_by_changes(sites.text, copies, CHANGES)
    ages = np.arange(AGES + 1)
    chances = poisson(rates[:, None] * ages, CHANGES)
    kept = np.einsum("pmk,pk->pm", chances, texts)
    life, births = np.full(count, np.inf), np.zeros(count)
    never = np.where(rates > 0, texts[:, -1], texts[:, 0])
    period = sites.runs
    for number, kind in enumerate(sites.kinds):
        own = (sites.site == number) & sites.passing
        life[own] = kind.life_days * DAY / sites.interval
        births[own] = 1 / (life[own] + period)
    there = np.exp(-ages / life[:, None])
    kept = there * kept - (1 - there) * np.log1p(size)[:, None]
    passing = births > 0
    never[passing] = -(births[passing] * life[passing] * np.log1p(size[passing]))
    return Values(kept, never, size, life, births)


def indices(found: Values) -> Array:
    """Return Whittle's index times the cost: what a visit is worth at each age, [pages, ages]."""
    before = np.concatenate((np.zeros((len(found.kept), 1)), found.kept.cumsum(axis=1)), axis=1)
    ages = np.arange(found.kept.shape[1])
    return np.asarray(before[:, :-1] - ages * found.kept)


@dataclass(frozen=True)
class Limit:
    """The limit of Q, and how it is reached.

    Attributes
    ----------
    value : float
        The least upper bound on the mean Q of a run.
    price : float
        What a unit of time is worth, in Q.
    intervals : int64[pages]
        The runs from one visit of a page to the next at this price; 0: it is not visited again.
    """

    value: float
    price: float
    intervals: Array


def limit(sites: Sites, found: Values | None = None) -> Limit:
    """Return the limit of Q for the costs and the time of some sites."""
    found = values(sites) if found is None else found
    gain, cost = _options(sites, found)

    def at(price: float) -> tuple[float, float, Array]:
        net = gain - price * cost
        best = net.argmax(axis=1)
        rows = np.arange(len(best))
        slope = sites.time - float(cost[rows, best].sum())
        return float(net[rows, best].sum()) + price * sites.time, slope, best

    low, high = 0.0, 1.0
    if at(low)[1] >= 0:
        high = low
    while at(high)[1] < 0:
        high *= 2.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if at(middle)[1] >= 0 else (middle, high)
    value, _, best = at(high)
    return Limit(value, high, np.where(best < gain.shape[1] - 1, best + 1, 0))


def _options(sites: Sites, found: Values) -> tuple[Array, Array]:
    """Return the mean term and the mean cost in a run, for each page and interval; last: none."""
    each = sites.cost.per_byte * found.size + sites.cost.per_visit
    n = np.arange(1, found.kept.shape[1] + 1)
    sums = found.kept.cumsum(axis=1)
    gain, cost = sums / n, each[:, None] / n
    mortal = found.births > 0
    births = found.births[mortal, None]
    ends = 1 - np.exp(-n / found.life[mortal, None])
    gain[mortal] = births * sums[mortal] / ends
    cost[mortal] = births * (each[mortal, None] / ends + sites.cost.per_visit)
    gain = np.concatenate((gain, found.never[:, None]), axis=1)
    return gain, np.concatenate((cost, np.zeros((len(gain), 1))), axis=1)
