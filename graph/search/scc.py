"""Strong components: sets of pages that reach one another.

A graph in compressed rows is searched depth first without recursion (Pearce, A space-efficient
algorithm for finding strongly connected components, 2016), with one word a page besides the path.

In any other form of a graph, two breadth-first searches from one page find a large strong
component: the pages that it reaches and that reach it. Every other strong component lies within one
of three parts: the pages that are only reached, the pages that only reach it, all others. The links
within a part are written out, one part at a time, and the part is searched depth first.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from counterpoint.compiling import Array, Number, compiled
from counterpoint.graph.csr import Csr, Graph, Links

from .walks import BATCH, follow

PIVOTS = 4096
"""How many pages are compared to find one with many links in both directions."""

FORWARD, BACKWARD = 1, 2
"""Bits of the pages that the searches reach forward and backward."""


class Components(NamedTuple):
    """A partition of the pages.

    Attributes
    ----------
    labels : uint32, shape (pages,)
        The number of each page's component. Components are numbered in the order of their lowest
        pages.
    sizes : int64, shape (components,)
        The number of pages of each component.
    """

    labels: Array
    sizes: Array

    @property
    def number(self) -> int:
        """The number of components."""
        return len(self.sizes)

    @property
    def largest(self) -> int:
        """The number of the largest component; of several, the one with the lowest page."""
        return int(np.argmax(self.sizes))


def scc(graph: Graph) -> Components:
    """Return the strong components of a graph."""
    if isinstance(graph.out, Csr):
        labels = np.zeros(graph.nodes, np.uint32)
        strong(graph.out, labels)
        return numbered(labels)
    return numbered(_by_parts(graph))


def strong(rows: Csr, labels: Array) -> None:
    """Find the strong components of a graph in compressed rows.

    Parameters
    ----------
    rows : Csr
        The links.
    labels : uint32, shape (pages,)
        Must be zero; gets for each page a number below the number of pages. Two pages have the same
        number if and only if they are in the same component.
    """
    _strong(rows.offsets, rows.targets, labels)


def numbered(labels: Array) -> Components:
    """Number components in the order of their lowest pages; ``labels`` is overwritten.

    ``labels``, uint32, shape (pages,), has for each page a number below the number of pages that is
    the same for all pages of a component.
    """
    labels, sizes = _numbered(labels)
    return Components(labels, sizes)


def pivot(graph: Graph) -> int:
    """Return a page that is likely to be in the largest strong component: one with many links."""
    step = max(1, graph.nodes // PIVOTS)
    pages = np.arange(0, graph.nodes, step, dtype=np.uint32)
    out, into = (np.diff(links.lists(pages).offsets) for links in (graph.out, graph.into))
    return int(pages[int(np.argmax(np.minimum(out, into)))])


def _by_parts(graph: Graph) -> Array:
    """Return a label of each page; two labels are equal if the pages are in the same component."""
    mark = np.zeros(graph.nodes, np.uint8)
    queue = np.empty(graph.nodes, np.uint32)
    if graph.nodes:
        first = pivot(graph)
        for links, bit in ((graph.out, FORWARD), (graph.into, BACKWARD)):
            queue[0] = first
            mark[first] |= bit
            follow((links,), mark, queue, 1, bit, bit)
    del queue
    labels = np.zeros(graph.nodes, np.uint32)  # 0: the component that both searches reach
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
    """Return the links between some pages, renumbered: page i of the result is ``pages[i]``.

    Parameters
    ----------
    links : Links
    pages : uint32, shape (k,)
        Ascending.
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
    while parts:  # a part is freed when it is copied, so that memory does not hold everything twice
        part = parts.pop()
        targets[end - len(part) : end] = part
        end -= len(part)
    return Csr(offsets, targets)


@compiled
def _kept(rows: Array, targets: Array, place: Array, offsets: Array, at: Number) -> Array:
    """Renumber targets and drop those outside the chosen pages.

    Parameters
    ----------
    rows, targets
        The links of some of the chosen pages.
    place : uint32, shape (pages,)
        The new number of each page; 2^32 - 1: the page is not chosen.
    offsets : uint64
        ``offsets[at + i + 1]`` gets the number of remaining links of row i.
    at : int
        The new number of the page of the first row.
    """
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
    """Find strong components by depth-first search.

    Parameters
    ----------
    offsets, targets
        The links.
    rank : uint32, shape (pages,)
        The rank of a page is 0 until the search discovers it. Then it is the lowest place in the
        order of discovery, from 1 on, among the pages without a component that the page is known to
        reach. In the end it is the number of its component. Components are numbered from n - 1
        downward, so that these numbers are above all such places.

    Notes
    -----
    The array ``held`` contains the path, which grows from its low end, and the pages that wait for
    their component, from its high end; a page is never in both.
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
