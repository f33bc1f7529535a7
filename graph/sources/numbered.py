"""Reads graphs in text whose pages are numbers, of any size: the links go into sorted runs on disk.

An edge list has a link on each line: two numbers separated by blanks, a comma or a semicolon. Lines
that begin with ``#`` or ``%`` are comments, as SNAP and KONECT write them. The first line of a file
of KONECT names its kind: further columns (weights, times) are left out, and an undirected link
leads both ways. A WebGraph-style text has the number of pages on its first line, and on each
further line the links of the next page.
"""

from __future__ import annotations

import codecs
import gzip
import json
import re
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

import numpy as np

from counterpoint.compiling import Array, Number, compiled
from counterpoint.graph.errors import GraphError
from counterpoint.graph.storage.pages import Addresses, Tell
from counterpoint.graph.storage.sorting import MergedRuns, Rows, Runs, sorted_keys, write_whole

READ = 1 << 25
"""How many bytes are read at a time."""
LONGEST = 1 << 25
"""The most bytes of a line, apart from those that were read with its end."""

_FURTHER = re.compile(rb"^([ \t]*[0-9]+[ \t]+[0-9]+)[ \t][^\n]*", re.MULTILINE)
"""A line of two numbers and further columns."""
_KONECT = (b"sym", b"asym", b"bip")
_BOTH_WAYS = "sym"

MOST = 2**32 - 2
"""The greatest number of a page."""


def identity(path: Path) -> str:
    """Return a text that identifies a file's content: its path, size and time of change."""
    try:
        status = path.stat()
    except OSError as error:
        raise GraphError(f"{path}: {error.strerror or error}") from error
    return f"{path.resolve()} {status.st_size} {status.st_mtime_ns}"


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """Open a file, which is compressed if it ends in ``.gz``; raise GraphError for its errors."""
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            yield cast(BinaryIO, file)
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or error
        raise GraphError(f"{path}: {reason}") from error


def pieces(path: Path) -> Iterator[bytes]:
    """Yield a file in pieces of whole lines; the last line gets its line feed.

    Raises
    ------
    GraphError
        If a line is longer than `LONGEST` bytes, or the file cannot be read.
    """
    with opened(path) as file:
        rest = file.read(len(codecs.BOM_UTF8)).removeprefix(codecs.BOM_UTF8)
        while data := file.read(READ):
            cut = data.rfind(b"\n") + 1
            if cut:
                yield rest + data[:cut]
                rest = data[cut:]
            else:
                rest += data
                if len(rest) > LONGEST:
                    raise GraphError(f"{path}: a line is longer than {LONGEST >> 20} MB")
        if rest:
            yield rest + b"\n"


