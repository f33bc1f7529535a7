"""The focused crawler of Blekanov and Bondarenko: good hubs are expanded first, weighed by HITS.

A page is *found* when it has been fetched, since only then its links are known; it is *expanded*
when the pages it links to are fetched. In each step all links known so far are weighed, and of the
pages found and not yet expanded the ``expand`` with the greatest hub weight are expanded; of equals
those found first. A page whose links were all fetched already is expanded for nothing.
"""

from __future__ import annotations

from collections import deque

import numpy as np
import numpy.typing as npt

from crawler.kernels import Array, compiled
from crawler.protocol import NONE, Outcome, Pages, Request, Setting

from .parameters import whole
from .tables import FIRST, grown
from .web import FETCHED, FLYING, SPENT

ITERATIONS = 20

Weights = npt.NDArray[np.float64]


class FocusedHits:
    """The best hubs that were found are expanded, ``expand`` at a time.

    Attributes
    ----------
    expanded : list of int
        The pages that were expanded, in that order.
    """

    def __init__(self, setting: Setting) -> None:
        self.why = ""
        self._budget = setting.budget
        self._expand = whole(setting, "expand", 10)
        self.expanded: list[int] = []
        self._issued = self._observed = 0
        self._queue = deque(dict.fromkeys(setting.starts))
        self._asked = set(self._queue)
        self._number: dict[int, int] = {}
        self._links: dict[int, Pages] = {}
        self._sources = np.empty(FIRST, dtype=np.int64)
        self._targets = np.empty(FIRST, dtype=np.int64)
        self._count = 0
        hits(self._sources, self._targets, 0, 1, 1)
        for page in self._queue:
            self._numbered(page)

    def _numbered(self, page: int) -> int:
        """Return the number of a page in the order of discovery."""
        return self._number.setdefault(page, len(self._number))

    def next(self) -> Request | None:
        """Return a page that one of the best hubs links to."""
        if self._issued >= self._budget:
            self.why = SPENT
            return None
        if not self._queue and self._issued == self._observed:
            self._expand_best()
        if not self._queue:
            self.why = FLYING if self._issued > self._observed else FETCHED
            return None
        self._issued += 1
        return Request(self._queue.popleft())

    def observe(self, outcome: Outcome) -> None:
        """Keep the links of a page that is found."""
        self._observed += 1
        links = outcome.links if outcome.status == 200 else NONE
        end = self._count + len(links)
        if end > len(self._sources):
            self._sources, self._targets = grown(self._sources, end), grown(self._targets, end)
        self._sources[self._count : end] = self._numbered(outcome.page)
        self._targets[self._count : end] = [self._numbered(page) for page in links.tolist()]
        self._count = end
        self._links[outcome.page] = links

    def _expand_best(self) -> None:
        """Queue what the best hubs link to, unless it was asked for already."""
        if not self._links:
            return
        hub = self.weights()[1]
        left = sorted(self._links, key=lambda page: (-hub[self._number[page]], self._number[page]))
        for begin in range(0, len(left), self._expand):
            for page in left[begin : begin + self._expand]:
                self.expanded.append(page)
                for link in self._links.pop(page).tolist():
                    if link not in self._asked:
                        self._asked.add(link)
                        self._queue.append(link)
            if self._queue:  # otherwise no link is new, and so no weight
                return

    def weights(self) -> tuple[Weights, Weights]:
        """Return authority and hub weights of all pages known, in the order of discovery."""
        known = len(self._number)
        return hits(self._sources, self._targets, self._count, known, ITERATIONS)

    def best(self, count: int) -> tuple[list[int], list[int]]:
        """Return the ``count`` pages of greatest authority, and those of greatest hub weight."""
        pages = list(self._number)
        authority, hub = (
            [pages[i] for i in np.argsort(-weight, kind="stable")[:count]]
            for weight in self.weights()
        )
        return authority, hub


@compiled
def hits(
    sources: Array, targets: Array, links: int, pages: int, iterations: int
) -> tuple[Array, Array]:
    """Return authority and hub weights (Kleinberg, 1999), each of sum of squares 1, or all 0.

    Parameters
    ----------
    sources, targets : int64 array
        The ends of each link; the first ``links`` count.
    links, pages, iterations : int
    """
    authority, hub = np.ones(pages), np.ones(pages)
    for _ in range(iterations):
        authority[:] = 0.0
        for i in range(links):
            authority[targets[i]] += hub[sources[i]]
        scale(authority)
        hub[:] = 0.0
        for i in range(links):
            hub[sources[i]] += authority[targets[i]]
        scale(hub)
    return authority, hub


@compiled
def scale(weights: Array) -> None:
    """Scale weights to a sum of squares of 1, unless all are 0."""
    squares = 0.0
    for weight in weights:
        squares += weight * weight
    if squares > 0.0:
        weights /= np.sqrt(squares)
