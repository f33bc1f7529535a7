"""Virtual time of a served web: moved by requests, or the wall clock's."""

from __future__ import annotations

import math
import time
from typing import Protocol

from counterpoint.sim_web.answer import SECONDS_PER_REQUEST
from counterpoint.sim_web.errors import WebError

LATEST = 1e11
"""The latest time a request may ask for: three thousand years, which calendars still hold."""


class Clock(Protocol):
    """Tells virtual time in seconds since the web's beginning; never goes backward.

    Times are whole microseconds, so that what the log says is what the answer was made for.
    """

    real: bool

    def request(self, asked: float | None) -> float:
        """Return the time of a request that has come in, and asks for this time or for none."""

    def now(self) -> float:
        """Return the time without moving it."""


class VirtualClock:
    """Stands still but for requests: each moves it, and may ask for a later time.

    Parameters
    ----------
    seconds_per_request : float
        How far a request moves it; the first is answered at 0.
    """

    real = False

    def __init__(self, seconds_per_request: float = SECONDS_PER_REQUEST) -> None:
        if not 0 <= seconds_per_request < math.inf:
            raise WebError(f"{seconds_per_request} is no number of seconds for each request")
        self._step = round(seconds_per_request * 1e6)
        self._next = 0
        self._now = 0.0

    def request(self, asked: float | None) -> float:
        """Move to the next request's time, or to the later one that it asks for."""
        tick = self._next
        if asked is not None:
            tick = max(tick, round(min(asked, LATEST) * 1e6))
        self._next = tick + self._step
        self._now = tick / 1e6
        return self._now

    def now(self) -> float:
        """Return the time of the last request."""
        return self._now


class RealClock:
    """The wall clock since it was made, possibly faster; what requests ask for does not move it.

    Parameters
    ----------
    speed : float
        Virtual seconds in a real one.
    """

    real = True

    def __init__(self, speed: float = 1.0) -> None:
        if not 0 < speed < math.inf:
            raise WebError(f"{speed} is no speed above zero")
        self._speed = speed
        self._begun = time.monotonic()

    def request(self, asked: float | None) -> float:
        """Return the present time."""
        return self.now()

    def now(self) -> float:
        """Return the present time."""
        return round((time.monotonic() - self._begun) * self._speed, 6)
