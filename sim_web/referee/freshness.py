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
    age is the time since that change; the death of a page is a change too. The age of a fresh copy
    is 0. A 404 or 410 for a page ends its copy. Pages of which there is no copy do not count.

    Parameters
    ----------
    requests : Requests
        In the order of their beginnings.
    next_change : callable
        ``(page, time)``: when the page changes for the first time after that, or dies; infinite:
        never.
    """
    renewed = requests.get & (requests.status == 304) & (requests.page >= 0)
    renewed &= requests.of(Kind.PAGE, Kind.ALIAS)
    lost = requests.get & np.isin(requests.status, (404, 410)) & (requests.page >= 0)
    lost &= requests.of(Kind.PAGE, Kind.ALIAS, Kind.MISSING)
    fetches, ends = _of_copies(requests, np.flatnonzero(requests.pages() | renewed | lost), lost)
    if not len(fetches):
        return CopyFreshness((), (), (), None, None, None, None)
    first_time, end = requests.started[0], float(requests.ended.max())
    pages, taken = requests.page[fetches], requests.started[fetches]
    changed = np.array([next_change(int(p), float(t)) for p, t in zip(pages, taken, strict=True)])
    changed, taken = changed - first_time, taken - first_time
    visits = np.sort(np.concatenate((fetches, ends)))
    replaced = _replaced(requests.page[visits], requests.started[visits] - first_time)
    replaced = replaced[np.searchsorted(visits, fetches)]
    times = np.linspace(taken[0], max(end - first_time, taken[-1]), POINTS)
    copies = np.searchsorted(np.sort(taken), times, side="right")
    copies = np.maximum(copies - np.searchsorted(np.sort(replaced), times, side="right"), 1)
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


def _of_copies(
    requests: Requests, visits: NDArray[np.int64], lost: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the visits that made or renewed a copy, and those that ended one.

    A 304 for a page of which the crawler has no copy is dropped: there is nothing to renew.

    Parameters
    ----------
    requests : Requests
    visits : int64
        The requests that may do either, in order.
    lost : bool, shape (requests,)
        Whether each request found that its page is not there.
    """
    held: set[int] = set()
    made, ended = [], []
    whole, gone = (requests.status == 200).tolist(), lost.tolist()
    for visit, page in zip(visits.tolist(), requests.page[visits].tolist(), strict=True):
        if gone[visit]:
            if page in held:
                ended.append(visit)
                held.remove(page)
        elif whole[visit] or page in held:
            made.append(visit)
            held.add(page)
    return np.array(made, dtype=np.int64), np.array(ended, dtype=np.int64)


def _replaced(pages: NDArray[np.int64], taken: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return when the next visit of the same page was, for each visit; infinite for the last."""
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
