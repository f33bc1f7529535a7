"""Two things that [BeeBot] takes for granted, put to the test.

More external links cover more of the companion set, and all pages take the same time. The companion
set of a set of sites consists of the other sites to which they link.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any

import numpy as np

from counterpoint.crawler.policy.protocol import Pages
from counterpoint.studies.comparison.planted import Planted

Array = np.ndarray[Any, Any]


def companions(planted: Planted, pages: Pages) -> int:
    """Return to how many hosts outside of the target set some pages link.

    Parameters
    ----------
    planted : Planted
    pages : int64[n]
    """
    offsets = planted.links.offsets
    parts = [planted.links.targets[offsets[page] : offsets[page + 1]] for page in pages.tolist()]
    hosts = np.unique(planted.host[np.concatenate(parts)]) if parts else planted.host[:0]
    return int((~np.isin(hosts, planted.sites)).sum())


def agreeing(links: Mapping[str, int], companions: Mapping[str, int]) -> tuple[int, int]:
    """Count the pairs of rules of which one found more links, and those where it found more hosts.

    Parameters
    ----------
    links, companions : dict of str to int
        What each rule found on one web; the second has all rules of the first.

    Returns
    -------
    int, int
        The pairs in which the rule with more links found more companions as well, and all pairs
        with different numbers of both.
    """
    pairs = [
        (links[one] - links[other]) * (companions[one] - companions[other])
        for one, other in combinations(links, 2)
    ]
    return sum(pair > 0 for pair in pairs), sum(pair != 0 for pair in pairs)


def found_in(time: float, order: Pages, links: Array, costs: Array) -> int:
    """Return the number of links on the pages that are scanned within a time.

    Parameters
    ----------
    time : float
        The budget. A page counts if its scan ends within it.
    order : int64[n]
        The pages in the order of their scans.
    links, costs : int64[pages]
        The links on each page, and how long its scan takes.
    """
    scanned = np.cumsum(costs[order]) <= time
    return int(links[order[scanned]].sum())


def in_the_time_of(
    first: Pages, longer: Mapping[str, Pages], links: Array, sizes: Array
) -> dict[str, int]:
    """Return what each rule finds in the time that another one takes, by the sizes of pages.

    A page takes a time in proportion to its size, without a fixed part: nothing makes the times of
    pages more different than that.

    Parameters
    ----------
    first : int64[n]
        The pages of the rule whose time is the budget.
    longer : dict of str to int64[m]
        The orders of the others, long enough to use the time up.
    links, sizes : int64[pages]

    Raises
    ------
    ValueError
        If an order ends before the time is over.
    """
    time = float(sizes[first].sum())
    for rule, order in longer.items():
        if float(sizes[order].sum()) < time:
            raise ValueError(f"the order of {rule} ends before the time is over")
    return {rule: found_in(time, order, links, sizes) for rule, order in longer.items()}
