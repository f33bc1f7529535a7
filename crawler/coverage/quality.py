"""Quality coverage: the share of a sample's important pages that a crawl covers ([COV]).

A threshold on a ranking says which pages are important: the top 5% by PageRank, or the top 15% by
hub or authority weight. As the threshold grows, the coverage falls towards the quantity coverage.
[COV] uses the threshold at which this curve flattens: its knee.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def top(weights: Array, part: float) -> Array:
    """Return the indices of the pages with the largest weights, in descending order of weight.

    At least one page is returned. Pages of equal weight keep their order.

    Parameters
    ----------
    weights : float64[n]
    part : float
        The share of the pages to return, from 0 to 1.
    """
    wanted = min(len(weights), max(1, round(len(weights) * part)))
    return np.argsort(-weights, kind="stable")[:wanted]


def curve(weights: Array, covered: Array, parts: Sequence[float] | Array) -> Array:
    """Return, for each threshold, the share of the top pages that the crawl covers.

    Parameters
    ----------
    weights : float64[n]
        The weights of a sample's pages.
    covered : bool[n]
        Whether the crawl has each page.
    parts : sequence of float
        Thresholds, from 0 to 1; the share at 1 is the quantity coverage of the sample.
    """
    if len(weights) == 0:
        return np.full(len(parts), math.nan)
    sums = np.cumsum(covered[np.argsort(-weights, kind="stable")])
    wanted = np.clip(np.rint(np.asarray(parts) * len(weights)).astype(np.int64), 1, len(weights))
    found: Array = sums[wanted - 1] / wanted
    return found


def marginal(sizes: Sequence[float] | Array, covered: Sequence[float] | Array) -> Array:
    """Return, for each step of the threshold, the covered share of the pages that it adds.

    Parameters
    ----------
    sizes, covered : sequence of float, n each
        The number of top pages at each threshold, and of those that are covered.

    Returns
    -------
    float64[n - 1]
    """
    return np.diff(np.asarray(covered, dtype=np.float64)) / np.diff(
        np.asarray(sizes, dtype=np.float64)
    )


def knee(parts: Sequence[float] | Array, values: Sequence[float] | Array) -> float | None:
    """Return the threshold at which a falling curve flattens.

    The knee is the point farthest below the straight line between the curve's ends, with both axes
    scaled to 0..1 (Satopaa et al., Finding a "Kneedle" in a haystack, 2011, without smoothing). It
    depends on where the curve ends, as every definition of a knee does.

    Parameters
    ----------
    parts : sequence of float
        Thresholds, ascending.
    values : sequence of float
        The value of the curve at each threshold.

    Returns
    -------
    float or None
        None if no point lies below the line: the curve has no knee.
    """
    x, y = np.asarray(parts, dtype=np.float64), np.asarray(values, dtype=np.float64)
    if len(x) < 3 or y[0] <= y[-1]:
        return None
    across, down = (x - x[0]) / (x[-1] - x[0]), (y[0] - y) / (y[0] - y[-1])
    below = down - across
    best = int(np.argmax(below))
    return float(x[best]) if below[best] > 1e-12 else None


def two_lines(parts: Sequence[float] | Array, values: Sequence[float] | Array) -> float | None:
    """Return the threshold at which two least-squares lines that meet there fit a curve best.

    This is an alternative to `knee`, with the same parameters. The point at the break belongs to
    both lines, and each line has at least two points. Of equally good thresholds the smallest is
    returned.

    Returns
    -------
    float or None
        None for fewer than three points.
    """
    x, y = np.asarray(parts, dtype=np.float64), np.asarray(values, dtype=np.float64)
    if len(x) < 3:
        return None
    errors = [
        _error(x[: at + 1], y[: at + 1]) + _error(x[at:], y[at:]) for at in range(1, len(x) - 1)
    ]
    return float(x[1 + int(np.argmin(errors))])


def _error(x: Array, y: Array) -> float:
    """Return the sum of the squared residuals of the least-squares line."""
    away, up = x - x.mean(), y - y.mean()
    slope = float((away * up).sum() / (away * away).sum())
    return float(((up - slope * away) ** 2).sum())
