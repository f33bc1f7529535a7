"""The samplers of [COV], and what corrects them.

1. *Random IP*: addresses are drawn from the allocated blocks (`blocks`), and those that serve on
   port 80 are kept (`probed`). An address is asked by number, without a host's name, so that of
   several hosts on one address it shows one at most, and perhaps the server's default page. The
   sample has a page for each site, whatever the site's size. Corrections: the links of the sampled
   pages join, one or more times, without those outside the domain (`expanded`, [COV]'s own); or
   all pages of each sampled site do (`whole_sites`, ours).
2. *Absolute breadth-first* (`breadth_first`): from a start page in strict breadth-first order until
   the sample is as large as wanted. What cannot be reached from there is never in it, hence the
   factor `REACHABLE`.

Nothing here knows the synthetic web: `Serving` says what serves at an address, `Web` what a page
links to.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from enum import Enum
from typing import Any, NamedTuple, Protocol

import numpy as np

from counterpoint.crawler.policy.protocol import Pages

from .blocks import Address

REACHABLE = 0.9
"""The share of the Web's pages in its largest weak component, as [COV] takes it."""

Array = np.ndarray[Any, Any]
Chosen = Callable[[Pages], Array]
"""Tells which of some pages are meant, bool[n]."""


class Kind(Enum):
    """What an address answers when it is asked by number."""

    EMPTY = "empty"
    """Nothing serves there."""
    DEFAULT = "default"
    """A server's default page, which is no page of the Web that is studied."""
    SITE = "site"
    """A page of a site."""


class Front(NamedTuple):
    """The answer of an address.

    Attributes
    ----------
    kind : Kind
    page : int
        Handle of the page of a site; -1 if there is none.
    """

    kind: Kind
    page: int = -1


class Serving(Protocol):
    """What serves at addresses."""

    def front(self, address: Address) -> Front:
        """Return what an address answers when it is asked by number."""
        ...


class Web(Protocol):
    """What pages link to."""

    def links(self, page: int) -> Pages:
        """Return the distinct pages that a page links to, in the order of appearance."""
        ...


class Probed(NamedTuple):
    """Random addresses, asked.

    Attributes
    ----------
    drawn, defaults : int
        Addresses asked; those that answered with a default page.
    pages : list of int
        Pages of sites, each once, in the order in which they were met.
    """

    drawn: int
    defaults: int
    pages: list[int]

    @property
    def serving(self) -> int:
        """How many addresses serve; the size of the sample as [COV] counts it."""
        return self.defaults + len(self.pages)


class Sample(NamedTuple):
    """Pages of a sample.

    Attributes
    ----------
    pages : int64[n]
        Distinct, in the order in which they were met.
    lumps : int64[n]
        By which place of the seeds each page came into the sample: its lump.
    fetched : int
        Pages that were fetched for it.
    """

    pages: Pages
    lumps: Pages
    fetched: int


def probed(serving: Serving, addresses: Iterable[Address]) -> Probed:
    """Ask addresses by number; each costs a request, whether it answers or not."""
    drawn, defaults = 0, 0
    pages: dict[int, None] = {}
    for address in addresses:
        drawn += 1
        front = serving.front(address)
        if front.kind is Kind.DEFAULT:
            defaults += 1
        elif front.kind is Kind.SITE:
            pages[front.page] = None
    return Probed(drawn, defaults, list(pages))


def expanded(
    web: Web, seeds: Sequence[int], times: int = 1, inside: Chosen | None = None
) -> Sample:
    """Let the links of sampled pages join the sample.

    The seeds stay in the sample. They were fetched when they were sampled, so that one expansion
    fetches nothing; each further one fetches the pages that the one before added.

    Parameters
    ----------
    web : Web
    seeds : sequence of int
        Distinct pages.
    times : int
        How many expansions.
    inside : callable, optional
        Which pages are of the domain that is studied; others are dropped, seeds as well.
    """
    lump_of: dict[int, int] = {
        page: lump for lump, page in enumerate(seeds) if inside is None or inside(_one(page))[0]
    }
    level, fetched = list(lump_of), 0
    for turn in range(times):
        fetched += len(level) if turn else 0
        found = []
        for page in level:
            for link in _kept(web.links(page), inside):
                if link not in lump_of:
                    lump_of[link] = lump_of[page]
                    found.append(link)
        level = found
    return _sample(lump_of, fetched)


