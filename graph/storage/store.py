"""The store of a graph: all pages of a crawl with all their links, in a memory-mapped file.

It answers the queries of the Connectivity Server 2 ([WEB]): out-links, in-links, in-links from
remote hosts only, addresses to ids and back, the graph of hosts.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from counterpoint.compiling import Array
from counterpoint.graph.csr import MOST_PAGES, Csr, pairs
from counterpoint.graph.errors import GraphError

from .container import Container
from .directory import DirectoryError, count
from .lookups import numbers_of, places_of, texts_of
from .naming import HOSTS, PAGES
from .pages import Tell, divided, encoded, joined
from .sorting import counts_of
from .stored_links import StoredLinks
from .texts import Ragged, Texts, ragged

MANY = 32
"""From so many addresses on, they are looked up together."""
HOSTS_FOR_ONE = 500
"""The names of all hosts are loaded if there are at most so many hosts for each address that is
looked up: to find one address alone takes as long as to load so many names."""


class Sizes(NamedTuple):
    """The bytes of a store, by use.

    Attributes
    ----------
    out, into : int
        The bytes of the links in each direction, with their index.
    addresses : int
        The bytes of both dictionaries; 0 without addresses.
    other : int
        All other bytes of the file.
    """

    out: int
    into: int
    addresses: int
    other: int


class GraphStore:
    """A graph in a file that `build` wrote; opening it reads only its head and its directory.

    Parameters
    ----------
    path : str or Path
        The file.

    Attributes
    ----------
    nodes, links : int
        The numbers of pages and of links.
    out, into : StoredLinks
        The links from each page, and the links to each page.
    host_starts : uint32, shape (hosts + 1,)
        The first page of each host, and at the end the number of pages.

    Raises
    ------
    GraphError
        If the file is not a store, is incomplete or damaged. A query checks the part of the file
        that it reads, and raises GraphError as well.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self._container = container = Container(self.path)
        try:
            self.nodes = count(container.facts, "pages", MOST_PAGES)
            self.hosts_count = count(container.facts, "hosts", self.nodes)
        except DirectoryError as error:
            raise container.damaged(error) from None
        self.out = StoredLinks(container, "out", self.nodes)
        self.into = StoredLinks(container, "into", self.nodes)
        self.links = self.out.links
        if self.into.links != self.links:
            raise container.damaged(f"{self.links:,} out-links, {self.into.links:,} in-links")
        self._check_arrays()

    def _check_arrays(self) -> None:
        """Check that the directory has all other arrays of a store, in the right sizes."""
        container = self._container
        container.must_have("hosts", "<u4", self.hosts_count + 1)
        if "numbers" in container:
            container.must_have("numbers", "<u4", self.nodes)
        if self.has_addresses:
            container.must_have(f"{HOSTS}.order", "<u4", self.hosts_count)
            for kind in (PAGES, HOSTS):
                container.must_have(f"{kind}.starts", "<u8", least=1)
                container.must_have(f"{kind}.parts", "<u8", least=2)
                container.must_have(f"{kind}.data", "u1")
                container.must_have(f"{kind}.dictionary", "u1")

    def verify(self, tell: Tell = None) -> None:
        """Check the checksums of the whole file; raise GraphError if anything is damaged."""
        self._container.verify(tell)

    @property
    def sizes(self) -> Sizes:
        """The bytes of the file, by use."""
        container = self._container
        out, into = (
            sum(container.bytes_of(f"{one}.{array}") for array in ("words", "starts", "lengths"))
            for one in ("out", "into")
        )
        names = ("data", "starts", "parts", "dictionary", "order")
        addresses = sum(
            container.bytes_of(f"{one}.{array}") for one in (PAGES, HOSTS) for array in names
        )
        return Sizes(out, into, addresses, container.size - out - into - addresses)

    # Hosts

    @cached_property
    def host_starts(self) -> Array:
        """The first page of each host, and the number of pages; uint32, shape (hosts + 1,)."""
        self._container.check("hosts")
        starts = self._container.array("hosts")
        rising = bool((starts[1:] >= starts[:-1]).all())
        if not rising or int(starts[0]) != 0 or int(starts[-1]) != self.nodes:
            raise self._damaged("hosts do not rise from 0 to the number of pages")
        return starts

    def _damaged(self, reason: str) -> GraphError:
        return GraphError(f"{self.path}: is damaged ({reason})")

    @cached_property
    def hosts(self) -> Array:
        """The host of each page, uint32, shape (pages,); computed at the first access."""
        numbers = np.arange(self.hosts_count, dtype=np.uint32)
        return np.repeat(numbers, counts_of(self.host_starts))

    def host_of(self, pages: Any) -> Array:
        """Return the hosts of some pages, int64."""
        return np.searchsorted(self.host_starts, self._pages(pages), side="right") - 1

    def pages_of(self, host: int) -> range:
        """Return the pages of a host."""
        self._checked_host(host)
        return range(int(self.host_starts[host]), int(self.host_starts[host + 1]))

    # Links

    def out_links(self, page: int) -> Array:
        """Return the pages to which a page links, ascending, uint32."""
        return self.out.list_of(self._page(page))

    def in_links(self, page: int, remote: bool = False) -> Array:
        """Return the pages that link to a page; with ``remote`` only those on other hosts."""
        return self.into.list_of(self._page(page), remote)

    def out_lists(self, pages: Any) -> Csr:
        """Return the out-links of some pages, in the order of ``pages``."""
        return self.out.lists(self._pages(pages))

    def in_lists(self, pages: Any, remote: bool = False) -> Csr:
        """Return the in-links of some pages; with ``remote`` only those from other hosts."""
        chosen = self._pages(pages)
        found = self.into.lists(chosen)
        if not remote:
            return found
        counts = counts_of(found.offsets)
        kept = self.host_of(found.targets) != np.repeat(self.host_of(chosen), counts)
        before = np.concatenate([[0], np.cumsum(kept)])
        return Csr(before[found.offsets.astype(np.int64)].astype(np.uint64), found.targets[kept])

    def between(self, host: int, other: int) -> tuple[Array, Array]:
        """Return the links from a host to another host.

        The search takes the out-links of the first or the in-links of the second, depending on
        which host has fewer pages.

        Returns
        -------
        uint32, shape (links,), and uint32, shape (links,)
            The sources and the targets.
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
        """Return the graph of hosts, and for each of its links the number of links of pages.

        The links within a host become a link of the host to itself.
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
        return self._dictionary(PAGES, self.nodes)

    @cached_property
    def _host_names(self) -> Texts:
        return self._dictionary(HOSTS, self.hosts_count)

    def _dictionary(self, kind: str, texts: int) -> Texts:
        container = self._container
        if not self.has_addresses:
            raise GraphError(f"{self.path}: has links only, no addresses")
        for array in ("starts", "parts", "dictionary", "data"):
            container.check(f"{kind}.{array}")
        return Texts(
            container.array(f"{kind}.data"),
            container.array(f"{kind}.starts"),
            container.array(f"{kind}.parts"),
            container.array(f"{kind}.dictionary").tobytes(),
            texts,
            f"{self.path}: is damaged ({kind})",
        )

    def name(self, page: int) -> str:
        """Return the address of a page."""
        text = self._texts[self._page(page)]
        host = self._host_names[int(self.host_of([page])[0])]
        return joined(host, text).decode("utf-8", "surrogateescape")

    def names(self, pages: Any) -> list[str]:
        """Return the addresses of some pages; many at once take less time for each."""
        chosen = self._pages(pages).astype(np.int64)
        if len(chosen) < MANY:
            return [self.name(page) for page in chosen.tolist()]
        hosts = _separate(texts_of(self._host_names, self.host_of(chosen)))
        texts = _separate(texts_of(self._texts, chosen))
        return [
            joined(host, text).decode("utf-8", "surrogateescape")
            for host, text in zip(hosts, texts, strict=True)
        ]

    def host_name(self, host: int) -> str:
        """Return the name of a host, with its port if it has one."""
        return self._host_names[self._checked_host(host)].decode("utf-8", "surrogateescape")

    def host_named(self, name: str) -> int | None:
        """Return the host with a name; None if there is none."""
        wanted = encoded(name)
        names = self._host_names
        self._container.check(f"{HOSTS}.order")
        order = self._container.array(f"{HOSTS}.order")
        low, high = 0, len(order)
        while low < high:
            middle = (low + high) // 2
            if int(order[middle]) >= len(names):
                raise self._damaged("the order of hosts has a host that does not exist")
            if names[int(order[middle])] < wanted:
                low = middle + 1
            else:
                high = middle
        found = low < len(order) and names[int(order[low])] == wanted
        return int(order[low]) if found else None

    def id_of(self, address: str) -> int | None:
        """Return the page with an address, spelled as in the source; None if there is none."""
        name, text = divided(encoded(address))
        host = self.host_named(name.decode("utf-8", "surrogateescape"))
        if host is None:
            return None
        pages = self.pages_of(host)
        return self._texts.place(text, pages.start, pages.stop)

    def ids(self, addresses: Sequence[str]) -> list[int | None]:
        """Return the pages with some addresses; None for each unknown address.

        Many at once take less time for each. The first time, the names of all hosts are loaded.

        Raises
        ------
        GraphError
            If this is no list of addresses, which are texts.
        """
        if isinstance(addresses, str | bytes) or not hasattr(addresses, "__len__"):
            raise GraphError(
                f"{str(addresses)[:60]!a} is not a list of addresses; use id_of for one"
            )
        if len(addresses) < max(MANY, self.hosts_count // HOSTS_FOR_ONE):
            return [self.id_of(address) for address in addresses]
        parts = [divided(encoded(address)) for address in addresses]
        wanted = list(dict.fromkeys(host for host, _ in parts))
        names, order = self._all_host_names
        numbers = numbers_of(names, order, ragged(wanted)).tolist()
        host_of = dict(zip(wanted, numbers, strict=True))
        hosts = np.array([host_of[host] for host, _ in parts], dtype=np.int64)
        known = np.flatnonzero(hosts >= 0)
        starts = self.host_starts.astype(np.int64)
        texts = ragged([parts[k][1] for k in known.tolist()])
        found = np.full(len(parts), -1, dtype=np.int64)
        first, last = starts[hosts[known]], starts[hosts[known] + 1]
        found[known] = places_of(self._texts, texts, first, last)
        return [page if page >= 0 else None for page in found.tolist()]

    @cached_property
    def _all_host_names(self) -> tuple[Ragged, Array]:
        """The names of all hosts, and the order of the hosts by name."""
        names = texts_of(self._host_names, np.arange(self.hosts_count))
        self._container.check(f"{HOSTS}.order")
        order = np.ascontiguousarray(self._container.array(f"{HOSTS}.order"))
        if order.size and int(order.max()) >= self.hosts_count:
            raise self._damaged("the order of hosts has a host that does not exist")
        return names, order

    @cached_property
    def numbers(self) -> Array | None:
        """The id of each page of the source, uint32, shape (pages,); None if it was not stored."""
        if "numbers" not in self._container:
            return None
        self._container.check("numbers")
        numbers = self._container.array("numbers")
        if self.nodes and int(numbers.max()) >= self.nodes:
            raise self._damaged("numbers has a page that does not exist")
        return numbers

    def _page(self, page: int) -> int:
        if not isinstance(page, int | np.integer) or isinstance(page, bool):
            raise GraphError(f"{str(page)[:60]!a} is not the number of a page")
        if not 0 <= page < self.nodes:
            raise GraphError(f"{self.path}: there is no page {page:,} (it has {self.nodes:,})")
        return int(page)

    def _pages(self, pages: Any) -> Array:
        chosen = np.asarray(pages)
        if chosen.size == 0:
            return np.empty(0, dtype=np.uint32)
        if chosen.ndim != 1 or chosen.dtype.kind not in "iu":
            raise GraphError(f"{str(pages)[:60]!a} is not a list of the numbers of pages")
        for extreme in (int(chosen.min()), int(chosen.max())):
            self._page(extreme)
        return chosen.astype(np.uint32)

    def _checked_host(self, host: int) -> int:
        if not 0 <= host < self.hosts_count:
            raise GraphError(
                f"{self.path}: there is no host {host:,} (it has {self.hosts_count:,})"
            )
        return host


def _added(keys: Array, counts: Array, more: Array, many: Array) -> tuple[Array, Array]:
    """Merge two lists of sorted keys with their counts; the counts of equal keys are added."""
    both, numbers = np.concatenate([keys, more]), np.concatenate([counts, many])
    if not len(both):
        return both, numbers
    order = np.argsort(both, kind="stable")
    both, numbers = both[order], numbers[order]
    firsts = np.flatnonzero(np.concatenate([[True], both[1:] != both[:-1]]))
    return both[firsts], np.add.reduceat(numbers, firsts)


def _separate(texts: Ragged) -> list[bytes]:
    """Return texts one by one."""
    data, ends = texts.data.tobytes(), texts.offsets.tolist()
    return [data[low:high] for low, high in pairwise(ends)]
