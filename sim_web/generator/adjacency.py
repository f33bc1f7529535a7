"""The out-links of a page as a function of its id.

Some links are `guaranteed`, so that the planted components exist.

All other links are free; their number is the rest of the page's drawn degree. Outside SCC, free
links lead through the hosts of a region in one direction only, so that no strong component there is
larger than a host. Within a host they lead at most one level down, so that the level in the tree is
the least number of links from the start page.
"""

from __future__ import annotations

import numpy as np

from counterpoint.compiling import Array, compiled

from .articles import article_links, most_article_links
from .degrees import drawn_degree
from .guaranteed import NO_PAGE, guaranteed_links, page_in
from .kernels import hashed, permuted, unit, zipf_rank, zipf_rank_below, zipf_top
from .layout import (
    DISCONNECTED,
    IN,
    SCC,
    TO_OUT,
    host_of_page,
    host_start,
    linked_pages,
    region_of_page,
)
from .numbers import Numbers, tree_of_host
from .subjects import NAVIGATION, SECTIONS, has_community, hub, themed
from .trees import tree_level, tree_parent

_FREE, _WHERE, _PAGE, _SHUFFLE = 7, 8, 9, 12
"""Streams of hashes, one for each use; `guaranteed` and `degrees` use other streams."""

TRIES = 8
"""How often a free link is drawn if its targets are linked already."""

FEW = 24
"""Up to so many links, a linear search finds whether a target is linked already."""


@compiled
def level_of(numbers: Numbers, page: int) -> int:
    """Return the least number of internal links from the host's start page; -1 for an orphan."""
    region = region_of_page(numbers.regions, page)
    rank, start, end = host_of_page(numbers.regions, numbers.reals, numbers.bounds, region, page)
    pages = end - start
    if page - start >= linked_pages(region, pages, numbers.reals):
        return -1
    key, block = tree_of_host(numbers, region, rank)
    return tree_level(key, page - start, block)


@compiled
def _goal(mix: Array, region: int, u: float) -> tuple[int, float]:
    """Draw the region of a free link's target.

    Returns
    -------
    int
        The region; 7: none.
    float
        A new uniform random number made from ``u``.
    """
    goal = 0
    while goal < 7 and u >= mix[region, goal]:
        goal += 1
    if goal == 7:
        return goal, u
    low = 0.0 if goal == 0 else mix[region, goal - 1]
    return goal, (u - low) / (mix[region, goal] - low)


@compiled
def _external(numbers: Numbers, region: int, rank: int, u: float, v: float, w: float) -> int:
    """Return the target of a free link out of the host; -1 if there is none.

    Parameters
    ----------
    numbers : Numbers
    region, rank : int
        The region of the page's host, and the host's rank.
    u, v, w : float
        Uniform random numbers in [0, 1).
    """
    goal, u = _goal(numbers.mix, region, u)
    return _popular(numbers, region, rank, goal, u, v, w) if goal < 7 else NO_PAGE


@compiled
def _akin(numbers: Numbers, region: int, rank: int, page: int, u: float, v: float) -> int:
    """Return the target of a free link within the theme; -1 if there is none.

    Parameters
    ----------
    numbers : Numbers
    region, rank, page : int
        The region of the page's host, the host's rank, the page.
    u, v : float
        Uniform random numbers in [0, 1).
    """
    goal = region
    if region != SCC:
        goal, u = _goal(numbers.mix, region, u)
    return int(themed(numbers, region, rank, page, goal, u, v)) if goal < 7 else NO_PAGE


@compiled
def _popular(
    numbers: Numbers, region: int, rank: int, goal: int, u: float, v: float, w: float
) -> int:
    """Return a page of a region, popular ones more often; -1 if there is none.

    Within a region other than SCC, links lead through the hosts in one direction only.

    Parameters
    ----------
    numbers : Numbers
    region, rank : int
        The region of the linking page's host, and the host's rank.
    goal : int
        The region of the target.
    u, v, w : float
        Uniform random numbers in [0, 1).
    """
    popularity = numbers.degrees[4]
    hosts = numbers.regions[goal, 3]
    to_start = w < numbers.choices[1]
    if goal != region or region == SCC:
        if to_start:
            chosen = zipf_rank(u, hosts, popularity, 1.0)
            return host_start(numbers.regions, numbers.reals, numbers.bounds, goal, chosen)
        if goal in (IN, TO_OUT):
            return page_in(numbers, goal, zipf_rank(u, hosts, popularity, 1.0), v)
        first, pages = numbers.regions[goal, 0], numbers.regions[goal, 1]
        key = hashed(numbers.key, _PAGE, goal, 0)
        return first + permuted(key, zipf_rank(u, pages, popularity, 1.0), pages)
    one_way_up = region in (IN, TO_OUT)
    others = rank if one_way_up else hosts - 1 - rank
    if others <= 0:
        return NO_PAGE
    chosen = zipf_rank(u, others, popularity, 1.0)
    if not one_way_up:
        chosen = hosts - 1 - chosen
    return page_in(numbers, goal, chosen, 0.0 if to_start else v)


@compiled
def _internal(
    key: np.uint64, block: int, start: int, linked: int, level: int, u: float, top: float,
    exponent: float,
) -> int:  # fmt: skip
    """Return a page of the same host, at most one level below the linking page.

    Parameters
    ----------
    key : uint64
        The key of the host's tree.
    block : int
        The number of children of a block.
    start, linked : int
        The start page, and the number of pages in the tree.
    level : int
        The level of the linking page; -1: an orphan.
    u : float
        A uniform random number in [0, 1).
    top, exponent : float
        The result of `zipf_top`, and the exponent: low numbers are drawn more often.
    """
    member = zipf_rank_below(u, linked, top, exponent, 1.0)
    if level >= 0:
        depth = tree_level(key, member, block)
        while depth > level + 1:
            member = tree_parent(key, member, block)
            depth -= 1
    return start + member


