"""Graphs in text whose pages are numbers, of any size: what is read goes into sorted runs on disk.

An edge list has a link on each line, two numbers with blanks, a comma or a semicolon between them;
lines that begin with ``#`` or ``%`` are comments. A WebGraph-style text has the number of pages on
its first line, and on each further line what the next page links to.
"""

from __future__ import annotations

import codecs
import gzip
import json
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

import numpy as np

from counterpoint.compiling import Array, Number, compiled
from counterpoint.graph.errors import GraphError
from counterpoint.graph.storage.pages import Addresses, Tell
from counterpoint.graph.storage.sorting import Merged, Rows, Runs, sorted_keys, write_whole

READ = 1 << 25
"""Bytes that are read at a time."""

MOST = 2**32 - 2
"""The greatest number of a page."""


def identity(path: Path) -> str:
    """Return what tells a file from what it was at another time."""
    try:
        told = path.stat()
    except OSError as error:
        raise GraphError(f"{path}: {error.strerror or error}") from None
    return f"{path.resolve()} {told.st_size} {told.st_mtime_ns}"


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """Open a file, by its name compressed or not; what is wrong with it is a GraphError."""
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            yield cast(BinaryIO, file)
    except (OSError, EOFError, zlib.error) as error:
        told = getattr(error, "strerror", None) or error
        raise GraphError(f"{path}: {told}") from None


def pieces(path: Path) -> Iterator[bytes]:
    """Yield a file in pieces of whole lines; the last line gets its line feed."""
    with opened(path) as file:
        rest = file.read(len(codecs.BOM_UTF8)).removeprefix(codecs.BOM_UTF8)
        while data := file.read(READ):
            cut = data.rfind(b"\n") + 1
            if cut:
                yield rest + data[:cut]
                rest = data[cut:]
            else:
                rest += data
        if rest:
            yield rest + b"\n"


@compiled
def _parsed(data: Array, comments: Number, numbers: Array, ends: Array) -> tuple[Number, Number]:
    """Write the numbers of lines; ``ends`` gets how many there are up to the end of each line.

    Returns
    -------
    int, int
        How many lines there are; the line, from 0, that has anything else, or -1.
    """
    at = lines = count = 0
    while at < len(data):
        if comments and (data[at] == 35 or data[at] == 37):
            while data[at] != 10:
                at += 1
        while data[at] != 10:
            sign = data[at]
            if sign == 32 or sign == 9 or sign == 13 or (comments and (sign == 44 or sign == 59)):
                at += 1
                continue
            number, digits = np.uint64(0), 0
            while 48 <= data[at] <= 57 and digits < 12:
                number = number * np.uint64(10) + np.uint64(data[at] - 48)
                at += 1
                digits += 1
            after = data[at]
            apart = after <= 32 or (comments and (after == 44 or after == 59))
            if digits == 0 or number > np.uint64(MOST) or not apart:
                return lines, lines
            numbers[count] = number
            count += 1
        at += 1
        ends[lines] = count
        lines += 1
    return lines, -1


