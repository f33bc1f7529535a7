"""How old the copies are that a crawler holds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from counterpoint.sim_web.answer import Kind

from .reading import Requests

POINTS = 120
"""Of the curves."""


@dataclass(frozen=True)
class Freshness:
    """Freshness and age of the fetched copies.

    Attributes
    ----------
    times : tuple of float
        Seconds since the first request, from the first copy to the end of the crawl.
    fresh : tuple of float
        Share of the copies held then that are as the page is.
    age : tuple of float
        Mean age in seconds.
    last_fresh, last_age, mean_fresh, mean_age : float or None
        At the end, and the means over the times; None if nothing was fetched.
    """

    times: tuple[float, ...]
    fresh: tuple[float, ...]
    age: tuple[float, ...]
    last_fresh: float | None
    last_age: float | None
    mean_fresh: float | None
    mean_age: float | None


def freshness(requests: Requests, next_change: Callable[[int, float], float]) -> Freshness:
    """Judge the copies that a crawler holds at each of 120 moments (Cho & Garcia-Molina 2000).

    A crawler holds one copy of each page it has fetched: the latest one. A 304 renews the copy:
    the server has said that it is as the page is. A copy is fresh until the page changes for the
    first time after the request that fetched it began; from then on its age is the time since that
    change; the age of a fresh copy is 0. Pages never fetched count for neither.
    """
    renewed = requests.get & (requests.status == 304) & (requests.page >= 0)
    renewed &= requests.of(Kind.PAGE, Kind.ALIAS)
    held = np.flatnonzero(requests.pages() | renewed)
    held = _after_first_copy(requests, held)
    if not len(held):
        return Freshness((), (), (), None, None, None, None)
    begun, end = requests.started[0], float(requests.ended.max())
    pages, taken = requests.page[held], requests.started[held]
    spoiled = np.array([next_change(int(p), float(t)) for p, t in zip(pages, taken, strict=True)])
    spoiled, taken = spoiled - begun, taken - begun
    replaced = _replaced(pages, taken)
    times = np.linspace(taken[0], max(end - begun, taken[-1]), POINTS)
    copies = np.searchsorted(np.sort(taken[_first(pages)]), times, side="right")
    stale, age = _stale(spoiled, replaced, times)
    fresh = 1 - stale / copies
    age = age / copies
    return Freshness(
        tuple(float(t) for t in times),
        tuple(float(f) for f in fresh),
        tuple(float(a) for a in age),
        float(fresh[-1]),
        float(age[-1]),
        float(fresh.mean()),
        float(age.mean()),
    )


def _after_first_copy(requests: Requests, held: NDArray[np.int64]) -> NDArray[np.int64]:
    """Drop a 304 for a page of which nothing was fetched before: there is nothing to renew."""
    whole = requests.status[held] == 200
    first: dict[int, int] = {}
    for number, page in zip(held[whole], requests.page[held][whole], strict=True):
        first.setdefault(int(page), int(number))
    last = len(requests)
    kept = [n for n, p in zip(held, requests.page[held], strict=True) if first.get(p, last) <= n]
    return np.array(kept, dtype=np.int64)


def _first(pages: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.unique(pages, return_index=True)[1]


def _replaced(pages: NDArray[np.int64], taken: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return when the next copy of the same page was taken; infinite: it is the last."""
    order = np.lexsort((np.arange(len(pages)), pages))
    replaced = np.full(len(pages), np.inf)
    same = pages[order][1:] == pages[order][:-1]
    replaced[order[:-1][same]] = taken[order[1:][same]]
    return replaced


def _stale(
    spoiled: NDArray[np.float64], replaced: NDArray[np.float64], times: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return how many copies are stale at each time, and the sum of their ages.

    A copy is stale at t if spoiled <= t < replaced.
    """
    ever = (spoiled < replaced) & (spoiled <= times[-1])
    begins = np.sort(spoiled[ever])
    order = np.argsort(replaced[ever], kind="stable")
    ends, begins_of_ends = replaced[ever][order], spoiled[ever][order]
    begun = np.searchsorted(begins, times, side="right")
    ended = np.searchsorted(ends, times, side="right")
    count = (begun - ended).astype(np.float64)
    sums = np.concatenate(([0.0], np.cumsum(begins)))[begun]
    sums -= np.concatenate(([0.0], np.cumsum(begins_of_ends)))[ended]
    return count, np.maximum(count * times - sums, 0.0)
