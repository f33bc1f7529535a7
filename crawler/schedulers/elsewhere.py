"""Sites and lists of pages whose pages are kept elsewhere: what is left of them is counts.

The functions that choose a site, and take a page of it, are those of `tables.Sites`: the queue of
site ``k`` is a ring of one page, the number ``k`` itself, that is never taken out of it. Who takes
it takes the first page of that site, and asks the frontier which one it is.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from counterpoint.crawler.policy.protocol import Frontier, Outcome, Pages
from counterpoint.crawler.policy.site_kernels import COLUMNS, HEAD, WAITING, count, take
from counterpoint.crawler.policy.tables import Sites

# A store takes a thousand times longer than either: compiling, or loading compiled code, would be
# most of what a small crawl costs. What is compiled is typed as the function that it was made of.
_take, _count = take.py_func, count.py_func  # type: ignore[attr-defined]


class SitesElsewhere(Sites):
    """Sites of which only the counts are known: K + 1 rows, however many pages wait.

    Parameters
    ----------
    starts : sequence of int
        The start page of each site, each another one.
    frontier : Frontier
    """

    __slots__ = ("_frontier",)

    def __init__(self, starts: Sequence[int], frontier: Frontier) -> None:
        self._frontier = frontier
        self._prepare(starts)

    def _prepare(self, starts: Sequence[int]) -> None:
        self.count = len(starts)
        self.table = np.zeros((self.count + 1, COLUMNS), dtype=np.int64)
        self.following = np.arange(self.count, dtype=np.int64)
        self.table[:-1, HEAD] = self.following
        self.table[:-1, WAITING] = 1
        self.table[-1, WAITING] = self.count

    def take(self, k: int) -> int:
        """Take a page of site ``k``, whichever it is; -1 if none waits."""
        page: int = _take(k, self.following, self.table)
        return page

    def learn(self, outcome: Outcome) -> None:
        """Count a page as scanned, and the pages that it was the first to link to as waiting."""
        k, fresh = self._frontier.news()
        external = outcome.external if outcome.status == 200 else 0
        for row in (self.table[k], self.table[-1]):
            _count(external, row)
            row[WAITING] += fresh


class FoundElsewhere:
    """Pages of one web in the order of their discovery, of which only the number is known.

    Attributes
    ----------
    end : int
        How many were found.
    """

    __slots__ = ("_frontier", "end")

    def __init__(self, starts: Sequence[int], frontier: Frontier) -> None:
        self._frontier = frontier
        self.end = len(starts)

    @property
    def pages(self) -> FoundElsewhere:
        """What has a page for each number in that order: itself."""
        return self

    def __getitem__(self, number: int) -> int:
        return self._frontier.found(number)

    def add(self, links: Pages) -> None:
        """Count the pages that a page was the first to link to."""
        self.end += self._frontier.news()[1]
