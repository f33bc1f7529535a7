"""The synthetic web without sockets, under a virtual clock: for simulations of crawl policies.

`Simulated.fetch` tells what fetching a page would bring, by numbers alone. `Simulated.get` gives
the very bytes that the server sends, and `read` parses them.
"""

from __future__ import annotations

import ctypes
from typing import Any, NamedTuple, Protocol

import numpy as np

from counterpoint.compiling import Array
from counterpoint.sim_web.answer import Answer, Fault, Question
from counterpoint.sim_web.generator import Explicit
from counterpoint.sim_web.generator.packing import links
from counterpoint.sim_web.pages import faults
from counterpoint.sim_web.pages.host import host
from counterpoint.sim_web.pages.numbers import fault_of
from counterpoint.sim_web.pages.plan import plan

from .links import Links as Links
from .links import read as read
from .site import SyntheticSite


class Clock:
    """Virtual time; only whoever holds it moves it."""

    __slots__ = ("now",)

    def __init__(self, now: float = 0.0) -> None:
        self.now = now

    def wait(self, seconds: float) -> None:
        """Let time pass."""
        if seconds < 0:
            raise ValueError("time does not go back")
        self.now += seconds


class Outcome(NamedTuple):
    """What fetching a page brought.

    Attributes
    ----------
    page : int
        The page.
    status : int
        Of HTTP; 0: no answer came.
    links : array of int
        The distinct pages it links to; none unless the status is 200.
    """

    page: int
    status: int
    links: Array


class Fetcher(Protocol):
    """Whatever fetches pages for a scheduler."""

    def fetch(self, page: int) -> Outcome:
        """Fetch a page by its number."""
        ...

    def get(self, url: str) -> Answer:
        """Fetch an address."""
        ...


_NONE: Array = np.empty(0, dtype=np.int64)


class Simulated:
    """Fetches in process.

    Parameters
    ----------
    site : SyntheticSite
        The web and its answers.
    clock : Clock, optional
        Asked for the time of every fetch, and never moved.
    explicit : Explicit, optional
        The web's links, written out, for speed; without them they are computed at each fetch.
    """

    def __init__(
        self, site: SyntheticSite, clock: Clock | None = None, explicit: Explicit | None = None
    ) -> None:
        self.site, self.web, self.clock = site, site.web, clock or Clock()
        self._well = not any(
            getattr(self.web.profile.faults, key)
            for key in ("server_error", "unavailable", "reset", "wrong_type", "vanish")
        )
        self._plan = plan(self.web)
        self._offsets: Any = None
        if explicit is not None:
            self._offsets = np.ascontiguousarray(explicit.offsets, dtype=np.int64).data
        self._targets = _NONE if explicit is None else explicit.targets

    def fetch(self, page: int) -> Outcome:
        """Return what fetching a page now would bring, without writing it.

        Redirects before a page are not counted, and frames belong to the page. An answer that
        breaks off is one with status 200 whose links all came; one of a wrong type has no links.
        """
        if not self._well:
            status, readable = self._status(page)
            if not readable:
                return Outcome(page, status, _NONE)
        offsets = self._offsets
        if offsets is None:
            return Outcome(page, 200, links(self._plan.whole, self._plan.real, page, 1, 0))
        return Outcome(page, 200, self._targets[offsets[page] : offsets[page + 1]])

    def _status(self, page: int) -> tuple[int, bool]:
        told = self._plan
        number = int(fault_of(told.key, told.chances, page))
        of = self.web.host(page) if number in _TELLING or self.web.profile.faults.vanish else -1
        if of >= 0 and host(self.web, of).vanishes_at <= self.clock.now:
            return 0, False
        if number in faults.PASSING and faults.is_ill(self.web, page, self.clock.now):
            return _STATUS[faults.OF_PAGES[number][1]], False
        wrong = number == faults.NUMBER["wrong_type"] and page != self.web.pages_of(of).start
        return 200, not wrong

    def get(self, url: str, **headers: str) -> Answer:
        """Return the answer to a GET now; headers are fields of `Question`."""
        return self.site.answer(Question(url, self.clock.now, **headers))


_STATUS = {Fault.RESET: 0, Fault.SERVER_ERROR: 500, Fault.UNAVAILABLE: 503}
_TELLING = faults.PASSING | {faults.NUMBER["wrong_type"]}


def keep_memory() -> bool:
    """Let the process keep the memory that a parsed document frees, for the next one.

    Otherwise the C library gives it back to the system each time, and faulting it in again takes
    two thirds of the time of parsing a small page. Tells whether the library could be told.
    """
    try:
        tune = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):
        return False
    trim_threshold, mmap_threshold = -1, -3
    return bool(tune(trim_threshold, 1 << 28)) and bool(tune(mmap_threshold, 1 << 25))
