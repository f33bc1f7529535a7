"""Computes for all pages at once: the first pages of hosts, and the links that leave hosts."""

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
    """Return the first page of each host, and at the end the number of pages."""
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
    """Return the number of each page's links to other hosts, copies included.

    Parameters
    ----------
    key : uint64
        The key of all hashes.
    mean : float
        The mean number of copies of a link.
    offsets, targets : int64
        The distinct links.
    first, host : int64
        The first page of each host, then the number of pages; the host of each page.
    """
    pages = len(offsets) - 1
    found = np.zeros(pages, dtype=np.int64)
    for page in range(pages):
        low, high = first[host[page]], first[host[page] + 1]
        for k in range(offsets[page], offsets[page + 1]):
            if not low <= targets[k] < high:
                found[page] += copies_of(key, mean, page, k - offsets[page])
    return found


def first_pages(web: Web) -> Array:
    """Return the first page of each host, and at the end the number of pages.

    Returns
    -------
    int64, shape (hosts + 1,)
    """
    layout = web.layout
    return _first_pages(layout.regions, layout.reals, layout.bounds)


def leaving_links(web: Web, explicit: Explicit, first: Array, host: Array) -> Array:
    """Return how many links of each page lead to other hosts, copies included.

    Parameters
    ----------
    web : Web
    explicit : Explicit
        The links of the web.
    first : int64, shape (hosts + 1,)
        The result of `first_pages`.
    host : int, shape (pages,)
        The host of each page.

    Returns
    -------
    int64, shape (pages,)
    """
    mean = float(web.profile.degrees.multiplicity)
    return _leaving(web.numbers.key, mean, explicit.offsets, explicit.targets, first, host)
