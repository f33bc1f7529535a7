"""The compiled loops over links: backward links, what is reached, and how far it is."""

from __future__ import annotations

import numpy as np

from counterpoint.compiling import Array, compiled


@compiled
def reversed_links(offsets: Array, targets: Array) -> tuple[Array, Array]:
    """Return offsets and sources of the links backward; the sources of a page rise."""
    pages = len(offsets) - 1
    starts = np.zeros(pages + 1, np.int64)
    for target in targets:
        starts[target + 1] += 1
    for page in range(pages):
        starts[page + 1] += starts[page]
    place = starts[:-1].copy()
    sources = np.empty(len(targets), np.int32)
    for page in range(pages):
        for k in range(offsets[page], offsets[page + 1]):
            target = targets[k]
            sources[place[target]] = page
            place[target] += 1
    return starts, sources


@compiled
def _marked(
    offsets: Array, targets: Array, page: int, reached: Array, queue: Array, end: int
) -> int:
    """Mark and queue what a page links to; return the new end of the queue."""
    for k in range(offsets[page], offsets[page + 1]):
        target = targets[k]
        if not reached[target]:
            reached[target] = True
            queue[end] = target
            end += 1
    return end


@compiled
def extend(
    offsets: Array, targets: Array, other_offsets: Array, other_targets: Array, reached: Array
) -> None:
    """Mark what the marked pages reach by links of either set.

    A set without links is a row of zeros as offsets.
    """
    pages = len(offsets) - 1
    queue = np.empty(pages, np.int32)
    end = 0
    for page in range(pages):
        if reached[page]:
            queue[end] = page
            end += 1
    at = 0
    while at < end:
        end = _marked(offsets, targets, queue[at], reached, queue, end)
        end = _marked(other_offsets, other_targets, queue[at], reached, queue, end)
        at += 1


@compiled
def passed_along(offsets: Array, targets: Array, weights: Array) -> Array:
    """Return the sum of the weights of the pages that link to each page, float64."""
    received = np.zeros(len(weights))
    for page in range(len(weights)):
        for k in range(offsets[page], offsets[page + 1]):
            received[targets[k]] += weights[page]
    return received


_ZERO, _ONE = np.uint64(0), np.uint64(1)
_SEEN, _NEW = 0, 1


@compiled
def _passed_on(
    offsets: Array, targets: Array, page: int, bits: np.uint64,
    state: Array, following: Array, found: int,
) -> int:  # fmt: skip
    """Pass a page's sources on to what it links to; return how many pages are new somewhere."""
    for k in range(offsets[page], offsets[page + 1]):
        target = targets[k]
        fresh = bits & ~state[target, _SEEN]
        if fresh != _ZERO:
            if state[target, _NEW] == _ZERO:
                following[found] = target
                found += 1
            state[target, _NEW] |= fresh
    return found


@compiled
def _set_out(sources: Array, state: Array, now: Array, frontier: Array) -> int:
    """Put each source at its own page; return the number of such pages."""
    size = 0
    for s in range(len(sources)):
        page = sources[s]
        if now[page] == _ZERO:
            frontier[size] = page
            size += 1
        now[page] |= _ONE << np.uint64(s)
        state[page, _SEEN] |= _ONE << np.uint64(s)
    return size


