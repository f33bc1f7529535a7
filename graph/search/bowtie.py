"""The bow-tie of [WEB]: which page is in which component.

SCC is the largest strong component; of several that are equally large, the one with the page of the
lowest number. IN reaches it, and it reaches OUT. In the rest of its weak component, a page that IN
reaches and that reaches OUT is in TUBES, every other page in TENDRILS. All other pages are
DISCONNECTED.

Two searches from one page of SCC, forward and backward, give SCC, IN and OUT; further searches from
IN and OUT give the rest. A link is read at most once in each direction, and links of DISCONNECTED
are not read at all. Every strong component lies within one of the six components. So SCC is the
largest if no other component has as many pages. A component that has as many is searched depth
first, and if that finds a larger strong component, the bow-tie is computed again from it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from counterpoint.compiling import Array, compiled
from counterpoint.graph.csr import Graph

from .scc import BACKWARD, FORWARD, numbered, pivot, strong, within
from .walks import follow

NAMES = ("scc", "in", "out", "tendrils", "tubes", "disconnected")
"""The components, in the order of their numbers."""

SCC, IN, OUT, TENDRILS, TUBES, DISCONNECTED = range(6)

CORE = FORWARD | BACKWARD
AFTER_IN, BEFORE_OUT, BESIDE = 4, 8, 16
"""Bits of a page outside SCC, IN and OUT: IN reaches it, it reaches OUT, it is linked with such
pages in any direction."""


@dataclass(frozen=True)
class Bowtie:
    """The components of a graph.

    Attributes
    ----------
    components : uint8, shape (pages,)
        The component of each page: SCC 0, IN 1, OUT 2, TENDRILS 3, TUBES 4, DISCONNECTED 5.
    from_in, to_out : int
        How many pages of TENDRILS IN reaches, and how many reach OUT; the others hang on tendrils
        or tubes only.
    searched : int
        How many pages outside SCC were searched depth first for a larger strong component.
    """

    components: Array
    from_in: int
    to_out: int
    searched: int

    @cached_property
    def counts(self) -> dict[str, int]:
        """The number of pages of each component."""
        found = _tally(self.components, len(NAMES))
        return {name: int(n) for name, n in zip(NAMES, found, strict=True)}

    @property
    def shares(self) -> dict[str, float]:
        """The share of the pages that each component has."""
        return {name: n / max(1, len(self.components)) for name, n in self.counts.items()}

    @property
    def weak_share(self) -> float:
        """The share of the pages in the weak component that contains SCC."""
        return 1 - self.shares["disconnected"]


def bowtie(graph: Graph) -> Bowtie:
    """Return the bow-tie of a graph; needs 7 bytes a page besides the graph.

    It needs memory for links only if another component is at least as large as SCC: then the links
    within that component are written out.
    """
    if not graph.nodes:
        return Bowtie(np.empty(0, np.uint8), 0, 0, 0)
    queue = np.empty(graph.nodes, np.uint32)
    first = pivot(graph)
    mark = _marked(graph, first, queue)
    larger, searched = _larger(graph, mark)
    if larger is not None:
        mark = _marked(graph, larger, queue)
    return _result(mark, searched)


def _marked(graph: Graph, core: int, queue: Array) -> Array:
    """Return for each page the bits that say which components reach it and which it reaches.

    Parameters
    ----------
    graph : Graph
    core : int
        A page of SCC.
    queue : uint32, shape (pages,)
        A buffer for the searches.
    """
    mark = np.zeros(graph.nodes, np.uint8)
    for links, bit in ((graph.out, FORWARD), (graph.into, BACKWARD)):
        queue[0] = core
        mark[core] |= bit
        follow((links,), mark, queue, 1, bit, bit)
    end = _queued(mark == BACKWARD, queue)
    follow((graph.out,), mark, queue, end, CORE | AFTER_IN, AFTER_IN)
    end = _queued(mark == FORWARD, queue)
    follow((graph.into,), mark, queue, end, CORE | BEFORE_OUT, BEFORE_OUT)
    # Pages that IN reaches were followed forward, pages that reach OUT backward; the other
    # direction is followed now.
    end = _queued(mark & (AFTER_IN | BEFORE_OUT) != 0, queue)
    known = CORE | AFTER_IN | BEFORE_OUT | BESIDE
    follow((graph.out, graph.into), mark, queue, end, known, BESIDE, (AFTER_IN, BEFORE_OUT))
    return mark


@compiled
def _queued(chosen: Array, queue: Array) -> int:
    end = 0
    for page in range(len(chosen)):
        if chosen[page]:
            queue[end] = page
            end += 1
    return end


@compiled
def _tally(kinds: Array, most: int) -> Array:
    """Return how often each number below ``most`` occurs.

    NumPy's bincount would need 8 more bytes for each element.
    """
    found = np.zeros(most, np.int64)
    for kind in kinds:
        found[kind] += 1
    return found


def _larger(graph: Graph, mark: Array) -> tuple[int | None, int]:
    """Look for a strong component that takes precedence over the marked one.

    Returns
    -------
    int or None
        A page of that component; None if there is none.
    int
        The number of pages that had to be searched.
    """
    part = _components(mark)
    sizes = _tally(part, len(NAMES))
    best, lowest = int(sizes[SCC]), int(np.argmax(part == SCC))
    found: int | None = None
    searched = 0
    for number in range(IN, DISCONNECTED + 1):
        if sizes[number] < best:
            continue
        pages = np.flatnonzero(part == number).astype(np.uint32)
        searched += len(pages)
        labels = np.zeros(len(pages), np.uint32)
        strong(within(graph.out, pages), labels)
        parts = numbered(labels)
        page = int(pages[int(np.argmax(parts.labels == parts.largest))])
        size = int(parts.sizes[parts.largest])
        if (-size, page) < (-best, lowest):
            best, lowest, found = size, page, page
    return found, searched


def _components(mark: Array) -> Array:
    """Return the component of each page from its bits."""
    table = np.full(32, TENDRILS, np.uint8)
    table[0] = DISCONNECTED
    table[AFTER_IN | BEFORE_OUT] = TUBES
    table[BACKWARD], table[FORWARD], table[CORE] = IN, OUT, SCC
    return table[mark]


def _result(mark: Array, searched: int) -> Bowtie:
    counts = _tally(mark, 32)
    return Bowtie(_components(mark), int(counts[AFTER_IN]), int(counts[BEFORE_OUT]), searched)
