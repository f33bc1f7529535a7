"""The links that the generator guarantees, so that the planted components exist.

- Each page links to its children in its host's tree, and back up to its parent or to the start
  page. It also links to its host's navigation, if the host has one.
- A page of the parent host links to the start page of each child host. The hosts of SCC, followed
  by those of OUT, form one tree; so do IN and the tendrils off it, and IN and the tubes.
- The start page of a host of SCC links to an earlier host, that of IN to SCC or to an earlier host,
  that of tubes and of the tendrils that lead to OUT links to OUT or to an earlier host.
"""

from __future__ import annotations

import numpy as np

from counterpoint.compiling import Array, compiled

from .articles import has_articles, pointed_to
from .kernels import hashed, unit, zipf_rank
from .layout import DISCONNECTED, FROM_IN, IN, OUT, SCC, TO_OUT, TUBES, linked_pages
from .numbers import Numbers, pages_of_host, tree_of_host
from .subjects import NAVIGATION
from .trees import BLOCK, tree_level, tree_parent

_UP, _EXIT, _ENTRY, _SEQUENCE = 4, 5, 6, 11
"""Streams of hashes, one for each use; `adjacency` and `degrees` use other streams."""

NO_PAGE = -1


@compiled
def page_in(numbers: Numbers, region: int, rank: int, u: float) -> int:
    """Return a page of a host that is not an orphan; all have the same chance.

    Parameters
    ----------
    numbers : Numbers
    region, rank : int
        The host's region, and its rank in the region.
    u : float
        A uniform random number in [0, 1).
    """
    start, pages = pages_of_host(numbers, region, rank)
    return start + int(u * linked_pages(region, pages, numbers.reals))


@compiled
def _exit(numbers: Numbers, region: int, rank: int) -> int:
    """Return the target of the guaranteed link out of a host from its start page; -1: none."""
    key = numbers.key
    host = numbers.regions[region, 2] + rank
    u, v, w = unit(key, _EXIT, host, 0), unit(key, _EXIT, host, 1), unit(key, _EXIT, host, 2)
    popularity = numbers.degrees[4]
    if len(numbers.bounds) > 0 and region == SCC:
        return NO_PAGE
    if region == IN and has_articles(numbers) and pointed_to(numbers, rank) != NO_PAGE:
        return pointed_to(numbers, rank)
    goal = region
    if region == IN and (rank == 0 or w < 0.5):
        goal = SCC
    elif region == TUBES or (region == TO_OUT and (rank == 0 or w < 0.5)):
        goal = OUT
    elif region in (OUT, FROM_IN, DISCONNECTED) or rank == 0:
        return NO_PAGE
    hosts = rank if goal == region else numbers.regions[goal, 3]
    return page_in(numbers, goal, zipf_rank(u, hosts, popularity, 1.0), v)


@compiled
def _add_entries(
    numbers: Numbers, region: int, rank: int, page: int, base: int, follower: int,
    found: Array, count: int,
) -> int:  # fmt: skip
    """Write the links of a page to the start pages of its host's child hosts.

    Parameters
    ----------
    numbers : Numbers
    region, rank, page : int
        The region of the page's host, the host's rank, the page.
    base, follower : int
        The two regions of the tree of hosts.
    found : int64
        Gets the links from index ``count`` on.
    count : int
        How many links there are already.

    Returns
    -------
    int
        How many links there are then.
    """
    first = numbers.regions[base, 3] if region == follower else 0
    own = first + rank
    block = numbers.blocks[1]
    key = hashed(numbers.key, _SEQUENCE, base, follower)
    low = 1 + own // BLOCK * block
    before = numbers.regions[base, 3]
    for child in range(low, min(low + block, before + numbers.regions[follower, 3])):
        if (base == IN and child < before) or tree_parent(key, child, block) != own:
            continue
        goal = base if child < before else follower
        child_rank = child if child < before else child - before
        host = numbers.regions[goal, 2] + child_rank
        if page_in(numbers, region, rank, unit(numbers.key, _ENTRY, host, 0)) == page:
            found[count] = pages_of_host(numbers, goal, child_rank)[0]
            count += 1
    return count


@compiled
def _entries(numbers: Numbers, region: int, rank: int, page: int, found: Array, count: int) -> int:
    """Add the links of a page into the following regions; return the new count."""
    if len(numbers.bounds) > 0 and region == SCC:
        return count
    if region == SCC or (region == OUT and len(numbers.bounds) == 0):
        return _add_entries(
            numbers, region, rank, page, int(np.int64(SCC)), int(np.int64(OUT)), found, count
        )
    for follower in (FROM_IN, TUBES):
        if region in (IN, follower):
            base = int(np.int64(IN))
            count = _add_entries(numbers, region, rank, page, base, follower, found, count)
    return count


@compiled
def _up(numbers: Numbers, key: np.uint64, block: int, page: int, local: int, linked: int) -> int:
    """Return the index in its host of the page to which a page links upward.

    Parameters
    ----------
    numbers : Numbers
    key, block : uint64, int
        The key of the host's tree, and the number of children of a block.
    page, local : int
        The page, and its index in its host.
    linked : int
        The number of pages in the tree.
    """
    if unit(numbers.key, _UP, page, 0) < numbers.choices[3]:
        return 0
    if local < linked:
        return tree_parent(key, local, block)
    return int(unit(numbers.key, _UP, page, 1) * linked)


@compiled
def _menu(
    numbers: Numbers, key: np.uint64, block: int, start: int, local: int, linked: int, found: Array
) -> int:
    """Write the links to the host's navigation that lead at most one level down.

    The arguments are as in `_up`; ``start`` is the start page. ``found`` gets the links, and their
    number is returned.
    """
    count = 0
    level = tree_level(key, local, block) if local < linked else linked
    for member in range(1, min(int(numbers.themes[NAVIGATION]) + 1, linked)):
        if member != local and tree_level(key, member, block) <= level + 1:
            found[count] = start + member
            count += 1
    return count


@compiled
def guaranteed_links(
    numbers: Numbers, region: int, rank: int, page: int, start: int, linked: int, found: Array
) -> int:
    """Write the guaranteed links, some perhaps twice; return their number.

    Parameters
    ----------
    numbers : Numbers
    region, rank, page : int
        The region of the page's host, the host's rank, the page.
    start, linked : int
        The host's start page, and the number of pages in its tree.
    found : int64
        Gets the links.
    """
    key, block = tree_of_host(numbers, region, rank)
    local = page - start
    count = 0
    if numbers.themes[NAVIGATION] > 0:
        count = _menu(numbers, key, block, start, local, linked, found)
    if local > 0:
        found[count] = start + _up(numbers, key, block, page, local, linked)
        count += 1
    if local < linked:
        low = 1 + local // BLOCK * block
        for child in range(low, min(low + block, linked)):
            if tree_parent(key, child, block) == local:
                found[count] = start + child
                count += 1
        count = _entries(numbers, region, rank, page, found, count)
    if local == 0:
        target = _exit(numbers, region, rank)
        if target != NO_PAGE:
            found[count] = target
            count += 1
    return count
