"""Reads lists of sites (one address per line, or a CSV table), and checks the sites.

A table has the columns number, full name, short name and start, in this order or in the order of
its header. They are separated by semicolons, commas or tabs. Lines that begin with # are comments.
An address may lack its scheme (`addresses.as_typed`).
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from counterpoint.crawler.documents.addresses import as_typed, site
from counterpoint.crawler.errors import CrawlError
from counterpoint.files.inputs import whole

from .views import can_be_stored

COLUMNS = ("number", "full_name", "short_name", "start")
"""The columns of a table without a header."""

NAMES = {
    "number": ("number", "no", "no.", "nr", "n", "id", "№"),
    "full_name": ("full name", "name", "title"),
    "short_name": ("short name", "short"),
    "start": ("start", "start address", "start page", "address", "url", "link", "site"),
    "level": ("level", "maximal level"),
    "cap": ("cap", "most pages"),
}
"""The names that a header may give to a column."""

LONGEST = 2_000
"""The most characters of a start address, since an index contains it."""

MOST = 10**9
"""The largest number, level or cap."""


_BREAKS = re.compile(r"\r\n|\r|\n")

Line = tuple[int, str]


class Seed(NamedTuple):
    """A site to be added to a link store.

    Attributes
    ----------
    start : str
        The address of its start page.
    full_name, short_name : str
        Names that are shown to users.
    number : int or None
        Its number; None: the next free one.
    level, cap : int or None
        The maximal level and the most pages of this site; None: the defaults for all sites.
    """

    start: str
    full_name: str = ""
    short_name: str = ""
    number: int | None = None
    level: int | None = None
    cap: int | None = None


def checked(seed: Seed) -> Seed:
    """Return a site with its start address normalized and its names trimmed.

    Raises
    ------
    CrawlError
        If the start address, a name or a number is invalid.
    """
    start = as_typed(seed.start) if can_be_stored(seed.start) else None
    if start is None or " " in seed.start.strip():
        raise CrawlError(f"{seed.start.strip()[:80]!r} is no address such as http://example.org/")
    if len(start) > LONGEST:
        raise CrawlError(f"'{start[:80]}...' is longer than {LONGEST:,} characters")
    for name, value, least in (
        ("number", seed.number, 1), ("level", seed.level, 0), ("cap", seed.cap, 1)
    ):  # fmt: skip
        if value is not None and not least <= value <= MOST:
            raise CrawlError(f"{name}: {value} is not from {least} to {MOST:,}")
    names = []
    for name in (seed.full_name, seed.short_name):
        if not can_be_stored(name):
            raise CrawlError("a name has a character that cannot be stored")
        names.append(" ".join(name.split()))
    return seed._replace(start=start, full_name=names[0], short_name=names[1])


def read(text: str, name: str = "the list") -> list[tuple[str, Seed]]:
    """Return the sites of a list, each with its position in the list: ``sites.txt: line 3``.

    Parameters
    ----------
    text : str
        The text of the list.
    name : str
        The name of the list in positions and messages.

    Raises
    ------
    CrawlError
        If a line is invalid, the list is empty, or two lines name the same site.
    """
    found: list[tuple[str, Seed]] = []
    lines_of: dict[str, int] = {}
    for line, seed in _seeds(text.removeprefix("\ufeff"), name):
        place = f"{name}: line {line}"
        try:
            seed = checked(seed)
        except CrawlError as error:
            raise CrawlError(f"{place}: {error}") from error
        own = site(seed.start)
        if own in lines_of:
            raise CrawlError(f"{place}: {own} is already in line {lines_of[own]}")
        lines_of[own] = line
        found.append((place, seed))
    if not found:
        raise CrawlError(f"{name}: has no site in it")
    return found


def text_of(path: Path) -> str:
    """Return the text of a file that contains a list.

    Raises
    ------
    CrawlError
        If the file cannot be read, is too large, or is not text in UTF-8.
    """
    try:
        with path.open("rb") as file:
            return whole(file).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise CrawlError(f"{path}: is no text in UTF-8") from error
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise CrawlError(f"{path}: {why}") from error


def _seeds(text: str, name: str) -> Iterator[tuple[int, Seed]]:
    lines = [(number, line) for number, line in enumerate(_BREAKS.split(text), 1)
             if line.strip() and not line.lstrip().startswith("#")]  # fmt: skip
    separator = _separator(lines[0][1]) if lines else None
    if separator is None:
        yield from ((number, Seed(line.strip())) for number, line in lines)
    else:
        yield from _table(lines, separator, name)


def _separator(first: str) -> str | None:
    """Return the separator of columns; None if the first line is not a row of a table."""
    if as_typed(first) is not None and "\t" not in first:
        return None  # an address may contain any of the separators
    counts = {sign: first.count(sign) for sign in "\t;,"}
    sign = max(counts, key=lambda sign: counts[sign])
    return sign if counts[sign] else None


def _table(lines: list[Line], separator: str, name: str) -> Iterator[tuple[int, Seed]]:
    """Yield the sites of a table with their line numbers; a cell cannot span several lines."""
    first = _cells(lines[0], separator, name)
    header = _header(first)
    columns = header or COLUMNS
    if header and "start" not in header:
        raise CrawlError(f"{name}: line {lines[0][0]}: no column is called start")
    if header and (twice := [column for column in header if column and header.count(column) > 1]):
        called = twice[0].replace("_", " ")
        raise CrawlError(f"{name}: line {lines[0][0]}: two columns are called {called}")
    for line in lines[1:] if header else lines:
        cells = _cells(line, separator, name)
        if len(cells) != len(columns):
            known = ", ".join(column.replace("_", " ") for column in columns if column)
            raise CrawlError(f"{name}: line {line[0]}: has {len(cells)} columns, not the "
                             f"{len(columns)} of {known}")  # fmt: skip
        named = {column: cell for column, cell in zip(columns, cells, strict=True) if column}
        numbers = {column: _number(named.pop(column), column, f"{name}: line {line[0]}")
                   for column in ("number", "level", "cap") if column in named}  # fmt: skip
        # The types of the fields are right: the three numeric columns were converted above.
        yield line[0], Seed(**named, **numbers)  # type: ignore[arg-type]


def _cells(line: Line, separator: str, name: str) -> list[str]:
    number, text = line
    try:
        row = next(csv.reader([text], delimiter=separator, strict=True))
    except csv.Error as error:
        raise CrawlError(f"{name}: line {number}: {error}") from error
    return [cell.strip() for cell in row]


def _header(cells: list[str]) -> tuple[str, ...]:
    """Return the columns that a header names, "" for unknown ones; () if it is not a header."""
    titles = [" ".join(cell.replace("_", " ").lower().split()) for cell in cells]
    if any(as_typed(cell) is not None for cell in cells):
        return ()
    found = [next((column for column, names in NAMES.items() if cell in names), "")
             for cell in titles]  # fmt: skip
    return tuple(found) if sum(map(bool, found)) > len(found) / 2 else ()


def _number(cell: str, column: str, place: str) -> int | None:
    if not cell:
        return None
    if not cell.isascii() or not cell.isdigit() or len(cell) > 10:
        raise CrawlError(f"{place}: {column}: {cell[:40]!r} is no number")
    return int(cell)
