"""The samplers of [COV], and corrections of their bias.

1. *Random IP*: addresses are drawn from the allocated blocks (`blocks`), and those with a server on
   port 80 are kept (`probed`). The request names the IP address and no host. So an address with
   several hosts shows at most one of them, and perhaps only the server's default page. The sample
   has one page per site, whatever the site's size. There are two corrections: adding the linked
   pages of the sampled pages, one or more times, without those outside the domain (`expanded`, by
   [COV]); or adding all pages of each sampled site (`whole_sites`, our own).
2. *Absolute breadth-first* (`breadth_first`): pages are taken from a start page in strict
   breadth-first order until the sample has the wanted size. Pages that cannot be reached from the
   start page are never sampled, hence the factor `REACHABLE`. [COV] predicts that a search that
   begins at all pages of a sample by random IP comes near the coverage, if it is large enough.

This module does not depend on the synthetic web: a `Serving` returns the answer of an address, and
a `Web` the links of a page.
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
"""A function that returns, for each of some pages, whether it is chosen: bool[n]."""


class Kind(Enum):
    """The kind of answer to a request that names an IP address and no host."""

    EMPTY = "empty"
    """There is no server."""
    DEFAULT = "default"
    """A server's default page, which does not belong to the studied web."""
    SITE = "site"
    """A page of a site."""


class Front(NamedTuple):
    """The answer to a request that names an IP address and no host.

    Attributes
    ----------
    kind : Kind
    page : int
        Handle of the site's page; -1 if no site answered.
    """

    kind: Kind
    page: int = -1


class Serving(Protocol):
    """The servers at IP addresses."""

    def front(self, address: Address) -> Front:
        """Return the answer to a request that names this address and no host."""
        ...


class Web(Protocol):
    """The links of pages."""

    def links(self, page: int) -> Pages:
        """Return the distinct pages that a page links to, in the order of appearance."""
        ...


class Probed(NamedTuple):
    """The results of requests to random addresses.

    Attributes
    ----------
    drawn, defaults : int
        Number of addresses requested, and of those that answered with a default page.
    pages : list of int
        Distinct pages of sites, in the order in which they were found.
    """

    drawn: int
    defaults: int
    pages: list[int]

    @property
    def serving(self) -> int:
        """Number of addresses with a server; the size of the sample as [COV] counts it."""
        return self.defaults + len(self.pages)


class Sample(NamedTuple):
    """The pages of a sample.

    Attributes
    ----------
    pages : int64[n]
        Distinct pages, in the order in which they were found.
    lumps : int64[n]
        The lump of each page: the index of the seed through which it came into the sample.
    fetched : int
        Number of pages that were fetched to draw the sample.
    """

    pages: Pages
    lumps: Pages
    fetched: int


def probed(serving: Serving, addresses: Iterable[Address]) -> Probed:
    """Request the page at each IP address; each costs a request, whether it answers or not."""
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
    """Return sampled pages together with the pages that they link to.

    The seeds stay in the sample. They were fetched when they were sampled, so the first expansion
    fetches nothing; each further expansion fetches the pages that the previous one added.

    Parameters
    ----------
    web : Web
    seeds : sequence of int
        Distinct pages.
    times : int
        Number of expansions.
    inside : callable, optional
        Returns whether pages are in the studied domain; all others are dropped, seeds too.
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
    """Return all pages of the seeds' sites that can be reached from a seed by links in the site.

    Each site is then drawn with the same probability and weighted by its number of pages, so that
    the estimate is a ratio over lumps (`counterpoint.crawler.coverage.shares.bootstrap`).

    Parameters
    ----------
    web : Web
    seeds : sequence of int
        A page of each site; a second seed of the same site adds nothing.
    host : callable
        Returns the site of each page, as an int64 array.
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
    """Return the answer to a query, with the pages linked from it and to it ([COV], by HITS).

    All of them are fetched, so that the links among them are known.

    Parameters
    ----------
    web : Web
    backward : Web
        The reversed links; [COV] does not say how it obtained them.
    answer : sequence of int
        Distinct pages. The lump of a page is the index of the answer through which it was found.
    """
    lump_of: dict[int, int] = {page: lump for lump, page in enumerate(answer)}
    for lump, page in enumerate(answer):
        for links in (web.links(page), backward.links(page)):
            for link in links.tolist():
                lump_of.setdefault(link, lump)
    return _sample(lump_of, len(lump_of))


def breadth_first(
    web: Web, starts: int | Sequence[int], size: int, counted: str = "fetched",
    inside: Chosen | None = None,
) -> Sample:  # fmt: skip
    """Return pages in strict breadth-first order from one or several start pages.

    Parameters
    ----------
    web : Web
    starts : int or sequence of int
        The start page, or distinct pages that are queued first. The lump of a page is the index of
        the start page through which it was found.
    size : int
        The wanted number of pages; the sample is smaller if no more can be reached.
    counted : {"fetched", "found"}
        The pages that belong to the sample. [COV] queues pages until the sample has the wanted
        size, and leaves this open. ``"fetched"``: the fetched pages, whose links are known, so that
        they can be ranked. ``"found"``: all pages that were found.
    inside : callable, optional
        Returns whether pages are in the studied domain; all others are dropped.
    """
    begin = [starts] if isinstance(starts, int) else starts
    order: dict[int, int] = {page: lump for lump, page in enumerate(begin)}
    queue, fetched = deque(order), 0
    members: list[int] = []
    while queue and (len(members) if counted == "fetched" else len(order)) < size:
        page = queue.popleft()
        members.append(page)
        fetched += 1
        for link in _kept(web.links(page), inside):
            if link not in order:
                order[link] = order[page]
                queue.append(link)
    pages = members if counted == "fetched" else list(order)[:size]
    return _sample({page: order[page] for page in pages}, fetched)


def _kept(links: Pages, inside: Chosen | None) -> list[int]:
    kept: list[int] = (links if inside is None else links[inside(links)]).tolist()
    return kept


def _one(page: int) -> Pages:
    return np.array([page], dtype=np.int64)


def _sample(lump_of: dict[int, int], fetched: int) -> Sample:
    pages = np.fromiter(lump_of, dtype=np.int64, count=len(lump_of))
    lumps = np.fromiter(lump_of.values(), dtype=np.int64, count=len(lump_of))
    return Sample(pages, lumps, fetched)
