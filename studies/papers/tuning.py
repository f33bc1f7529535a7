"""DeltaS chosen while the crawler runs, and the best allocation for estimated rates of change.

``bandit`` tries values of DeltaS for some runs each, and prefers by UCB1 those that brought the
greatest harvest, which is all that S.C.E.N.T. itself sees. ``model`` estimates the rate of change
and the harvest of each page, and computes which DeltaS would keep most copies fresh. ``estimated``
has no scent: it visits by the index of `optimum` for the estimated rates.

**The model.** If a page is visited every n runs and a visit brings H(n) on average, its scent x at
a visit satisfies x = x / 2 + H(n) + n DeltaS, so it is 2 (H(n) + n DeltaS). A page is visited when
its scent reaches a threshold t that is the same for all pages. So H(n) + n DeltaS = t / 2: **the
interval between visits falls linearly with the harvest**, from t / (2 DeltaS) for a page that never
changes. The threshold follows from the time of a run.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from counterpoint.compiling import compiled

from .optimum import AGES
from .sites import INITIAL, Sites, State, Visited
from .visiting import HARVESTS, PLANNED, SCENT

Array = np.ndarray[Any, Any]

BLOCK = 20
"""The number of runs after which a choice is made anew."""
SELDOM = 3
"""The model is computed anew after so many blocks only."""
STEPS = 18
"""Bisections of the model; intervals are exact to a thousandth of a run."""


def estimated_rates(state: State) -> Array:
    """Return the estimated changes of each page in a run.

    The estimator is that of Cho and Garcia-Molina (2003), with half a change where none was seen,
    as in `counterpoint.crawler.schedulers.revisit.ChangeEstimator`. A page without comparisons gets
    the mean of the others.
    """
    n = state.seen.astype(np.float64)
    changes = np.maximum(state.changes.astype(np.float64), 0.5)
    known = n > 0
    chance = -np.log(np.maximum(n - changes + 0.5, 0.5) / (n + 0.5))
    found = np.where(known, chance * n / np.maximum(1, state.spans), 0.0)
    return np.where(known, found, found[known].mean() if known.any() else 0.0)


@compiled
def _at_threshold(rates: Array, harvests: Array, delta: float, half: float) -> Array:
    """Return the intervals after which H(n) + n DeltaS is half of the threshold, by bisection."""
    found = np.empty(len(rates))
    for p in range(len(rates)):
        low, high = 1.0, float(AGES)
        for _ in range(STEPS):
            n = (low + high) / 2
            if -math.expm1(-rates[p] * n) * harvests[p] + n * delta < half:
                low = n
            else:
                high = n
        found[p] = high
    return found


def intervals(rates: Array, harvests: Array, cost: Array, time: float, delta: float) -> Array:
    """Return the runs between two visits of each page under S.C.E.N.T., by the model.

    Parameters
    ----------
    rates : float64[pages]
        Changes in a run.
    harvests : float64[pages]
        The mean harvest of a visit that finds a change.
    cost : float64[pages]
        The time of a visit.
    time : float
        The time of a run.
    delta : float
        DeltaS, above 0.
    """
    low, high = 0.0, float(harvests.max(initial=0.0)) + AGES * delta
    for _ in range(STEPS):
        half = (low + high) / 2
        low, high = (
            (half, high)
            if (cost / _at_threshold(rates, harvests, delta, half)).sum() > time
            else (low, half)
        )
    return _at_threshold(rates, harvests, delta, high)


def model(sites: Sites, harvest: str, deltas: tuple[float, ...]) -> tuple[Visited, Array]:
    """Return the results of S.C.E.N.T. with the DeltaS that the model chooses, and the choices.

    Parameters
    ----------
    sites : Sites
    harvest : str
        One of `HARVESTS`.
    deltas : tuple of float
        The values to choose from, in units of the harvest ``difference``; 0 is left out.
    """

    def chosen(state: State, tried: list[tuple[float, float]]) -> float:
        if len(tried) % SELDOM:
            return tried[-1][0]
        rates = estimated_rates(state)
        harvests = state.harvests / np.maximum(1, state.changes)
        listed = (state.listed == 1) & (state.seen > 0)
        cost = sites.cost.per_byte * state.known + sites.cost.per_visit

        def fresh(delta: float) -> float:
            many = rates[listed] * intervals(rates[listed], harvests[listed], cost[listed],
                                             sites.time, delta * unit)  # fmt: skip
            return float((-np.expm1(-many) / many).sum())

        return max((d for d in deltas if d > 0), key=fresh) if listed.any() else 1.0

    unit = sites.unit(harvest)
    return _by_blocks(sites, harvest, chosen)


def bandit(
    sites: Sites, harvest: str, deltas: tuple[float, ...], sees_q: bool = False
) -> tuple[Visited, Array]:
    """Return the results of S.C.E.N.T. with the DeltaS that UCB1 chooses, and the choices.

    Parameters
    ----------
    sites, harvest, deltas
        As in `model`.
    sees_q : bool
        Whether it is rewarded by Q itself, which no crawler sees, instead of by harvests.
    """

    def chosen(state: State, tried: list[tuple[float, float]]) -> float:
        gains = [gain for _, gain in tried] or [0.0]
        least, span = min(gains), (max(gains) - min(gains)) or 1.0

        def bound(delta: float) -> float:
            own = [(gain - least) / span for one, gain in tried if one == delta]
            if not own:
                return math.inf
            return sum(own) / len(own) + math.sqrt(2 * math.log(len(tried)) / len(own)) / 4

        return max(deltas, key=bound)

    return _by_blocks(sites, harvest, chosen, sees_q)


def _by_blocks(
    sites: Sites, harvest: str, chosen: Any, sees_q: bool = False
) -> tuple[Visited, Array]:
    unit = sites.unit(harvest)
    into, state = sites.empty(), sites.state(INITIAL * unit)
    tried: list[tuple[float, float]] = []
    for first in range(0, sites.runs, BLOCK):
        delta = chosen(state, tried)
        last = min(first + BLOCK, sites.runs)
        gain = sites.go(state, into, (first, last), SCENT, harvest=HARVESTS.index(harvest),
                        delta=delta * unit, initial=INITIAL * unit)  # fmt: skip
        tried.append((delta, float(into.q[first:last].mean()) if sees_q else gain / (last - first)))
    return into, np.array([delta for delta, _ in tried])


def estimated(sites: Sites) -> Visited:
    """Return the results of visits by the index of the best allocation, for estimated rates.

    A copy that is stale is taken to lose what the changes of its page cost on average so far.
    """
    into, state = sites.empty(), sites.state()
    ages = np.arange(AGES + 1)
    for first in range(0, sites.runs, BLOCK):
        rates = estimated_rates(state) if first else np.full(len(state.scent), 0.1)
        losses = state.harvests / np.maximum(1, state.changes)
        some = state.changes > 0
        losses = np.where(some, losses, losses[some].mean() if some.any() else 1.0)
        fresh = np.exp(-rates[:, None] * ages)
        before = np.concatenate((np.zeros((len(rates), 1)), fresh.cumsum(axis=1)[:, :-1]), axis=1)
        table = losses[:, None] * (before - ages * fresh)
        sites.go(state, into, (first, min(first + BLOCK, sites.runs)), PLANNED,
                 harvest=HARVESTS.index("worth"), table=table)  # fmt: skip
    return into
