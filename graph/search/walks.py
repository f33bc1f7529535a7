"""The loops that all searches share: which pages are reached, and at which level.

Links in compressed rows are followed in one compiled loop. Links in any other form are read for
many pages at a time, so that the compiled loops do not depend on how they are packed.
"""

from __future__ import annotations

import numpy as np

from counterpoint.compiling import Array, Number, compiled
from counterpoint.graph.csr import Csr, Links

BATCH = 1 << 21
"""The links of how many pages are read at a time."""


def follow(
    directions: tuple[Links, ...], mark: Array, queue: Array, end: int,
    stop: int, bit: int, skip: tuple[int, int] = (0, 0),
) -> int:  # fmt: skip
    """Set a bit of every page that the queued pages reach, and queue these pages too.

    Parameters
    ----------
    directions : tuple of Links
        The links of one or two directions; all are followed.
    mark : uint8, shape (pages,)
        The bits of each page.
    queue : uint32, shape (pages,)
        Its first ``end`` pages are followed, and then all pages that are queued behind them.
    end : int
        The number of queued pages.
    stop : int
        Pages with one of these bits are neither marked nor queued. ``bit`` must be one of them.
    bit : int
        The bit that is set.
    skip : (int, int)
        For each direction: the links of pages with one of these bits are not followed.

    Returns
    -------
    int
        The number of queued pages then.
    """
    if all(isinstance(links, Csr) for links in directions):
        first, last = (links.expanded() for links in (directions[0], directions[-1]))
        two = len(directions) > 1
        return int(_followed(*first, *last, two, mark, queue, end, stop, bit, *skip))
    at = 0
    while at < end:
        pages = np.sort(queue[at : min(end, at + BATCH)])
        at += len(pages)
        for links, left_out in zip(directions, skip, strict=False):
            here = pages[mark[pages] & left_out == 0] if left_out else pages
            end = int(_marked(links.lists(here).targets, mark, queue, end, stop, bit))
    return end


def spread(directions: tuple[Links, ...], level: Array, queue: Array, end: int) -> int:
    """Set the level of every page that is reached; return the number of these pages.

    Parameters
    ----------
    directions : tuple of Links
        The links of one or two directions; all are followed.
    level : int32, shape (pages,)
        0 for the first ``end`` pages of ``queue``, -1 for all others.
    queue : uint32, shape (pages,)
        Gets all pages that are reached, nearest first.
    end : int
        The number of start pages.
    """
    if all(isinstance(links, Csr) for links in directions):
        first, last = (links.expanded() for links in (directions[0], directions[-1]))
        two = len(directions) > 1
        return int(_levels(*first, *last, two, level, queue, end))
    at, depth = 0, 0
    while at < end:
        depth += 1
        here = end
        while at < here:
            pages = np.sort(queue[at : min(here, at + BATCH)])
            at += len(pages)
            for links in directions:
                end = int(_levelled(links.lists(pages).targets, level, queue, end, depth))
    return end


@compiled
def _followed(
    offsets: Array, targets: Array, other_offsets: Array, other_targets: Array, two: bool,
    mark: Array, queue: Array, end: Number, stop: Number, bit: Number, skip: Number,
    other_skip: Number,
) -> Number:  # fmt: skip
    stop8, bit8, skip8, other8 = np.uint8(stop), np.uint8(bit), np.uint8(skip), np.uint8(other_skip)
    at = np.uint64(0)
    last, one = np.uint64(end), np.uint64(1)
    while at < last:
        page = np.uint64(queue[at])
        at += one
        if mark[page] & skip8 == 0:
            for k in range(offsets[page], offsets[page + one]):
                target = targets[k]
                if mark[target] & stop8 == 0:
                    mark[target] |= bit8
                    queue[last] = target
                    last += one
        if two and mark[page] & other8 == 0:
            for k in range(other_offsets[page], other_offsets[page + one]):
                target = other_targets[k]
                if mark[target] & stop8 == 0:
                    mark[target] |= bit8
                    queue[last] = target
                    last += one
    return last


@compiled
def _marked(
    targets: Array, mark: Array, queue: Array, end: Number, stop: Number, bit: Number
) -> Number:
    stop8, bit8 = np.uint8(stop), np.uint8(bit)
    last, one = np.uint64(end), np.uint64(1)
    for target in targets:
        if mark[target] & stop8 == 0:
            mark[target] |= bit8
            queue[last] = target
            last += one
    return last


@compiled
def _levels(
    offsets: Array, targets: Array, other_offsets: Array, other_targets: Array, two: bool,
    level: Array, queue: Array, end: Number,
) -> Number:  # fmt: skip
    at = np.uint64(0)
    last, one = np.uint64(end), np.uint64(1)
    while at < last:
        page = np.uint64(queue[at])
        at += one
        depth = level[page] + np.int32(1)
        for k in range(offsets[page], offsets[page + one]):
            target = targets[k]
            if level[target] < 0:
                level[target] = depth
                queue[last] = target
                last += one
        if two:
            for k in range(other_offsets[page], other_offsets[page + one]):
                target = other_targets[k]
                if level[target] < 0:
                    level[target] = depth
                    queue[last] = target
                    last += one
    return last


@compiled
def _levelled(targets: Array, level: Array, queue: Array, end: Number, depth: Number) -> Number:
    last, one = np.uint64(end), np.uint64(1)
    for target in targets:
        if level[target] < 0:
            level[target] = depth
            queue[last] = target
            last += one
    return last
