"""How fresh a crawler's copies of pages are, and how old."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from counterpoint.sim_web.answer import Kind

from .reading import Requests

POINTS = 120
"""How many points the curves have."""


@dataclass(frozen=True)
class CopyFreshness:
    """Freshness and age of the fetched copies.

    Attributes
    ----------
    times : tuple of float
        Seconds since the first request, from the first copy to the end of the crawl.
    fresh : tuple of float
        For each time, the share of the crawler's copies that equal their pages at that time.
    age : tuple of float
        For each time, the mean age of the copies, in seconds.
    last_fresh, last_age, mean_fresh, mean_age : float or None
        Freshness and age at the end, and their means over the times; None if nothing was fetched.
    """

    times: tuple[float, ...]
    fresh: tuple[float, ...]
    age: tuple[float, ...]
    last_fresh: float | None
    last_age: float | None
    mean_fresh: float | None
    mean_age: float | None


def freshness(requests: Requests, next_change: Callable[[int, float], float]) -> CopyFreshness:
    """Judge the copies that a crawler has at each of 120 moments (Cho & Garcia-Molina 2000).

    A crawler has one copy of each page that it has fetched, the latest. A 304 renews the copy,
    because the server confirms that the page has not changed. A copy is fresh until the page
    changes for the first time after the beginning of the request that fetched it; from then on its
    age is the time since that change. The age of a fresh copy is 0. Pages that were never fetched
    do not count.

    Parameters
    ----------
    requests : Requests
        In the order of their beginnings.
    next_change : callable
        ``(page, time)``: when the page changes for the first time after that; infinite: never.
    """
    renewed = requests.get & (requests.status == 304) & (requests.page >= 0)
    renewed &= requests.of(Kind.PAGE, Kind.ALIAS)
    fetches = np.flatnonzero(requests.pages() | renewed)
    fetches = _after_first_copy(requests, fetches)
    if not len(fetches):
        return CopyFreshness((), (), (), None, None, None, None)
    first_time, end = requests.started[0], float(requests.ended.max())
    pages, taken = requests.page[fetches], requests.started[fetches]
    changed = np.array([next_change(int(p), float(t)) for p, t in zip(pages, taken, strict=True)])
    changed, taken = changed - first_time, taken - first_time
    replaced = _replaced(pages, taken)
    times = np.linspace(taken[0], max(end - first_time, taken[-1]), POINTS)
    copies = np.searchsorted(np.sort(taken[_first(pages)]), times, side="right")
    stale, age = _stale(changed, replaced, times)
    fresh = 1 - stale / copies
    age = age / copies
    return CopyFreshness(
        tuple(float(t) for t in times),
        tuple(float(f) for f in fresh),
        tuple(float(a) for a in age),
        float(fresh[-1]),
        float(age[-1]),
        float(fresh.mean()),
        float(age.mean()),
    )


def _after_first_copy(requests: Requests, fetches: NDArray[np.int64]) -> NDArray[np.int64]:
    """Drop each 304 for a page of which the crawler had no copy: there is nothing to renew."""
    whole = requests.status[fetches] == 200
    pages = requests.page[fetches]
    first: dict[int, int] = {}
    for number, page in zip(fetches[whole], pages[whole], strict=True):
        first.setdefault(int(page), int(number))
    last = len(requests)
    kept = [n for n, p in zip(fetches, pages, strict=True) if first.get(p, last) <= n]
    return np.array(kept, dtype=np.int64)


def _first(pages: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.unique(pages, return_index=True)[1]


def _replaced(pages: NDArray[np.int64], taken: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return for each copy when the next copy of its page was taken; infinite for the last one."""
    order = np.lexsort((np.arange(len(pages)), pages))
    replaced = np.full(len(pages), np.inf)
    same = pages[order][1:] == pages[order][:-1]
    replaced[order[:-1][same]] = taken[order[1:][same]]
    return replaced


def _stale(
    changed: NDArray[np.float64], replaced: NDArray[np.float64], times: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return how many copies are stale at each time, and the sum of their ages.

    Parameters
    ----------
    changed, replaced : float64, shape (copies,)
        When the page of a copy changed first, and when a newer copy replaced it: a copy is stale at
        t if changed <= t < replaced.
    times : float64, shape (times,)
        Ascending.
    """
    ever = (changed < replaced) & (changed <= times[-1])
    begins = np.sort(changed[ever])
    order = np.argsort(replaced[ever], kind="stable")
    ends, begins_of_ends = replaced[ever][order], changed[ever][order]
    begun = np.searchsorted(begins, times, side="right")
    ended = np.searchsorted(ends, times, side="right")
    count = (begun - ended).astype(np.float64)
    sums = np.concatenate(([0.0], np.cumsum(begins)))[begun]
    sums -= np.concatenate(([0.0], np.cumsum(begins_of_ends)))[ended]
    return count, np.maximum(count * times - sums, 0.0)
