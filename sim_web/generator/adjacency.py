"""The out-links of a page, as a function of its id: what every form of a web is made of.

The generator guarantees some links, so that the planted components exist:

- a page to its children in its host's tree, and up again to its parent or to the start page; to
  its host's navigation, where hosts have one;
- a page of the parent host to the start page of each host that hangs on it. Hosts of SCC and, after
  them, of OUT are one tree; so are IN and the tendrils off it, and IN and the tubes;
- the start page of a host of SCC to an earlier one, of IN to SCC or earlier, of tubes and of the
  tendrils that lead to OUT there or earlier.

The rest are free, as many as the page's drawn degree leaves. Outside SCC they lead through the
hosts of a region one way only, hence no strong component there is larger than a host. Within a
host they lead at most one level down, hence the tree's levels are the fewest links from the start.
"""

from __future__ import annotations

import numpy as np

from counterpoint.compiling import Array, compiled

from .degrees import drawn_degree
from .kernels import hashed, permuted, unit, zipf_rank, zipf_rank_below, zipf_top
from .layout import (
    BLOCK,
    DISCONNECTED,
    FROM_IN,
    IN,
    OUT,
    SCC,
    TO_OUT,
    TUBES,
    host_of_page,
    host_start,
    linked_pages,
    region_of_page,
    tree_level,
    tree_parent,
)
from .numbers import Numbers, pages_of_host, tree_of_host
from .subjects import NAVIGATION, SECTIONS, has_community, hub, themed

_UP, _EXIT, _ENTRY, _FREE, _WHERE, _PAGE = range(4, 10)
_SEQUENCE, _SHUFFLE = 11, 12
"""Streams of hashes, one for each use; those of `degrees` are others."""

TRIES = 8
"""How often a free link is drawn anew if its target is linked already."""

FEW = 24
"""Up to so many links, a linear search finds a target that is linked already."""

NO_PAGE = -1


@compiled
def page_in(numbers: Numbers, region: int, rank: int, u: float) -> int:
    """Return a page of a host, not an orphan, each with the same chance."""
    start, pages = pages_of_host(numbers, region, rank)
    return start + int(u * linked_pages(region, pages, numbers.reals))


@compiled
def level_of(numbers: Numbers, page: int) -> int:
    """Return the fewest internal links from the host's start page; -1 for an orphan."""
    region = region_of_page(numbers.regions, page)
    rank, start, end = host_of_page(numbers.regions, numbers.reals, numbers.bounds, region, page)
    pages = end - start
    if page - start >= linked_pages(region, pages, numbers.reals):
        return -1
    key, block = tree_of_host(numbers, region, rank)
    return tree_level(key, page - start, block)


@compiled
def _exit(numbers: Numbers, region: int, rank: int) -> int:
    """Return where the start page of a host leads out of it; -1: nowhere."""
    key = numbers.key
    host = numbers.regions[region, 2] + rank
    u, v, w = unit(key, _EXIT, host, 0), unit(key, _EXIT, host, 1), unit(key, _EXIT, host, 2)
    popularity = numbers.degrees[4]
    if len(numbers.bounds) > 0 and region == SCC:
        return NO_PAGE
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
    """Add the links to start pages of hosts that hang on this page's host."""
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
def _goal(mix: Array, region: int, u: float) -> tuple[int, float]:
    """Return the region of the target of a free link, 7: none, and a number to draw with again."""
    goal = 0
    while goal < 7 and u >= mix[region, goal]:
        goal += 1
    if goal == 7:
        return goal, u
    low = 0.0 if goal == 0 else mix[region, goal - 1]
    return goal, (u - low) / (mix[region, goal] - low)


@compiled
def _external(numbers: Numbers, region: int, rank: int, u: float, v: float, w: float) -> int:
    """Return the target of a free link out of the host; -1 if there is none."""
    goal, u = _goal(numbers.mix, region, u)
    return _popular(numbers, region, rank, goal, u, v, w) if goal < 7 else NO_PAGE


@compiled
def _akin(numbers: Numbers, region: int, rank: int, page: int, u: float, v: float) -> int:
    """Return the target of a free link within the theme; -1 if there is none."""
    goal = region
    if region != SCC:
        goal, u = _goal(numbers.mix, region, u)
    return int(themed(numbers, region, rank, page, goal, u, v)) if goal < 7 else NO_PAGE


@compiled
def _popular(
    numbers: Numbers, region: int, rank: int, goal: int, u: float, v: float, w: float
) -> int:
    """Return a page of a region, popular ones more often, on the way that the region allows."""
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
    """Return a page of the same host, shallow ones more often, at most one level down."""
    member = zipf_rank_below(u, linked, top, exponent, 1.0)
    if level >= 0:
        depth = tree_level(key, member, block)
        while depth > level + 1:
            member = tree_parent(key, member, block)
            depth -= 1
    return start + member


@compiled
def _is_new(found: Array, count: int, seen: Array, target: int) -> bool:
    """Tell whether a target is not linked yet, and enter it in the table if there is one."""
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
    """Return an empty table of targets; without places where a linear search does."""
    if most <= FEW:
        return np.empty(0, dtype=np.int64)
    size = 64
    while size < 2 * most:
        size *= 2
    return np.full(size, NO_PAGE, dtype=np.int64)


@compiled
def _up(numbers: Numbers, key: np.uint64, block: int, page: int, local: int, linked: int) -> int:
    """Return the member of its host's tree to which a page leads up: the start page or another."""
    if unit(numbers.key, _UP, page, 0) < numbers.choices[3]:
        return 0
    if local < linked:
        return tree_parent(key, local, block)
    return int(unit(numbers.key, _UP, page, 1) * linked)


@compiled
def _menu(
    numbers: Numbers, key: np.uint64, block: int, start: int, local: int, linked: int, found: Array
) -> int:
    """Write the links to the host's navigation that do not lead more than one level down."""
    count = 0
    level = tree_level(key, local, block) if local < linked else linked
    for member in range(1, min(int(numbers.themes[NAVIGATION]) + 1, linked)):
        if member != local and tree_level(key, member, block) <= level + 1:
            found[count] = start + member
            count += 1
    return count


@compiled
def _guaranteed(
    numbers: Numbers, region: int, rank: int, page: int, start: int, linked: int, found: Array
) -> int:
    """Write the links that are guaranteed, some perhaps twice; return how many."""
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


@compiled
def _free(
    numbers: Numbers, region: int, rank: int, page: int, start: int, pages: int, linked: int,
    level: int, key: np.uint64, block: int, top: float, number: int, attempt: int,
) -> int:  # fmt: skip
    """Return the target of a free link at one attempt; -1 if it has none.

    ``key`` and ``block`` are of the host's tree, ``top`` is what `zipf_top` says of its pages.
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
    """Return where the links of a page that are given one by one begin and end."""
    pages = numbers.fixed_pages
    if len(pages) == 0:
        return 0, 0
    return int(np.searchsorted(pages, page)), int(np.searchsorted(pages, page + 1))


@compiled
def out_links(numbers: Numbers, page: int) -> Array:
    """Return the distinct pages that a page links to, in the order of their first appearance.

    Where a menu takes most links of a page, a hub still has as many others as the menu has.
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
    most = degree + block + 2 * numbers.blocks[1] + 4 + high - low + menu + free
    found = np.empty(most, dtype=np.int64)
    guaranteed = _guaranteed(numbers, region, rank, page, start, linked, found)
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
