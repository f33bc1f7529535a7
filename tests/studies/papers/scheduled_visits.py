"""A site that a scheduler visits in runs, in plain Python: what `sites` computes by compiled code.

Time passes between two runs; a run takes no time. Q of an index is the sum over all pages of
log(1 + ActualSize) - log(1 + DeletedSize), where ActualSize is the text that is in the copy and on
the page, and DeletedSize is the text that is in only one of them: our reading of [SCENT]. Q is
computed immediately after each run.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from counterpoint.crawler.policy.protocol import Outcome, Pages, Scope
from counterpoint.crawler.schedulers.finding import find
from counterpoint.crawler.worlds.crawl import crawl
from counterpoint.studies.comparison.planted import Planted

Array = np.ndarray[Any, Any]


class Site:
    """The pages of a site at the times of its runs.

    Parameters
    ----------
    planted : Planted
    batch : int
        N, the number of pages that a run visits.
    runs : int
        Number of runs.
    interval : float
        Seconds between two runs. The first run is at this time; at time 0 the index has a fresh
        copy of every page.

    Attributes
    ----------
    versions : int64[runs, pages]
        How often each page has changed until each run.
    """

    def __init__(self, planted: Planted, batch: int, runs: int, interval: float) -> None:
        self.batch, self.runs = batch, runs
        self.pages = np.arange(planted.web.pages)
        self._texts = planted.texts
        times = interval * np.arange(1, runs + 1)
        count = len(self.pages)
        spread = self._texts.versions(np.tile(self.pages, runs), np.repeat(times, count))
        self.versions: Array = spread.reshape(runs, count)
        flat = np.tile(self.pages, runs)
        sizes, _ = self._texts.compared(flat, spread, spread)
        self.sizes: Array = sizes.reshape(runs, count)
        self._known: dict[tuple[int, int, int], int] = {}

    def difference(self, page: int, old: int, new: int) -> int:
        """Return how many bytes are in only one of two versions of a page."""
        if old == new:
            return 0
        key = (page, old, new)
        if key not in self._known:
            one = [np.array([value]) for value in key]
            self._known[key] = int(self._texts.compared(*one)[1][0])
        return self._known[key]

    def worth(self, runs: slice | int, copies: Array) -> Array:
        """Return each copy's term of Q, at one run or at several.

        Parameters
        ----------
        runs : int or slice
            The runs.
        copies : int64[pages] or int64[runs, pages]
            The version of each copy.

        Returns
        -------
        float64 of the same shape
        """
        now = self.versions[runs]
        worth: Array = np.log1p(self.sizes[runs].astype(np.float64))
        stale = copies < now
        pages = np.nonzero(stale)[-1]
        new, other = self._texts.compared(pages, copies[stale], now[stale])
        before, _ = self._texts.compared(pages, copies[stale], copies[stale])
        worth[stale] = np.log1p((new + before - other) // 2) - np.log1p(other)
        return worth

    def best(self, run: int) -> float:
        """Return Q of an index in which every copy is fresh."""
        return float(np.log1p(self.sizes[run].astype(np.float64)).sum())

    def value(self, order: Pages) -> Array:
        """Return Q after each run of an order of visits, float64[runs]."""
        copies = np.zeros((self.runs + 1, len(self.pages)), dtype=np.int64)
        for run in range(self.runs):
            copies[run + 1] = copies[run]
            visited = order[run * self.batch : (run + 1) * self.batch]
            copies[run + 1, visited] = self.versions[run, visited]
        worth = self.worth(slice(None), copies[1:])
        return np.array([row.sum() for row in worth])

    def informed(self) -> Pages:
        """Return the order of an oracle: each run visits the pages whose terms of Q grow most."""
        copies, order = np.zeros(len(self.pages), dtype=np.int64), []
        for run in range(self.runs):
            gain = np.log1p(self.sizes[run].astype(np.float64)) - self.worth(run, copies)
            visited = np.argsort(-gain, kind="stable")[: self.batch]
            copies[visited] = self.versions[run, visited]
            order.append(visited)
        return np.concatenate(order)

    def order_of(self, policy: str, seed: int) -> Pages:
        """Return the order in which a policy (as users name it) visits the pages."""
        world, budget = _World(self), self.batch * self.runs
        pages = self.pages.tolist()
        scheduler = find(policy).scheduler(pages, budget, seed)
        ended = crawl(policy, scheduler, world, pages, budget, Scope.KNOWN)
        if ended.failed:
            raise RuntimeError(ended.why)
        return ended.order


class _World:
    """The site as a policy sees it: all fetches of a run happen at the same time."""

    def __init__(self, site: Site) -> None:
        self._site, self._fetches = site, 0
        self._versions, self._sizes = site.versions.tolist(), site.sizes.tolist()
        self._seen = [0] * len(site.pages)

    def fetch(self, page: int) -> Outcome:
        run = self._fetches // self._site.batch
        self._fetches += 1
        version = self._versions[run][page]
        other = self._site.difference(page, self._seen[page], version)
        self._seen[page] = version
        return Outcome(page, 200, size=self._sizes[run][page], difference=other, time=float(run))
