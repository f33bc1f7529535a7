"""What the adjacency of a web depends on, and where its hosts are."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from counterpoint.compiling import Array, compiled

from .kernels import mixed
from .layout import SCC, host_start


class Numbers(NamedTuple):
    """Everything that adjacency depends on besides the page.

    Attributes
    ----------
    key : uint64
        Of all hashes.
    regions, reals, blocks, bounds, site_blocks
        As in `Layout`.
    mix : float64[7, 7]
        Cumulative shares of the regions to which free external links lead, by region.
    degrees : float64[6]
        Share of the tail of the out-degrees, its least degree, its exponent, the greatest degree;
        exponent of popularity; mean number of copies of a link.
    choices : float64[4]
        Shares of free links within the host, and of external links that lead to start pages;
        exponent of popularity within a host; share of pages that lead up to the start page at once.
    themes : float64[9]
        Number of themes, share of external links within the theme, hubs, authorities, relevant;
        pages that have their parent's subject (0: a host has one); pages of a host's navigation,
        and its languages; 1: also pages outside SCC have hubs and authorities.
    fixed_pages, fixed_targets : int64[links]
        External links of sites that are given one by one, sorted by page.
    """

    key: np.uint64
    regions: Array
    reals: Array
    blocks: Array
    bounds: Array
    site_blocks: Array
    mix: Array
    degrees: Array
    choices: Array
    themes: Array
    fixed_pages: Array
    fixed_targets: Array


@compiled
def pages_of_host(numbers: Numbers, region: int, rank: int) -> tuple[int, int]:
    """Return the first page of a host and the number of its pages."""
    start = host_start(numbers.regions, numbers.reals, numbers.bounds, region, rank)
    end = host_start(numbers.regions, numbers.reals, numbers.bounds, region, rank + 1)
    return start, end - start


@compiled
def tree_of_host(numbers: Numbers, region: int, rank: int) -> tuple[np.uint64, int]:
    """Return the key of a host's tree and the number of children of a block."""
    key = mixed(numbers.key, numbers.regions[region, 2] + rank)
    if region == SCC and len(numbers.site_blocks) > 0:
        return mixed(numbers.key, rank), numbers.site_blocks[rank]
    return key, numbers.blocks[0]
