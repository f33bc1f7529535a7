"""The store of a graph: all pages of a crawl with all their links, on disk, mapped into memory.

[WEB] describes the Connectivity Server 2, whose queries these are: out-links, in-links, in-links
from remote hosts only, addresses to ids and back, the graph of hosts.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from counterpoint.compiling import Array
from counterpoint.graph.csr import Csr, pairs
from counterpoint.graph.errors import GraphError

from . import codebook
from .codes import BLOCK
from .container import Container
from .naming import HOSTS, PAGES
from .packed import Packed
from .pages import Tell, divided, encoded, joined
from .sorting import counts_of
from .texts import Texts


class StoredLinks:
    """The links of a stored graph in one direction.

    Attributes
    ----------
    nodes, links : int
    """

    def __init__(self, container: Container, direction: str, nodes: int) -> None:
        told = container.facts[direction]
        self._container, self._direction = container, direction
        self.nodes, self.links = nodes, int(told["links"])
        container.check(f"{direction}.lengths")
        lengths = container.array(f"{direction}.lengths").astype(np.int64)
        rows = lengths.reshape(codebook.KINDS, codebook.CLASSES)
        if not all(map(codebook.is_code, rows)):
            raise GraphError(f"{container.path}: is damaged (the codes of {direction} are none)")
        self._packed = Packed(
            nodes=nodes,
            links=self.links,
            words=container.array(f"{direction}.words"),
            starts=container.array(f"{direction}.starts"),
            tables=codebook.reading_tables(rows),
            longest=int(told["longest"]),
            widest=int(told["widest"]),
        )

    @property
    def packed(self) -> Packed:
        """The packed form, checked as a whole when it is first asked for."""
        self._container.check(f"{self._direction}.starts")
        self._container.check(f"{self._direction}.words")
        return self._packed

    def list_of(self, page: int, remote: bool = False) -> Array:
        """Return the links of a page, ascending; ``remote``: those to other hosts only."""
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
        """Return the links of some pages, row by row in that order, each ascending."""
        if len(pages) == 1:
            self._check(int(pages[0]) // BLOCK, int(pages[0]) // BLOCK + 1)
            return self._packed.lists(pages)
        return self.packed.lists(pages)

    def of_range(self, first: int, last: int) -> Csr:
        """Return the links of pages from ``first`` to ``last``."""
        if first < last:
            self._check(first // BLOCK, (last - 1) // BLOCK + 1)
        return self._packed.lists(np.arange(first, last, dtype=np.uint32))

    def chunks(self) -> Iterator[tuple[int, Csr]]:
        """Yield the links of all pages: the first page of a part, and the part."""
        return self.packed.chunks()

    def expanded(self) -> Csr:
        """Return all links in compressed rows."""
        return self.packed.expanded()


class Sizes(NamedTuple):
    """Bytes of a store by use.

    Attributes
    ----------
    out, into : int
        Links in each direction, with what finds them.
    addresses : int
        Both dictionaries; 0 without addresses.
    other : int
    """

    out: int
    into: int
    addresses: int
    other: int


class GraphStore:
    """A store that `build` wrote.

    Parameters
    ----------
    path : str or Path

    Attributes
    ----------
    nodes, links : int
        Pages, links.
    out, into : StoredLinks
        From each page to those it links to; to those that link to it.
    host_starts : uint32[hosts + 1]
        First page of each host, and the number of pages.

    Raises
    ------
    GraphError
        If the file is no store, is cut short or damaged. What a query reads is checked first.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self._container = held = Container(self.path)
        self.nodes, self.hosts_count = int(held.facts["pages"]), int(held.facts["hosts"])
        self.out = StoredLinks(held, "out", self.nodes)
        self.into = StoredLinks(held, "into", self.nodes)
        self.links = self.out.links

    def verify(self, tell: Tell = None) -> None:
        """Check the whole file; raise GraphError if anything is damaged."""
        self._container.verify(tell)

    @property
    def sizes(self) -> Sizes:
        """Bytes of the file, by use."""
        held = self._container
        out, into = (
            sum(held.bytes_of(f"{one}.{what}") for what in ("words", "starts", "lengths"))
            for one in ("out", "into")
        )
        names = ("data", "starts", "parts", "dictionary", "order")
        addresses = sum(held.bytes_of(f"{one}.{what}") for one in (PAGES, HOSTS) for what in names)
        return Sizes(out, into, addresses, held.size - out - into - addresses)

    # Hosts

    @cached_property
    def host_starts(self) -> Array:
        """First page of each host, and the number of pages, uint32[hosts + 1]."""
        self._container.check("hosts")
        return self._container.array("hosts")

    @cached_property
    def hosts(self) -> Array:
        """The host of each page, uint32[pages]; made when it is first asked for."""
        numbers = np.arange(self.hosts_count, dtype=np.uint32)
        return np.repeat(numbers, counts_of(self.host_starts))

    def host_of(self, pages: Any) -> Array:
        """Return the hosts of some pages, int64[]."""
        return np.searchsorted(self.host_starts, self._pages(pages), side="right") - 1

    def pages_of(self, host: int) -> range:
        """Return the pages of a host."""
        self._checked_host(host)
        return range(int(self.host_starts[host]), int(self.host_starts[host + 1]))

    # Links

    def out_links(self, page: int) -> Array:
        """Return the pages that a page links to, ascending, uint32[]."""
        return self.out.list_of(self._page(page))

    def in_links(self, page: int, remote: bool = False) -> Array:
        """Return the pages that link to a page; ``remote``: those on other hosts only."""
        return self.into.list_of(self._page(page), remote)

    def out_lists(self, pages: Any) -> Csr:
        """Return the out-links of some pages, row by row in that order."""
        return self.out.lists(self._pages(pages))

    def in_lists(self, pages: Any, remote: bool = False) -> Csr:
        """Return the in-links of some pages, row by row; ``remote``: from other hosts only."""
        asked = self._pages(pages)
        found = self.into.lists(asked)
        if not remote:
            return found
        counts = counts_of(found.offsets)
        kept = self.host_of(found.targets) != np.repeat(self.host_of(asked), counts)
        before = np.concatenate([[0], np.cumsum(kept)])
        return Csr(before[found.offsets.astype(np.int64)].astype(np.uint64), found.targets[kept])

    def between(self, host: int, other: int) -> tuple[Array, Array]:
        """Return the links from a host to another: their pages, uint32[] and uint32[].

        They are looked for among the out-links of the one or the in-links of the other, whichever
        has fewer pages.
        """
        pages, others = self.pages_of(host), self.pages_of(other)
        if len(pages) <= len(others):
            return self._within(self.out, pages, others)
        targets, sources = self._within(self.into, others, pages)
        order = np.lexsort((targets, sources))
        return sources[order], targets[order]

    @staticmethod
    def _within(links: StoredLinks, pages: range, others: range) -> tuple[Array, Array]:
        begins, ends = pairs(pages.start, links.of_range(pages.start, pages.stop))
        kept = (ends >= others.start) & (ends < others.stop)
        return begins[kept], ends[kept]

    def host_graph(self) -> tuple[Csr, Array]:
        """Return the links between hosts, and how many links of pages each stands for.

        Links within a host are a link of the host to itself.
        """
        keys, counts = np.empty(0, dtype=np.uint64), np.empty(0, dtype=np.int64)
        for first, rows in self.out.chunks():
            begins, ends = pairs(first, rows)
            new = self.host_of(begins).astype(np.uint64) << np.uint64(32)
            new |= self.host_of(ends).astype(np.uint64)
            found, many = np.unique(new, return_counts=True)
            keys, counts = _added(keys, counts, found, many)
        degrees = np.bincount((keys >> np.uint64(32)).astype(np.int64), minlength=self.hosts_count)
        offsets = np.concatenate([[0], np.cumsum(degrees)]).astype(np.uint64)
        return Csr(offsets, (keys & np.uint64(0xFFFFFFFF)).astype(np.uint32)), counts

    # Addresses

    @property
    def has_addresses(self) -> bool:
        """Whether pages have addresses."""
        return f"{PAGES}.data" in self._container

    @cached_property
    def _texts(self) -> Texts:
        return self._dictionary(PAGES)

    @cached_property
    def _host_names(self) -> Texts:
        return self._dictionary(HOSTS)

    def _dictionary(self, kind: str) -> Texts:
        held = self._container
        if not self.has_addresses:
            raise GraphError(f"{self.path}: has links only, no addresses")
        for what in ("starts", "parts", "dictionary", "data"):
            held.check(f"{kind}.{what}")
        return Texts(
            held.array(f"{kind}.data"),
            held.array(f"{kind}.starts"),
            held.array(f"{kind}.parts").reshape(-1, 2),
            held.array(f"{kind}.dictionary").tobytes(),
        )

    def name(self, page: int) -> str:
        """Return the address of a page."""
        text = self._texts[self._page(page)]
        host = self._host_names[int(self.host_of([page])[0])]
        return joined(host, text).decode("utf-8", "surrogateescape")

    def names(self, pages: Any) -> list[str]:
        """Return the addresses of some pages."""
        return [self.name(page) for page in self._pages(pages).tolist()]

    def host_name(self, host: int) -> str:
        """Return the name of a host, with its port if it has one."""
        return self._host_names[self._checked_host(host)].decode("utf-8", "surrogateescape")

    def host_named(self, name: str) -> int | None:
        """Return the host of a name; None if there is none."""
        wanted = encoded(name)
        names = self._host_names
        self._container.check(f"{HOSTS}.order")
        order = self._container.array(f"{HOSTS}.order")
        low, high = 0, len(order)
        while low < high:
            middle = (low + high) // 2
            if names[int(order[middle])] < wanted:
                low = middle + 1
            else:
                high = middle
        found = low < len(order) and names[int(order[low])] == wanted
        return int(order[low]) if found else None

    def id_of(self, address: str) -> int | None:
        """Return the page of an address, as it was spelled; None if there is none."""
        name, text = divided(encoded(address))
        host = self.host_named(name.decode("utf-8", "surrogateescape"))
        if host is None:
            return None
        pages = self.pages_of(host)
        return self._texts.place(text, pages.start, pages.stop)

    def ids(self, addresses: Sequence[str]) -> list[int | None]:
        """Return the pages of some addresses."""
        return [self.id_of(address) for address in addresses]

    @property
    def numbers(self) -> Array | None:
        """The id of each of the source's pages, uint32[pages]; None if they were not kept."""
        if "numbers" not in self._container:
            return None
        self._container.check("numbers")
        return self._container.array("numbers")

    def _page(self, page: int) -> int:
        if not 0 <= page < self.nodes:
            raise GraphError(f"{self.path}: there is no page {page:,} (it has {self.nodes:,})")
        return int(page)

    def _pages(self, pages: Any) -> Array:
        asked = np.asarray(pages)
        if asked.size == 0:
            return np.empty(0, dtype=np.uint32)
        for extreme in (int(asked.min()), int(asked.max())):
            self._page(extreme)
        return asked.astype(np.uint32)

    def _checked_host(self, host: int) -> int:
        if not 0 <= host < self.hosts_count:
            raise GraphError(
                f"{self.path}: there is no host {host:,} (it has {self.hosts_count:,})"
            )
        return host


def _added(keys: Array, counts: Array, more: Array, many: Array) -> tuple[Array, Array]:
    """Return sorted keys and counts with more of both."""
    both, numbers = np.concatenate([keys, more]), np.concatenate([counts, many])
    if not len(both):
        return both, numbers
    order = np.argsort(both, kind="stable")
    both, numbers = both[order], numbers[order]
    firsts = np.flatnonzero(np.concatenate([[True], both[1:] != both[:-1]]))
    return both[firsts], np.add.reduceat(numbers, firsts)
