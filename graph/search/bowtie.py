"""The bow-tie of [WEB]: which page is in which component.

SCC is the largest strong component; of several that are equally large, the one with the page of the
lowest number. IN reaches it, OUT is reached from it. Of the rest of its weak component, a page that
IN reaches and that reaches OUT is in TUBES, every other in TENDRILS. All else is DISCONNECTED.

Searches from one page of SCC, forward and backward, give SCC, IN and OUT; the others go on where
these ended. No link is looked at more than once in each direction, and none of DISCONNECTED at all.
A strong component lies within one of the six. So SCC is the largest if none of the others has as
many pages; one that has is searched depth first, and the bow-tie is made again if that finds a
larger one.
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
"""Bits of a page beside SCC, IN and OUT: IN reaches it, it reaches OUT, it hangs on such pages."""


@dataclass(frozen=True)
class Bowtie:
    """The components of a graph.

    Attributes
    ----------
    components : uint8[n]
        SCC 0, IN 1, OUT 2, TENDRILS 3, TUBES 4, DISCONNECTED 5.
    from_in, to_out : int
        Tendrils that IN reaches, and that reach OUT; the others hang on tendrils or tubes only.
    searched : int
        Pages beside SCC that were searched depth first: a larger strong component is not missed.
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
        """The share of each component in the pages."""
        return {name: n / max(1, len(self.components)) for name, n in self.counts.items()}

    @property
    def weak_share(self) -> float:
        """The share of the weak component that SCC is in."""
        return 1 - self.shares["disconnected"]


def bowtie(graph: Graph) -> Bowtie:
    """Take a graph apart; needs seven bytes a page beside the graph, and no memory for links.

    Only where a part beside SCC is as large as SCC its own links are written out.
    """
    if not graph.nodes:
        return Bowtie(np.empty(0, np.uint8), 0, 0, 0)
    queue = np.empty(graph.nodes, np.uint32)
    first = pivot(graph)
    mark = _marked(graph, first, queue)
    larger, searched = _larger(graph, mark)
    if larger is not None:
        mark = _marked(graph, larger, queue)
    return _told(mark, searched)


def _marked(graph: Graph, core: int, queue: Array) -> Array:
    """Return for each page the bits of what reaches it and what it reaches."""
    mark = np.zeros(graph.nodes, np.uint8)
    for links, bit in ((graph.out, FORWARD), (graph.into, BACKWARD)):
        queue[0] = core
        mark[core] |= bit
        follow((links,), mark, queue, 1, bit, bit)
    end = _queued(mark == BACKWARD, queue)
    follow((graph.out,), mark, queue, end, CORE | AFTER_IN, AFTER_IN)
    end = _queued(mark == FORWARD, queue)
    follow((graph.into,), mark, queue, end, CORE | BEFORE_OUT, BEFORE_OUT)
    # What IN reaches was followed forward, what reaches OUT backward; the other direction is left.
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
    """Return how often each number below ``most`` occurs; NumPy's needs eight bytes for each."""
    found = np.zeros(most, np.int64)
    for kind in kinds:
        found[kind] += 1
    return found


def _larger(graph: Graph, mark: Array) -> tuple[int | None, int]:
    """Return a page of a strong component that is to be preferred to the marked one, if any.

    The second result is the number of pages that had to be searched.
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


def _told(mark: Array, searched: int) -> Bowtie:
    held = _tally(mark, 32)
    return Bowtie(_components(mark), int(held[AFTER_IN]), int(held[BEFORE_OUT]), searched)
