"""PageRank: where somebody is who follows links at random, and now and then goes anywhere.

x = d (P x + (weight of dangling pages) / n) + (1 - d) / n, where a page passes its weight on in
equal parts along its links and a page without links to all pages. A link that stands twice gets two
parts. Iterated from equal weights; the map shortens the distance of two vectors by d, so that the
last change bounds what is left: |x - x*| <= d / (1 - d) |last change|, in the sum of differences.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from crawler.errors import CrawlError

from .compiling import Array, Number, compiled
from .csr import Graph
from .products import Run, Tell, degrees, must_iterate
from .topk import Watch

DAMPING, TOLERANCE, MOST = 0.85, 1e-9, 500


@dataclass(frozen=True)
class PageRank:
    """Weights of pages.

    Attributes
    ----------
    scores : float64[n]
        Their sum is 1.
    run : Run
        The residual is the sum of the differences of the last two vectors.
    bound : float
        What the sum of the differences to the limit can be at most, rounding left out; infinite
        if weights were approximated.
    dangling : int
        Pages without links.
    settled : int or None
        The iteration from which on the first pages were the same ones; None: not watched.
    """

    scores: Array
    run: Run
    bound: float
    dangling: int
    settled: int | None = None


def pagerank(
    graph: Graph, *, damping: float = DAMPING, tolerance: float = TOLERANCE, most: int = MOST,
    watched: int = 0, tell: Tell = None,
) -> PageRank:  # fmt: skip
    """Return the PageRank of all pages; needs 32 bytes a page beside the graph.

    Parameters
    ----------
    graph : Graph
    damping : float
        d, the share of steps that follow a link; from 0 to below 1.
    tolerance : float
        Ends the iteration when the sum of all differences of two successive vectors is not above.
    most : int
        Iterations at most.
    watched : int
        How many of the first pages are watched, whether they change.
    tell : callable or None
    """
    must_rank(damping, tolerance, most)
    pages = graph.nodes
    if not pages:
        return PageRank(np.empty(0), Run(rule(tolerance, most), (), True), 0.0, 0)
    share = _shares(degrees(graph.out))
    dangling = int(np.count_nonzero(share == 0))
    scores = np.full(pages, 1 / pages)
    passed, coming = scores * share, np.empty(pages)
    lost = dangling / pages
    watch = Watch(watched)
    residuals: list[float] = []
    while not residuals or (residuals[-1] > tolerance and len(residuals) < most):
        everywhere = (1 - damping + damping * lost) / pages
        change = lost = 0.0
        for first, rows in graph.into.chunks():
            more = _stepped(*rows, first, scores, share, passed, coming, damping, everywhere)
            change, lost = change + more[0], lost + more[1]
        passed, coming = coming, passed
        residuals.append(change)
        watch.look(scores)
        if tell:
            tell(f"iteration {len(residuals)}, residual {change:.1e}")
    run = Run(rule(tolerance, most), tuple(residuals), residuals[-1] <= tolerance)
    bound = residuals[-1] * damping / (1 - damping)
    return PageRank(scores, run, bound, dangling, watch.settled)


def must_rank(damping: float, tolerance: float, most: int) -> None:
    """Refuse parameters that make no sense."""
    if not 0 <= damping < 1:
        raise CrawlError(f"a damping of {damping} is not from 0 to below 1")
    must_iterate(tolerance, most)


def rule(tolerance: float, most: int) -> str:
    """Say when the iteration ends."""
    return (f"the sum of all changes is at most {tolerance:g}, "
            f"or {most:,} iterations are done")  # fmt: skip


def _shares(links: Array) -> Array:
    """Return which part of its weight a page passes along each link; 0 if it has none."""
    share = np.zeros(len(links))
    np.divide(1.0, links, out=share, where=links > 0)
    return share


@compiled
def _stepped(
    offsets: Array, targets: Array, first: Number, scores: Array, share: Array, passed: Array,
    coming: Array, damping: float, everywhere: float,
) -> tuple[float, float]:  # fmt: skip
    """Give some pages, from the first on, their new scores by what is passed along links to them.

    ``coming`` gets what they pass on themselves. Returned are the sum of the differences and the
    new weight of those without links.
    """
    change, lost = 0.0, 0.0
    one, k = np.uint64(1), np.uint64(0)
    page = np.uint64(first)
    for row in range(one, np.uint64(len(offsets))):
        total = 0.0
        end = offsets[row]
        while k < end:
            total += passed[targets[k]]
            k += one
        new = everywhere + damping * total
        change += abs(new - scores[page])
        scores[page] = new
        coming[page] = new * share[page]
        if share[page] == 0.0:
            lost += new
        page += one
    return change, lost