@compiled
def spread(
    offsets: Array, targets: Array, other_offsets: Array, other_targets: Array,
    sources: Array, total: Array, count: Array, greatest: Array,
) -> None:  # fmt: skip
    """Search breadth-first from at most 64 sources at once, by links of either set.

    Each page has a bit for each source: whether it was seen, and whether it is new. Most pages are
    at few different distances, so a link is followed a few times, not once for each source.

    For each source, ``total`` gets the sum of the distances of all pages it reaches, itself left
    out, ``count`` their number, ``greatest`` the greatest.
    """
    pages = len(offsets) - 1
    # Both bits of a page beside each other: one access to memory for each link.
    state = np.zeros((pages, 2), np.uint64)
    now = np.zeros(pages, np.uint64)
    frontier, following = np.empty(pages, np.int32), np.empty(pages, np.int32)
    size = _set_out(sources, state, now, frontier)
    distance = 0
    while size > 0:
        distance += 1
        found = 0
        for i in range(size):
            page = frontier[i]
            bits = now[page]
            now[page] = _ZERO
            found = _passed_on(offsets, targets, page, bits, state, following, found)
            found = _passed_on(other_offsets, other_targets, page, bits, state, following, found)
        for i in range(found):
            page = following[i]
            bits = state[page, _NEW]
            state[page, _SEEN] |= bits
            state[page, _NEW] = _ZERO
            now[page] = bits
            for s in range(len(sources)):
                if (bits >> np.uint64(s)) & _ONE:
                    total[s] += distance
                    count[s] += 1
                    greatest[s] = distance
        frontier, following = following, frontier
        size = found


@compiled
def first_levels(offsets: Array, targets: Array, host: Array, starts: Array) -> tuple[Array, int]:
    """Return the fewest links within its host from a start page to each page; -1: none lead there.

    The second result is the number of links within hosts.

    ``host`` is the host of each page, ``starts`` the start pages.
    """
    pages = len(offsets) - 1
    level = np.full(pages, -1, np.int32)
    queue = np.empty(pages, np.int32)
    end = 0
    for start in starts:
        if level[start] < 0:
            level[start] = 0
            queue[end] = start
            end += 1
    at = 0
    while at < end:
        page = queue[at]
        at += 1
        for k in range(offsets[page], offsets[page + 1]):
            target = targets[k]
            if level[target] < 0 and host[target] == host[page]:
                level[target] = level[page] + 1
                queue[end] = target
                end += 1
    within = 0
    for page in range(pages):
        for k in range(offsets[page], offsets[page + 1]):
            within += host[targets[k]] == host[page]
    return level, within


@compiled
def _next_unseen(
    offsets: Array, targets: Array, page: int,
    at_link: Array, order: Array, lowest: Array, label: Array,
) -> int:  # fmt: skip
    """Go on with a page's links until one leads to an unseen page; return it, or -1."""
    while at_link[page] < offsets[page + 1]:
        target = targets[at_link[page]]
        at_link[page] += 1
        if order[target] == 0:
            return target
        if label[target] < 0:
            lowest[page] = min(lowest[page], order[target])
    return -1


@compiled
def _closed(page: int, number: int, label: Array, waiting: Array, waiting_end: int) -> int:
    """Give what waits since a page the number of a component; return how many still wait."""
    member = -1
    while member != page:
        waiting_end -= 1
        member = waiting[waiting_end]
        label[member] = number
    return waiting_end


@compiled
def strong_components(offsets: Array, targets: Array) -> tuple[Array, int]:
    """Return the number of each page's strong component, and how many there are (Tarjan 1972).

    The path of the search and the pages that wait for their component are rows with a length, not
    calls: a chain of a million pages is no deep recursion.
    """
    pages = len(offsets) - 1
    label = np.full(pages, -1, np.int32)
    # In the order of discovery, from 1; 0: not yet seen.
    order, lowest = np.zeros(pages, np.int32), np.zeros(pages, np.int32)
    at_link = offsets[:-1].copy()
    path, waiting = np.empty(pages, np.int32), np.empty(pages, np.int32)
    waiting_end = seen = number = 0
    for root in range(pages):
        depth, page = 0, root if order[root] == 0 else -1
        while page >= 0 or depth > 0:
            if page >= 0:
                seen += 1
                order[page] = lowest[page] = seen
                path[depth] = waiting[waiting_end] = page
                depth += 1
                waiting_end += 1
            here = path[depth - 1]
            page = _next_unseen(offsets, targets, here, at_link, order, lowest, label)
            if page < 0:
                depth -= 1
                if depth > 0:
                    above = path[depth - 1]
                    lowest[above] = min(lowest[above], lowest[here])
                if lowest[here] == order[here]:
                    waiting_end = _closed(here, number, label, waiting, waiting_end)
                    number += 1
    return label, number
