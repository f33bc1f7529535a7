"""Measures crawls that revisit pages: the freshness and the age of the copies, and [SCENT]'s Q.

An index has a copy of every page that is there at time 0, when all pages are known; later it has
the page as it was at the last visit, or nothing if that visit found the page gone. A copy is fresh
until the page changes or dies; from then on its age is the time since that (Cho & Garcia-Molina
2000). A page without a copy is stale from its birth until its death. Q is the sum over all pages,
deleted ones included, of log(1 + ActualSize) - log(1 + DeletedSize), where ActualSize is the text
that is in the copy and on the present page, and DeletedSize is the text that is in only one of them
([SCENT], as we read it).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from counterpoint.crawler.policy.protocol import Pages

from .planted import Planted

Array = np.ndarray[Any, Any]

HOUR = 3600.0
GONE = -1
"""The version of a page that is not there."""


class CopyQuality:
    """Measures the copies of a web's pages at some points in time.

    Parameters
    ----------
    planted : Planted
        The web.
    pages : int64[n]
        The pages of which the index has copies; ascending.
    seconds : float
        Seconds between two visits.
    steps : int64[k]
        The numbers of visits after which copies are measured, at the time of the next visit.
    """

    def __init__(self, planted: Planted, pages: Pages, seconds: float, steps: Array) -> None:
        self._texts, self._pages = planted.texts, pages
        self._seconds, self._steps = seconds, steps
        self._born, self._dies = planted.lives
        self._now = [self._found(pages, np.full(len(pages), s * seconds)) for s in steps]

    def curves(self, order: Pages, came: Array) -> dict[str, Array]:
        """Return the curves of an order of visits, by the names of the measures.

        Parameters
        ----------
        order : int64[visits]
            The visited pages.
        came : bool[visits]
            Whether each visit fetched a copy.
        """
        visits = self._found(order, np.arange(len(order)) * self._seconds)
        learns = came | (visits == GONE)
        places = np.searchsorted(self._pages, order)
        copies = self._found(self._pages, np.zeros(len(self._pages)))
        rows, done = [], 0
        for step, now in zip(self._steps.tolist(), self._now, strict=True):
            some = np.flatnonzero(learns[done:step]) + done
            for place, version in zip(places[some], visits[some], strict=True):
                copies[place] = version
            rows.append(self._judged(copies, now, step * self._seconds))
            done = step
        freshness, age, q, most = np.array(rows).T
        share = q / np.where(most > 0, most, 1.0)
        return {"freshness": freshness, "age": age, "q": q, "q_share": share}

    def _found(self, pages: Pages, times: Array) -> Array:
        """Return what visits of pages find at times: a version, or `GONE`."""
        there = (self._born[pages] <= times) & (times < self._dies[pages])
        return np.where(there, self._texts.versions(pages, times), GONE)

    def _judged(self, copies: Array, now: Array, time: float) -> tuple[float, float, float, float]:
        stale = copies != now
        pages, had = self._pages[stale], copies[stale]
        since = self._texts.times(pages, np.maximum(had, 0) + 1)
        since = np.where(had == GONE, self._born[pages], np.minimum(since, self._dies[pages]))
        sizes, other = self._texts.compared(self._pages, np.maximum(copies, 0), np.maximum(now, 0))
        before, _ = self._texts.compared(self._pages, *[np.maximum(copies, 0)] * 2)
        actual = (sizes + before - other) // 2
        sizes, before = np.where(now == GONE, 0, sizes), np.where(copies == GONE, 0, before)
        alone = (now == GONE) | (copies == GONE)
        q = np.where(alone, 0.0, np.log1p(actual)) - np.log1p(
            np.where(alone, sizes + before, other)
        )
        age = float((time - since).sum()) / HOUR / len(now)
        most = np.log1p(sizes)
        return 1 - float(stale.mean()), age, float(q.sum()), float(most.sum())
