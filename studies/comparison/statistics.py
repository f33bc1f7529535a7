"""Means over webs with their intervals, and differences that are paired by web."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Mean:
    """A mean with Student's interval.

    Attributes
    ----------
    value : float
    half : float or None
        Half of the 95% interval's width; None: one value alone tells no interval.
    """

    value: float
    half: float | None

    @property
    def interval(self) -> tuple[float, float] | None:
        """The ends of the interval."""
        return None if self.half is None else (self.value - self.half, self.value + self.half)


@dataclass(frozen=True)
class Against:
    """A policy against another on the same webs.

    Attributes
    ----------
    difference : Mean
        Of its values less the other's.
    wins, ties, losses : int
        On how many webs it was better, as good, worse.
    """

    difference: Mean
    wins: int
    ties: int
    losses: int


def mean(values: Sequence[float]) -> Mean:
    """Return the mean of values, of which there is at least one, with its interval."""
    row = np.asarray(values, dtype=np.float64)
    if len(row) < 2:
        return Mean(float(row.mean()), None)
    quantile = float(stdtrit(len(row) - 1, 0.5 + CONFIDENCE / 2))
    return Mean(float(row.mean()), quantile * float(row.std(ddof=1)) / len(row) ** 0.5)


def against(values: Sequence[float], others: Sequence[float], most: bool = True) -> Against:
    """Compare values with others, pair by pair; ``most``: whether the larger one is better."""
    differences = np.asarray(values, dtype=np.float64) - np.asarray(others, dtype=np.float64)
    better = int((differences > 0).sum())
    worse = int((differences < 0).sum())
    if not most:
        better, worse = worse, better
    return Against(mean(differences.tolist()), better, len(differences) - better - worse, worse)
