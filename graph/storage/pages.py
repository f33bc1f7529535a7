"""Addresses in two parts, the host and the rest, and the pages that a graph is built from."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from counterpoint.compiling import Array
from counterpoint.graph.errors import GraphError

from .sorting import Rows
from .texts import Ragged

Tell = Callable[[str], None] | None
"""Told in a line how far something is, or nothing."""

_REST = (b"/", b"?", b"#")
_SCHEME = re.compile(rb"[A-Za-z][A-Za-z0-9+.-]*")


def encoded(address: str) -> bytes:
    """Return the bytes of an address; a byte that was no UTF-8 is what it was.

    Raises
    ------
    GraphError
        If it has half of a letter, which no bytes are.
    """
    try:
        return address.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raise GraphError(f"{address!a} is no address (half of a letter)") from None


def divided(address: bytes) -> tuple[bytes, bytes]:
    """Return an address as its host, port included, and its text among the host's pages.

    The text is what follows the host, and before it the scheme with a colon, unless that is http:
    so a host's pages are together, whatever their scheme. In ``a.org:8/?u=http://b.org`` nothing
    is a scheme.
    """
    scheme, mark, after = address.partition(b"://")
    if not mark or not _SCHEME.fullmatch(scheme):
        scheme, after = b"", address
    end = min((k for k in map(after.find, _REST) if k >= 0), default=len(after))
    rest = after[end:]
    return after[:end], rest if scheme == b"http" else scheme + b":" + rest


def joined(host: bytes, text: bytes) -> bytes:
    """Return the address that `divided` divided."""
    if not text or text.startswith(_REST):
        return b"http://" + host + text
    scheme, _, rest = text.partition(b":")
    return scheme + b"://" + host + rest if scheme else host + rest


class Addresses(Protocol):
    """Addresses of pages; hosts and pages in the source's order."""

    def hosts(self, first: int, last: int) -> Ragged:
        """Return the names of hosts from ``first`` to ``last``."""

    def texts(self, first: int, last: int) -> Ragged:
        """Return the texts of pages from ``first`` to ``last``, as `divided` has them."""


class Pages(Protocol):
    """Pages with their links, asked for by ranges; possibly from several threads.

    Attributes
    ----------
    count : int
    hosts : unsigned[hosts + 1]
        First page of each host, and the number of pages.
    addresses : Addresses or None
    """

    count: int
    hosts: Array
    addresses: Addresses | None

    def rows(self, first: int, last: int) -> Rows:
        """Return the links of pages from ``first`` to ``last``, in any order, perhaps repeated."""

    def parts(self, most: int) -> list[tuple[int, int]]:
        """Divide the pages into ranges of about so many links, at multiples of `codes.BLOCK`."""


class Source(Protocol):
    """Where a graph comes from.

    Attributes
    ----------
    name : str
        Two sources with equal names are the same: a build that was interrupted goes on.
    """

    name: str

    def read(self, folder: Path, tell: Tell) -> Pages:
        """Return the pages; what does not fit memory is put into files of ``folder``."""
