"""Has a measure moved? A comparison paired by seed, with the noise that repeats of a seed show.

The model is the one-way layout: a value is the mean of its seed plus noise of one variance. The
variance is estimated by the pooled mean square within seeds, before and now. The difference is the
mean over the seeds of (mean of the repeats now - mean of the repeats before), so that differences
between webs cancel. Its standard error follows from the variance and the numbers of repeats, and
Student's t with the pooled degrees of freedom gives its interval (Box, Hunter & Hunter, Statistics
for Experimenters, 2nd edition, chapters 3 and 4). Several measures are compared at a time, so that
the level of 5% is divided by their number (Bonferroni; Dunn 1961).

A measure has moved if the difference is outside of the band and outside of the noise.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from .bands import Band

LEVEL = 0.05
"""The probability that noise alone moves at least one of the measures out of its interval."""

_ROUNDING = 1e-9
"""A share of the baseline that is never a change: stored numbers are rounded."""

Repeats = Mapping[str, Sequence[float]]
"""The values of a measure by seed, one for each repeat."""


@dataclass(frozen=True)
class PairedDifference:
    """The difference of a measure to its baseline.

    Attributes
    ----------
    before, now : float
        The means over the seeds.
    band : float
        How far the measure may move.
    noise : float or None
        Half of the interval of the difference that noise alone explains; None if no seed was
        repeated.
    """

    before: float
    now: float
    band: float
    noise: float | None

    @property
    def difference(self) -> float:
        """The mean difference, paired by seed."""
        return self.now - self.before

    @property
    def has_moved(self) -> bool:
        """Whether the difference is outside of the band and of the noise."""
        least = self.band + _ROUNDING * max(abs(self.before), abs(self.now))
        return abs(self.difference) > max(least, self.noise or 0.0)

    @property
    def is_narrow(self) -> bool:
        """Whether the band is narrower than the noise."""
        return self.noise is not None and self.noise > self.band


def paired(now: Repeats, before: Repeats, band: Band, measures: int = 1) -> PairedDifference:
    """Compare the values of a measure with its baseline.

    Parameters
    ----------
    now, before : mapping of str to sequence of float
        With the same seeds, and at least one.
    band : Band
    measures : int
        How many measures are compared at a time.
    """
    base = _mean_of(before)
    return PairedDifference(
        base, _mean_of(now), band.around(base), _noise((now, before), LEVEL / max(1, measures))
    )


def _mean_of(values: Repeats) -> float:
    return float(np.mean([np.mean(row) for row in values.values()]))


def _noise(both: Sequence[Repeats], level: float) -> float | None:
    rows = [np.asarray(row, dtype=np.float64) for values in both for row in values.values()]
    freedom = sum(len(row) - 1 for row in rows)
    if freedom == 0:
        return None
    variance = sum(float(((row - row.mean()) ** 2).sum()) for row in rows) / freedom
    seeds = len(both[0])
    error = math.sqrt(variance * sum(1 / len(row) for row in rows)) / seeds
    return float(stdtrit(freedom, 1 - level / 2)) * error
