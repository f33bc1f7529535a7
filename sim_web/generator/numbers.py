"""The parameters of a web's adjacency, as compiled code takes them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from counterpoint.compiling import Array, compiled

from .kernels import mixed
from .layout import SCC, host_start


class Numbers(NamedTuple):
    """All parameters of the adjacency of a web.

    Attributes
    ----------
    key : uint64
        The key of all hashes.
    regions, reals, blocks, bounds, site_blocks
        As in `Layout`.
    mix : float64, shape (7, 7)
        For each region, the cumulative shares of the regions to which its free external links lead.
    degrees : float64, shape (6,)
        The share of the tail of the out-degrees, its least degree, its exponent, the greatest
        degree; the exponent of popularity; the mean number of copies of a link.
    choices : float64, shape (4,)
        The share of free links within the host; the share of external links that lead to start
        pages; the exponent of popularity within a host; the share of pages whose link upward leads
        to the start page.
    themes : float64, shape (9,)
        The number of themes; the shares of external links within the theme, of hubs, of
        authorities, of relevant pages; the share of pages that have their parent's theme (0: a host
        has one theme); the number of pages of a host's navigation, and of its languages; 1 if pages
        outside SCC can be hubs and authorities.
    fixed_pages, fixed_targets : int64, shape (links,)
        The external links of the sites of the profile, sorted by page.
    articles : float64, shape (7 + topics + 2 * languages,) or (0,)
        The number of languages; the number of main pages that link to each other; the number of
        ordinary links of an article; the share of them that its editions share; the number of
        articles in the first block; the number of topics; the number of editions of each; the first
        page of each language, and the end; how many articles of each language are no topics.
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
    articles: Array


@compiled
def pages_of_host(numbers: Numbers, region: int, rank: int) -> tuple[int, int]:
    """Return the first page of a host, and the number of its pages."""
    start = host_start(numbers.regions, numbers.reals, numbers.bounds, region, rank)
    end = host_start(numbers.regions, numbers.reals, numbers.bounds, region, rank + 1)
    return start, end - start


@compiled
def tree_of_host(numbers: Numbers, region: int, rank: int) -> tuple[np.uint64, int]:
    """Return the key of a host's tree, and the number of children of a block."""
    key = mixed(numbers.key, numbers.regions[region, 2] + rank)
    if region == SCC and len(numbers.site_blocks) > 0:
        return mixed(numbers.key, rank), numbers.site_blocks[rank]
    return key, numbers.blocks[0]
