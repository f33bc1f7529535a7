"""The synthetic web without sockets, under a virtual clock: for simulations of crawl policies.

`Simulated.fetch` computes the outcome of a fetch from numbers alone. `Simulated.get` returns the
same bytes as the server, and `read` parses them.
"""

from __future__ import annotations

import ctypes
from typing import Any, NamedTuple, Protocol

import numpy as np

from counterpoint.compiling import Array
from counterpoint.sim_web.answer import Answer, Fault, Question
from counterpoint.sim_web.generator import Explicit
from counterpoint.sim_web.generator.packing import links
from counterpoint.sim_web.pages import faults, life
from counterpoint.sim_web.pages.host import host
from counterpoint.sim_web.pages.numbers import fault_of
from counterpoint.sim_web.pages.plan import plan

from .links import DocumentLinks as DocumentLinks
from .links import read as read
from .site import SyntheticSite


class ManualClock:
    """Virtual time, which only its owner advances."""

    __slots__ = ("now",)

    def __init__(self, now: float = 0.0) -> None:
        self.now = now

    def wait(self, seconds: float) -> None:
        """Advance the time."""
        if seconds < 0:
            raise ValueError("the time cannot be turned back")
        self.now += seconds


class FetchedPage(NamedTuple):
    """The outcome of fetching a page.

    Attributes
    ----------
    page : int
        The page.
    status : int
        The status of HTTP; 0: there was no answer.
    links : int64
        The distinct pages to which it links; none unless the status is 200.
    """

    page: int
    status: int
    links: Array


class PageFetcher(Protocol):
    """The interface that fetches pages for a scheduler."""

    def fetch(self, page: int) -> FetchedPage:
        """Fetch a page by its number."""
        ...

    def get(self, url: str) -> Answer:
        """Fetch an address."""
        ...


_NONE: Array = np.empty(0, dtype=np.int64)


class Simulated:
    """Fetches pages in process, without sockets.

    Parameters
    ----------
    site : SyntheticSite
        The web and its answers.
    clock : ManualClock, optional
        Gives the time of every fetch; fetches do not advance it.
    explicit : Explicit, optional
        The web's links, written out, for speed. Without them, each fetch computes its links.
    """

    def __init__(
        self,
        site: SyntheticSite,
        clock: ManualClock | None = None,
        explicit: Explicit | None = None,
    ) -> None:
        self.site, self.web, self.clock = site, site.web, clock or ManualClock()
        self._passing = self.web.profile.change.passing > 0
        self._well = not self._passing and not any(
            getattr(self.web.profile.faults, key)
            for key in ("server_error", "unavailable", "reset", "wrong_type", "vanish")
        )
        self._plan = plan(self.web)
        self._offsets: Any = None
        if explicit is not None:
            self._offsets = np.ascontiguousarray(explicit.offsets, dtype=np.int64).data
        self._targets = _NONE if explicit is None else explicit.targets

    def fetch(self, page: int) -> FetchedPage:
        """Return the outcome of fetching a page now, without rendering it.

        Redirects before a page are ignored, and frames belong to the page. An answer that breaks
        off has status 200 and all links; one of a wrong type has no links.
        """
        if not self._well:
            status, readable = self._status(page)
            if not readable:
                return FetchedPage(page, status, _NONE)
        offsets = self._offsets
        if offsets is None:
            return FetchedPage(page, 200, links(self._plan.whole, self._plan.real, page, 1, 0))
        return FetchedPage(page, 200, self._targets[offsets[page] : offsets[page + 1]])

    def _status(self, page: int) -> tuple[int, bool]:
        laws = self._plan
        number = int(fault_of(laws.key, laws.chances, page))
        own = self.web.host(page) if number in _DECIDING or self.web.profile.faults.vanish else -1
        if own >= 0 and host(self.web, own).vanishes_at <= self.clock.now:
            return 0, False
        if self._passing and not life.is_there(self.web, page, self.clock.now):
            return 404 if self.clock.now < life.life(self.web, page)[0] else 410, False
        if number in faults.PASSING and faults.is_ill(self.web, page, self.clock.now):
            return _STATUS[faults.OF_PAGES[number][1]], False
        wrong = number == faults.NUMBER["wrong_type"] and page != self.web.pages_of(own).start
        return 200, not wrong

    def get(self, url: str, **headers: str) -> Answer:
        """Return the answer to a GET now; headers are fields of `Question`."""
        return self.site.answer(Question(url, self.clock.now, **headers))


_STATUS = {Fault.RESET: 0, Fault.SERVER_ERROR: 500, Fault.UNAVAILABLE: 503}
_DECIDING = faults.PASSING | {faults.NUMBER["wrong_type"]}


def keep_memory() -> bool:
    """Let the process keep the memory that a parsed document frees, for the next one.

    Otherwise the C library gives it back to the system each time, and faulting it in again takes
    two thirds of the time of parsing a small page. The result says whether the library allows it.
    """
    try:
        tune = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):
        return False
    trim_threshold, mmap_threshold = -1, -3
    return bool(tune(trim_threshold, 1 << 28)) and bool(tune(mmap_threshold, 1 << 25))
