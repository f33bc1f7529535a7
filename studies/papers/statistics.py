"""Ratios and correlations with their intervals.

Means are those of `counterpoint.studies.comparison.statistics`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.special import ndtri, stdtrit

from counterpoint.studies.comparison.statistics import CONFIDENCE, Mean, mean

Array = np.ndarray[Any, Any]


def ratio(values: Sequence[float] | Array, others: Sequence[float] | Array) -> Mean:
    """Return the ratio of two means of pairs, with its interval by the delta method.

    For pairs (a, b) and r = mean(a) / mean(b) the error of r is, to the first order, that of the
    mean of a - r b, divided by mean(b); Student's quantile is taken for n - 1 degrees of freedom.

    Raises
    ------
    ValueError
        If the second mean is 0.
    """
    a, b = np.asarray(values, dtype=np.float64), np.asarray(others, dtype=np.float64)
    if b.mean() == 0:
        raise ValueError("no ratio to a mean of 0")
    found = float(a.mean() / b.mean())
    if len(a) < 2:
        return Mean(found, None)
    error = float((a - found * b).std(ddof=1)) / (abs(float(b.mean())) * math.sqrt(len(a)))
    return Mean(found, float(stdtrit(len(a) - 1, 0.5 + CONFIDENCE / 2)) * error)


def correlation(
    values: Sequence[float] | Array, others: Sequence[float] | Array
) -> tuple[float, float, float] | None:
    """Return Pearson's correlation of pairs with the ends of Fisher's interval.

    Returns
    -------
    tuple of float or None
        None if one of the two does not vary, or there are fewer than four pairs.
    """
    a, b = np.asarray(values, dtype=np.float64), np.asarray(others, dtype=np.float64)
    if len(a) < 4 or np.ptp(a) == 0 or np.ptp(b) == 0:
        return None
    r = float(np.clip(np.corrcoef(a, b)[0, 1], -1.0, 1.0))
    if abs(r) > 1 - 1e-12:
        r = math.copysign(1.0, r)
        return r, r, r
    half = float(ndtri(0.5 + CONFIDENCE / 2)) / math.sqrt(len(a) - 3)
    return r, math.tanh(math.atanh(r) - half), math.tanh(math.atanh(r) + half)


def contains(mean: Mean, value: float) -> bool:
    """Return whether the interval of a mean contains a value; False if there is no interval."""
    return mean.half is not None and abs(mean.value - value) <= mean.half


def column_means(rows: Array) -> tuple[Mean, ...]:
    """Return the mean of each column, each row being one observation."""
    return tuple(mean(column) for column in rows.T.tolist())


def with_interval(mean: Mean, digits: int = 2) -> str:
    """Return a mean and half of its interval as text, such as ``1.71 ± 0.08``."""
    half = "?" if mean.half is None else f"{mean.half:,.{digits}f}"
    return f"{mean.value:,.{digits}f} ± {half}"


def in_percent(share: Mean, digits: int = 1, unit: str = "%") -> str:
    """Return a share and half of its interval in percent, such as ``17.1% ± 0.8%``.

    An interval that leaves 0 to 100% is cut there, and its two ends are given.
    """
    value = f"{100 * share.value:.{digits}f}{unit}"
    if share.half is None:
        return f"{value} ± ?"
    low, high = share.value - share.half, share.value + share.half
    if low >= 0 and high <= 1:
        return f"{value} ± {100 * share.half:.{digits}f}{unit}"
    ends = f"{100 * max(0.0, low):.{digits}f}{unit} to {100 * min(1.0, high):.{digits}f}{unit}"
    return f"{value} ({ends})"


def as_json(mean: Mean) -> dict[str, Any]:
    """Return a mean with its interval, ready for JSON."""
    return {"mean": mean.value, "interval": None if mean.interval is None else list(mean.interval)}
