"""Reads sitemaps: lists of the addresses that a site wants to be crawled (sitemaps.org, 0.9).

A sitemap is XML (``urlset``; ``sitemapindex``, which names other sitemaps), a feed (RSS 2.0, Atom
1.0 and 0.3) or text with an address in each line. Each may be packed with gzip, which its first two
bytes say. In XML, elements of other namespaces (images, videos, news, alternates) are skipped.

A sitemap may be hostile. Its XML must have no declarations of its own, so that no
entity can grow, and the memory for names, tags and nesting is bounded, whatever the sizes of files
are. Large sitemaps are read in the process of `apart`, which bounds the time. What is broken, too
large or not allowed is left out, and a problem says what was left out and in which line.
"""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import NamedTuple

from . import apart
from .addresses import site
from .sitemap_entries import LONGEST, Entries, SitemapEntry, SitemapKind, StopError
from .sitemap_xml import XmlReader

LARGEST = 52_428_800
"""The most bytes of a sitemap, unpacked."""

_STEP = 65_536
_GZIP = b"\x1f\x8b"
_MARK = b"\xef\xbb\xbf"
_WIDE = (b"\xff\xfe<\0", b"\xfe\xff\0<")
_HTML = frozenset(("text/html", "application/xhtml+xml"))
_OTHERS = frozenset(("", "application/xml", "application/gzip", "application/x-gzip",
                     "application/octet-stream", "binary/octet-stream"))  # fmt: skip


class Sitemap(NamedTuple):
    """What a sitemap says.

    Attributes
    ----------
    kind : SitemapKind
    entries : tuple of SitemapEntry
        In the order of the file, repeated ones included.
    problems : tuple of str
        What was left out, one line each, with the number of its line in the file.
    size : int
        Bytes that were read, unpacked.
    """

    kind: SitemapKind
    entries: tuple[SitemapEntry, ...] = ()
    problems: tuple[str, ...] = ()
    size: int = 0

    @property
    def problem(self) -> str:
        """The first problem, and the number of the others; "": there is none."""
        if not self.problems:
            return ""
        others = len(self.problems) - 1
        more = f" (and {others:,} more problem{'s' * (others > 1)})" if others else ""
        return f"sitemap: {self.problems[0]}{more}"


def may_be_sitemap(content_type: str) -> bool:
    """Return whether a header Content-Type is one with which servers send sitemaps."""
    kind = _type(content_type)
    return kind in _OTHERS or kind.startswith("text/") or kind.endswith("+xml")


def read(
    body: bytes, address: str, content_type: str = "", hosts: Iterable[str] = ()
) -> Sitemap:  # fmt: skip
    """Return what a sitemap says.

    Parameters
    ----------
    body : bytes
        The file, perhaps packed with gzip, but without codings of HTTP.
    address : str
        The normalized address of the sitemap, after all redirects.
    content_type : str
        The value of the header Content-Type. A text whose type is that of HTML is no sitemap.
    hosts : iterable of str
        The sites, as `addresses.site` names them, whose addresses the sitemap may have beside those
        of its own site: those whose robots.txt names it.
    """
    arguments = (body, address, content_type, tuple(hosts))
    if not apart.POSSIBLE or (len(body) <= apart.LARGE and not body.startswith(_GZIP)):
        return read_here(*arguments)
    found: Sitemap | str = apart.READER.call("sitemap", *arguments)
    return Sitemap(SitemapKind.NONE, (), (found,)) if isinstance(found, str) else found


def read_here(body: bytes, address: str, content_type: str, hosts: tuple[str, ...]) -> Sitemap:
    """Return what a sitemap says as `read` does, without a limit of time."""
    source, found = _Source(body), Entries({site(address), *hosts})
    pieces = source.pieces()
    first = _first(pieces)
    whole = chain((first,), pieces) if first else pieces
    kind = SitemapKind.NONE
    try:
        if first.startswith(_WIDE) or first.removeprefix(_MARK).lstrip()[:1] == b"<":
            reader = XmlReader(found)
            try:
                reader.read(whole, lambda: not source.problem)
            finally:
                kind = reader.kind
        elif _type(content_type) in _HTML:
            found.note(0, "it is neither XML nor text")
        else:
            _read_text(whole, found)
    except StopError as stopped:
        found.note(0, str(stopped))
    if source.problem:
        found.note(0, source.problem)
    if found.entries and not kind:
        kind = SitemapKind.TEXT
    if not (found.entries or kind or found.problems()):
        found.note(0, "it is empty")
    return Sitemap(kind, tuple(found.entries), tuple(found.problems()), source.size)


def _first(pieces: Iterator[bytes]) -> bytes:
    """Return the beginning, long enough to tell XML from text; packed pieces may be short."""
    first = b""
    for piece in pieces:
        first += piece
        if len(first.lstrip()) >= len(_WIDE[0]) or len(first) > _STEP:
            break
    return first


def _type(content_type: str) -> str:
    return content_type.partition(";")[0].strip().lower()


class _Source:
    """The bytes of a sitemap, unpacked up to the limit.

    Attributes
    ----------
    size : int
        How many bytes have come.
    problem : str
        Why there are no more; "": the file has ended.
    """

    def __init__(self, body: bytes) -> None:
        file = io.BytesIO(body)
        self._file = gzip.GzipFile(fileobj=file) if body.startswith(_GZIP) else file
        self.size, self.problem = 0, ""

    def pieces(self) -> Iterator[bytes]:
        """Yield the bytes in pieces that are not empty."""
        while piece := self._piece():
            some = piece[: LARGEST - self.size]
            self.size += len(some)
            if some:
                yield some
            if len(some) < len(piece):
                self.problem = f"longer than {LARGEST:,} bytes; the rest is left out"
                return

    def _piece(self) -> bytes:
        try:
            return self._file.read1(_STEP)
        except (EOFError, OSError, zlib.error) as error:
            self.problem = f"the gzip data is broken ({error}); the rest is left out"
            return b""


def _read_text(pieces: Iterable[bytes], found: Entries) -> None:
    """Read addresses in UTF-8, one a line; empty lines are skipped."""
    rest, number = b"", 0
    for piece in pieces:
        *lines, rest = (rest[: 5 * LONGEST] + piece).split(b"\n")
        for line in lines:
            number += 1
            _read_line(number, line, found)
    _read_line(number + 1, rest, found)


def _read_line(number: int, line: bytes, found: Entries) -> None:
    text = line.removeprefix(_MARK) if number == 1 else line
    if not text.strip():
        return
    longest = 4 * LONGEST  # UTF-8 has 4 bytes a character at the most
    try:
        found.add(number, text.decode(errors="strict" if len(text) <= longest else "replace"))
    except UnicodeDecodeError:
        found.note(number, "is not UTF-8")
