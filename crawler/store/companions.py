"""The companion set of the sites of a store, and its partition by connectivity.

In [BeeBot] the external links of a *target set* of sites lead to its *companion set*: the sites
outside the target set to which links lead. It is divided into disjoint parts by how strongly its
sites are connected with the target set. Here a part is the companions to which links lead from the
same number of target sites; the sites of a store are the target set. Where registered domains count
as sites, those of the target set are no companions.

Links are read in the order of the hosts that they lead to, so that one companion at a time is in
memory, with the numbers of the target sites.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

from sqlalchemy import Connection, select

from counterpoint.crawler.documents.addresses import domain

from .opening import Store
from .schema import external_links, seeds

BATCH = 5_000
"""Number of rows that are fetched at a time."""

Companions = Iterator["Companion"]


class Companion(NamedTuple):
    """A site outside the target set.

    Attributes
    ----------
    name : str
        Its host, or its registered domain.
    links : dict of int to int
        The number of links to it by the number of the target site that they stand on.
    """

    name: str
    links: dict[int, int]

    @property
    def total(self) -> int:
        """The number of links to it."""
        return sum(self.links.values())

    @property
    def rank(self) -> tuple[int, int]:
        """What the companions are ranked by: target sites, then links."""
        return len(self.links), self.total


@dataclass(frozen=True)
class Part:
    """The companions with links from the same number of target sites.

    Attributes
    ----------
    target_sites : int
        From how many target sites links lead to each of them.
    companions, links : int
        How many there are, and how many links lead to them.
    """

    target_sites: int
    companions: int
    links: int


@dataclass(frozen=True)
class Component:
    """Target sites that are connected by common companions, and their companions.

    Attributes
    ----------
    target_sites : list of int
        Their numbers.
    companions : int
    """

    target_sites: list[int]
    companions: int


@dataclass
class CompanionSet:
    """What is known of the companion set.

    Attributes
    ----------
    target_sites : dict of int to str
        The sites of the store by number.
    parts : list of Part
        The partition, those with most target sites first.
    components : list of Component
        The connected components of the graph of target sites and companions, the largest first.
    strongest : list of Companion
        The companions with links from most target sites.
    within : dict of (int, str) to int
        Links within the target set: by the number of the site that they stand on, and the host, or
        the registered domain, to which they lead.
    """

    target_sites: dict[int, str]
    parts: list[Part] = field(default_factory=list)
    components: list[Component] = field(default_factory=list)
    strongest: list[Companion] = field(default_factory=list)
    within: dict[tuple[int, str], int] = field(default_factory=dict)

    @property
    def companions(self) -> int:
        """The number of companions."""
        return sum(part.companions for part in self.parts)

    @property
    def links(self) -> int:
        """The number of links to companions."""
        return sum(part.links for part in self.parts)


def companion_set(
    store: Store, by: str = "host", top: int = 20,
    each: Callable[[Companion], object] | None = None,
) -> CompanionSet:  # fmt: skip
    """Return the companion set of the sites of a store.

    Parameters
    ----------
    store : Store
    by : str
        ``host`` or ``domain``: what counts as one companion.
    top : int
        How many of the strongest companions to return.
    each : callable, optional
        Gets every companion, in the order of names.
    """
    with store.reading() as connection:
        found = CompanionSet(_targets(connection))
        parts: dict[int, list[int]] = {}
        joined = _Joined(found.target_sites)
        strongest: list[tuple[tuple[int, int], int, Companion]] = []
        for number, companion in enumerate(_read(connection, by, found)):
            if each is not None:
                each(companion)
            part = parts.setdefault(len(companion.links), [0, 0])
            part[0] += 1
            part[1] += companion.total
            joined.add(companion.links)
            heapq.heappush(strongest, (companion.rank, -number, companion))
            if len(strongest) > top:
                heapq.heappop(strongest)
    found.parts = [Part(k, *parts[k]) for k in sorted(parts, reverse=True)]
    found.components = joined.components()
    found.strongest = [one for _, _, one in sorted(strongest, key=itemgetter(0, 1), reverse=True)]
    return found


def _targets(connection: Connection) -> dict[int, str]:
    rows = connection.execute(select(seeds.c.number, seeds.c.site).order_by(seeds.c.number))
    return {row.number: row.site for row in rows}


def _read(connection: Connection, by: str, found: CompanionSet) -> Companions:
    """Yield the companions in the order of names; count the links within the target set."""
    links = external_links.c
    order = [links[by], links.page, links.position]
    query = select(links[by], links.seed).where(links.deleted.is_(False))
    rows: Iterable[Any] = connection.execute(
        query.order_by(*order), execution_options={"yield_per": BATCH}
    )
    sites = found.target_sites.values()
    own = {domain(f"http://{site}/") for site in sites} if by == "domain" else set(sites)
    for name, group in groupby(rows, key=itemgetter(0)):
        counted: dict[int, int] = {}
        for _, seed in group:
            if seed in found.target_sites:  # not a page elsewhere, which the policy has followed
                counted[seed] = counted.get(seed, 0) + 1
        if name in own:
            found.within |= {(seed, name): number for seed, number in counted.items()}
        elif counted:
            yield Companion(name, counted)


class _Joined:
    """Target sites, joined by companions that they have in common."""

    def __init__(self, numbers: Iterable[int]) -> None:
        self._above = {number: number for number in numbers}
        self._companions = dict.fromkeys(self._above, 0)

    def _root(self, number: int) -> int:
        while self._above[number] != number:
            self._above[number] = number = self._above[self._above[number]]
        return number

    def add(self, numbers: Iterable[int]) -> None:
        """Join the target sites that link to a companion."""
        first, *rest = map(self._root, numbers)
        for other in rest:
            other = self._root(other)
            if other != first:
                self._above[other] = first
                self._companions[first] += self._companions[other]
        self._companions[first] += 1

    def components(self) -> list[Component]:
        """Return the components, those with most target sites first."""
        members: dict[int, list[int]] = {}
        for number in self._above:
            members.setdefault(self._root(number), []).append(number)
        found = [Component(sites, self._companions[root]) for root, sites in members.items()]
        return sorted(found, key=lambda one: (-len(one.target_sites), one.target_sites))
