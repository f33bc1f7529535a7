"""A web with IP addresses, as samplers see it: the profile's own sites, or all pages."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from counterpoint.crawler.coverage.blocks import Address, Blocks
from counterpoint.crawler.coverage.quality import top
from counterpoint.crawler.coverage.samplers import Front, Kind
from counterpoint.crawler.policy.protocol import Pages, Scope
from counterpoint.sim_web.generator.allocation import Allocation
from counterpoint.sim_web.measure.kernels import extend

from .planted import Planted

Array = np.ndarray[Any, Any]

_KNOWN = 0.01
"""Share of the pages that count as well-known: those with the most in-links."""


class AddressedWeb:
    """The part of a web that is studied, with the methods that samplers call.

    Parameters
    ----------
    planted : Planted

    Attributes
    ----------
    pages : int
        Number of pages; they are numbered from 0 to ``pages - 1``.
    blocks : Blocks
        All allocated addresses, also those of hosts outside.
    """

    def __init__(self, planted: Planted) -> None:
        self._planted = planted
        self._allocation = Allocation(planted.web)
        self.blocks = Blocks.of(self._allocation.blocks)
        offsets, targets = planted.part(Scope.WEB)
        named = len(planted.web.profile.sites)
        self.pages = planted.web.pages_of(named - 1).stop if named else planted.web.pages
        self._offsets: Array = offsets[: self.pages + 1]
        self._targets: Array = targets[: self._offsets[-1]]
        self._bounds: list[int] = self._offsets.tolist()

    @cached_property
    def known(self) -> Pages:
        """The pages from which breadth-first samples may start: the 1% with the most in-links."""
        return top(np.bincount(self._targets, minlength=self.pages).astype(np.float64), _KNOWN)

    def links(self, page: int) -> Pages:
        """Return the pages of the domain that a page links to."""
        found: Pages = self._targets[self._bounds[page] : self._bounds[page + 1]]
        return found

    def host(self, pages: Pages) -> Pages:
        """Return the hosts of pages."""
        return self._planted.host[pages].astype(np.int64)

    def front(self, address: Address) -> Front:
        """Return the answer of an IP address to a request without a host name.

        A site outside the domain counts as a default page.
        """
        server = self._allocation.at(address)
        if server.shown is not None:
            page = self._planted.web.pages_of(server.shown).start
            return Front(Kind.SITE, page) if page < self.pages else Front(Kind.DEFAULT)
        return Front(Kind.DEFAULT if server.default else Kind.EMPTY)

    def reachable(self, starts: Sequence[int] | Pages) -> float:
        """Return the share of the domain's pages that links lead to from some start pages."""
        reached = np.zeros(self.pages, dtype=np.bool_)
        reached[np.asarray(starts)] = True
        extend(self._offsets, self._targets, np.zeros_like(self._offsets), self._targets[:0],
               reached)  # fmt: skip
        return float(reached.mean())
