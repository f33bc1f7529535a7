"""Sites as a bandit sees them: rows of pages, of which each brings so many external links.

A policy of scope `Scope.SITE` scans each site breadth first, whatever it does with the others. So
what it gets is settled by the number of links on the j-th page of each site, X(i, j) of [BeeBot],
and a web can be replaced by these rows; that lets one change the order of a site's pages, or draw
the rows from a distribution.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from counterpoint.crawler.policy.protocol import NONE, Outcome, Pages, Scope
from counterpoint.crawler.schedulers.finding import find
from counterpoint.crawler.worlds.crawl import crawl
from counterpoint.studies.comparison.planted import Planted

Array = np.ndarray[Any, Any]


class Linked:
    """A web as the rules of [BeeBot] meet it: links within sites, and how many leave them.

    Nothing goes wrong and nothing changes there, so that texts and their sizes are not needed; what
    it answers is otherwise what `counterpoint.studies.comparison.world.World` does.

    Parameters
    ----------
    planted : Planted
        Of a profile without faults.
    """

    def __init__(self, planted: Planted) -> None:
        offsets, self._targets = planted.part(Scope.SITE)
        self._offsets = np.ascontiguousarray(offsets).data
        self._external = planted.external.data
        self.starts = planted.starts(Scope.SITE)

    def fetch(self, page: int) -> Outcome:
        """Return what a page brings."""
        links = self._targets[self._offsets[page] : self._offsets[page + 1]]
        return Outcome(page, 200, links, self._external[page])


class Arms:
    """A world whose sites are rows of pages, each of which leads to the next.

    Parameters
    ----------
    rows : sequence of integers
        X(i, j): external links on the pages of each site, in the order in which they are found.

    Attributes
    ----------
    starts : list of int
        The first page of each row.
    """

    def __init__(self, rows: Sequence[Array]) -> None:
        self._rows = [row.tolist() for row in rows]
        self._site = list(range(len(rows)))
        self._place = [0] * len(rows)
        self.starts = list(range(len(rows)))

    def fetch(self, page: int) -> Outcome:
        """Return what a page brings, and the page that follows it, which is new."""
        site, place = self._site[page], self._place[page]
        row = self._rows[site]
        links = NONE
        if place + 1 < len(row):
            links = np.array([len(self._site)])
            self._site.append(site)
            self._place.append(place + 1)
        return Outcome(page, 200, links, row[place])

    def sites_of(self, order: Array) -> Array:
        """Return the number of the site of each page, int64[n]."""
        return np.array(self._site, dtype=np.int64)[order]


@dataclass(frozen=True)
class Played:
    """What a policy did with arms.

    Attributes
    ----------
    sites : int64[n]
        The site that each step went to.
    total : int
        External links found.
    """

    sites: Array
    total: int


def order_of(policy: str, world: Linked | Arms, budget: int, seed: int = 0) -> Pages:
    """Return the order in which a policy, as users name it, scans so many pages of a world."""
    scheduler = find(policy).scheduler(world.starts, budget, seed)
    ended = crawl(policy, scheduler, world, world.starts, budget, Scope.SITE)
    if ended.failed:
        raise RuntimeError(ended.why)
    return ended.order


def play(policy: str, rows: Sequence[Array], budget: int, seed: int = 0) -> Played:
    """Let a policy scan so many pages of rows."""
    world = Arms(rows)
    sites = world.sites_of(order_of(policy, world, budget, seed))
    pages = np.bincount(sites, minlength=len(rows)).tolist()
    return Played(sites, sum(int(row[:t].sum()) for row, t in zip(rows, pages, strict=True)))


def rows_of(planted: Planted, pages: int) -> list[Array]:
    """Return the external links on the first so many pages of each site, breadth first."""
    world = Linked(planted)
    number = len(world.starts)
    order = order_of(f"equal-quanta,quantum={pages}", world, pages * number)
    sites, links = planted.of_site[order], planted.external[order]
    return [links[sites == k] for k in range(number)]


def best_totals(rows: Sequence[Array], budget: int) -> Array:
    """Return the most links that any allocation of n pages to sites can find, for n up to a budget.

    Within a site the order is given, so an allocation is how many pages each site gets; the best
    is found site by site: with one more site, the best for n pages is the best division of them.

    Returns
    -------
    int64[budget + 1]
    """
    best = np.zeros(budget + 1, dtype=np.int64)
    for row in rows:
        sums = np.concatenate(([0], np.cumsum(row[:budget], dtype=np.int64)))
        joined = best.copy()
        for t in range(1, len(sums)):
            if row[t - 1]:  # ending on a page without links is never needed
                np.maximum(joined[t:], best[: budget + 1 - t] + sums[t], out=joined[t:])
        best = joined
    return best


def found_so_far(rows: Sequence[Array], sites: Array) -> Array:
    """Return the links found after each step of an order of sites, int64[n]."""
    gains = np.empty(len(sites), dtype=np.int64)
    for k, row in enumerate(rows):
        steps = np.flatnonzero(sites == k)
        gains[steps] = row[: len(steps)]
    return np.cumsum(gains)
