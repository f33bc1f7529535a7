"""One direction of a graph, packed: its arrays, written from lists and read as lists."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from counterpoint.compiling import Array, Number, compiled
from counterpoint.graph.csr import Csr

from . import codebook
from .codebook import CLASSES, KINDS
from .codes import (
    BLOCK,
    CURSOR,
    LOCAL_LEFT,
    advance,
    degrees_of_block,
    open_list,
    pack_lists,
    unpack_block,
)

CHUNK = 1 << 22
"""About how many links are unpacked at a time."""

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

    def remote_list_of(self, node: int) -> Array:
        """Return those of a node's links that lead to other hosts, ascending, uint32[]."""
        return _remote_list_of(self.words, self.starts, self.tables, node)

    def degree_of(self, node: int) -> int:
        """Return how many links a node has."""
        cursor = np.empty(CURSOR, dtype=np.uint64)
        return int(open_list(self.words, self.starts, self.tables, node, cursor))

    def lists(self, pages: Array) -> Csr:
        """Return the links of some pages, row by row in that order, each ascending."""
        pages = np.ascontiguousarray(pages, dtype=np.uint32)
        return Csr(
            *_lists(self.words, self.starts, self.tables, self.nodes, max(self.widest, 1), pages)
        )

    def chunks(self) -> Iterator[tuple[int, Csr]]:
        """Yield the links of all pages: the first page of a part, and the part."""
        degree = max(1, self.links // max(self.blocks, 1))
        step = max(1, CHUNK // degree)
        for first in range(0, self.blocks, step):
            yield first * BLOCK, self._blocks(first, min(first + step, self.blocks))

    def expanded(self) -> Csr:
        """Return all links in compressed rows."""
        return self._blocks(0, self.blocks)

    def _blocks(self, first: int, last: int) -> Csr:
        held = np.empty(max(self.widest, 1), dtype=np.uint32)
        nodes = max(0, min(last * BLOCK, self.nodes) - first * BLOCK)
        offsets = np.zeros(nodes + 1, dtype=np.uint64)
        arrays = self.words, self.starts, self.tables, self.nodes
        _offsets(*arrays, first, last, held, offsets)
        targets = np.empty(int(offsets[-1]), dtype=np.uint32)
        _expand(*arrays, first, last, held, targets)
        return Csr(offsets, targets)


@compiled
def _offsets(
    words: Array, starts: Array, tables: Array, nodes: Number, first: Number, last: Number,
    held: Array, offsets: Array,
) -> None:  # fmt: skip
    """Write where the rows of some blocks' nodes end."""
    cursor = np.empty(CURSOR, np.uint64)
    degrees = np.empty(BLOCK, np.int64)
    for block in range(first, last):
        count = degrees_of_block(words, starts, tables, nodes, block, cursor, degrees)
        for i in range(count):
            node = (block - first) * BLOCK + i
            offsets[node + 1] = offsets[node] + np.uint64(degrees[i])


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
def _remote_list_of(words: Array, starts: Array, tables: Array, node: int) -> Array:
    cursor = np.empty(CURSOR, np.uint64)
    links = open_list(words, starts, tables, node, cursor)
    local = np.int64(cursor[LOCAL_LEFT])
    found = np.empty(links - local, np.uint32)
    for k in range(links):
        target = advance(words, tables, cursor)
        if k >= local:
            found[k - local] = target
    return found


@compiled
def _expand(
    words: Array, starts: Array, tables: Array, nodes: Number, first: Number, last: Number,
    held: Array, targets: Array,
) -> None:  # fmt: skip
    """Write the lists of some blocks."""
    ends = np.empty(2 * BLOCK + 1, np.int64)
    done = 0
    for block in range(first, last):
        count = unpack_block(words, starts, tables, nodes, block, ends, held)
        for i in range(count):
            begin, middle, end = ends[2 * i], ends[2 * i + 1], ends[2 * i + 2]
            done = _merged(held, begin, middle, end, targets, done)


@compiled
def _lists(
    words: Array, starts: Array, tables: Array, nodes: Number, widest: Number, pages: Array
) -> tuple[Array, Array]:
    """Return the lists of pages; of a block's pages that follow each other, unpacked once."""
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
            unpack_block(words, starts, tables, nodes, block, ends, held)
            unpacked = block
        if block == unpacked:
            at = 2 * (page - block * BLOCK)
            begin, middle, end = ends[at], ends[at + 1], ends[at + 2]
        else:
            begin, end = np.int64(0), open_list(words, starts, tables, page, cursor)
            middle = np.int64(cursor[LOCAL_LEFT])
            for k in range(end):
                held[k] = advance(words, tables, cursor)
            unpacked = np.int64(-1)
        if done + end - begin > len(targets):
            larger = np.empty(2 * (done + end - begin), np.uint32)
            larger[:done] = targets[:done]
            targets = larger
        done = _merged(held, begin, middle, end, targets, done)
        offsets[i + 1] = done
    return offsets, targets[:done].copy()


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
