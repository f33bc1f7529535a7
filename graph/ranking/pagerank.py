"""PageRank: where somebody is who follows links at random, and now and then goes anywhere.

x = d (P x + (weight of dangling pages) / n) + (1 - d) / n, where a page passes its weight on in
equal parts along its links and a page without links to all pages. A link that stands twice gets two
parts. Iterated from equal weights; the map shortens the distance of two vectors by d, so that the
last change bounds what is left: |x - x*| <= d / (1 - d) |last change|, in the sum of differences.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from counterpoint.compiling import Array, Number, compiled
from counterpoint.graph.csr import Graph
from counterpoint.graph.errors import GraphError
from counterpoint.graph.storage.pages import Tell

from .products import Run, degrees, must_iterate
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
    """Return the PageRank of all pages; needs 28 bytes a page beside the graph.

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
    degree = degrees(graph.out)
    dangling = int(np.count_nonzero(degree == 0))
    passed = _passed(np.full(pages, 1 / pages), degree)
    coming = np.empty(pages)
    lost = dangling / pages
    watch = Watch(watched)
    residuals: list[float] = []
    while not residuals or (residuals[-1] > tolerance and len(residuals) < most):
        everywhere = (1 - damping + damping * lost) / pages
        change = lost = 0.0
        for first, rows in graph.into.chunks():
            more = _stepped(*rows, first, degree, passed, coming, damping, everywhere)
            change, lost = change + more[0], lost + more[1]
        passed, coming = coming, passed
        residuals.append(change)
        if watched:
            watch.look(_scores(passed, degree))
        if tell:
            tell(f"iteration {len(residuals)}, residual {change:.1e}")
    run = Run(rule(tolerance, most), tuple(residuals), residuals[-1] <= tolerance)
    bound = residuals[-1] * damping / (1 - damping)
    return PageRank(_scores(passed, degree), run, bound, dangling, watch.settled)


def must_rank(damping: float, tolerance: float, most: int) -> None:
    """Refuse parameters that make no sense."""
    if not 0 <= damping < 1:
        raise GraphError(f"a damping of {damping} is not from 0 to below 1")
    must_iterate(tolerance, most)


def rule(tolerance: float, most: int) -> str:
    """Say when the iteration ends."""
    return (f"the sum of all changes is at most {tolerance:g}, "
            f"or {most:,} iterations are done")  # fmt: skip


def _passed(scores: Array, degree: Array) -> Array:
    """Return what a page passes along each link; of a page without links, its score."""
    return scores / np.maximum(degree, 1)


def _scores(passed: Array, degree: Array) -> Array:
    """Return the scores of pages from what they pass along each link."""
    scores: Array = np.maximum(degree, 1, dtype=np.float64)
    scores *= passed
    return scores


@compiled
def _stepped(
    offsets: Array, targets: Array, first: Number, degree: Array, passed: Array, coming: Array,
    damping: float, everywhere: float,
) -> tuple[float, float]:  # fmt: skip
    """Write what some pages, from the first on, pass along each link after a step.

    Only that is held of a page, since memory is what takes time. No link leads along what a page
    without links holds there. Returned are the sum of the differences of the scores and the new
    weight of pages without links.
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
        links = float(degree[page])
        if links == 0.0:
            lost += new
            change += abs(new - passed[page])
            coming[page] = new
        else:
            change += abs(new - passed[page] * links)
            coming[page] = new / links
        page += one
    return change, lost
