"""The compiled functions that put the lists of links which `codes` reads into rows.

Nothing is presumed of the bits: an invalid list ends each of these functions, which then says so.
"""

from __future__ import annotations

import numpy as np

from counterpoint.compiling import Array, Number, compiled

from .codes import (
    BLOCK,
    CURSOR,
    LOCAL_LINKS,
    NOWHERE,
    degrees_of_block,
    open_list,
    read_list,
    unpack_block,
)

_ZERO = np.uint64(0)


@compiled
def offsets_of(
    words: Array, starts: Array, tables: Array, nodes: Number, longest: Number, first: Number,
    last: Number, offsets: Array,
) -> Number:  # fmt: skip
    """Write the offsets of the rows of blocks ``first`` to ``last - 1``.

    Parameters
    ----------
    words, starts, tables, nodes, longest
        As in `Packed`.
    first, last : int
        Blocks.
    offsets : uint64, shape (nodes of these blocks + 1,)
        Gets the ends of the rows; its first element must be 0.

    Returns
    -------
    int
        The first block with an invalid list, or -1.
    """
    cursor = np.empty(CURSOR, np.uint64)
    degrees = np.empty(BLOCK, np.int64)
    for block in range(first, last):
        count = degrees_of_block(words, starts, tables, nodes, longest, block, cursor, degrees)
        if count < 0:
            return block
        for i in range(count):
            node = (block - first) * BLOCK + i
            offsets[node + 1] = offsets[node] + np.uint64(degrees[i])
    return -1


@compiled
def ascending_list(
    words: Array, starts: Array, tables: Array, nodes: Number, longest: Number, node: int
) -> Array:
    """Return the links of a node, ascending; raise ValueError if the list is invalid."""
    cursor = np.empty(CURSOR, np.uint64)
    links = open_list(words, starts, tables, longest, node, cursor)
    if links < 0:
        raise ValueError
    held, found = np.empty(links, np.uint32), np.empty(links, np.uint32)
    if read_list(words, tables, nodes, cursor, held, _ZERO) == NOWHERE:
        raise ValueError
    _merged(held, 0, np.int64(cursor[LOCAL_LINKS]), links, found, 0)
    return found


@compiled
def ascending_remote_list(
    words: Array, starts: Array, tables: Array, nodes: Number, longest: Number, node: int
) -> Array:
    """Return the remote links of a node, ascending; raise ValueError if the list is invalid."""
    cursor = np.empty(CURSOR, np.uint64)
    links = open_list(words, starts, tables, longest, node, cursor)
    if links < 0:
        raise ValueError
    held = np.empty(links, np.uint32)
    if read_list(words, tables, nodes, cursor, held, _ZERO) == NOWHERE:
        raise ValueError
    return held[np.int64(cursor[LOCAL_LINKS]) :].copy()


@compiled
def expand(
    words: Array, starts: Array, tables: Array, nodes: Number, longest: Number, first: Number,
    last: Number, held: Array, targets: Array,
) -> Number:  # fmt: skip
    """Write the lists of blocks ``first`` to ``last - 1``, each ascending.

    Parameters
    ----------
    words, starts, tables, nodes, longest
        As in `Packed`.
    first, last : int
        Blocks.
    held : uint32, shape (Packed.widest,) or longer
        A buffer for the links of a block.
    targets : uint32
        Gets the links; it has room for as many as `offsets_of` found.

    Returns
    -------
    int
        The first block with an invalid list, or -1.
    """
    ends = np.empty(2 * BLOCK + 1, np.int64)
    done = 0
    for block in range(first, last):
        count = unpack_block(words, starts, tables, nodes, longest, block, ends, held)
        if count < 0 or done + ends[2 * count] > len(targets):
            return block
        for i in range(count):
            begin, middle, end = ends[2 * i], ends[2 * i + 1], ends[2 * i + 2]
            done = _merged(held, begin, middle, end, targets, done)
    return -1 if done == len(targets) else last - 1


@compiled
def lists_of(
    words: Array, starts: Array, tables: Array, nodes: Number, longest: Number, widest: Number,
    pages: Array,
) -> tuple[Number, Array, Array]:  # fmt: skip
    """Return the first block with an invalid list, or -1, and the lists as offsets and targets.

    A block is unpacked once for several consecutive pages in it.

    Parameters
    ----------
    words, starts, tables, nodes, longest, widest
        As in `Packed`.
    pages : uint32
        The pages, in any order.
    """
    ends, held = np.empty(2 * BLOCK + 1, np.int64), np.empty(widest, np.uint32)
    cursor = np.empty(CURSOR, np.uint64)
    offsets = np.zeros(len(pages) + 1, np.uint64)
    targets = np.empty(8 * len(pages) + 64, np.uint32)
    done, unpacked = 0, np.int64(-1)
    for i in range(len(pages)):
        page = np.int64(pages[i])
        block = page // BLOCK
        follows = i + 1 < len(pages) and np.int64(pages[i + 1]) // BLOCK == block
        if block != unpacked and follows:
            count = unpack_block(words, starts, tables, nodes, longest, block, ends, held)
            if count < 0:
                return block, offsets, targets
            unpacked = block
        if block == unpacked:
            at = 2 * (page - block * BLOCK)
            begin, middle, end = ends[at], ends[at + 1], ends[at + 2]
        else:
            begin, end = np.int64(0), open_list(words, starts, tables, longest, page, cursor)
            middle = np.int64(cursor[LOCAL_LINKS])
            if end < 0 or end > len(held):
                return block, offsets, targets
            if read_list(words, tables, nodes, cursor, held, _ZERO) == NOWHERE:
                return block, offsets, targets
            unpacked = np.int64(-1)
        if done + end - begin > len(targets):
            larger = np.empty(2 * (done + end - begin), np.uint32)
            larger[:done] = targets[:done]
            targets = larger
        done = _merged(held, begin, middle, end, targets, done)
        offsets[i + 1] = done
    return np.int64(-1), offsets, targets[:done].copy()


@compiled
def _merged(
    held: Array, begin: Number, middle: Number, end: Number, targets: Array, done: int
) -> int:
    """Write a list in ascending order to ``targets`` from ``done`` on; return its end.

    The pages of a host are consecutive, so all local links come between two remote ones.

    Parameters
    ----------
    held : uint32
        The local links ``held[begin:middle]`` and the remote links ``held[middle:end]``, both
        ascending.
    begin, middle, end : int
        Indices into ``held``.
    targets : uint32
        Gets the list.
    done : int
        Where in ``targets`` the list begins.
    """
    k = middle
    if begin < middle:
        while k < end and held[k] < held[begin]:
            targets[done] = held[k]
            done += 1
            k += 1
        for j in range(begin, middle):
            targets[done] = held[j]
            done += 1
    for j in range(k, end):
        targets[done] = held[j]
        done += 1
    return done
