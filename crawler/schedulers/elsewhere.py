"""Tables for schedulers whose pages wait in an external frontier: they contain only counts.

The kernels that choose a site and take a page of it are those of `tables.Sites`. Here the queue of
site ``k`` is a ring with one entry, the number ``k``, which is never removed. To take it means to
take the first waiting page of site ``k``; the frontier knows which page that is.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from counterpoint.crawler.policy.protocol import Frontier, Outcome, Pages
from counterpoint.crawler.policy.site_kernels import COLUMNS, HEAD, WAITING, count, take
from counterpoint.crawler.policy.tables import Sites

# The Python versions of these kernels are fast enough here: an access to the store takes a thousand
# times longer than either, and to compile or load compiled code would be most of the cost of a
# small crawl. A compiled function has the type of the Python function, which has no `py_func`.
_take, _count = take.py_func, count.py_func  # type: ignore[attr-defined]


class FrontierSites(Sites):
    """Counts of sites whose pages wait in a frontier: K + 1 rows, however many pages wait.

    Parameters
    ----------
    starts : sequence of int
        The start page of each site; no two are equal.
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
        """Take a page of site ``k``; return ``k``, which stands for it, or -1 if none waits."""
        page: int = _take(k, self.following, self.table)
        return page

    def learn(self, outcome: Outcome) -> None:
        """Count a page as scanned, and the pages that it was the first to link to as waiting."""
        k, fresh = self._frontier.news()
        external = outcome.external if outcome.status == 200 else 0
        for row in (self.table[k], self.table[-1]):
            _count(external, row)
            row[WAITING] += fresh


class FrontierPages:
    """The pages of one web in the order of their discovery; only their number is kept here.

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
    def pages(self) -> FrontierPages:
        """The object itself; it is indexed by places in the order of discovery."""
        return self

    def __getitem__(self, number: int) -> int:
        return self._frontier.found(number)

    def add(self, links: Pages) -> None:
        """Count the pages that a page was the first to link to."""
        self.end += self._frontier.news()[1]
