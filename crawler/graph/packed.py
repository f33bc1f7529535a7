"""One direction of a graph, packed: its arrays, written from lists and read as lists."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from . import codebook
from .codebook import CLASSES, KINDS
from .codes import BLOCK, CURSOR, LOCAL_LEFT, Number, advance, open_list, pack_lists, unpack_block
from .compiling import Array, compiled

ROOM = 128
"""Bits that are enough for a link with its share of its list's head; a list needs as much more."""


class Packed(NamedTuple):
    """All links of a graph in one direction, as compiled functions of `codes` read them.

    Attributes
    ----------
    nodes, links : int
    words : uint64[]
        The bits, the first one lowest; a word to spare at the end.
    starts : uint64[blocks + 1]
        The bit at which each block of `codes.BLOCK` nodes begins, and the end.
    tables : uint16[]
        What words of the codes stand for (`codebook.reading_tables`).
    longest, widest : int
        Most links of a node; most links of a block.
    """

    nodes: int
    links: int
    words: Array
    starts: Array
    tables: Array
    longest: int
    widest: int

    @property
    def blocks(self) -> int:
        """Number of blocks."""
        return len(self.starts) - 1

    def list_of(self, node: int) -> Array:
        """Return what a node links to, ascending, uint32[]."""
        return _list_of(self.words, self.starts, self.tables, node)

    def expanded(self) -> tuple[Array, Array]:
        """Return the lists as sparse rows: offsets uint64[nodes + 1], targets uint32[links]."""
        offsets = np.zeros(self.nodes + 1, dtype=np.uint64)
        targets = np.empty(self.links, dtype=np.uint32)
        _expand(self.words, self.starts, self.tables, self.widest, offsets, targets)
        return offsets, targets


@compiled
def _list_of(words: Array, starts: Array, tables: Array, node: int) -> Array:
    cursor = np.empty(CURSOR, np.uint64)
    links = open_list(words, starts, tables, node, cursor)
    middle = np.int64(cursor[LOCAL_LEFT])
    held, found = np.empty(links, np.uint32), np.empty(links, np.uint32)
    for k in range(links):
        held[k] = advance(words, tables, cursor)
    _merged(held, 0, middle, links, found, 0)
    return found


@compiled
def _expand(
    words: Array, starts: Array, tables: Array, widest: int, offsets: Array, targets: Array
) -> None:
    nodes = len(offsets) - 1
    ends, held = np.empty(2 * BLOCK + 1, np.int64), np.empty(widest, np.uint32)
    done = 0
    for block in range(len(starts) - 1):
        count = unpack_block(words, starts, tables, nodes, block, ends, held)
        for i in range(count):
            begin, middle, end = ends[2 * i], ends[2 * i + 1], ends[2 * i + 2]
            done = _merged(held, begin, middle, end, targets, done)
            offsets[block * BLOCK + i + 1] = done


@compiled
def _merged(
    held: Array, begin: Number, middle: Number, end: Number, targets: Array, done: int
) -> int:
    """Write a list in ascending order to ``targets`` from ``done`` on; return the end of it.

    All links within a host stand between two links to other hosts: a host's pages are contiguous.
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


class Codes(NamedTuple):
    """The codes of all kinds, for writing.

    Attributes
    ----------
    lengths : uint64[KINDS * CLASSES]
    words : uint64[KINDS * CLASSES]
    """

    lengths: Array
    words: Array

    @classmethod
    def of(cls, tally: Array) -> Codes:
        """Return the best codes for numbers that occur so often, int64[KINDS * CLASSES]."""
        rows = [codebook.lengths(row) for row in tally.reshape(KINDS, CLASSES)]
        words = [codebook.words(row) for row in rows]
        return cls(np.concatenate(rows).astype(np.uint64), np.concatenate(words))

    @classmethod
    def even(cls) -> Codes:
        """Return codes to begin with, when nothing has been counted yet."""
        return cls.of(np.ones(KINDS * CLASSES, dtype=np.int64))

    def tables(self) -> Array:
        """Return the tables for reading."""
        return codebook.reading_tables(self.lengths.astype(np.int64).reshape(KINDS, CLASSES))


def counted(offsets: Array, targets: Array, hosts: Array, first: int = 0) -> Array:
    """Return how often each class of each kind occurs in lists, int64[KINDS * CLASSES]."""
    tally = np.zeros(KINDS * CLASSES, dtype=np.int64)
    nowhere = np.empty(0, dtype=np.uint64)
    _packed_into(nowhere, first, offsets, targets, hosts, Codes.even(), tally)
    return tally


def _packed_into(
    words: Array, first: int, offsets: Array, targets: Array, hosts: Array,
    codes: Codes, tally: Array,
) -> tuple[int, Array]:  # fmt: skip
    starts = np.empty(-(-(len(offsets) - 1) // BLOCK), dtype=np.uint64)
    end = pack_lists(
        words, np.uint64(0), first, offsets, targets, hosts, codes.words, codes.lengths, tally,
        starts,
    )  # fmt: skip
    return int(end), starts


def packed_part(
    offsets: Array, targets: Array, hosts: Array, first: int, codes: Codes
) -> tuple[Array, int, Array]:
    """Return the bits of consecutive lists, how many there are, and where blocks begin.

    Parameters
    ----------
    offsets, targets, hosts, first
        As in `codes.pack_lists`; ``offsets`` begins with 0.
    codes : Codes
    """
    room = (len(targets) + len(offsets)) * ROOM // 64 + 2
    words = np.zeros(room, dtype=np.uint64)
    tally = np.zeros(KINDS * CLASSES, dtype=np.int64)
    bits, starts = _packed_into(words, first, offsets, targets, hosts, codes, tally)
    return words[: -(-bits // 64)], bits, starts


def pack(offsets: Array, targets: Array, hosts: Array) -> Packed:
    """Return a graph in memory packed; lists must be ascending and without repetition."""
    offsets = np.ascontiguousarray(offsets, dtype=np.int64)
    codes = Codes.of(counted(offsets, targets, hosts))
    words, bits, starts = packed_part(offsets, targets, hosts, 0, codes)
    degrees = np.diff(offsets)
    in_blocks = np.add.reduceat(degrees, np.arange(0, len(degrees), BLOCK))
    return Packed(
        nodes=len(degrees),
        links=len(targets),
        words=np.append(words, np.uint64(0)),
        starts=np.append(starts, np.uint64(bits)),
        tables=codes.tables(),
        longest=int(degrees.max(initial=0)),
        widest=int(in_blocks.max(initial=0)),
    )
