"""Limits of time and memory that an engine keeps, and the progress it reports."""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path


def resident_bytes() -> int:
    """Return this process's memory, in bytes."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return pages * resource.getpagesize()
    except (OSError, IndexError, ValueError):  # no /proc: the largest so far
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak if sys.platform == "darwin" else peak * 1024


class LimitReached(Exception):  # no error: the answer is "unknown"
    """A limit was reached; the message says which."""


@dataclass
class Limits:
    """What a run may use.

    Attributes
    ----------
    seconds : float or None
        Wall time.
    bytes : int or None
        Memory of this process.
    progress : callable or None
        Called now and then with one line about how far the run is.
    """

    seconds: float | None = None
    bytes: int | None = None
    progress: Callable[[str], None] | None = None
    started: float = field(default_factory=time.monotonic)

    def elapsed(self) -> float:
        """Return the seconds since the start."""
        return time.monotonic() - self.started

    def again(self) -> Limits:
        """Return the same limits, begun now."""
        return Limits(self.seconds, self.bytes, self.progress)

    def left(self) -> float | None:
        """Return the seconds left, at least 0; None without a limit."""
        return None if self.seconds is None else max(0.0, self.seconds - self.elapsed())

    def check(self, line: str = "") -> None:
        """Report progress.

        Raises
        ------
        LimitReached
            If a limit is passed.
        """
        if self.progress is not None and line:
            self.progress(line)
        if self.seconds is not None and self.elapsed() > self.seconds:
            raise LimitReached(f"the time limit of {self.seconds:g} s was reached")
        if self.bytes is not None and resident_bytes() > self.bytes:
            raise LimitReached(f"the memory limit of {self.bytes / 2**20:.0f} MB was reached")
