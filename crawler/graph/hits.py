"""HITS: a good hub links to good authorities, and they are linked to by good hubs (Kleinberg 1999).

Iterated from equal weights; after each half the weights are scaled to sum 1. Where the two largest
singular values are nearly equal it takes long, and where they are equal the result depends on the
beginning: the residual says so, by not becoming small, or the rule that ends it is the second one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .compiling import Array, compiled
from .csr import Graph
from .pages import Tell
from .products import Run, gather, must_iterate
from .topk import Watch

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


@compiled
def _scaled(weights: Array, sums: Array, total: float) -> float:
    """Put sums, scaled to sum 1, in the place of weights; return the sum of the differences."""
    factor, change = 1 / total, 0.0
    for page in range(np.uint64(0), np.uint64(len(sums))):
        new = sums[page] * factor
        change += abs(new - weights[page])
        weights[page] = new
    return change
