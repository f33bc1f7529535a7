"""A synthetic web as the source of a graph store: its links are computed when they are needed."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np

from counterpoint.compiling import Array
from counterpoint.graph.storage.codes import BLOCK
from counterpoint.graph.storage.pages import Addresses, Tell, divided
from counterpoint.graph.storage.sorting import Rows
from counterpoint.graph.storage.texts import Ragged, ragged
from counterpoint.sim_web.generator import Web
from counterpoint.sim_web.generator.packing import links_of_pages, packed
from counterpoint.sim_web.pages.address import address, name_of

CHUNK = 1 << 15
"""How many pages' links are computed at a time."""


class WebSource:
    """A synthetic web as a source for `counterpoint.graph.storage.build.build`.

    Parameters
    ----------
    web : Web
    addressed : bool
        Whether the store gets the addresses of pages.
    """

    def __init__(self, web: Web, addressed: bool = True) -> None:
        self._web, self._numbers = web, packed(web.numbers)
        self.count = web.pages
        starts = (web.pages_of(host).start for host in range(web.hosts))
        self.hosts: Array = np.append(np.fromiter(starts, dtype=np.int64), web.pages)
        self.addresses: Addresses | None = WebAddresses(web) if addressed else None
        described = (web.profile, web.pages, web.seed, addressed)
        self.name = f"synthetic web {described!r}"

    def read(self, folder: Path, tell: Tell) -> WebSource:
        """Return the source itself: nothing has to be read beforehand."""
        return self

    def rows(self, first: int, last: int) -> Rows:
        """Return the links of the pages from ``first`` to ``last - 1``, in their order on them."""
        counts, targets = [], []
        for begin in range(first, last, CHUNK):
            found = links_of_pages(*self._numbers, begin, 1, min(CHUNK, last - begin))
            counts.append(found[0])
            targets.append(found[1].astype(np.uint32))
        nothing = np.empty(0, dtype=np.uint32)
        ends = np.cumsum(np.concatenate([np.zeros(1, dtype=np.int64), *counts]))
        return Rows(ends, np.concatenate([nothing, *targets]))

    def parts(self, most: int) -> list[tuple[int, int]]:
        """Divide the pages into ranges that have about ``most`` links each."""
        step = max(1, int(most / self._web.profile.degrees.mean) // BLOCK) * BLOCK
        return list(pairwise([*range(0, self.count, step), self.count]))


class WebAddresses:
    """The addresses of a synthetic web.

    Parameters
    ----------
    web : Web
    """

    def __init__(self, web: Web) -> None:
        self._web = web

    def hosts(self, first: int, last: int) -> Ragged:
        """Return the names of the hosts from ``first`` to ``last - 1``."""
        return ragged([name_of(self._web, host).encode() for host in range(first, last)])

    def texts(self, first: int, last: int) -> Ragged:
        """Return the addresses of the pages from ``first`` to ``last - 1``, without their hosts."""
        whole = (address(self._web, page).encode() for page in range(first, last))
        return ragged([divided(one)[1] for one in whole])
