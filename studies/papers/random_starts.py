"""The suggestion of [COV] that random addresses among the start pages raise a crawl's coverage.

A crawl without a budget fetches all pages to which links lead from its start pages. It begins at
one well-known page, and at the sites of random IP addresses besides. Ablation: as many other
well-known pages take the place of these sites.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from counterpoint.crawler.coverage.samplers import probed
from counterpoint.sim_web.profile import load
from counterpoint.studies.comparison.addressed import AddressedWeb
from counterpoint.studies.comparison.plan import ComparisonPlan
from counterpoint.studies.comparison.planted import Planted

Array = np.ndarray[Any, Any]

WEB, PAGES = "broder-1999", 20_000
DRAWN = (0.05, 0.2, 0.5)
"""The shares of the allocated addresses that are drawn."""


class Starts(NamedTuple):
    """What crawls of one web reach.

    Attributes
    ----------
    alone : float
        The share of the pages that links lead to from one well-known page.
    sites : tuple of int
        For each of `DRAWN`, the number of sites that random addresses add to the start pages.
    random, known : tuple of float
        For each of `DRAWN`, the share of the pages from all these start pages, and the share with
        as many well-known pages in place of the sites.
    """

    alone: float
    sites: tuple[int, ...]
    random: tuple[float, ...]
    known: tuple[float, ...]


def crawled(seed: int, pages: int = PAGES) -> Starts:
    """Return what crawls reach on the web of a seed."""
    domain = AddressedWeb(Planted(ComparisonPlan((), load(WEB), 1, pages), seed))
    first = domain.known[:1].tolist()
    sites, random, known = [], [], []
    for share in DRAWN:
        addresses = domain.blocks.draw(max(1, round(share * domain.blocks.size)), seed)
        fronts = probed(domain, list(addresses)).pages
        sites.append(len(fronts))
        random.append(domain.reachable(first + fronts))
        known.append(domain.reachable(domain.known[: len(fronts) + 1].tolist()))
    return Starts(domain.reachable(first), tuple(sites), tuple(random), tuple(known))
