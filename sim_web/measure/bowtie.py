"""The bow-tie of a directed graph: which page is in which component ([WEB], Broder et al. 2000)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from counterpoint.compiling import Array
from counterpoint.graph.csr import Csr
from counterpoint.graph.search.scc import numbered, strong

from .graph import MeasuredGraph
from .kernels import extend

NAMES = ("scc", "in", "out", "tendrils", "tubes", "disconnected")
"""The components, in the order of their numbers."""

SCC, IN, OUT, TENDRILS, TUBES, DISCONNECTED = range(6)


@dataclass(frozen=True)
class BowtieComponents:
    """The components of a graph.

    Attributes
    ----------
    components : uint8, shape (pages,)
        The component of each page: SCC 0, IN 1, OUT 2, TENDRILS 3, TUBES 4, DISCONNECTED 5.
    hanging_off_in : float
        The share of the tendrils that IN reaches. The others reach OUT, or hang on other tendrils.
    """

    components: Array
    hanging_off_in: float

    @cached_property
    def counts(self) -> dict[str, int]:
        """The number of pages of each component."""
        found = np.bincount(self.components, minlength=len(NAMES))
        return {name: int(n) for name, n in zip(NAMES, found, strict=True)}

    @property
    def shares(self) -> dict[str, float]:
        """The share of the pages that each component has."""
        return {name: n / len(self.components) for name, n in self.counts.items()}

    @property
    def weak_share(self) -> float:
        """The share of the pages in the weak component that contains the strong component."""
        return 1 - self.shares["disconnected"]


def bowtie(offsets: Array, targets: Array) -> Array:
    """Return the component of each page of a graph, as in `BowtieComponents.components`."""
    return decompose(MeasuredGraph(offsets, targets)).components


def decompose(graph: MeasuredGraph) -> BowtieComponents:
    """Return the components of a graph.

    SCC is the largest strong component; of several that are equally large, the one with the page of
    the lowest number. IN reaches it, and it reaches OUT. In the rest of its weak component, a page
    that IN reaches and that reaches OUT is in TUBES, every other page in TENDRILS. All other pages
    are DISCONNECTED.
    """
    core = largest_strong_component(graph)
    forward, back = (graph.offsets, graph.targets), graph.backward
    none = (np.zeros_like(graph.offsets), graph.targets[:0])

    def reached(marked: Array, links: tuple[Array, Array], more: tuple[Array, Array]) -> Array:
        found = marked.copy()
        extend(*links, *more, found)
        return found

    out = reached(core, forward, none) & ~core
    into = reached(core, back, none) & ~core
    after_in = reached(into, forward, none)
    before_out = reached(out, back, none)
    weak = reached(core, forward, back)
    components = np.full(graph.pages, DISCONNECTED, np.uint8)
    components[weak] = TENDRILS
    components[after_in & before_out] = TUBES
    components[into] = IN
    components[out] = OUT
    components[core] = SCC
    tendrils = components == TENDRILS
    hanging = int((tendrils & after_in).sum())
    return BowtieComponents(components, hanging / max(1, int(tendrils.sum())))


def largest_strong_component(graph: MeasuredGraph) -> Array:
    """Return for each page whether it is in the largest strong component, bool, shape (pages,).

    Of several that are equally large, it is the one with the page of the lowest number.
    """
    labels = np.zeros(graph.pages, np.uint32)
    # No number is negative, so the same bits are unsigned numbers.
    strong(Csr(graph.offsets.view(np.uint64), graph.targets.view(np.uint32)), labels)
    components = numbered(labels)
    return np.asarray(components.labels == components.largest)
