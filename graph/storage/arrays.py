"""A graph in arrays, as a source of a store."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from counterpoint.compiling import Array
from counterpoint.graph.csr import must_be_graph
from counterpoint.graph.errors import GraphError

from .codes import BLOCK
from .pages import Addresses, Tell, divided, encoded
from .sorting import Rows
from .texts import Ragged, ragged


class ListedAddresses:
    """Addresses in memory; the pages of a host are consecutive.

    Parameters
    ----------
    hosts, texts : sequence of bytes
        The names of hosts, and the texts of pages, as `pages.divided` returns them.
    """

    def __init__(self, hosts: Sequence[bytes], texts: Sequence[bytes]) -> None:
        self._hosts, self._texts = hosts, texts

    def hosts(self, first: int, last: int) -> Ragged:
        """Return the names of hosts ``first`` to ``last - 1``."""
        return ragged(self._hosts[first:last])

    def texts(self, first: int, last: int) -> Ragged:
        """Return the texts of pages ``first`` to ``last - 1``."""
        return ragged(self._texts[first:last])


def parts_of(offsets: Array, most: int) -> list[tuple[int, int]]:
    """Divide pages into ranges of at most about ``most`` links and pages.

    The ranges begin at multiples of `codes.BLOCK`.
    """
    pages = len(offsets) - 1
    found, first = [], 0
    while first < pages:
        last = int(np.searchsorted(offsets, int(offsets[first]) + most, side="right")) - 1
        last = min(pages, max(first + BLOCK, min(last, first + most) // BLOCK * BLOCK))
        found.append((first, last))
        first = last
    return found or [(0, 0)]


class Arrays:
    """Compressed rows of links, with hosts and addresses if there are any.

    Parameters
    ----------
    offsets, targets : int, shape (pages + 1,) and (links,)
        The links of page p are ``targets[offsets[p]:offsets[p + 1]]``, in any order.
    hosts : int, shape (hosts + 1,), optional
        The first page of each host, and at the end the number of pages; by default all pages belong
        to one host.
    addresses : Addresses, optional
        The addresses of the pages.
    name : str
        Identifies the content of the arrays; by default a digest of them.

    Raises
    ------
    GraphError
        If the arrays do not describe a graph.
    """

    def __init__(
        self, offsets: Any, targets: Any, hosts: Any = None, addresses: Addresses | None = None,
        name: str = "",
    ) -> None:  # fmt: skip
        self._offsets, self._targets = np.asarray(offsets), np.asarray(targets)
        self.count = len(self._offsets) - 1
        must_be_graph(self._offsets, self._targets)
        bounds = [0, self.count] if self.count else [0]
        self.hosts = np.asarray(bounds if hosts is None else hosts)
        rising = bool((np.diff(self.hosts.astype(np.int64)) > 0).all())
        if not rising or self.hosts[0] != 0 or self.hosts[-1] != self.count:
            raise GraphError("hosts must rise from 0 to the number of pages")
        self.addresses = addresses
        self.name = name or self._digest()

    @classmethod
    def of_addresses(
        cls, offsets: Any, targets: Any, addresses: Sequence[str], name: str = ""
    ) -> Arrays:
        """Return a graph whose pages have addresses.

        Parameters
        ----------
        offsets, targets, name
            As in the constructor.
        addresses : sequence of str
            The address of each page; the pages of a host are consecutive.

        Raises
        ------
        GraphError
            If the pages of a host are not consecutive, two pages have the same address, or the
            arrays do not describe a graph.
        """
        parts = [divided(encoded(one)) for one in addresses]
        if len(set(parts)) < len(parts):
            raise GraphError("two pages have the same address")
        hosts = [host for host, _ in parts]
        new = [k for k in range(len(hosts)) if k == 0 or hosts[k] != hosts[k - 1]]
        names = [hosts[k] for k in new]
        if len(set(names)) < len(names):
            raise GraphError("the pages of a host are not consecutive")
        listed = ListedAddresses(names, [text for _, text in parts])
        return cls(offsets, targets, [*new, len(parts)], listed, name)

    def _digest(self) -> str:
        digest = hashlib.blake2b(digest_size=16)
        for array in (self._offsets, self._targets, self.hosts):
            digest.update(np.ascontiguousarray(array).data)
        return f"arrays {digest.hexdigest()}"

    def read(self, folder: Path, tell: Tell) -> Arrays:
        """Return itself."""
        return self

    def rows(self, first: int, last: int) -> Rows:
        """Return the links of pages ``first`` to ``last - 1``."""
        offsets = self._offsets[first : last + 1].astype(np.int64)
        targets = self._targets[offsets[0] : offsets[-1]] if len(offsets) else self._targets[:0]
        return Rows(offsets - offsets[:1], targets.astype(np.uint32))

    def parts(self, most: int) -> list[tuple[int, int]]:
        """Divide the pages into ranges of about ``most`` links."""
        return parts_of(self._offsets, most)
