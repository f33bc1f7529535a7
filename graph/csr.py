"""Directed graphs: compressed rows, and the interface that every form of a graph has."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, Protocol

import numpy as np

from counterpoint.compiling import Array, compiled

from .errors import GraphError

MOST_PAGES = 2**32 - 1
"""Pages are numbers of 32 bits; the last number is reserved."""


class Links(Protocol):
    """The links of a graph in one direction, in any form."""

    @property
    def nodes(self) -> int:
        """The number of pages."""

    @property
    def links(self) -> int:
        """The number of links."""

    def chunks(self) -> Iterator[tuple[int, Csr]]:
        """Yield the links of all pages in parts: the first page of a part, and its rows."""

    def lists(self, pages: Array) -> Csr:
        """Return the links of some pages, in the order of ``pages``."""

    def expanded(self) -> Csr:
        """Return all links in compressed rows."""


class Graph(Protocol):
    """A graph whose links can be followed in both directions."""

    @property
    def nodes(self) -> int:
        """The number of pages."""

    @property
    def links(self) -> int:
        """The number of links."""

    @property
    def out(self) -> Links:
        """The links from each page."""

    @property
    def into(self) -> Links:
        """The links to each page: the list of a page contains the pages that link to it."""


class Csr(NamedTuple):
    """Links in compressed rows; unsigned, because compiled code need not check their sign.

    Attributes
    ----------
    offsets : uint64, shape (pages + 1,)
        The links of page p are ``targets[offsets[p]:offsets[p + 1]]``.
    targets : uint32, shape (links,)
        Pages. A page may repeat a link, and may link to itself.
    """

    offsets: Array
    targets: Array

    @property
    def nodes(self) -> int:
        """The number of pages."""
        return len(self.offsets) - 1

    @property
    def links(self) -> int:
        """The number of links."""
        return len(self.targets)

    def chunks(self) -> Iterator[tuple[int, Csr]]:
        """Yield all links in one part."""
        yield 0, self

    def lists(self, pages: Array) -> Csr:
        """Return the links of some pages, in the order of ``pages``."""
        pages = np.asarray(pages, np.uint32)
        return Csr(*_lists(self.offsets, self.targets, pages))

    def expanded(self) -> Csr:
        """Return itself."""
        return self

    def reversed(self) -> Csr:
        """Return the same links backward; each row is ascending."""
        return Csr(*_reversed(self.offsets, self.targets))


class Both(NamedTuple):
    """A graph in compressed rows, in both directions."""

    out: Csr
    into: Csr

    @property
    def nodes(self) -> int:
        """The number of pages."""
        return self.out.nodes

    @property
    def links(self) -> int:
        """The number of links."""
        return self.out.links


def csr(offsets: Any, targets: Any) -> Csr:
    """Return compressed rows made of two arrays of integers.

    Raises
    ------
    GraphError
        If the arrays do not describe a graph.
    """
    rows, ends = np.asarray(offsets), np.asarray(targets)
    must_be_graph(rows, ends)
    return Csr(
        np.ascontiguousarray(rows, np.uint64),
        np.ascontiguousarray(ends, np.uint32),
    )


def must_be_graph(rows: Array, ends: Array) -> None:
    """Check that arrays are compressed rows.

    Raises
    ------
    GraphError
        If they are not; the message says why.
    """
    whole = all(a.dtype.kind in "iu" for a in (rows, ends) if a.size)
    if rows.ndim != 1 or ends.ndim != 1 or not rows.size or not whole:
        raise GraphError("offsets and targets must be one-dimensional arrays of integers")
    if rows.size - 1 > MOST_PAGES:
        raise GraphError(f"{rows.size - 1:,} pages are more than {MOST_PAGES:,}")
    if rows[0] != 0 or int(rows[-1]) != ends.size or bool((rows[1:] < rows[:-1]).any()):
        raise GraphError("offsets must rise from 0 to the number of targets")
    if ends.size and not 0 <= int(ends.min()) <= int(ends.max()) < rows.size - 1:
        wrong = int(ends.min()) if int(ends.min()) < 0 else int(ends.max())
        raise GraphError(f"a link leads to page {wrong:,}, and there are {rows.size - 1:,} pages")


def pairs(first: int, rows: Csr) -> tuple[Array, Array]:
    """Return the sources and the targets of links, uint32 each; ``first`` is the page of row 0."""
    pages = np.arange(first, first + rows.nodes, dtype=np.uint32)
    return np.repeat(pages, np.diff(rows.offsets).astype(np.int64)), rows.targets


def both(rows: Csr) -> Both:
    """Return a graph in both directions from its links in one."""
    return Both(rows, rows.reversed())


@compiled
def _lists(offsets: Array, targets: Array, pages: Array) -> tuple[Array, Array]:
    rows = np.zeros(len(pages) + 1, np.uint64)
    for i in range(len(pages)):
        rows[i + 1] = rows[i] + offsets[pages[i] + 1] - offsets[pages[i]]
    found = np.empty(rows[-1], np.uint32)
    for i in range(len(pages)):
        low, high = offsets[pages[i]], offsets[pages[i] + 1]
        found[rows[i] : rows[i + 1]] = targets[low:high]
    return rows, found


@compiled
def _reversed(offsets: Array, targets: Array) -> tuple[Array, Array]:
    pages = len(offsets) - 1
    one = np.uint64(1)
    rows = np.zeros(pages + 2, np.uint64)
    for target in targets:
        rows[np.uint64(target) + np.uint64(2)] += one
    for page in range(pages + 1):
        rows[page + 1] += rows[page]
    # rows[t + 1] is where the row of t begins, and, when it is full, where it ends.
    sources = np.empty(len(targets), np.uint32)
    for page in range(pages):
        for k in range(offsets[page], offsets[page + 1]):
            place = np.uint64(targets[k]) + one
            sources[rows[place]] = page
            rows[place] += one
    return rows[:-1], sources