class _Lines:
    """Reads lines of numbers, and knows at which line it is.

    Parameters
    ----------
    path : Path
    comments : bool
        Whether there may be comments, commas and semicolons.
    """

    def __init__(self, path: Path, comments: bool) -> None:
        self._path, self._comments = path, comments
        self.line = 1

    def read(self) -> Iterator[tuple[Array, Array]]:
        """Yield numbers, and how many of them each line has; `line` is the first line's number."""
        for piece in pieces(self._path):
            data = np.frombuffer(piece, dtype=np.uint8)
            numbers = np.empty(len(data) // 2 + 1, dtype=np.uint32)
            ends = np.zeros(piece.count(b"\n") + 1, dtype=np.int64)
            lines, wrong = _parsed(data, self._comments, numbers, ends[1:])
            if wrong >= 0:
                shown = piece.split(b"\n", wrong + 1)[wrong]
                raise self.error(wrong, shown)
            ends = ends[: lines + 1]
            yield numbers[: ends[-1]], ends[1:] - ends[:-1]
            self.line += lines

    def error(self, line: int, shown: bytes = b"", what: str = "") -> GraphError:
        """Return an error that names a line of what was yielded last."""
        text = shown.decode("utf-8", "replace")
        told = what or f"{text[:60]!a} is no row of page numbers from 0 to {MOST:,}"
        return GraphError(f"{self._path}: line {self.line + line:,}: {told}")


class Numbered:
    """Links that were read, all pages of one host.

    Attributes
    ----------
    count : int
    hosts : uint32[2]
    addresses : None
    """

    addresses: Addresses | None = None

    def __init__(self, merged: Merged, pages: int) -> None:
        self._merged, self.count = merged, pages
        self.hosts = np.array([0, pages] if pages else [0], dtype=np.uint32)

    def rows(self, first: int, last: int) -> Rows:
        """Return the links of pages from ``first`` to ``last``."""
        return self._merged.rows(first, last)

    def parts(self, most: int) -> list[tuple[int, int]]:
        """Divide the pages into ranges of about so many links."""
        return self._merged.parts(most)


def _gathered(folder: Path, links: Callable[[], Iterator[tuple[Array, Array, int]]]) -> Numbered:
    """Put links into runs, unless that is done; they come with how many pages there are so far."""
    runs, note = Runs(folder, "read"), folder / "read.json"
    if not note.exists():
        number = pages = 0
        for sources, targets, so_far in links():
            if not runs.has(number):
                keys = (sources.astype(np.uint64) << np.uint64(32)) | targets
                runs.write(number, sorted_keys(keys, 0, so_far, so_far))
            number, pages = number + 1, max(pages, so_far)
        told = json.dumps({"runs": number, "pages": pages}).encode()
        write_whole(note, [np.frombuffer(told, dtype=np.uint8)])
    told_ = json.loads(note.read_text())
    return Numbered(runs.opened(told_["runs"], told_["pages"]), told_["pages"])


class EdgeList:
    """A list of links, pages given by their numbers.

    Parameters
    ----------
    path : Path

    Raises
    ------
    GraphError
        If a line is no link; it names the line.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self.name = f"edges {identity(path)}"

    def read(self, folder: Path, tell: Tell) -> Numbered:
        """Return the pages: as many as the greatest number tells."""
        return _gathered(folder, lambda: self._links(tell))

    def _links(self, tell: Tell) -> Iterator[tuple[Array, Array, int]]:
        lines, pages = _Lines(self._path, comments=True), 0
        for numbers, counts in lines.read():
            wrong = np.flatnonzero((counts != 2) & (counts != 0))
            if len(wrong):
                what = f"has {counts[wrong[0]]} numbers; a link is two"
                raise lines.error(int(wrong[0]), what=what)
            pages = max(pages, int(numbers.max(initial=0)) + 1 if len(numbers) else 0)
            if tell:
                tell(f"read {lines.line:,} lines")
            yield numbers[::2], numbers[1::2], pages


class AdjacencyText:
    """WebGraph-style text: the number of pages, then a line of links for each.

    Parameters
    ----------
    path : Path

    Raises
    ------
    GraphError
        If a line is not as it must be; it names the line.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self.name = f"adjacency {identity(path)}"

    def read(self, folder: Path, tell: Tell) -> Numbered:
        """Return the pages."""
        return _gathered(folder, lambda: self._links(tell))

    def _links(self, tell: Tell) -> Iterator[tuple[Array, Array, int]]:
        lines = _Lines(self._path, comments=False)
        pages, page, head = -1, 0, 0
        for numbers, counts in lines.read():
            if pages < 0:
                if counts[0] != 1:
                    raise lines.error(0, what="must be the number of pages alone")
                pages = int(numbers[0])
                numbers, counts, head = numbers[1:], counts[1:], 1
            self._check(lines, head, numbers, counts, pages, page)
            sources = np.repeat(np.arange(page, page + len(counts), dtype=np.uint32), counts)
            page, head = page + len(counts), 0
            if tell:
                tell(f"read {page:,} of {pages:,} pages")
            yield sources, numbers, pages
        if page < max(pages, 0) or pages < 0:
            told = f"line {page + 2:,} is missing: it has {page:,} of {pages:,} pages"
            raise GraphError(f"{self._path}: {told if pages >= 0 else 'is empty'}")

    @staticmethod
    def _check(
        lines: _Lines, head: int, numbers: Array, counts: Array, pages: int, page: int
    ) -> None:
        if page + len(counts) > pages:
            raise lines.error(head + pages - page, what=f"is one more than for {pages:,} pages")
        wrong = np.flatnonzero(numbers >= pages)
        if len(wrong):
            line = head + int(np.searchsorted(np.cumsum(counts), wrong[0], side="right"))
            what = f"there is no page {numbers[wrong[0]]:,}: the first line says {pages:,}"
            raise lines.error(line, what=what)
