"""Compiled loops over links: reversal, reachability, distances, levels."""

from __future__ import annotations

import numpy as np

from counterpoint.compiling import Array, compiled


@compiled
def reversed_links(offsets: Array, targets: Array) -> tuple[Array, Array]:
    """Return offsets and sources of the reversed links; the sources of a page are ascending."""
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
    """Mark and queue the pages to which a page links; return the new end of the queue."""
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
    """Mark all pages that the marked pages reach by links of two sets.

    Parameters
    ----------
    offsets, targets, other_offsets, other_targets
        The two sets of links; the offsets of an empty set are zeros.
    reached : bool, shape (pages,)
        The marks; they are extended in place.
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
    """Return for each page the sum of the weights of the pages that link to it, float64."""
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
    """Pass the sources that have reached a page on to the pages to which it links.

    Parameters
    ----------
    offsets, targets
        The links.
    page : int
        The page.
    bits : uint64
        The sources that reached the page in the last step, a bit for each.
    state : uint64, shape (pages, 2)
        For each page the sources that have seen it, and those that reach it in this step.
    following : int32, shape (pages,)
        Gets the pages that any source reaches in this step.
    found : int
        How many pages ``following`` has already.

    Returns
    -------
    int
        How many pages ``following`` has then.
    """
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
    """Place each source at its own page; return the number of different pages.

    Parameters
    ----------
    sources : int, shape (sources,)
        The page of each source.
    state, now : uint64, shape (pages, 2) and (pages,)
        Get the bits of the sources: as seen, and as present.
    frontier : int32, shape (pages,)
        Gets the different pages.
    """
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
    """Search breadth-first from at most 64 sources at once, by links of two sets.

    Each page has two bits for each source: whether the source has seen it, and whether it reaches
    it in this step. Most pages are at few different distances from the sources, so a link is
    followed a few times, not once for each source.

    Parameters
    ----------
    offsets, targets, other_offsets, other_targets
        The two sets of links; the offsets of an empty set are zeros.
    sources : int64, shape (sources,)
        The pages from which the searches start.
    total, count, greatest : int64, shape (sources,)
        For each source they get the sum of the distances of all pages that it reaches, without
        itself, the number of these pages, and the greatest distance.
    """
    pages = len(offsets) - 1
    # Both words of a page are next to each other: one memory access for each link.
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
    """Return the level of each page, and the number of links within hosts.

    Parameters
    ----------
    offsets, targets
        The links.
    host : int32, shape (pages,)
        The host of each page.
    starts : int64, shape (hosts,)
        The start page of each host.

    Returns
    -------
    int32, shape (pages,)
        The least number of links within the host from its start page; -1: no path.
    int
        The number of links within hosts.
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
