"""What simulations ask of all pages at once: their hosts, and how many links leave them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from counterpoint.compiling import Array, compiled

from .degrees import copies_of
from .layout import host_start

if TYPE_CHECKING:
    from .explicit import Explicit
    from .web import Web


@compiled
def _first_pages(regions: Array, reals: Array, bounds: Array) -> Array:
    """Return the first page of each host, and behind them the number of pages."""
    found = np.empty(regions[:, 3].sum() + 1, dtype=np.int64)
    at = 0
    for region in range(7):
        for rank in range(regions[region, 3]):
            found[at] = host_start(regions, reals, bounds, region, rank)
            at += 1
    found[at] = regions[:, 1].sum()
    return found


@compiled
def _leaving(
    key: np.uint64, mean: float, offsets: Array, targets: Array, first: Array, host: Array
) -> Array:
    pages = len(offsets) - 1
    found = np.zeros(pages, dtype=np.int64)
    for page in range(pages):
        low, high = first[host[page]], first[host[page] + 1]
        for k in range(offsets[page], offsets[page + 1]):
            if not low <= targets[k] < high:
                found[page] += copies_of(key, mean, page, k - offsets[page])
    return found


def first_pages(web: Web) -> Array:
    """Return the first page of each host, int64[hosts + 1]; behind them the number of pages."""
    layout = web.layout
    return _first_pages(layout.regions, layout.reals, layout.bounds)


def leaving_links(web: Web, explicit: Explicit, first: Array, host: Array) -> Array:
    """Return how many links of each page lead to other hosts, copies included, int64[pages].

    Parameters
    ----------
    web : Web
    explicit : Explicit
        Its links.
    first : int64[hosts + 1]
        As `first_pages` gives them.
    host : integers[pages]
        The host of each page.
    """
    mean = float(web.profile.degrees.multiplicity)
    return _leaving(web.numbers.key, mean, explicit.offsets, explicit.targets, first, host)
