"""The clocks of fetching."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

_GOES_ON = (
    getattr(time, "CLOCK_MONOTONIC", None)
    if sys.platform == "darwin"
    else getattr(time, "CLOCK_BOOTTIME", None)
)
"""The number of the system's clock that goes on while the machine sleeps; None: on Windows
`time.monotonic` does."""


def elapsed() -> float:
    """Return the seconds of a clock that never goes back, and goes on while the machine sleeps.

    On Linux and macOS `time.monotonic` stands still meanwhile. A worker that wakes up would trust a
    lease that has run out: ``counterpoint check leases --set clock=stands-still``.
    """
    return time.monotonic() if _GOES_ON is None else time.clock_gettime(_GOES_ON)


def steady() -> Callable[[], float]:
    """Return a clock that shows seconds since 1970 and never goes back."""
    ahead = time.time() - elapsed()
    return lambda: ahead + elapsed()


class VirtualClock:
    """A clock that goes on only while something waits, for crawls without a network.

    Parameters
    ----------
    start : float
        Seconds since 1970.
    """

    def __init__(self, start: float) -> None:
        self._time = start

    def now(self) -> float:
        """Return the time."""
        return self._time

    def sleep(self, seconds: float) -> None:
        """Let the time pass."""
        self._time += seconds

    async def pause(self, seconds: float) -> None:
        """Let the time pass; for a dispatcher."""
        self.sleep(seconds)
