"""The links of a graph in one direction in packed form: packing lists, and reading them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from counterpoint.compiling import Array
from counterpoint.graph.csr import Csr
from counterpoint.graph.errors import GraphError

from . import codebook
from .codebook import CLASSES, KINDS
from .codes import BLOCK, CURSOR, open_list
from .unpacking import ascending_list, ascending_remote_list, expand, lists_of, offsets_of
from .writing import pack_lists

CHUNK = 1 << 22
"""About how many links are unpacked at a time."""

ROOM = 128
"""So many bits are enough for each link, and as many again for each list."""


class Packed(NamedTuple):
    """All links of a graph in one direction, as the compiled functions of `codes` read them.

    Nothing is presumed of ``words`` and ``starts``, whose bits may come from anybody: a list that
    is invalid raises GraphError, and no link leads to a page that does not exist.

    Attributes
    ----------
    nodes, links : int
        The numbers of nodes and of links.
    words : uint64, shape (words,)
        The bits, the first one lowest, and one more word at the end.
    starts : uint64, shape (blocks + 1,)
        The bit at which each block of `codes.BLOCK` nodes begins, and the end.
    tables : uint16
        The tables that decode the codes (`codebook.reading_tables`).
    longest, widest : int
        The greatest number of links of a node, and of a block.
    name : str
        Names the links in errors.
    """

    nodes: int
    links: int
    words: Array
    starts: Array
    tables: Array
    longest: int
    widest: int
    name: str = "the links"

    @property
    def blocks(self) -> int:
        """The number of blocks."""
        return len(self.starts) - 1

    def list_of(self, node: int) -> Array:
        """Return the links of a node, ascending, uint32."""
        try:
            return ascending_list(
                self.words, self.starts, self.tables, self.nodes, self.longest, node
            )
        except ValueError:
            raise self._error(node // BLOCK) from None

    def remote_list_of(self, node: int) -> Array:
        """Return the links of a node that lead to other hosts, ascending, uint32."""
        try:
            return ascending_remote_list(
                self.words, self.starts, self.tables, self.nodes, self.longest, node
            )
        except ValueError:
            raise self._error(node // BLOCK) from None

    def degree_of(self, node: int) -> int:
        """Return how many links a node has."""
        cursor = np.empty(CURSOR, dtype=np.uint64)
        found = open_list(self.words, self.starts, self.tables, self.longest, node, cursor)
        if found < 0:
            raise self._error(node // BLOCK)
        return int(found)

    def lists(self, pages: Array) -> Csr:
        """Return the links of some pages, in the order of ``pages``; each row is ascending."""
        pages = np.ascontiguousarray(pages, dtype=np.uint32)
        wrong, offsets, targets = lists_of(
            self.words, self.starts, self.tables, self.nodes, self.longest, max(self.widest, 1),
            pages,
        )  # fmt: skip
        if wrong >= 0:
            raise self._error(wrong)
        return Csr(offsets, targets)

    def chunks(self) -> Iterator[tuple[int, Csr]]:
        """Yield the links of all pages in parts: the first page of a part, and its rows."""
        degree = max(1, self.links // max(self.blocks, 1))
        step = max(1, CHUNK // degree)
        left = self.links
        for first in range(0, self.blocks, step):
            rows = self._blocks(first, min(first + step, self.blocks), left)
            left -= rows.links
            yield first * BLOCK, rows
        self._must_be_all(left)

    def expanded(self) -> Csr:
        """Return all links in compressed rows."""
        rows = self._blocks(0, self.blocks, self.links)
        self._must_be_all(self.links - rows.links)
        return rows

    @property
    def _arrays(self) -> tuple[Array, Array, Array, int]:
        return self.words, self.starts, self.tables, self.nodes

    def _blocks(self, first: int, last: int, most: int) -> Csr:
        """Return the links of blocks ``first`` to ``last - 1``, which are at most ``most``."""
        buffer = np.empty(max(self.widest, 1), dtype=np.uint32)
        nodes = max(0, min(last * BLOCK, self.nodes) - first * BLOCK)
        offsets = np.zeros(nodes + 1, dtype=np.uint64)
        wrong = offsets_of(*self._arrays, self.longest, first, last, offsets)
        if wrong >= 0:
            raise self._error(wrong)
        if int(offsets[-1]) > most:
            self._must_be_all(most - int(offsets[-1]))
        targets = np.empty(int(offsets[-1]), dtype=np.uint32)
        wrong = expand(*self._arrays, self.longest, first, last, buffer, targets)
        if wrong >= 0:
            raise self._error(wrong)
        return Csr(offsets, targets)

    def _must_be_all(self, left: int) -> None:
        if left:
            more = "fewer" if left > 0 else "more"
            raise GraphError(f"{self.name}: there are {more} links than {self.links:,}")

    def _error(self, block: int) -> GraphError:
        """Return an error that names the pages of a block."""
        first, last = block * BLOCK, min(block * BLOCK + BLOCK, self.nodes) - 1
        return GraphError(f"{self.name}: a list of pages {first:,} to {last:,} is invalid")


class Codes(NamedTuple):
    """The codes of all kinds, for writing.

    Attributes
    ----------
    lengths : uint64, shape (KINDS * CLASSES,)
        The length of the word of each class, in bits.
    words : uint64, shape (KINDS * CLASSES,)
        The word of each class, its first bit lowest.
    """

    lengths: Array
    words: Array

    @classmethod
    def of(cls, tally: Array) -> Codes:
        """Return the optimal codes for frequencies ``tally``, int64, shape (KINDS * CLASSES,)."""
        rows = [codebook.lengths(row) for row in tally.reshape(KINDS, CLASSES)]
        words = [codebook.words(row) for row in rows]
        return cls(np.concatenate(rows).astype(np.uint64), np.concatenate(words))

    @classmethod
    def even(cls) -> Codes:
        """Return codes for equal frequencies, for use before anything has been counted."""
        return cls.of(np.ones(KINDS * CLASSES, dtype=np.int64))

    def tables(self) -> Array:
        """Return the tables for reading."""
        return codebook.reading_tables(self.lengths.astype(np.int64).reshape(KINDS, CLASSES))


def counted(offsets: Array, targets: Array, hosts: Array, first: int = 0) -> Array:
    """Count how often each class of each kind occurs in lists, int64, shape (KINDS * CLASSES,).

    The arguments are as in `writing.pack_lists`.
    """
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
    """Pack consecutive lists.

    Parameters
    ----------
    offsets, targets, hosts, first
        As in `writing.pack_lists`; ``offsets`` begins with 0.
    codes : Codes
        The codes of all kinds.

    Returns
    -------
    uint64, int, uint64
        The bits in words, the number of bits, and the bit at which each block begins.
    """
    room = (len(targets) + len(offsets)) * ROOM // 64 + 2
    words = np.zeros(room, dtype=np.uint64)
    tally = np.zeros(KINDS * CLASSES, dtype=np.int64)
    bits, starts = _packed_into(words, first, offsets, targets, hosts, codes, tally)
    return words[: -(-bits // 64)], bits, starts


def pack(offsets: Array, targets: Array, hosts: Array) -> Packed:
    """Pack the links of a graph in memory.

    Parameters
    ----------
    offsets, targets, hosts
        As in `writing.pack_lists`.
    """
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
