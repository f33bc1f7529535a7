"""Gives the nodes of a numbered graph their names, from a file with a line for each node.

WebGraph keeps the addresses of pages in such a file. Common Crawl publishes its graphs of hosts and
of domains as two lists: edges between numbers, and vertices, each with its number and its name,
whose labels are reversed: ``12<TAB>org.example.www`` (a third column, the hosts of a domain, is not
read). Names are kept in memory, at some 100 bytes for a host.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

import numpy as np

from counterpoint.compiling import Array
from counterpoint.graph.errors import GraphError
from counterpoint.graph.storage.pages import Addresses, Pages, Source, Tell, divided
from counterpoint.graph.storage.sorting import Rows
from counterpoint.graph.storage.texts import Ragged

from .numbered import identity, pieces


class NumberedSource(Source, Protocol):
    """A source whose nodes are numbers."""

    nodes: int
    """So many nodes there are at least, if the source itself does not say how many there are."""


class Names:
    """The names of nodes, divided into hosts and texts.

    Attributes
    ----------
    bounds : int64, shape (hosts + 1,)
        The first node of each host, and the number of nodes.
    """

    def __init__(self) -> None:
        self._hosts, self._texts = bytearray(), bytearray()
        self._host_ends, self._text_ends = array("q", [0]), array("q", [0])
        self._firsts, self._last = array("q"), b""
        self._seen: set[bytes] = set()
        self._own: set[bytes] = set()

    @property
    def nodes(self) -> int:
        """The number of nodes."""
        return len(self._text_ends) - 1

    def add(self, address: bytes) -> str:
        """Add the name of the next node; return what is wrong with it, or ""."""
        host, text = divided(address)
        if not self._firsts or host != self._last:
            if not host or host in self._seen:
                return "is no address" if not host else "the pages of its host are not consecutive"
            self._seen.add(host)
            self._firsts.append(self.nodes)
            self._hosts += host
            self._host_ends.append(len(self._hosts))
            self._last, self._own = host, set()
        if text in self._own:
            return "another node has this name"
        self._own.add(text)
        self._texts += text
        self._text_ends.append(len(self._texts))
        return ""

    @property
    def bounds(self) -> Array:
        """The first node of each host, and the number of nodes."""
        return np.array([*self._firsts, self.nodes], dtype=np.int64)

    def hosts(self, first: int, last: int) -> Ragged:
        """Return the names of hosts ``first`` to ``last - 1``."""
        return _part(self._hosts, self._host_ends, first, last)

    def texts(self, first: int, last: int) -> Ragged:
        """Return the texts of pages ``first`` to ``last - 1``."""
        return _part(self._texts, self._text_ends, first, last)


def _part(data: bytearray, ends: array[int], first: int, last: int) -> Ragged:
    offsets = np.array(ends[first : last + 1], dtype=np.int64)
    part = bytes(data[offsets[0] : offsets[-1]])
    return Ragged(np.frombuffer(part, dtype=np.uint8), offsets - offsets[0])


class NamedPages:
    """The pages of another source, with addresses."""

    def __init__(self, pages: Pages, names: Names) -> None:
        self._pages = pages
        self.count = pages.count
        self.hosts: Array = names.bounds
        self.addresses: Addresses | None = names

    def rows(self, first: int, last: int) -> Rows:
        """Return the links of pages ``first`` to ``last - 1``."""
        return self._pages.rows(first, last)

    def parts(self, most: int) -> list[tuple[int, int]]:
        """Divide the pages into ranges of about ``most`` links."""
        return self._pages.parts(most)


class NamedGraph:
    """A source of numbers, whose nodes get names.

    Parameters
    ----------
    source : NumberedSource
    path : Path
        The file of the names, which is compressed if it ends in ``.gz``.

    Raises
    ------
    GraphError
        If a name is missing or wrong; the message names the line.
    """

    def __init__(self, source: NumberedSource, path: Path) -> None:
        self._source, self._path = source, path
        self.name = f"{source.name} names {identity(path)}"

    def read(self, folder: Path, tell: Tell) -> NamedPages:
        """Return the pages."""
        names = Names()
        for line, name in _lines(self._path):
            if wrong := names.add(name):
                shown = ascii(name.decode("utf-8", "replace")[:60])
                raise GraphError(f"{self._path}: line {line:,}: {shown}: {wrong}")
            if tell and line % 1_000_000 == 0:
                tell(f"read {line:,} names")
        self._source.nodes = names.nodes
        pages = self._source.read(folder, tell)
        if pages.count != names.nodes:
            raise GraphError(f"{self._path} has {names.nodes:,} names, and the graph "
                             f"{pages.count:,} nodes")  # fmt: skip
        return NamedPages(pages, names)


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Yield the number and the address of each line; an empty line is no name."""
    line, numbered = 0, False
    for piece in pieces(path):
        for text in piece.split(b"\n")[:-1]:
            columns = text.strip().split(b"\t")
            if line == 0:
                numbered = len(columns) > 1 and columns[0].isdigit()
            line += 1
            if not numbered:
                yield line, columns[0]
                continue
            if len(columns) < 2 or columns[0] != b"%d" % (line - 1):
                wanted = f"the number {line - 1:,} and a name, with a tab between them"
                shown = ascii(text.decode("utf-8", "replace")[:60])
                raise GraphError(f"{path}: line {line:,}: {shown} is not {wanted}")
            yield line, b"http://%b/" % b".".join(reversed(columns[1].split(b".")))
