"""Packed links as algorithms ask for them: many lists at a time, without order within a list."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from .codes import BLOCK, CURSOR, advance, open_list, unpack_block
from .compiling import Array, Number, compiled
from .csr import Csr
from .packed import Packed

ROOM = 1 << 22
"""Links that are unpacked at a time, unless a block of pages has more."""


class Unpacking(NamedTuple):
    """One direction of a graph whose links are unpacked as they are asked for.

    Attributes
    ----------
    packed : Packed
    """

    packed: Packed

    @property
    def nodes(self) -> int:
        """The number of pages."""
        return self.packed.nodes

    @property
    def links(self) -> int:
        """The number of links."""
        return self.packed.links

    def chunks(self) -> Iterator[tuple[int, Csr]]:
        """Yield the links of all pages; a part is overwritten when the next one is asked for."""
        held = self.packed
        targets = np.empty(max(ROOM, held.widest), np.uint32)
        offsets = np.zeros(ROOM + 1, np.uint64)
        block = 0
        while block < held.blocks:
            first = block * BLOCK
            block, rows = _unpacked(
                *_arrays(held), held.nodes, block, held.widest, offsets, targets
            )
            yield first, Csr(offsets[: rows + 1], targets[: int(offsets[rows])])

    def lists(self, pages: Array) -> Csr:
        """Return the links of some pages; quickest if they rise."""
        held, pages = self.packed, np.asarray(pages, np.uint32)
        offsets = np.zeros(len(pages) + 1, np.uint64)
        targets = np.empty(16 * len(pages) + held.widest, np.uint32)
        block = np.empty(held.widest, np.uint32)
        done = 0
        while True:
            done = _listed(*_arrays(held), held.nodes, pages, done, held.longest, offsets, targets,
                           block)  # fmt: skip
            if done == len(pages):
                return Csr(offsets, targets[: int(offsets[done])])
            more = np.empty(2 * len(targets) + held.longest, np.uint32)
            more[: int(offsets[done])] = targets[: int(offsets[done])]
            targets = more

    def expanded(self) -> Csr:
        """Return all links in compressed rows."""
        return Csr(*self.packed.expanded())


def _arrays(held: Packed) -> tuple[Array, Array, Array]:
    return held.words, held.starts, held.tables


@compiled
def _unpacked(
    words: Array, starts: Array, tables: Array, nodes: Number, block: Number, widest: Number,
    offsets: Array, targets: Array,
) -> tuple[Number, Number]:  # fmt: skip
    """Unpack blocks while there is room; return the next one, and the number of pages."""
    ends = np.empty(2 * BLOCK + 1, np.int64)
    rows, end = 0, 0
    last = len(starts) - 1
    while block < last and end + widest <= len(targets) and rows + BLOCK < len(offsets):
        count = unpack_block(words, starts, tables, nodes, block, ends, targets[end:])
        for i in range(count):
            offsets[rows + i + 1] = end + ends[2 * i + 2]
        rows += count
        end += ends[2 * count]
        block += 1
    return block, rows


@compiled
def _listed(
    words: Array, starts: Array, tables: Array, nodes: Number, pages: Array, done: Number,
    longest: Number, offsets: Array, targets: Array, held: Array,
) -> Number:  # fmt: skip
    """Unpack the lists of pages while there is room; return how many are done.

    Where several pages of a block follow one another the block is unpacked once.
    """
    ends = np.empty(2 * BLOCK + 1, np.int64)
    cursor = np.empty(CURSOR, np.uint64)
    ready: Number = -1
    while done < len(pages):
        page: Number = np.int64(pages[done])
        at: Number = np.int64(offsets[done])
        if at + longest > len(targets):
            break
        block = page // BLOCK
        if block != ready and done + 1 < len(pages) and pages[done + 1] // BLOCK == block:
            unpack_block(words, starts, tables, nodes, block, ends, held)
            ready = block
        if block == ready:
            i = page - block * BLOCK
            begin, end = ends[2 * i], ends[2 * i + 2]
            for k in range(begin, end):
                targets[at + k - begin] = held[k]
            at += end - begin
        else:
            count = open_list(words, starts, tables, page, cursor)
            for _ in range(count):
                targets[at] = advance(words, tables, cursor)
                at += 1
        done += 1
        offsets[done] = at
    return done
