"""Draws the start pages of a crawl; captured webs have no pages at which a crawl must begin.

If more sites have pages than the target set has room for, sites are drawn, and a crawl begins at
the first page of each. Otherwise it begins on every site, at a page that is drawn from the site's
largest group of pages that all reach each other: from each of them, the same pages can be reached.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

Array = np.ndarray[Any, Any]


def drawn(
    offsets: Array, targets: Array, site: Array, pages: Array, order: Array, number: int, seed: int
) -> tuple[int, ...]:
    """Return start pages.

    Parameters
    ----------
    offsets, targets : int[n + 1], int[links]
        The links of the n pages of a web.
    site : int[n]
        The site of each page.
    pages : int[k]
        The pages at which a crawl may begin, ascending.
    order : int[k]
        The same pages; the first of a site in this order is the first page of the site.
    number : int
        The most sites of the target set.
    seed : int

    Returns
    -------
    tuple of int
        A page of each site of the target set, in the order of the sites.
    """
    chance = np.random.default_rng(seed)
    sites = np.unique(site[pages])
    if len(sites) > number:
        chosen = np.sort(chance.choice(sites, number, replace=False))
        return tuple(int(order[np.argmax(site[order] == one)]) for one in chosen)
    return tuple(
        int(chance.choice(_core(offsets, targets, pages[site[pages] == one]))) for one in sites
    )


def _core(offsets: Array, targets: Array, pages: Array) -> Array:
    """Return the largest group of some pages that all reach each other by links between them.

    Of groups of one size, it is that with the first page.
    """
    new = np.full(len(offsets) - 1, -1)
    new[pages] = np.arange(len(pages))
    sources = new[np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))]
    goals = new[targets]
    own = (sources >= 0) & (goals >= 0)
    links = coo_array(
        (np.ones(int(own.sum()), dtype=np.int8), (sources[own], goals[own])),
        shape=(len(pages), len(pages)),
    )
    _, groups = connected_components(links, connection="strong")
    counts = np.bincount(groups)
    first = int(np.argmax(counts[groups] == counts.max()))
    found: Array = pages[groups == groups[first]]
    return found
