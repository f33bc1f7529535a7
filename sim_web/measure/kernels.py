"""The compiled loops over links: backward links, what is reached, and how far it is."""

from __future__ import annotations

import numpy as np

from sim_web.generator.kernels import Array, compiled


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
        page = queue[at]
        at += 1
        for k in range(offsets[page], offsets[page + 1]):
            target = targets[k]
            if not reached[target]:
                reached[target] = True
                queue[end] = target
                end += 1
        for k in range(other_offsets[page], other_offsets[page + 1]):
            target = other_targets[k]
            if not reached[target]:
                reached[target] = True
                queue[end] = target
                end += 1


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
    zero, one = np.uint64(0), np.uint64(1)
    seen_new = np.zeros((pages, 2), np.uint64)
    now = np.zeros(pages, np.uint64)
    frontier = np.empty(pages, np.int32)
    following = np.empty(pages, np.int32)
    size = 0
    for s in range(len(sources)):
        page = sources[s]
        if now[page] == zero:
            frontier[size] = page
            size += 1
        now[page] |= one << np.uint64(s)
        seen_new[page, 0] |= one << np.uint64(s)
    distance = 0
    while size > 0:
        distance += 1
        found = 0
        for i in range(size):
            page = frontier[i]
            bits = now[page]
            now[page] = zero
            for k in range(offsets[page], offsets[page + 1]):
                target = targets[k]
                fresh = bits & ~seen_new[target, 0]
                if fresh != zero:
                    if seen_new[target, 1] == zero:
                        following[found] = target
                        found += 1
                    seen_new[target, 1] |= fresh
            for k in range(other_offsets[page], other_offsets[page + 1]):
                target = other_targets[k]
                fresh = bits & ~seen_new[target, 0]
                if fresh != zero:
                    if seen_new[target, 1] == zero:
                        following[found] = target
                        found += 1
                    seen_new[target, 1] |= fresh
        for i in range(found):
            page = following[i]
            bits = seen_new[page, 1]
            seen_new[page, 0] |= bits
            seen_new[page, 1] = zero
            now[page] = bits
            for s in range(len(sources)):
                if (bits >> np.uint64(s)) & one:
                    total[s] += distance
                    count[s] += 1
                    greatest[s] = distance
        frontier, following = following, frontier
        size = found


@compiled
def first_levels(
    offsets: Array, targets: Array, host: Array, starts: Array
) -> tuple[Array, int]:
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
def strong_components(offsets: Array, targets: Array) -> tuple[Array, int]:
    """Return the number of each page's strong component, and how many there are (Tarjan 1972).

    The path of the search and the pages of open components share nothing but their order, so both
    are rows with a length, not calls: a chain of a million pages is no deep recursion.
    """
    pages = len(offsets) - 1
    label = np.full(pages, -1, np.int32)
    # In the order of discovery, from 1; 0: not yet seen.
    order = np.zeros(pages, np.int32)
    lowest = np.zeros(pages, np.int32)
    at_link = offsets[:-1].copy()
    path = np.empty(pages, np.int32)
    open_pages = np.empty(pages, np.int32)
    opened = seen = number = 0
    for root in range(pages):
        if order[root] != 0:
            continue
        depth = 1
        path[0] = root
        seen += 1
        order[root] = lowest[root] = seen
        open_pages[opened] = root
        opened += 1
        while depth > 0:
            page = path[depth - 1]
            deeper = False
            while at_link[page] < offsets[page + 1]:
                target = targets[at_link[page]]
                at_link[page] += 1
                if order[target] == 0:
                    path[depth] = target
                    depth += 1
                    seen += 1
                    order[target] = lowest[target] = seen
                    open_pages[opened] = target
                    opened += 1
                    deeper = True
                    break
                if label[target] < 0 and order[target] < lowest[page]:
                    lowest[page] = order[target]
            if deeper:
                continue
            depth -= 1
            if depth > 0 and lowest[page] < lowest[path[depth - 1]]:
                lowest[path[depth - 1]] = lowest[page]
            if lowest[page] == order[page]:
                while True:
                    opened -= 1
                    member = open_pages[opened]
                    label[member] = number
                    if member == page:
                        break
                number += 1
    return label, number
