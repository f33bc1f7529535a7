"""Least-squares lines through the points (size of a sample, number of its pages that are covered).

[COV] takes the slope of the line as the coverage, and does not say whether the line goes through
the origin. It must, since an empty sample covers nothing. With an intercept, the line through the
paper's ten points meets the axis at 95 sites, which is the size of its smallest sample.

The paper's points come from one growing sample, in which each step contains the previous one. So
the errors of the points are accumulated errors. The classical interval assumes independent errors
and is too narrow; the interval over the increments is not (`increments`).
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
        The slope, with Student's interval for independent errors of equal variance.
    intercept : float
        0 for a line through the origin.
    residual : float
        Standard deviation of the points about the line; NaN if there are no degrees of freedom.
    """

    slope: Estimate
    intercept: float
    residual: float


def through_origin(
    sizes: Sequence[float] | Array,
    covered: Sequence[float] | Array,
    confidence: float = CONFIDENCE,
) -> Line:
    """Return the least-squares line through the origin; its slope is sum(x y) / sum(x x).

    Parameters
    ----------
    sizes, covered : sequence of float, n each
        The coordinates x and y of the points: sizes of samples, and covered pages.
    confidence : float
        The level of the interval, from 0 to 1.
    """
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
    """Return the least-squares line with an intercept; parameters as for `through_origin`."""
    x, y = np.asarray(sizes, dtype=np.float64), np.asarray(covered, dtype=np.float64)
    away = x - x.mean() if len(x) else x
    square = float((away * away).sum())
    if square == 0:
        return Line(Estimate(math.nan), math.nan, math.nan)
    slope = float((away * y).sum()) / square
    intercept = float(y.mean()) - slope * float(x.mean())
    return _line(x, y, slope, intercept, square, len(x) - 2, confidence)


def increments(values: Sequence[float] | Array) -> Array:
    """Return the difference between each value of a growing sample and the previous one."""
    return np.diff(np.asarray(values, dtype=np.float64), prepend=0.0)


def _line(
    x: Array, y: Array, slope: float, intercept: float, square: float, spare: int, confidence: float
) -> Line:
    """Return a line with the interval of its slope.

    Parameters
    ----------
    x, y : float64[n]
        The points.
    slope, intercept : float
    square : float
        The sum of squares of `x`, centred if the line has an intercept.
    spare : int
        Degrees of freedom of the residuals.
    confidence : float
        The level of the interval, from 0 to 1.
    """
    if spare < 1:
        return Line(Estimate(slope), intercept, math.nan)
    residual = math.sqrt(float(((y - slope * x - intercept) ** 2).sum()) / spare)
    half = float(stdtrit(spare, 0.5 + confidence / 2)) * residual / math.sqrt(square)
    return Line(Estimate(slope, slope - half, slope + half), intercept, residual)
