"""The virtual time of a served web: advanced by requests, or by the wall clock."""

from __future__ import annotations

import math
import time
from typing import Protocol

from counterpoint.sim_web.answer import SECONDS_PER_REQUEST
from counterpoint.sim_web.errors import WebError

LATEST = 1e11
"""The latest time that a request may set: three thousand years, which `datetime` can represent."""


class Clock(Protocol):
    """Virtual time in seconds since the web's beginning; it never decreases.

    Times are whole microseconds, so that the log contains exactly the time for which an answer was
    made.
    """

    real: bool

    def request(self, asked: float | None) -> float:
        """Return the time of a new request, which may set a later time (``asked``)."""

    def now(self) -> float:
        """Return the present time without advancing it."""


class VirtualClock:
    """A clock that only requests advance; a request may also set a later time.

    Parameters
    ----------
    seconds_per_request : float
        By how much a request advances the clock; the first one is answered at time 0.
    """

    real = False

    def __init__(self, seconds_per_request: float = SECONDS_PER_REQUEST) -> None:
        if not 0 <= seconds_per_request < math.inf:
            raise WebError(f"{seconds_per_request} is not a number of seconds for each request")
        self._step = round(seconds_per_request * 1e6)
        self._next = 0
        self._now = 0.0

    def request(self, asked: float | None) -> float:
        """Advance to the time of the next request, or to the later time that it sets."""
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
    """The wall clock since its creation, possibly faster; requests cannot set it.

    Parameters
    ----------
    speed : float
        How many virtual seconds pass in a real second.
    """

    real = True

    def __init__(self, speed: float = 1.0) -> None:
        if not 0 < speed < math.inf:
            raise WebError(f"{speed} is not a speed above zero")
        self._speed = speed
        self._begun = time.monotonic()

    def request(self, asked: float | None) -> float:
        """Return the present time."""
        return self.now()

    def now(self) -> float:
        """Return the present time."""
        return round((time.monotonic() - self._begun) * self._speed, 6)