@compiled
def _parsed(data: Array, comments: Number, numbers: Array, ends: Array) -> tuple[Number, Number]:
    """Parse lines of numbers.

    Parameters
    ----------
    data : uint8
        Whole lines.
    comments : bool
        Whether there may be comments, commas and semicolons.
    numbers : uint32
        Gets the numbers of all lines.
    ends : int64
        Gets for each line how many numbers there are up to its end.

    Returns
    -------
    int, int
        The number of lines; the first invalid line, from 0 on, or -1.
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
    """Reads lines of numbers, and counts the lines for error messages.

    Parameters
    ----------
    path : Path
        The file.
    comments : bool
        Whether there may be comments, commas and semicolons.
    pairs : bool
        Whether only the first two numbers of a line are read.
    """

    def __init__(self, path: Path, comments: bool, pairs: bool = False) -> None:
        self._path, self._comments, self._pairs = path, comments, pairs
        self.line = 1

    def read(self) -> Iterator[tuple[Array, Array]]:
        """Yield the numbers of some lines, and how many each line has.

        `line` is the number of the first of these lines.
        """
        for piece in pieces(self._path):
            if self._pairs:
                piece = _FURTHER.sub(rb"\1", piece)
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

    def error(self, line: int, shown: bytes = b"", reason: str = "") -> GraphError:
        """Return an error that names a line.

        Parameters
        ----------
        line : int
            The line, from 0 on, among those that `read` yielded last.
        shown : bytes
            The content of the line.
        reason : str
            The message; by default that the content is invalid.
        """
        text = shown.decode("utf-8", "replace")
        reason = reason or f"{text[:60]!a} is not a row of page numbers from 0 to {MOST:,}"
        return GraphError(f"{self._path}: line {self.line + line:,}: {reason}")


class NumberedPages:
    """Pages with numbers instead of addresses; all belong to one host.

    Attributes
    ----------
    count : int
        The number of pages.
    hosts : uint32, shape (2,)
        0 and the number of pages.
    addresses : None
    """

    addresses: Addresses | None = None

    def __init__(self, merged: MergedRuns, pages: int) -> None:
        self._merged, self.count = merged, pages
        self.hosts = np.array([0, pages] if pages else [0], dtype=np.uint32)

    def rows(self, first: int, last: int) -> Rows:
        """Return the links of pages ``first`` to ``last - 1``."""
        return self._merged.rows(first, last)

    def parts(self, most: int) -> list[tuple[int, int]]:
        """Divide the pages into ranges of about ``most`` links."""
        return self._merged.parts(most)


def _gathered(
    folder: Path, links: Callable[[], Iterator[tuple[Array, Array, int]]], nodes: int
) -> NumberedPages:
    """Write links into sorted runs, unless that is done already, and return the pages.

    Parameters
    ----------
    folder : Path
        The folder of the runs.
    links : callable
        Returns an iterator of sources, targets, and the number of pages known so far.
    nodes : int
        So many pages there are at least.
    """
    runs, note = Runs(folder, "read"), folder / "read.json"
    if not note.exists():
        number, pages = 0, nodes
        for sources, targets, so_far in links():
            if not runs.has(number):
                keys = (sources.astype(np.uint64) << np.uint64(32)) | targets
                runs.write(number, sorted_keys(keys, 0, so_far, so_far))
            number, pages = number + 1, max(pages, so_far)
        text = json.dumps({"runs": number, "pages": pages}).encode()
        write_whole(note, [np.frombuffer(text, dtype=np.uint8)])
    counts = json.loads(note.read_text())
    return NumberedPages(runs.opened(counts["runs"], counts["pages"]), counts["pages"])


class EdgeList:
    """A list of links between numbered pages.

    Parameters
    ----------
    path : Path
        The file.

    Attributes
    ----------
    nodes : int
        So many pages there are at least; those without links may be missing in the list.

    Raises
    ------
    GraphError
        If a line is not a link; the message names the line.
    """

    def __init__(self, path: Path) -> None:
        self._path, self.nodes = path, 0
        self.name = f"edges {identity(path)}"

    def read(self, folder: Path, tell: Tell) -> NumberedPages:
        """Return the pages: all from 0 to the greatest number in the list."""
        return _gathered(folder, lambda: self._links(tell), self.nodes)

    def _links(self, tell: Tell) -> Iterator[tuple[Array, Array, int]]:
        kind = konect(self._path)
        lines, pages = _Lines(self._path, comments=True, pairs=bool(kind)), 0
        for numbers, counts in lines.read():
            wrong = np.flatnonzero((counts != 2) & (counts != 0))
            if len(wrong):
                reason = f"has {counts[wrong[0]]} numbers; a link has two"
                raise lines.error(int(wrong[0]), reason=reason)
            pages = max(pages, int(numbers.max(initial=0)) + 1 if len(numbers) else 0)
            if tell:
                tell(f"read {lines.line:,} lines")
            sources, targets = numbers[::2], numbers[1::2]
            if kind == _BOTH_WAYS:
                sources, targets = np.append(sources, targets), np.append(targets, sources)
            yield sources, targets, pages


def konect(path: Path) -> str:
    """Return the kind of graph that the first line of a file of KONECT names; "" for others.

    Raises
    ------
    GraphError
        If the graph is bipartite: its two kinds of nodes have the same numbers.
    """
    with opened(path) as file:
        words = file.readline(200).split()
    if len(words) < 3 or words[0] != b"%" or words[1] not in _KONECT:
        return ""
    kind = words[1].decode()
    if kind == "bip":
        raise GraphError(f"{path}: is a bipartite graph, whose nodes are no pages that link to "
                         "each other")  # fmt: skip
    return kind


class AdjacencyText:
    """WebGraph-style text: the number of pages, then a line of links for each page.

    Parameters
    ----------
    path : Path
        The file.

    Raises
    ------
    GraphError
        If a line is invalid; the message names the line.
    """

    def __init__(self, path: Path) -> None:
        self._path, self.nodes = path, 0  # the first line says how many there are
        self.name = f"adjacency {identity(path)}"

    def read(self, folder: Path, tell: Tell) -> NumberedPages:
        """Return the pages."""
        return _gathered(folder, lambda: self._links(tell), 0)

    def _links(self, tell: Tell) -> Iterator[tuple[Array, Array, int]]:
        lines = _Lines(self._path, comments=False)
        pages, page, head = -1, 0, 0
        for numbers, counts in lines.read():
            if pages < 0:
                if counts[0] != 1:
                    raise lines.error(0, reason="must be the number of pages and nothing else")
                pages = int(numbers[0])
                numbers, counts, head = numbers[1:], counts[1:], 1
            self._check(lines, head, numbers, counts, pages, page)
            sources = np.repeat(np.arange(page, page + len(counts), dtype=np.uint32), counts)
            page, head = page + len(counts), 0
            if tell:
                tell(f"read {page:,} of {pages:,} pages")
            yield sources, numbers, pages
        if page < max(pages, 0) or pages < 0:
            reason = f"line {page + 2:,} is missing: the file has {page:,} of {pages:,} pages"
            raise GraphError(f"{self._path}: {reason if pages >= 0 else 'is empty'}")

    @staticmethod
    def _check(
        lines: _Lines, head: int, numbers: Array, counts: Array, pages: int, page: int
    ) -> None:
        if page + len(counts) > pages:
            raise lines.error(head + pages - page, reason=f"is one line too many: {pages:,} pages")
        wrong = np.flatnonzero(numbers >= pages)
        if len(wrong):
            line = head + int(np.searchsorted(np.cumsum(counts), wrong[0], side="right"))
            reason = f"there is no page {numbers[wrong[0]]:,}: the first line says {pages:,}"
            raise lines.error(line, reason=reason)