@compiled
def _is_new(found: Array, count: int, seen: Array, target: int) -> bool:
    """Return whether a target is not linked yet, and enter it into the hash table if there is one.

    Parameters
    ----------
    found : int64
        The links so far; the first ``count`` elements.
    count : int
    seen : int64
        The table from `_table`.
    target : int
    """
    size = len(seen)
    if size == 0:
        for k in range(count):  # noqa: SIM110 compiled code takes no generators
            if found[k] == target:
                return False
        return True
    place = np.int64(hashed(np.uint64(0), 0, target, 0) & np.uint64(size - 1))
    while seen[place] != NO_PAGE:
        if seen[place] == target:
            return False
        place = (place + 1) & (size - 1)
    seen[place] = target
    return True


@compiled
def _table(most: int) -> Array:
    """Return an empty hash table for targets; of size 0 if a linear search is enough."""
    if most <= FEW:
        return np.empty(0, dtype=np.int64)
    size = 64
    while size < 2 * most:
        size *= 2
    return np.full(size, NO_PAGE, dtype=np.int64)


@compiled
def _free(
    numbers: Numbers, region: int, rank: int, page: int, start: int, pages: int, linked: int,
    level: int, key: np.uint64, block: int, top: float, number: int, attempt: int,
) -> int:  # fmt: skip
    """Draw the target of a free link once; return -1 if the draw gives none.

    Parameters
    ----------
    numbers : Numbers
    region, rank, page : int
        The region of the page's host, the host's rank, the page.
    start, pages, linked : int
        The host's start page, the number of its pages, and how many of them are in its tree.
    level : int
        The level of the page; -1: an orphan.
    key, block : uint64, int
        The key of the host's tree, and the number of children of a block.
    top : float
        The result of `zipf_top` for the pages of the tree.
    number, attempt : int
        The number of the link, and of the draw.
    """
    turn = number * TRIES + attempt
    kind = unit(numbers.key, _FREE, page, turn)
    u, v = unit(numbers.key, _WHERE, page, turn), unit(numbers.key, _PAGE, page, turn)
    sites = len(numbers.bounds) > 0 and region == SCC
    within = numbers.choices[0]
    is_hub = hub(numbers, page)
    if is_hub:
        within = 0.2
    if sites or region == DISCONNECTED or (linked > 1 and kind < within and attempt < TRIES // 2):
        return _internal(key, block, start, linked, level, u, top, numbers.choices[2])
    w = unit(numbers.key, _SHUFFLE, page, turn)
    community = numbers.themes[1] if has_community(numbers, region) else 0.0
    if community > 0 and (is_hub or w < community):
        target = _akin(numbers, region, rank, page, u, v)
        if numbers.themes[SECTIONS] > 0 and start <= target < start + linked:
            deep = level >= 0 and tree_level(key, target - start, block) > level + 1
            return target if not deep else NO_PAGE
    elif community > 0:
        target = _external(numbers, region, rank, u, v, (w - community) / (1.0 - community))
    else:
        target = _external(numbers, region, rank, u, v, w)
    return target if not start <= target < start + pages else NO_PAGE


@compiled
def _fixed(numbers: Numbers, page: int) -> tuple[int, int]:
    """Return where the fixed links of a page begin and end in `Numbers.fixed_targets`."""
    pages = numbers.fixed_pages
    if len(pages) == 0:
        return 0, 0
    return int(np.searchsorted(pages, page)), int(np.searchsorted(pages, page + 1))


@compiled
def out_links(numbers: Numbers, page: int) -> Array:
    """Return the distinct pages to which a page links, in the order of their first appearance.

    If pages have a menu, a hub has at least as many other links as the menu has.
    """
    region = region_of_page(numbers.regions, page)
    rank, start, end = host_of_page(numbers.regions, numbers.reals, numbers.bounds, region, page)
    pages = end - start
    linked = linked_pages(region, pages, numbers.reals)
    tree, block = tree_of_host(numbers, region, rank)
    degree = drawn_degree(numbers, page)
    low, high = _fixed(numbers, page)
    menu = int(numbers.themes[NAVIGATION])
    free = menu if menu > 0 and hub(numbers, page) else 0
    most = (
        degree
        + block
        + 2 * numbers.blocks[1]
        + 4
        + high
        - low
        + menu
        + free
        + most_article_links(numbers)
    )
    found = np.empty(most, dtype=np.int64)
    guaranteed = guaranteed_links(numbers, region, rank, page, start, linked, found)
    guaranteed = article_links(numbers, region, rank, page - start, found, guaranteed)
    for k in range(low, high):
        found[guaranteed] = numbers.fixed_targets[k]
        guaranteed += 1
    seen = _table(max(guaranteed + free, degree))
    count = 0
    for k in range(guaranteed):
        if _is_new(found, count, seen, found[k]):
            found[count] = found[k]
            count += 1
    level = NO_PAGE if page - start >= linked else tree_level(tree, page - start, block)
    top = zipf_top(linked, numbers.choices[2], 1.0)
    for number in range(max(degree - count, free)):
        for attempt in range(TRIES):
            target = _free(
                numbers, region, rank, page, start, pages, linked, level, tree, block, top, number,
                attempt,
            )  # fmt: skip
            if target not in (NO_PAGE, page) and _is_new(found, count, seen, target):
                found[count] = target
                count += 1
                break
    return found[:count]
