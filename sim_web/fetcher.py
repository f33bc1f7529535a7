"""The synthetic web without sockets, under a virtual clock: for simulations of crawl policies.

`Simulated.fetch` tells what fetching a page would bring, by numbers alone. `Simulated.get` gives
the very bytes that the server sends, and `read` parses them.
"""

from __future__ import annotations

import ctypes
import re
from typing import Any, NamedTuple, Protocol
from urllib.parse import urljoin, urlsplit

import numpy as np
from selectolax.lexbor import LexborHTMLParser

from sim_web.answer import Answer, Fault, Question
from sim_web.generator import Explicit
from sim_web.generator.kernels import Array
from sim_web.site import SyntheticSite

from .pages import faults
from .pages.host import host
from .pages.numbers import fault_of
from .pages.plan import plan


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
            return Outcome(page, 200, self.web.out_links(page))
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


class Links(NamedTuple):
    """What a document links to: absolute URLs, copies included, and what is no link."""

    urls: list[str]
    bad: list[str]


_LINKING = (("a", "href"), ("frame", "src"), ("iframe", "src"))

_SIMPLE = re.compile(
    r"(?=[a-z0-9/.])(?!.*//)[a-z0-9_~/\-]*(?:\.[a-z]+)?(?:\?[a-z0-9=&\-]+)?", re.ASCII
)
"""References that are joined by putting them behind a folder: no dots before a slash, no scheme."""


_ABOVE = re.compile(r"(?:\.\./)+")
_WHOLE = re.compile(r"http://[a-z0-9.\-]+/[A-Za-z0-9_~/.\-=&?]*", re.ASCII)
"""References that are absolute URLs already."""


def read(document: bytes, url: str) -> Links:
    """Return the links and frames of an HTML document found at a URL.

    All references are taken as ASCII: an undeclared or wrongly declared encoding does them no harm.
    """
    tree = LexborHTMLParser(document.decode("latin-1"))
    at = url
    for base in tree.tags("base")[:1] if b"<base" in document else ():
        at = urljoin(url, base.attributes.get("href") or "")
    origin = at[: at.index("/", 8)]
    folder = at.partition("?")[0].rpartition("/")[0] + "/"
    urls: list[str] = []
    bad: list[str] = []
    for tag, place in _LINKING:
        if tag != "a" and b"frame" not in document:
            continue
        for node in tree.tags(tag):
            reference = node.attributes.get(place)
            if reference is not None:
                joined = _joined(reference, at, origin, folder)
                (bad if joined is None else urls).append(joined or reference)
    return Links(urls, bad)


def _joined(reference: str, at: str, origin: str, folder: str) -> str | None:
    """Return a reference as an absolute URL; None if it is no link of http."""
    if reference.startswith("http://") and _WHOLE.fullmatch(reference):
        return reference
    if _SIMPLE.fullmatch(reference):
        if reference[0] != "/":
            return folder + reference
        if reference[:2] != "//":
            return origin + reference
    if reference.startswith("../"):
        above = len(_ABOVE.match(reference)[0]) // 3  # type: ignore[index]
        rest = reference[3 * above :]
        if not rest or (rest[0] != "/" and _SIMPLE.fullmatch(rest)):
            return _climbed(folder, above, len(origin)) + rest
    return _slowly_joined(reference, at)


def _climbed(folder: str, above: int, root: int) -> str:
    for _ in range(above):
        if len(folder) > root + 1:
            folder = folder[: folder.rindex("/", root, -1) + 1]
    return folder


def _slowly_joined(reference: str, at: str) -> str | None:
    try:
        told = urlsplit(reference.strip())
        if told.scheme and not told.netloc:
            return None
        joined = urljoin(at, reference.strip())
        parts = urlsplit(joined)
        parts.port  # noqa: B018 raises if it is none
    except ValueError:
        return None
    good = parts.scheme in ("http", "https") and parts.hostname and " " not in parts.netloc
    return joined.partition("#")[0] if good else None
