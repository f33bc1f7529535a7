"""HITS: a good hub links to good authorities, and they are linked to by good hubs (Kleinberg 1999).

Iterated from equal weights; after each half the weights are scaled to sum 1. Where the two largest
singular values are nearly equal it takes long, and where they are equal the result depends on the
beginning: the residual says so, by not becoming small, or the rule that ends it is the second one.
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
    """Weights of pages.

    Attributes
    ----------
    hubs, authorities : float64[n]
        The sum of each is 1, or 0 if there is no link.
    run : Run
        The residual is the sum of the differences of the last two vectors of hubs, and of
        authorities; of both the larger one.
    settled : int or None
        The iteration from which on the first hubs and the first authorities were the same ones;
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
    """Return hub and authority weights of all pages; needs 24 bytes a page beside the graph.

    Parameters
    ----------
    graph : Graph
    tolerance : float
        Ends the iteration when the sum of all differences of two successive vectors is not above.
    most : int
        Iterations at most.
    watched : int
        How many of the first pages are watched, whether they change.
    tell : callable or None
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
"""Kleinberg's limit on the pages that link to a page of the root set."""


def base_set(graph: Graph, roots: Array | Sequence[int], most_into: int = MOST_INTO) -> Array:
    """Return a root set with the pages it links to, and pages that link to it (Kleinberg, 1999).

    Parameters
    ----------
    graph : Graph
    roots : array or sequence of int
        Pages that answer a query, or the start set of a crawl.
    most_into : int
        Of the pages that link to a page of the root set at most so many are taken, those of the
        lowest numbers: where numbers follow the order of a crawl, those found first.

    Returns
    -------
    uint32[m]
        Pages, rising.

    Raises
    ------
    GraphError
        If a root is no page of the graph, or the limit is below 0.
    """
    wanted = np.unique(np.asarray(roots, np.int64))
    if wanted.size and not 0 <= wanted[0] <= wanted[-1] < graph.nodes:
        wrong = wanted[0] if wanted[0] < 0 else wanted[-1]
        raise GraphError(f"there is no page {wrong:,}: there are {graph.nodes:,}")
    if most_into < 0:
        raise GraphError(f"{most_into} pages are less than none")
    offsets, sources = graph.into.lists(wanted)
    into = [np.unique(sources[low:high])[:most_into] for low, high in pairwise(offsets)]
    parts = [wanted, graph.out.lists(wanted).targets, *into]
    return np.unique(np.concatenate(parts).astype(np.uint32))


def within(graph: Graph, pages: Array) -> Both:
    """Return the graph of some pages and the links between them; page i of it is ``pages[i]``.

    Parameters
    ----------
    graph : Graph
    pages : uint32 array
        Rising, each once, as `base_set` returns them.
    """
    offsets, targets = graph.out.lists(pages)
    place = np.minimum(np.searchsorted(pages, targets), len(pages) - 1)
    gone = pages[place] != targets
    return both(without(Csr(offsets, place.astype(np.uint32)), gone))


@compiled
def _scaled(weights: Array, sums: Array, total: float) -> float:
    """Put sums, scaled to sum 1, in the place of weights; return the sum of the differences."""
    factor, change = 1 / total, 0.0
    for page in range(np.uint64(0), np.uint64(len(sums))):
        new = sums[page] * factor
        change += abs(new - weights[page])
        weights[page] = new
    return change
