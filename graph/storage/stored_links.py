"""The links of a stored graph in one direction."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from counterpoint.compiling import Array
from counterpoint.graph.csr import Csr
from counterpoint.graph.errors import GraphError

from . import codebook
from .codes import BLOCK
from .container import Container
from .directory import DirectoryError, count
from .packed import Packed


class StoredLinks:
    """The links of a stored graph in one direction.

    Parameters
    ----------
    container : Container
        The file.
    direction : str
        ``out`` or ``into``.
    nodes : int
        The number of pages.

    Attributes
    ----------
    nodes, links : int
        The numbers of pages and of links.
    """

    def __init__(self, container: Container, direction: str, nodes: int) -> None:
        words = container.must_have(f"{direction}.words", "<u8", least=1)
        container.must_have(f"{direction}.starts", "<u8", -(-nodes // BLOCK) + 1)
        container.must_have(f"{direction}.lengths", "u1", codebook.KINDS * codebook.CLASSES)
        own = container.facts.get(direction)
        try:  # a link has at least one bit
            links = count(own, "links", 64 * words)
            widest = count(own, "widest", links)
            longest = count(own, "longest", min(widest, nodes))
        except DirectoryError as error:
            raise container.damaged(f"{direction}: {error}") from None
        self._container, self._direction = container, direction
        self.nodes, self.links = nodes, links
        container.check(f"{direction}.lengths")
        lengths = container.array(f"{direction}.lengths").astype(np.int64)
        rows = lengths.reshape(codebook.KINDS, codebook.CLASSES)
        if not all(map(codebook.is_code, rows)):
            raise GraphError(f"{container.path}: is damaged (the codes of {direction} are invalid)")
        self._packed = Packed(
            nodes=nodes,
            links=self.links,
            words=container.array(f"{direction}.words"),
            starts=container.array(f"{direction}.starts"),
            tables=codebook.reading_tables(rows),
            longest=longest,
            widest=widest,
            name=f"{container.path}: is damaged ({direction}.words)",
        )

    @property
    def packed(self) -> Packed:
        """The packed form; its checksums are checked as a whole at the first access."""
        self._container.check(f"{self._direction}.starts")
        self._container.check(f"{self._direction}.words")
        return self._packed

    def list_of(self, page: int, remote: bool = False) -> Array:
        """Return the links of a page, ascending; with ``remote`` only those to other hosts."""
        self._check(page // BLOCK, page // BLOCK + 1)
        return self._packed.remote_list_of(page) if remote else self._packed.list_of(page)

    def degree_of(self, page: int) -> int:
        """Return how many links a page has."""
        self._check(page // BLOCK, page // BLOCK + 1)
        return self._packed.degree_of(page)

    def _check(self, first_block: int, last_block: int) -> None:
        starts = self._packed.starts
        self._container.check(f"{self._direction}.starts", first_block, last_block + 1)
        low, high = int(starts[first_block]) // 64, int(starts[last_block]) // 64 + 2
        self._container.check(f"{self._direction}.words", low, high)

    def lists(self, pages: Array) -> Csr:
        """Return the links of some pages, in the order of ``pages``; each row is ascending."""
        if len(pages) == 1:
            self._check(int(pages[0]) // BLOCK, int(pages[0]) // BLOCK + 1)
            return self._packed.lists(pages)
        return self.packed.lists(pages)

    def of_range(self, first: int, last: int) -> Csr:
        """Return the links of pages ``first`` to ``last - 1``."""
        if first < last:
            self._check(first // BLOCK, (last - 1) // BLOCK + 1)
        return self._packed.lists(np.arange(first, last, dtype=np.uint32))

    def chunks(self) -> Iterator[tuple[int, Csr]]:
        """Yield the links of all pages in parts: the first page of a part, and its rows."""
        return self.packed.chunks()

    def expanded(self) -> Csr:
        """Return all links in compressed rows."""
        return self.packed.expanded()
