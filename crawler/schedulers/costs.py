"""What visits cost: the time to check a page is A x size + B ([SCENT], formula 3)."""

from __future__ import annotations

import math
from dataclasses import dataclass

from counterpoint.crawler.policy.protocol import Setting

from .parameters import number

ROUNDING = 1e-9
"""The part of a run by which rounded sums of costs may exceed its time."""


@dataclass(frozen=True)
class VisitCost:
    """The time that a visit takes.

    Attributes
    ----------
    per_byte : float
        A: the seconds for each byte of the page.
    per_visit : float
        B: the seconds for the connection and all else that does not depend on the size.
    """

    per_byte: float = 0.0
    per_visit: float = 1.0

    @classmethod
    def of(cls, setting: Setting) -> VisitCost:
        """Return the cost that the parameters ``per_byte`` and ``per_visit`` give."""
        return cls(
            number(setting, "per_byte", cls.per_byte, 0.0, 1e6),
            number(setting, "per_visit", cls.per_visit, 0.0, 1e6),
        )

    def seconds(self, size: float) -> float:
        """Return the seconds of a visit to a page of so many bytes."""
        return self.per_byte * size + self.per_visit


class TimeBudget:
    """The time of a run, of which visits take their parts.

    A visit is allowed if its expected cost is at most the time left, up to `ROUNDING`, and the
    expected cost is taken at once. What it really took is known with its answer. If that is more
    than expected, the next run has less time by as much as was overdrawn. Time that is left over is
    lost.

    Parameters
    ----------
    seconds : float
        The time of each run, above 0.

    Attributes
    ----------
    left : float
        The seconds that are left in this run.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = self.left = seconds

    def allows(self, cost: float) -> bool:
        """Return whether a visit of an expected cost fits into what is left."""
        return cost <= self.left + ROUNDING * self.seconds

    def allows_ever(self, cost: float) -> bool:
        """Return whether a visit of an expected cost fits into a whole run."""
        return cost <= self.seconds + ROUNDING * self.seconds

    def take(self, cost: float) -> None:
        """Take the expected cost of a visit."""
        self.left -= cost

    def settle(self, expected: float, real: float) -> None:
        """Replace the expected cost of a visit by its real cost."""
        self.left += expected - real

    def begin(self, runs: int = 1) -> None:
        """Begin the next run, or the one after some runs without visits."""
        self.left = min(self.seconds, min(0.0, self.left) + runs * self.seconds)

    def runs_until(self, cost: float) -> int:
        """Return after how many beginnings a visit is allowed that fits into a whole run."""
        return max(1, math.ceil((cost - self.left) / self.seconds - ROUNDING))
