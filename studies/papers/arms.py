"""Represents sites as the arms of a bandit: rows of pages with their numbers of external links.

A policy of scope `Scope.SITE` scans each site breadth first, independently of the other sites. So
its rewards depend only on the number of external links on the j-th page of each site, X(i, j) in
[BeeBot], and these rows can take the place of a web. An experiment can then change the order of a
site's pages, or draw the rows from a distribution.
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


class SiteLinks:
    """A web as the rules of [BeeBot] see it: links within sites, and numbers of external links.

    Its pages have no faults and do not change, so texts and their sizes are not needed. Otherwise
    it gives the same outcomes as `counterpoint.studies.comparison.world.World`.

    Parameters
    ----------
    planted : Planted
        A web of a profile without faults.
    """

    def __init__(self, planted: Planted) -> None:
        offsets, self._targets = planted.part(Scope.SITE)
        self._offsets = np.ascontiguousarray(offsets).data
        self._external = planted.external.data
        self.starts = planted.starts(Scope.SITE)

    def fetch(self, page: int) -> Outcome:
        """Return the outcome of fetching a page."""
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
        """Return the outcome of fetching a page; it links to the next page of its row."""
        site, place = self._site[page], self._place[page]
        row = self._rows[site]
        links = NONE
        if place + 1 < len(row):
            links = np.array([len(self._site)])
            self._site.append(site)
            self._place.append(place + 1)
        return Outcome(page, 200, links, row[place])

    def sites_of(self, order: Array) -> Array:
        """Return the site of each page, int64[n]."""
        return np.array(self._site, dtype=np.int64)[order]


@dataclass(frozen=True)
class ArmsResult:
    """The result of a policy on arms.

    Attributes
    ----------
    sites : int64[n]
        The site that each step visited.
    total : int
        Number of external links found.
    """

    sites: Array
    total: int


def order_of(policy: str, world: SiteLinks | Arms, budget: int, seed: int = 0) -> Pages:
    """Return the order in which a policy scans the pages of a world.

    A rule as printed may scan more pages than its budget.

    Parameters
    ----------
    policy : str
        The policy, as users name it.
    world : SiteLinks or Arms
    budget : int
        Number of pages.
    seed : int
        The seed of the policy's random decisions.
    """
    definition = find(policy)
    ended = crawl(
        policy, definition.scheduler(world.starts, budget, seed), world, world.starts, budget,
        Scope.SITE, may_overspend=definition.policy.overspends,
    )  # fmt: skip
    if ended.failed:
        raise RuntimeError(ended.why)
    return ended.order


def play(policy: str, rows: Sequence[Array], budget: int, seed: int = 0) -> ArmsResult:
    """Run a policy on the arms that rows define.

    Parameters
    ----------
    policy : str
        The policy, as users name it.
    rows : sequence of integers
        As for `Arms`.
    budget : int
        Number of pages to scan.
    seed : int
        The seed of the policy's random decisions.
    """
    world = Arms(rows)
    sites = world.sites_of(order_of(policy, world, budget, seed))
    pages = np.bincount(sites, minlength=len(rows)).tolist()
    return ArmsResult(sites, sum(int(row[:t].sum()) for row, t in zip(rows, pages, strict=True)))


def rows_of(planted: Planted, pages: int) -> list[Array]:
    """Return the numbers of external links on each site's first `pages` pages, breadth first."""
    world = SiteLinks(planted)
    number = len(world.starts)
    order = order_of(f"equal-quanta,quantum={pages}", world, pages * number)
    sites, links = planted.of_site[order], planted.external[order]
    return [links[sites == k] for k in range(number)]


def best_totals(rows: Sequence[Array], budget: int) -> Array:
    """Return the most links that any allocation of n pages to sites finds, for n up to a budget.

    The order within a site is fixed, so an allocation is the number of pages that each site gets.
    Dynamic programming adds one site after the other: the best total for n pages is the maximum
    over all divisions of n between the new site and the previous ones.

    Returns
    -------
    int64[budget + 1]
    """
    best = np.zeros(budget + 1, dtype=np.int64)
    for row in rows:
        sums = np.concatenate(([0], np.cumsum(row[:budget], dtype=np.int64)))
        joined = best.copy()
        for t in range(1, len(sums)):
            if row[t - 1]:  # an allocation that ends with a page without links is never needed
                np.maximum(joined[t:], best[: budget + 1 - t] + sums[t], out=joined[t:])
        best = joined
    return best


def found_so_far(rows: Sequence[Array], sites: Array) -> Array:
    """Return the number of links found after each step, for the site that each step visits.

    Parameters
    ----------
    rows : sequence of integers
        As for `Arms`.
    sites : int64[n]
        The site that each step visits.

    Returns
    -------
    int64[n]
    """
    gains = np.empty(len(sites), dtype=np.int64)
    for k, row in enumerate(rows):
        steps = np.flatnonzero(sites == k)
        gains[steps] = row[: len(steps)]
    return np.cumsum(gains)