def whole_sites(web: Web, seeds: Sequence[int], host: Callable[[Pages], Pages]) -> Sample:
    """Take all pages of the seeds' sites that lead there from the seed by links within the site.

    Sites are then drawn with equal chances and weighed by their pages: the estimate is a ratio over
    lumps (`counterpoint.crawler.coverage.shares.bootstrap`).

    Parameters
    ----------
    web : Web
    seeds : sequence of int
        A page of each site; of a site met again nothing is added.
    host : callable
        Returns the sites of pages.
    """
    lump_of: dict[int, int] = {}
    sites: set[int] = set()
    fetched = 0
    for lump, seed in enumerate(seeds):
        site = int(host(_one(seed))[0])
        if site in sites:
            continue
        sites.add(site)
        fetched -= 1  # the seed has been fetched already
        queue = deque([seed])
        lump_of[seed] = lump
        while queue:
            fetched += 1
            links = web.links(queue.popleft())
            for link in links[host(links) == site].tolist():
                if link not in lump_of:
                    lump_of[link] = lump
                    queue.append(link)
    return _sample(lump_of, fetched)


def around(web: Web, backward: Web, answer: Sequence[int]) -> Sample:
    """Take the answer to a query, and the pages linked from it and to it ([COV], by HITS).

    All of them are fetched, so that the links among them are known.

    Parameters
    ----------
    web : Web
    backward : Web
        The same links backward; [COV] does not say where they were had from.
    answer : sequence of int
        Distinct pages. The lump of each page is its place here by which it came.
    """
    lump_of: dict[int, int] = {page: lump for lump, page in enumerate(answer)}
    for lump, page in enumerate(answer):
        for links in (web.links(page), backward.links(page)):
            for link in links.tolist():
                lump_of.setdefault(link, lump)
    return _sample(lump_of, len(lump_of))


def breadth_first(
    web: Web, start: int, size: int, counted: str = "fetched", inside: Chosen | None = None
) -> Sample:
    """Take pages in strict breadth-first order from a start page.

    Parameters
    ----------
    web : Web
    start : int
    size : int
        Pages that are wanted; fewer come if no more can be reached.
    counted : {"fetched", "found"}
        [COV] queues pages until the sample has the wanted size. Its members are the pages that were
        fetched, so that their links are known and they can be ranked, or all that were found.
    inside : callable, optional
        Which pages are of the domain that is studied; others are dropped.
    """
    order: dict[int, int] = {start: 0}
    queue, fetched = deque([start]), 0
    members: list[int] = []
    while queue and (len(members) if counted == "fetched" else len(order)) < size:
        page = queue.popleft()
        members.append(page)
        fetched += 1
        for link in _kept(web.links(page), inside):
            if link not in order:
                order[link] = 0
                queue.append(link)
    pages = members if counted == "fetched" else list(order)[:size]
    return _sample(dict.fromkeys(pages, 0), fetched)


def _kept(links: Pages, inside: Chosen | None) -> list[int]:
    kept: list[int] = (links if inside is None else links[inside(links)]).tolist()
    return kept


def _one(page: int) -> Pages:
    return np.array([page], dtype=np.int64)


def _sample(lump_of: dict[int, int], fetched: int) -> Sample:
    pages = np.fromiter(lump_of, dtype=np.int64, count=len(lump_of))
    lumps = np.fromiter(lump_of.values(), dtype=np.int64, count=len(lump_of))
    return Sample(pages, lumps, fetched)
