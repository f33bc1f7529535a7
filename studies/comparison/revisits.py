"""Measures crawls that revisit pages: the freshness and the age of the copies, and [SCENT]'s Q.

An index has a copy of every page. At time 0, when all pages are known, it is the page itself; later
it is the page at the last visit. A copy is fresh until the page changes; from then on its age is
the time since that change (Cho & Garcia-Molina 2000). Q is the sum over all pages of
log(1 + ActualSize) - log(1 + DeletedSize), where ActualSize is the text that is in the copy and on
the present page, and DeletedSize is the text that is in only one of them ([SCENT], as we read it).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from counterpoint.crawler.policy.protocol import Pages

from .planted import Planted

Array = np.ndarray[Any, Any]

HOUR = 3600.0


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
        self._now = [self._texts.versions(pages, np.full(len(pages), s * seconds)) for s in steps]

    def curves(self, order: Pages, came: Array) -> dict[str, Array]:
        """Return the curves of an order of visits, by the names of the measures.

        Parameters
        ----------
        order : int64[visits]
            The visited pages.
        came : bool[visits]
            Whether each visit fetched a copy.
        """
        visits = self._texts.versions(order, np.arange(len(order)) * self._seconds)
        places = np.searchsorted(self._pages, order)
        copies = np.zeros(len(self._pages), dtype=np.int64)
        rows, done = [], 0
        for step, now in zip(self._steps.tolist(), self._now, strict=True):
            some = np.flatnonzero(came[done:step]) + done
            copies[places[some]] = visits[some]  # versions never fall, so the last one counts
            rows.append(self._judged(copies, now, step * self._seconds))
            done = step
        freshness, age, q, most = np.array(rows).T
        share = q / np.where(most > 0, most, 1.0)
        return {"freshness": freshness, "age": age, "q": q, "q_share": share}

    def _judged(self, copies: Array, now: Array, time: float) -> tuple[float, float, float, float]:
        stale = copies < now
        pages = self._pages[stale]
        since = self._texts.times(pages, copies[stale] + 1)
        sizes, other = self._texts.compared(self._pages, copies, now)
        before, _ = self._texts.compared(self._pages, copies, copies)
        actual = (sizes + before - other) // 2
        q = np.log1p(actual) - np.log1p(other)
        age = float((time - since).sum()) / HOUR / len(now)
        most = np.log1p(sizes)
        return 1 - float(stale.mean()), age, float(q.sum()), float(most.sum())
