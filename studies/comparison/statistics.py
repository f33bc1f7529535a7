"""Computes means over webs with their confidence intervals, and differences paired by web."""

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
        Half of the 95% interval's width; None if there is only one value.
    """

    value: float
    half: float | None

    @property
    def interval(self) -> tuple[float, float] | None:
        """The ends of the interval."""
        return None if self.half is None else (self.value - self.half, self.value + self.half)


@dataclass(frozen=True)
class PairedComparison:
    """A comparison of a policy with another one on the same webs.

    Attributes
    ----------
    difference : Mean
        The mean of the policy's values minus the other's.
    wins, ties, losses : int
        On how many webs the policy was better, equal, or worse.
    """

    difference: Mean
    wins: int
    ties: int
    losses: int


def mean(values: Sequence[float]) -> Mean:
    """Return the mean of one or more values, with its interval."""
    row = np.asarray(values, dtype=np.float64)
    if len(row) < 2:
        return Mean(float(row.mean()), None)
    quantile = float(stdtrit(len(row) - 1, 0.5 + CONFIDENCE / 2))
    return Mean(float(row.mean()), quantile * float(row.std(ddof=1)) / len(row) ** 0.5)


def against(
    values: Sequence[float], others: Sequence[float], most: bool = True
) -> PairedComparison:
    """Compare values pair by pair.

    Parameters
    ----------
    values, others : sequence of float
        The values of two policies on the same webs.
    most : bool
        Whether larger values are better.
    """
    differences = np.asarray(values, dtype=np.float64) - np.asarray(others, dtype=np.float64)
    better = int((differences > 0).sum())
    worse = int((differences < 0).sum())
    if not most:
        better, worse = worse, better
    return PairedComparison(
        mean(differences.tolist()), better, len(differences) - better - worse, worse
    )
