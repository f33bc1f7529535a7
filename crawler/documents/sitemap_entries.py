"""The entries of a sitemap, and what is wrong with them."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from email.utils import parsedate_tz
from enum import StrEnum
from typing import NamedTuple

from .addresses import normalized, site

MOST = 50_000
"""The most addresses of a sitemap."""
LONGEST = 2_048
"""The most characters of an address in a sitemap."""
PROBLEMS = 100
"""The most problems of lines that are named; of the others, their number is."""

_SAID = 80
_W3C = re.compile(
    r"(\d{4})(?:-(\d\d)(?:-(\d\d)"
    r"(?:T(\d\d):(\d\d)(?::(\d\d)(\.\d{1,9})?\d*)?(?:Z|([+-])([01]\d|2[0-3]):([0-5]\d)))?)?)?",
    re.A | re.I,
)
"""The forms of https://www.w3.org/TR/NOTE-datetime, from a year to parts of a second."""
_ZONE = re.compile(r"(?:[+-]\d{4}|[A-Z]{1,5})\Z", re.A | re.I)
"""A time zone of RFC 822; without one, `parsedate_tz` takes that of UTC."""


class SitemapKind(StrEnum):
    """The formats of a sitemap."""

    NONE = ""
    """It is no sitemap."""
    URLSET = "urlset"
    INDEX = "index"
    """Its addresses are those of other sitemaps."""
    RSS = "RSS 2.0"
    ATOM = "Atom"
    TEXT = "text"


class SitemapEntry(NamedTuple):
    """A normalized address, and when its page was modified (seconds since 1970; None: not said)."""

    address: str
    modified: float | None = None


class StopError(Exception):
    """The rest of the sitemap is not read; the message says why."""


class Entries:
    """Collects the entries and the problems of a sitemap.

    Parameters
    ----------
    sites : set of str
        The sites whose addresses are allowed.
    """

    def __init__(self, sites: set[str]) -> None:
        self._sites = sites
        self.entries: list[SitemapEntry] = []
        self._of_file: list[str] = []
        self._of_lines: list[str] = []
        self._unnamed = 0

    def add(self, line: int, text: str, time: str = "") -> None:
        """Add an entry if its address is allowed; the texts are as written in the line.

        Raises
        ------
        StopError
            If the sitemap has more addresses than it may.
        """
        if len(self.entries) == MOST:
            raise StopError(f"more than {MOST:,} addresses; the others are left out")
        text, time = text.strip(), time.strip()
        address = None if len(text) > LONGEST else normalized(text)
        if not text:
            self.note(line, "an entry without an address")
        elif len(text) > LONGEST:
            self.note(line, f"an address of more than {LONGEST:,} characters")
        elif address is None:
            self.note(line, f"{said(text)} is no address of http or https")
        elif site(address) not in self._sites:
            self.note(line, f"{address[:_SAID]} is on another site")
        else:
            modified = modified_at(time) if time else None
            if time and modified is None:
                self.note(line, f"{said(time)} is no time of the form that sitemaps have")
            self.entries.append(SitemapEntry(address, modified))

    def note(self, line: int, problem: str) -> None:
        """Note a problem of a line, or of the whole file (line 0)."""
        if not line:
            self._of_file.append(problem)
        elif len(self._of_lines) < PROBLEMS:
            self._of_lines.append(f"line {line:,}: {problem}")
        else:
            self._unnamed += 1

    def problems(self) -> list[str]:
        """Return the problems, those of the whole file first, and how many are not named."""
        more = [f"{self._unnamed:,} more problems"] if self._unnamed else []
        return [*self._of_file, *self._of_lines, *more]


def said(text: str) -> str:
    """Return a text for a message, in one line."""
    return repr(text if len(text) <= _SAID else f"{text[:_SAID]}...")


def modified_at(text: str) -> float | None:
    """Return a time in seconds since 1970; None if the text is no time, or has no time zone.

    Parameters
    ----------
    text : str
        In one of the forms of W3C's note on date and time, or as in RFC 822. Where a part is not
        given, the time is the first one that it can be; days without an hour are those of UTC.
    """
    if found := _W3C.fullmatch(text):
        given = zip(found.groups()[:6], (0, 1, 1, 0, 0, 0), strict=True)
        numbers = [int(number or least) for number, least in given]
        ahead = int(found[9] or 0) * 60 + int(found[10] or 0)
        offset = -60 * ahead if found[8] == "-" else 60 * ahead
        part = float(found[7] or 0)
    else:
        parts = parsedate_tz(text) if len(text) <= _SAID and _ZONE.search(text) else None
        if parts is None or parts[9] is None:
            return None
        numbers, offset, part = list(parts[:6]), parts[9], 0.0
    try:
        year, month, day, hour, minute, second = numbers
        there = datetime(year, month, day, hour, minute, second, tzinfo=UTC)
    except (ValueError, OverflowError):
        return None
    return there.timestamp() + part - offset
