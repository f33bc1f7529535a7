"""Growing tables indexed by handle, in which schedulers keep what they know of pages."""

from __future__ import annotations

import functools
from collections.abc import Sequence

import numpy as np

from counterpoint.compiling import Array
from counterpoint.crawler.errors import CrawlError

from .kernels import GROW, discover, discover_reversed
from .protocol import Outcome, Pages
from .site_kernels import COLUMNS, FLYING, SCANNED, WAITING, absorb, enqueue, take

FIRST = 1024
"""Handles for which there is room at first."""


def grown(table: Array, size: int, fill: int = 0) -> Array:
    """Return a copy of a table with room for at least ``size`` rows, and at least twice as large.

    Parameters
    ----------
    table : array
    size : int
        The number of rows that are needed.
    fill : int
        The value of the new entries.
    """
    larger = np.full((max(size, 2 * len(table)), *table.shape[1:]), fill, dtype=table.dtype)
    larger[: len(table)] = table
    return larger


def room_for(links: Pages) -> int:
    """Return how long a table by handle must be for these pages.

    Raises
    ------
    CrawlError
        If one of them is no handle.
    """
    if int(links.min()) < 0:
        raise CrawlError(f"{int(links.min())} is not a page: handles are integers from 0 on")
    return int(links.max()) + 1


class FoundPages:
    """Pages of one web in the order of their discovery, each once.

    Attributes
    ----------
    pages : int64 array
        The first `end` entries are the pages found; the owner may reorder or shorten them.
    end : int
    """

    __slots__ = ("_discover", "end", "pages", "seen")

    def __init__(self, starts: Sequence[int], *, last_first: bool = False) -> None:
        self.seen = np.zeros(FIRST, dtype=np.bool_)
        self.pages = np.empty(FIRST, dtype=np.int64)
        self.end = 0
        self._discover = discover_reversed if last_first else discover
        self.add(np.asarray(starts, dtype=np.int64))

    def add(self, links: Pages) -> None:
        """Add the pages of ``links`` that were not seen before."""
        end = self._discover(links, self.seen, self.pages, self.end)
        if end == GROW:
            size = room_for(links)
            if size > len(self.seen):
                self.seen = grown(self.seen, size)
            if self.end + len(links) > len(self.pages):
                self.pages = grown(self.pages, self.end + len(links))
            end = self._discover(links, self.seen, self.pages, self.end)
        self.end = end


class Sites:
    """Queues and counts of sites; each site is crawled breadth first, separately from the others.

    Attributes
    ----------
    count : int
        K, the number of sites.
    table : int64 array of shape (K + 1, COLUMNS)
        A row for each site, and a last row with the totals; see `site_kernels`.
    following : int64 array
        By handle: the next page in the queue of the page's site.
    """

    __slots__ = ("count", "following", "site", "table")

    def __init__(self, starts: Sequence[int]) -> None:
        _compile()
        self._prepare(starts)

    def _prepare(self, starts: Sequence[int]) -> None:
        self.count = len(starts)
        self.table = np.zeros((self.count + 1, COLUMNS), dtype=np.int64)
        size = room_for(np.asarray(starts, dtype=np.int64)) if self.count else 0
        self.site = np.full(max(FIRST, size), -1, dtype=np.int32)
        self.following = np.empty(len(self.site), dtype=np.int64)
        for k, page in enumerate(starts):
            if self.site[page] < 0:  # if two sites share a start page, the second site has no page
                enqueue(page, k, self.site, self.following, self.table)

    def learn(self, outcome: Outcome) -> None:
        """Count a page as scanned, and queue the pages that it was the first to link to."""
        page, status, links, external = outcome[:4]
        if status != 200:
            links, external = links[:0], 0
        if absorb(links, external, page, self.site, self.following, self.table) == GROW:
            self.site = grown(self.site, room_for(links), -1)
            self.following = grown(self.following, len(self.site))
            absorb(links, external, page, self.site, self.following, self.table)

    def take(self, k: int) -> int:
        """Take the next page of site ``k``; -1 if none waits."""
        return take(k, self.following, self.table)

    def flying(self, k: int = -1) -> bool:
        """Return whether a request to site ``k`` (default: to any site) is in flight."""
        return bool(self.table[k, FLYING])

    def waiting(self, k: int = -1) -> bool:
        """Return whether a page of site ``k`` (default: of any site) waits in the queue."""
        return bool(self.table[k, WAITING])

    def scanned(self, k: int = -1) -> int:
        """Return how many pages of site ``k`` (default: of all sites) were scanned."""
        return int(self.table[k, SCANNED])


@functools.cache
def _compile() -> None:
    """Compile the functions of a step in advance, so that no step is slowed down by compilation."""
    small = object.__new__(Sites)
    small._prepare([0])
    small.learn(Outcome(small.take(0), 200, np.empty(0, dtype=np.int64)))
