"""Detectors of traps: addresses without end that a server makes up, recognized by their form.

Detectors are written ``NAME`` or ``NAME=MOST``, with commas between them:

============== =================================================================================
``calendar``   at most so many pages whose addresses differ only by a date (60)
``session``    one page of those whose addresses differ only by a session id
``depth``      at most so many segments in a path (20)
``repeats``    at most so often the same segment in a path, if it is no number (2)
``parameters`` at most so many parameters in a query (10)
``queries``    at most so many pages of one path that differ by their queries (1000)
``usual``      calendar, session and repeats
``all``        all of them
============== =================================================================================

`depth`, `repeats` and `parameters` decide by the address alone. The others count pages that a crawl
has accepted, so that each detector needs a count that the crawl keeps (`Alike`). They never use the
date of today, the order of answers or chance, so that a crawl that is repeated decides the same.

The limit of segments is that of Heritrix (``TooManyPathSegmentsDecideRule``). Nutch also leaves
out a path at the third time of a segment; numbers do not count here, since ``/1/1/1`` can be a
chapter of a book.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from operator import itemgetter
from typing import NamedTuple

from counterpoint.crawler.errors import CrawlError

DEFAULTS = {
    "calendar": 60, "session": 1, "depth": 20, "repeats": 2, "parameters": 10, "queries": 1000,
}  # fmt: skip
"""The detectors, each with its limit if none is given."""

USUAL = ("calendar", "session", "repeats")
"""The detectors that gained pages and lost none where they were measured (benchmarks/traps.py)."""

_SETS = {"usual": USUAL, "all": tuple(DEFAULTS)}
MOST = 10**6
"""The largest limit."""

_DATE = re.compile(
    r"(?<![0-9])(?:[12][0-9]{3})([-/_.])(?:1[0-2]|0?[1-9])"
    r"(?:\1(?:3[01]|[12][0-9]|0?[1-9]))?(?![0-9])"
)
"""A year with a month and perhaps a day: ``2026/11``, ``2026-11-27``."""
_DATE_PARAMETER = re.compile(
    r"(?<=[?&;])(year|month|day|week|date|yr|mo|cal_?date|startdate|enddate)=[0-9][0-9./:_T-]*"
    r"(?=[&;]|$)", re.I,
)  # fmt: skip
"""A parameter of a query that names a date or a part of one."""

_TOKEN = r"(?=[a-z_-]*[0-9])(?=[0-9_-]*[a-z])[0-9a-z_-]{16,128}"
"""A value that looks drawn by chance: 16 characters or more, with digits and letters."""
_SESSION_PARAMETER = re.compile(
    rf"(?<=[?&;])(?:(phpsessid|jsessionid|aspsessionid[a-z]{{8}}|cftoken|cfid)=[^&;]+"
    rf"|((?:[a-z]{{1,3}}_?)?(?:sid|sess|sessid|session|session_?id))={_TOKEN})(?:[&;]|$)", re.I,
)  # fmt: skip
_SESSION_PATH = re.compile(
    rf";(jsessionid|phpsessid)=[^/?;]+|/\((S)\({_TOKEN}\)\)(?=/)", re.I
)  # fmt: skip
"""A session id in a path: ``/a;jsessionid=1A2B``, and ``/(S(...))/`` of ASP.NET."""


class Alike(NamedTuple):
    """Pages of which a crawl accepts only so many.

    Attributes
    ----------
    name : str
        Equal for pages that are alike.
    most : int
    problem : str
        Which detector leaves the others out, and why.
    twin : str
        The address without what makes these pages alike, if that is a page of its own; else "". If
        the crawl has accepted it, it accepts none of the others.
    """

    name: str
    most: int
    problem: str
    twin: str = ""


@dataclass(frozen=True)
class Traps:
    """The detectors of a crawl.

    Parameters
    ----------
    text : str
        The detectors as the user writes them; "": none.

    Raises
    ------
    CrawlError
        If the text is wrong; the message names the part.
    """

    text: str = ""

    def __post_init__(self) -> None:
        _ = self.limits  # what is wrong is refused at once

    @cached_property
    def limits(self) -> dict[str, int]:
        """The limit of each detector, in the order of `DEFAULTS`."""
        found: dict[str, int] = {}
        for part in filter(None, map(str.strip, self.text.split(","))):
            found |= _read(part)
        return {name: found[name] for name in DEFAULTS if name in found}

    def __bool__(self) -> bool:
        return bool(self.limits)

    def spelled(self) -> str:
        """Return the detectors with all limits, as equal texts for equal detectors."""
        return ",".join(f"{name}={most}" for name, most in self.limits.items())

    @cached_property
    def counts(self) -> bool:
        """Whether a detector counts pages."""
        return any(name in _ALIKE for name in self.limits)

    def problem(self, address: str) -> str:
        """Return which detector leaves a normalized address out by its form alone; "": none."""
        for name, most in self.limits.items():
            if name in _BY_FORM and (why := _BY_FORM[name](address, most)):
                return f"--traps {name}={most} ({why})"
        return ""

    def alike(self, address: str) -> list[Alike]:
        """Return for each detector that counts with which pages it counts an address."""
        found = []
        for name, most in self.limits.items():
            if name in _ALIKE and (one := _ALIKE[name](address, most)) is not None:
                found.append(one)
        return found


def _read(part: str) -> dict[str, int]:
    """Return the detectors that a part of the text names, with their limits."""
    name, equals, value = part.partition("=")
    if name in _SETS and not equals:
        return {one: DEFAULTS[one] for one in _SETS[name]}
    if name not in DEFAULTS:
        names = ", ".join((*_SETS, *DEFAULTS))
        raise CrawlError(f"--traps {part}: a detector is NAME or NAME=MOST, and NAME is {names}")
    if not equals:
        return {name: DEFAULTS[name]}
    if name == "session" and value != "1":
        raise CrawlError(f"--traps {part}: of pages that differ by a session id, one is accepted")
    if not (value.isascii() and value.isdigit() and len(value) < 10 and 0 < int(value) <= MOST):
        raise CrawlError(f"--traps {part}: the limit is a whole number from 1 to {MOST:,}")
    return {name: int(value)}


def _path(address: str) -> str:
    """Return the path of a normalized address."""
    return address[address.index("/", len("https://")) :].partition("?")[0]


def _too_deep(address: str, most: int) -> str:
    count = sum(map(bool, _path(address).split("/")))
    return f"{count:,} segments" if count > most else ""


def _repeats(address: str, most: int) -> str:
    parts = Counter(part for part in _path(address).split("/") if part and not part.isdigit())
    part, count = max(parts.items(), key=itemgetter(1), default=("", 0))
    return (
        f"{count:,} times {part if len(part) <= 40 else f'{part[:40]}...'}" if count > most else ""
    )


def _too_many_parameters(address: str, most: int) -> str:
    query = address.partition("?")[2]
    count = len([one for one in re.split("[&;]", query) if one])
    return f"{count:,} parameters" if count > most else ""


def _calendar(address: str, most: int) -> Alike | None:
    start = address.index("/", len("https://"))
    shape = _DATE.sub("{date}", address[start:])
    shape = _DATE_PARAMETER.sub(lambda found: f"{found[1].lower()}={{date}}", shape)
    if shape == address[start:]:
        return None
    return Alike(f"calendar {address[:start]}{shape}", most,
                 f"--traps calendar={most} (more pages differ only by their date)")  # fmt: skip


def _session(address: str, most: int) -> Alike | None:
    twin, name = _without_session(address)
    if not name:
        return None
    return Alike(f"session {twin}", most, f"--traps session ({name}: the page is known without it, "
                 "or with another one)", twin)  # fmt: skip


def _without_session(address: str) -> tuple[str, str]:
    """Return an address without its session ids, and the name of the first; "": it has none."""
    start = address.index("/", len("https://"))
    path, question, query = address[start:].partition("?")
    names: list[str] = []

    def cut(found: re.Match[str]) -> str:
        names.append(found[1] or found[2])
        return ""

    path = _SESSION_PATH.sub(cut, path)
    query = _SESSION_PARAMETER.sub(cut, question + query)[1:].rstrip("&;") if question else ""
    whole = f"{address[:start]}{path}{'?' if query else ''}{query}"
    return whole, names[0] if names else ""


def _queries(address: str, most: int) -> Alike | None:
    path, question, _ = address.partition("?")
    if not question:
        return None
    return Alike(f"queries {path}", most,
                 f"--traps queries={most} (more pages differ only by their query)")  # fmt: skip


_BY_FORM: dict[str, Callable[[str, int], str]] = {
    "depth": _too_deep, "repeats": _repeats, "parameters": _too_many_parameters,
}  # fmt: skip
_ALIKE: dict[str, Callable[[str, int], Alike | None]] = {
    "calendar": _calendar, "session": _session, "queries": _queries,
}  # fmt: skip
