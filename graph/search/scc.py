"""Strong components: pages that reach one another.

In compressed rows: one depth-first search without recursion, after Pearce, A space-efficient
algorithm for finding strongly connected components (2016), with a word a page beside the path.

In any other form: a strong component is the set of pages that a page reaches and that reach it, so
two searches take out a large one; every other lies within one of the parts that the searches leave
(only reached, only reaching, neither). The links within a part are written out, one part at a time,
and the part is searched depth first.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from counterpoint.compiling import Array, Number, compiled
from counterpoint.graph.csr import Csr, Graph, Links

from .walks import BATCH, follow

PIVOTS = 4096
"""Pages of which the one with most links in both directions begins the searches."""

FORWARD, BACKWARD = 1, 2
"""Bits of a page that a page reaches, and that reaches it."""


class Components(NamedTuple):
    """A partition of the pages.

    Attributes
    ----------
    labels : uint32[n]
        The number of each page's component: components are numbered by their first pages.
    sizes : int64[components]
        The pages of each.
    """

    labels: Array
    sizes: Array

    @property
    def number(self) -> int:
        """The number of components."""
        return len(self.sizes)

    @property
    def largest(self) -> int:
        """The largest component; of several, the one with the page of the lowest number."""
        return int(np.argmax(self.sizes))


def scc(graph: Graph) -> Components:
    """Return the strong components of a graph."""
    if isinstance(graph.out, Csr):
        labels = np.zeros(graph.nodes, np.uint32)
        strong(graph.out, labels)
        return numbered(labels)
    return numbered(_by_parts(graph))


def strong(rows: Csr, labels: Array) -> None:
    """Number the strong components of rows; two pages have one number if they are of one.

    ``labels``, uint32[n], must be zero.
    """
    _strong(rows.offsets, rows.targets, labels)


def numbered(labels: Array) -> Components:
    """Number components by their first pages; ``labels``, all below n, are overwritten."""
    labels, sizes = _numbered(labels)
    return Components(labels, sizes)


def pivot(graph: Graph) -> int:
    """Return a page that is likely to be in the largest strong component."""
    step = max(1, graph.nodes // PIVOTS)
    pages = np.arange(0, graph.nodes, step, dtype=np.uint32)
    out, into = (np.diff(links.lists(pages).offsets) for links in (graph.out, graph.into))
    return int(pages[int(np.argmax(np.minimum(out, into)))])


def _by_parts(graph: Graph) -> Array:
    """Return a label of each page, two equal only within a strong component."""
    mark = np.zeros(graph.nodes, np.uint8)
    queue = np.empty(graph.nodes, np.uint32)
    if graph.nodes:
        first = pivot(graph)
        for links, bit in ((graph.out, FORWARD), (graph.into, BACKWARD)):
            queue[0] = first
            mark[first] |= bit
            follow((links,), mark, queue, 1, bit, bit)
    del queue
    labels = np.zeros(graph.nodes, np.uint32)  # 0 is the component of both searches
    free = 1
    for part in (0, FORWARD, BACKWARD):
        pages = np.flatnonzero(mark == part).astype(np.uint32)
        if len(pages):
            found = np.zeros(len(pages), np.uint32)
            strong(within(graph.out, pages), found)
            compact = numbered(found)
            labels[pages] = compact.labels + np.uint32(free)
            free += compact.number
    return labels


def within(links: Links, pages: Array) -> Csr:
    """Return the links among some pages, which get the numbers of their places.

    Parameters
    ----------
    links : Links
    pages : uint32[k]
        Rising.
    """
    place = np.full(links.nodes, 2**32 - 1, np.uint32)
    place[pages] = np.arange(len(pages), dtype=np.uint32)
    offsets = np.zeros(len(pages) + 1, np.uint64)
    parts = []
    for at in range(0, len(pages), BATCH):
        here = pages[at : at + BATCH]
        parts.append(_kept(*links.lists(here), place, offsets, at))
    np.cumsum(offsets, out=offsets)
    targets = np.empty(int(offsets[-1]), np.uint32)
    end = len(targets)
    while parts:  # each goes when it is copied: all of them and their copies would be twice as much
        part = parts.pop()
        targets[end - len(part) : end] = part
        end -= len(part)
    return Csr(offsets, targets)


@compiled
def _kept(rows: Array, targets: Array, place: Array, offsets: Array, at: Number) -> Array:
    """Return the places of the targets that have one; count those of each row."""
    found = np.empty(len(targets), np.uint32)
    none, one = np.uint32(2**32 - 1), np.uint64(1)
    end = np.uint64(0)
    for i in range(len(rows) - 1):
        for k in range(rows[i], rows[i + 1]):
            target = place[targets[k]]
            if target != none:
                found[end] = target
                end += one
                offsets[at + i + 1] += one
    return found[:end].copy()


@compiled
def _numbered(labels: Array) -> tuple[Array, Array]:
    none = np.uint32(2**32 - 1)
    number = np.full(len(labels), none, np.uint32)
    sizes = np.zeros(len(labels), np.int64)
    end = np.uint32(0)
    for page in range(len(labels)):
        label = labels[page]
        if number[label] == none:
            number[label] = end
            end += np.uint32(1)
        labels[page] = number[label]
        sizes[labels[page]] += 1
    return labels, sizes[:end].copy()


@compiled
def _strong(offsets: Array, targets: Array, rank: Array) -> None:  # noqa: C901 one loop, no calls
    """Search depth first.

    ``rank`` of a page is 0 before it is met; then the lowest place, from 1, in the order of
    meeting, that it is known to reach among pages of no component yet; then the number of its
    component, from n - 1 downward, which is above all such places. The path grows from the low end
    of ``held``, pages that wait for their component from the high end: none is in both.
    """
    pages = len(offsets) - 1
    one, zero = np.uint64(1), np.uint32(0)
    held = np.empty(pages, np.uint32)
    cursor = np.empty(pages, np.uint64)
    is_root = np.empty(pages, np.bool_)
    waiting = np.uint64(pages)
    place, number = np.uint32(1), np.uint32(pages - 1)
    for start in range(pages):
        if rank[start] != zero:
            continue
        depth = np.uint64(0)
        page = np.uint64(start)
        held[0] = page
        rank[page] = low = place
        place += np.uint32(1)
        k, end = offsets[page], offsets[page + one]
        root = True
        while True:
            met = False
            while k < end:
                target = targets[k]
                k += one
                other = rank[target]
                if other == zero:
                    met = True
                    break
                if other < low:
                    low = other
                    root = False
            if met:
                rank[page] = low
                cursor[depth] = k
                is_root[depth] = root
                depth += one
                page = np.uint64(target)
                held[depth] = target
                rank[page] = low = place
                place += np.uint32(1)
                k, end = offsets[page], offsets[page + one]
                root = True
                continue
            if root:
                place -= np.uint32(1)
                while waiting < pages and low <= rank[held[waiting]]:
                    rank[held[waiting]] = number
                    waiting += one
                    place -= np.uint32(1)
                low = number
                rank[page] = number
                number -= np.uint32(1)
            else:
                rank[page] = low
                waiting -= one
                held[waiting] = page
            if depth == np.uint64(0):
                break
            depth -= one
            page = np.uint64(held[depth])
            k, end = cursor[depth], offsets[page + one]
            root = is_root[depth]
            if low < rank[page]:
                root = False
            else:
                low = rank[page]
