"""Quality coverage: of the important pages of a sample, how many are covered ([COV]).

Which pages are important is a threshold on a ranking: the top 5% by PageRank, the top 15% by hub or
authority weight. The curve of the coverage against the threshold falls towards the quantity
coverage; [COV] takes the threshold where it flattens, which is a knee.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def top(weights: Array, part: float) -> Array:
    """Return the places of the heaviest pages, heaviest first: at least one, equals in order.

    Parameters
    ----------
    weights : float64[n]
    part : float
        Of all pages, from 0 to 1.
    """
    wanted = min(len(weights), max(1, round(len(weights) * part)))
    return np.argsort(-weights, kind="stable")[:wanted]


def curve(weights: Array, covered: Array, parts: Sequence[float] | Array) -> Array:
    """Return the share that is covered of the top pages, for each threshold.

    Parameters
    ----------
    weights : float64[n]
        Of the pages of a sample.
    covered : bool[n]
        Which of them the crawl has.
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
    """Return the share covered of the pages that each step of the threshold adds."""
    return np.diff(np.asarray(covered, dtype=np.float64)) / np.diff(
        np.asarray(sizes, dtype=np.float64)
    )


def knee(parts: Sequence[float] | Array, values: Sequence[float] | Array) -> float | None:
    """Return the threshold at which a falling curve flattens.

    The rule: the point farthest below the straight line between the curve's ends, both axes scaled
    to 0..1 (Satopaa et al., Finding a "Kneedle" in a haystack, 2011, without smoothing). It depends
    on where the curve ends, which is a property of knees and not of this rule.

    Returns
    -------
    float or None
        None if no point lies below the line: such a curve has no knee.
    """
    x, y = np.asarray(parts, dtype=np.float64), np.asarray(values, dtype=np.float64)
    if len(x) < 3 or y[0] <= y[-1]:
        return None
    across, down = (x - x[0]) / (x[-1] - x[0]), (y[0] - y) / (y[0] - y[-1])
    below = down - across
    best = int(np.argmax(below))
    return float(x[best]) if below[best] > 1e-12 else None


def two_lines(parts: Sequence[float] | Array, values: Sequence[float] | Array) -> float | None:
    """Return the threshold at which two straight lines, least squares each, fit a curve best.

    A rival to `knee`. The point at the break belongs to both lines; each has two points or more,
    and ties go to the smallest threshold.

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
    """Return the sum of the squares of the distances from the least-squares line."""
    away, up = x - x.mean(), y - y.mean()
    slope = float((away * up).sum() / (away * away).sum())
    return float(((up - slope * away) ** 2).sum())
