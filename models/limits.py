"""Limits of time and memory for an engine, and reports of its progress."""

from __future__ import annotations

import math
import resource
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

SOLVER_MARGIN = 10
"""Milliseconds that a solver gets beyond the time left."""

LONGEST = 1_000_000
"""The most seconds that a limit of time may have, more than eleven days; timers end far above."""

UNLIMITED = 2**32 - 1
"""The time limit of z3 that means none, in milliseconds."""


def resident_bytes() -> int:
    """Return the resident memory of this process, in bytes."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return pages * resource.getpagesize()
    except (OSError, IndexError, ValueError):  # no /proc: the peak so far
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak if sys.platform == "darwin" else peak * 1024


class LimitReached(Exception):  # not an error: the answer is "unknown"
    """A limit was reached; the message says which."""


@dataclass
class Limits:
    """The time and the memory that a run may use.

    Attributes
    ----------
    seconds : float or None
        Wall time.
    bytes : int or None
        Memory of this process.
    progress : callable or None
        Called regularly with one line that describes the progress.
    """

    seconds: float | None = None
    bytes: int | None = None
    progress: Callable[[str], None] | None = None
    started: float = field(default_factory=time.monotonic)

    def elapsed(self) -> float:
        """Return the seconds since the start."""
        return time.monotonic() - self.started

    def again(self) -> Limits:
        """Return the same limits for a run that starts now."""
        return Limits(self.seconds, self.bytes, self.progress)

    def left(self) -> float | None:
        """Return the seconds left, at least 0; None without a limit."""
        return None if self.seconds is None else max(0.0, self.seconds - self.elapsed())

    def milliseconds(self, most: float | None = None) -> int:
        """Return a time limit for a solver: a little more than the time left.

        A solver that stops by it stops after the limit, so `check` then says that the time is over.

        Parameters
        ----------
        most : float, optional
            Seconds for this one question.
        """
        allowed: list[float] = [UNLIMITED]
        left = self.left()
        if left is not None:
            allowed.append(left * 1000 + SOLVER_MARGIN)
        if most is not None:
            allowed.append(most * 1000)
        return math.ceil(min(allowed))

    def check(self, line: str = "") -> None:
        """Report progress and check the limits.

        Raises
        ------
        LimitReached
            If a limit is exceeded.
        """
        if self.progress is not None and line:
            self.progress(line)
        if self.seconds is not None and self.elapsed() > self.seconds:
            raise LimitReached(f"the time limit of {self.seconds:g} s was reached")
        if self.bytes is not None and resident_bytes() > self.bytes:
            raise LimitReached(f"the memory limit of {self.bytes / 2**20:.0f} MB was reached")
