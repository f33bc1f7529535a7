"""The least-squares line through (size of the sample, how much of it is covered).

[COV] takes its slope as the coverage. It does not say whether the line goes through the origin. A
sample of nothing covers nothing, so it must: with an intercept, the line through the paper's ten
points meets the axis at 95 sites, as many as its smallest sample has.

The paper's points are one sample as it grows, so each contains the one before: their errors are
sums of errors. The classical interval takes them as independent and is too narrow; that of the
increments is not (`increments`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import stdtrit

from .shares import CONFIDENCE, Estimate

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Line:
    """A least-squares line.

    Attributes
    ----------
    slope : Estimate
        With Student's interval, for independent errors of one variance.
    intercept : float
        0 of a line through the origin.
    residual : float
        Standard deviation of the points about the line; NaN if there are no points to spare.
    """

    slope: Estimate
    intercept: float
    residual: float


def through_origin(
    sizes: Sequence[float] | Array,
    covered: Sequence[float] | Array,
    confidence: float = CONFIDENCE,
) -> Line:
    """Return the least-squares line through the origin: sum(x y) / sum(x x)."""
    x, y = np.asarray(sizes, dtype=np.float64), np.asarray(covered, dtype=np.float64)
    square = float((x * x).sum())
    if square == 0:
        return Line(Estimate(math.nan), 0.0, math.nan)
    slope = float((x * y).sum()) / square
    return _line(x, y, slope, 0.0, square, len(x) - 1, confidence)


def with_intercept(
    sizes: Sequence[float] | Array,
    covered: Sequence[float] | Array,
    confidence: float = CONFIDENCE,
) -> Line:
    """Return the ordinary least-squares line."""
    x, y = np.asarray(sizes, dtype=np.float64), np.asarray(covered, dtype=np.float64)
    away = x - x.mean() if len(x) else x
    square = float((away * away).sum())
    if square == 0:
        return Line(Estimate(math.nan), math.nan, math.nan)
    slope = float((away * y).sum()) / square
    intercept = float(y.mean()) - slope * float(x.mean())
    return _line(x, y, slope, intercept, square, len(x) - 2, confidence)


def increments(values: Sequence[float] | Array) -> Array:
    """Return by how much each value of a growing sample exceeds the one before."""
    return np.diff(np.asarray(values, dtype=np.float64), prepend=0.0)


def _line(
    x: Array, y: Array, slope: float, intercept: float, square: float, spare: int, confidence: float
) -> Line:
    if spare < 1:
        return Line(Estimate(slope), intercept, math.nan)
    residual = math.sqrt(float(((y - slope * x - intercept) ** 2).sum()) / spare)
    half = float(stdtrit(spare, 0.5 + confidence / 2)) * residual / math.sqrt(square)
    return Line(Estimate(slope, slope - half, slope + half), intercept, residual)
