"""The interfaces of a source of graphs, and addresses divided into the host and the rest."""

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
"""Gets a line of text on the progress; or None."""

_REST = (b"/", b"?", b"#")
_SCHEME = re.compile(rb"[A-Za-z][A-Za-z0-9+.-]*")


def encoded(address: str) -> bytes:
    """Return the bytes of an address; escaped bytes (surrogateescape) become themselves again.

    Raises
    ------
    GraphError
        If the address has any other lone surrogate, or is no text.
    """
    if not isinstance(address, str):
        raise GraphError(f"{str(address)[:60]!a} is not an address (it is no text)")
    try:
        return address.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raise GraphError(f"{address!a} is not an address (it has a lone surrogate)") from None


def divided(address: bytes) -> tuple[bytes, bytes]:
    """Divide an address into its host, with the port, and its text among the host's pages.

    The text is everything that follows the host. A scheme other than http stands before it with a
    colon, so that all pages of a host are consecutive, whatever their scheme. The address
    ``a.org:8/?u=http://b.org`` has no scheme.
    """
    scheme, mark, after = address.partition(b"://")
    if not mark or not _SCHEME.fullmatch(scheme):
        scheme, after = b"", address
    end = min((k for k in map(after.find, _REST) if k >= 0), default=len(after))
    rest = after[end:]
    return after[:end], rest if scheme == b"http" else scheme + b":" + rest


def joined(host: bytes, text: bytes) -> bytes:
    """Return the address with a host and a text; the inverse of `divided`."""
    if not text or text.startswith(_REST):
        return b"http://" + host + text
    scheme, _, rest = text.partition(b":")
    return scheme + b"://" + host + rest if scheme else host + rest


class Addresses(Protocol):
    """The addresses of pages; hosts and pages are in the order of the source."""

    def hosts(self, first: int, last: int) -> Ragged:
        """Return the names of hosts ``first`` to ``last - 1``."""

    def texts(self, first: int, last: int) -> Ragged:
        """Return the texts of pages ``first`` to ``last - 1``, as `divided` returns them."""


class Pages(Protocol):
    """Pages with their links; several threads may read them at the same time.

    Attributes
    ----------
    count : int
        The number of pages.
    hosts : unsigned int, shape (hosts + 1,)
        The first page of each host, and at the end the number of pages.
    addresses : Addresses or None
        The addresses of the pages, if they have any.
    """

    count: int
    hosts: Array
    addresses: Addresses | None

    def rows(self, first: int, last: int) -> Rows:
        """Return the links of pages ``first`` to ``last - 1``, in any order, perhaps repeated."""

    def parts(self, most: int) -> list[tuple[int, int]]:
        """Divide the pages into ranges of about ``most`` links, at multiples of `codes.BLOCK`."""


class Source(Protocol):
    """A file or a crawl from which a graph is built.

    Attributes
    ----------
    name : str
        Identifies the content: an interrupted build is resumed if the source has the same name.
    """

    name: str

    def read(self, folder: Path, tell: Tell) -> Pages:
        """Return the pages; data that does not fit into memory goes into files in ``folder``."""
