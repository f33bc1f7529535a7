"""HITS: good hubs link to good authorities, and good authorities are linked to by good hubs.

The iteration (Kleinberg 1999) starts with equal weights; after each half-step the weights are
scaled to sum 1. If the two largest singular values are nearly equal, it converges slowly: it may
end because of the greatest number of iterations, with a large residual. If they are equal, the
result depends on the first weights.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from counterpoint.compiling import Array, compiled
from counterpoint.graph.csr import Both, Csr, Graph, both
from counterpoint.graph.errors import GraphError
from counterpoint.graph.storage.pages import Tell

from .products import Run, gather, must_iterate
from .topk import Watch, without

TOLERANCE, MOST = 1e-9, 1000


@dataclass(frozen=True)
class Hits:
    """Hub and authority weights of pages.

    Attributes
    ----------
    hubs, authorities : float64, shape (pages,)
        The sum of each is 1, or 0 if the graph has no link.
    run : Run
        How the iteration ended. The residual is the sum of the absolute differences of the last two
        vectors, of hubs or of authorities, whichever is larger.
    settled : int or None
        The iteration since which the first hubs and the first authorities have been the same pages;
        None: not watched.
    """

    hubs: Array
    authorities: Array
    run: Run
    settled: int | None = None


def hits(
    graph: Graph, *, tolerance: float = TOLERANCE, most: int = MOST, watched: int = 0,
    tell: Tell = None,
) -> Hits:  # fmt: skip
    """Return hub and authority weights of all pages; needs 24 bytes a page besides the graph.

    Parameters
    ----------
    graph : Graph
    tolerance : float
        The iteration ends when the sum of the absolute differences of two successive vectors is at
        most this, for hubs and for authorities.
    most : int
        The greatest number of iterations.
    watched : int
        How many of the first pages are compared after each iteration; 0: none.
    tell : callable, optional
        Gets a line of text after each iteration.

    Raises
    ------
    GraphError
        If a parameter is out of range.
    """
    must_iterate(tolerance, most)
    rule = (f"the sum of all changes of hubs and of authorities is at most {tolerance:g} each, "
            f"or {most:,} iterations are done")  # fmt: skip
    pages = graph.nodes
    if not graph.links:
        return Hits(np.zeros(pages), np.zeros(pages), Run(rule, (), True))
    hubs, authorities = np.full(pages, 1 / pages), np.full(pages, 1 / pages)
    sums = np.empty(pages)
    watches = Watch(watched), Watch(watched)
    residuals: list[float] = []
    while not residuals or (residuals[-1] > tolerance and len(residuals) < most):
        total = gather(graph.into, hubs, sums)
        change = float(_scaled(authorities, sums, total))
        total = gather(graph.out, authorities, sums)
        residuals.append(max(change, float(_scaled(hubs, sums, total))))
        for watch, weights in zip(watches, (hubs, authorities), strict=True):
            watch.look(weights)
        if tell:
            tell(f"iteration {len(residuals)}, residual {residuals[-1]:.1e}")
    run = Run(rule, tuple(residuals), residuals[-1] <= tolerance)
    settled = [watch.settled for watch in watches if watch.settled is not None]
    return Hits(hubs, authorities, run, max(settled) if settled else None)


MOST_INTO = 50
"""Kleinberg's limit on the number of pages that link to a page of the root set."""


def base_set(graph: Graph, roots: Array | Sequence[int], most_into: int = MOST_INTO) -> Array:
    """Return a root set with the pages to which it links, and pages that link to it (Kleinberg).

    Parameters
    ----------
    graph : Graph
    roots : array or sequence of int
        The root set: pages that answer a query, or the start set of a crawl.
    most_into : int
        For each page of the root set, at most so many of the pages that link to it are added, those
        with the lowest numbers. If numbers follow the order of a crawl, these were found first.

    Returns
    -------
    uint32, shape (m,)
        Pages, ascending.

    Raises
    ------
    GraphError
        If a root is not a page of the graph, or the limit is below 0.
    """
    wanted = np.unique(np.asarray(roots, np.int64))
    if wanted.size and not 0 <= wanted[0] <= wanted[-1] < graph.nodes:
        wrong = wanted[0] if wanted[0] < 0 else wanted[-1]
        raise GraphError(f"there is no page {wrong:,}: there are {graph.nodes:,}")
    if most_into < 0:
        raise GraphError(f"{most_into} pages: the limit must not be below 0")
    offsets, sources = graph.into.lists(wanted)
    into = [np.unique(sources[low:high])[:most_into] for low, high in pairwise(offsets)]
    parts = [wanted, graph.out.lists(wanted).targets, *into]
    return np.unique(np.concatenate(parts).astype(np.uint32))


def within(graph: Graph, pages: Array) -> Both:
    """Return the graph of some pages and the links between them; its page i is ``pages[i]``.

    Parameters
    ----------
    graph : Graph
    pages : uint32
        Different pages, ascending, as `base_set` returns them.
    """
    offsets, targets = graph.out.lists(pages)
    place = np.minimum(np.searchsorted(pages, targets), len(pages) - 1)
    gone = pages[place] != targets
    return both(without(Csr(offsets, place.astype(np.uint32)), gone))


@compiled
def _scaled(weights: Array, sums: Array, total: float) -> float:
    """Replace weights by sums scaled to sum 1; return the sum of the absolute differences."""
    factor, change = 1 / total, 0.0
    for page in range(np.uint64(0), np.uint64(len(sums))):
        new = sums[page] * factor
        change += abs(new - weights[page])
        weights[page] = new
    return change
