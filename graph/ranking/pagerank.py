"""PageRank: the probability that a random surfer is at a page.

x = d (P x + (weight of dangling pages) / n) + (1 - d) / n, where a page passes its weight on in
equal parts along its links, and a page without links passes it to all pages. A repeated link gets a
part for each repetition. The iteration starts with equal weights. It is a contraction with factor
d, so the last change bounds the remaining error: |x - x*| <= d / (1 - d) |last change|, in the sum
of the absolute differences.
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
    """The PageRank of pages.

    Attributes
    ----------
    scores : float64, shape (pages,)
        The weight of each page; the sum is 1.
    run : Run
        How the iteration ended. The residual is the sum of the absolute differences of the last two
        vectors.
    bound : float
        An upper bound of the sum of the absolute differences to the limit, without rounding errors;
        infinite if weights were approximated.
    dangling : int
        The number of pages without links.
    settled : int or None
        The iteration since which the first pages have been the same; None: not watched.
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
    """Return the PageRank of all pages; needs 28 bytes a page besides the graph.

    Parameters
    ----------
    graph : Graph
    damping : float
        d, the share of steps that follow a link; from 0 to below 1.
    tolerance : float
        The iteration ends when the sum of the absolute differences of two successive vectors is at
        most this.
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
    """Raise GraphError if a parameter of PageRank is out of range; they are as in `pagerank`."""
    if not 0 <= damping < 1:
        raise GraphError(f"a damping of {damping} is not from 0 to below 1")
    must_iterate(tolerance, most)


def rule(tolerance: float, most: int) -> str:
    """Return a sentence that says when the iteration ends."""
    return (f"the sum of all changes is at most {tolerance:g}, "
            f"or {most:,} iterations are done")  # fmt: skip


def _passed(scores: Array, degree: Array) -> Array:
    """Return the weight that a page passes along each link; its score if it has no links."""
    return scores / np.maximum(degree, 1)


def _scores(passed: Array, degree: Array) -> Array:
    """Return the scores of pages from the weights that they pass along each link."""
    scores: Array = np.maximum(degree, 1, dtype=np.float64)
    scores *= passed
    return scores


@compiled
def _stepped(
    offsets: Array, targets: Array, first: Number, degree: Array, passed: Array, coming: Array,
    damping: float, everywhere: float,
) -> tuple[float, float]:  # fmt: skip
    """Compute the next weights that some pages pass along each link.

    Access to memory dominates the time, so only this weight is stored for each page, not its score.
    For a page without links it is the score, which no link passes on.

    Parameters
    ----------
    offsets, targets
        The pages that link to each of these pages.
    first : int
        The page of the first row.
    degree : uint32, shape (pages,)
        The number of links of each page.
    passed, coming : float64, shape (pages,)
        The old weights, and the new ones.
    damping, everywhere : float
        d, and the weight that every page gets.

    Returns
    -------
    float, float
        The sum of the absolute differences of the scores, and the new weight of the pages without
        links.
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
