"""The web of a seed as arrays: its links, which the policies crawl, and its true properties.

The target set consists of the sites that the profile names. If it names none, it consists of the
hosts with the most pages; if hosts have themes, only hosts with the theme of the largest host; if
pages have themes of their own, only the largest host. If a seed draws the start pages, it has the
sites of these. Policies see a part of the web by their scope:

- `Scope.SITE`: each site of the target set separately, by the links within it;
- `Scope.WEB`: all pages that can be reached from the start pages of the target set. If the profile
  names sites, links out of the target set are not followed;
- `Scope.KNOWN`: all pages, or all pages of the sites that the profile names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Any

import numpy as np

from counterpoint.crawler.policy.protocol import Pages, Scope
from counterpoint.sim_web.generator import Explicit, Web
from counterpoint.sim_web.generator.counting import first_pages, leaving_links
from counterpoint.sim_web.measure.graph import MeasuredGraph
from counterpoint.sim_web.measure.kernels import extend
from counterpoint.sim_web.pages import change, life
from counterpoint.sim_web.pages.sizes import TextSizes
from counterpoint.sim_web.referee.quality import page_rank, top
from counterpoint.sim_web.world import topics

from .plan import ComparisonPlan
from .starts import drawn

TOP = 5
"""The percentage of pages that count as important ([COV])."""

Array = np.ndarray[Any, Any]


class Planted:
    """A generated web with its true properties, stored as arrays.

    Parameters
    ----------
    plan : ComparisonPlan
    seed : int

    Attributes
    ----------
    web : Web
    links : Explicit
        All links.
    host : int32[pages]
        The host of each page.
    sites : tuple of int
        Hosts of the target set.
    external : int64[pages]
        How many links of each page lead to other hosts; repeated links count each time.
    """

    _starts: tuple[int, ...] | None = None
    """The start pages that the seed draws; None: the first pages of the target set."""

    def __init__(self, plan: ComparisonPlan, seed: int) -> None:
        self.web = Web(plan.profile, plan.web_pages, seed)
        self.links: Explicit = self.web.explicit()
        first = first_pages(self.web)
        self._first = first
        self.host: Array = np.repeat(np.arange(self.web.hosts, dtype=np.int32), np.diff(first))
        self.external: Array = leaving_links(self.web, self.links, first, self.host)
        if plan.draws:
            self._starts = self._drawn(plan.sites, seed)
        self.sites = self._target_set(plan.sites)
        self._parts: dict[Scope, tuple[Array, Array]] = {}
        self._reachable: dict[Scope, Array] = {}
        self._sizes: dict[float, Array] = {}

    def freeze(self, scopes: Iterable[Scope]) -> None:
        """Compute what policies of some scopes need, and make the arrays immutable.

        Nobody can make them writeable again. Compiled code takes an immutable array for one of
        another type, so what compiled code computes from them is computed before.
        """
        for scope in scopes:
            offsets, targets = self.part(scope)
            if scope is not Scope.KNOWN:
                self._reachable[scope] = immutable(self.reachable(scope))
                self.ranks = immutable(self.ranks)
            self._parts[scope] = immutable(offsets), immutable(targets)
        if self.topical:
            self.relevant = immutable(self.relevant)
        self.of_site = immutable(self.of_site)
        self.links = Explicit(immutable(self.links.offsets), immutable(self.links.targets))
        self.host, self.external = immutable(self.host), immutable(self.external)
        self._first = immutable(self._first)

    def _drawn(self, number: int, seed: int) -> tuple[int, ...]:
        pages = np.arange(self.web.pages)
        links = self.links
        return drawn(links.offsets, links.targets, self.host, pages, pages, number, seed)

    def _target_set(self, number: int) -> tuple[int, ...]:
        if self._starts is not None:
            return tuple(int(self.host[page]) for page in self._starts)
        if self.web.profile.sites:
            return tuple(range(len(self.web.profile.sites)))
        largest = np.argsort(-np.diff(self._first), kind="stable")
        if self.web.profile.themes.sections > 0:
            return (int(largest[0]),)
        if self.topical:
            themes = np.array([self.web.theme(int(host)) for host in largest])
            largest = largest[themes == themes[0]]
        return tuple(int(host) for host in largest[:number])

    @property
    def topical(self) -> bool:
        """Whether the web has several themes, so that pages can be off the topic."""
        return self.web.profile.themes.count > 1

    @cached_property
    def of_site(self) -> Array:
        """By page, the index of its site in `sites`; for pages of other hosts ``len(sites)``."""
        places = np.full(self.web.hosts, len(self.sites), dtype=np.int64)
        places[list(self.sites)] = np.arange(len(self.sites))
        return places[self.host]

    def starts(self, scope: Scope) -> list[int]:
        """Return the start pages of policies of a scope."""
        if scope is not Scope.KNOWN:
            return list(self._starts or (int(self._first[host]) for host in self.sites))
        if self.web.profile.sites:
            return list(range(int(self._first[len(self.sites)])))
        return list(range(self.web.pages))

    def part(self, scope: Scope) -> tuple[Array, Array]:
        """Return the links that policies of a scope see, as offsets and int64 targets."""
        if scope not in self._parts:
            self._parts[scope] = self._part(scope)
        return self._parts[scope]

    def _part(self, scope: Scope) -> tuple[Array, Array]:
        offsets, targets = self.links.offsets, self.links.targets
        if scope is Scope.KNOWN:
            return np.zeros(self.web.pages + 1, dtype=np.int64), np.empty(0, dtype=np.int64)
        if scope is Scope.SITE:
            kept = np.repeat(self.host, np.diff(offsets)) == self.host[targets]
        elif self.web.profile.sites:
            kept = targets < self._first[len(self.sites)]
        else:
            return offsets, targets.astype(np.int64)
        before = np.concatenate(([0], np.cumsum(kept, dtype=np.int64)))
        return before[offsets], targets[kept].astype(np.int64)

    def reachable(self, scope: Scope) -> Array:
        """Return whether a policy of a scope can reach each page, bool[pages]."""
        if scope not in self._reachable:
            reached = np.zeros(self.web.pages, dtype=np.bool_)
            reached[self.starts(scope)] = True
            if scope is not Scope.KNOWN:
                graph = MeasuredGraph(*self.part(scope))
                extend(graph.offsets, graph.targets, np.zeros_like(graph.offsets),
                       graph.targets[:0], reached)  # fmt: skip
            self._reachable[scope] = reached
        return self._reachable[scope]

    @cached_property
    def ranks(self) -> Array:
        """PageRank in the whole web, float64[pages]."""
        return page_rank(self.links.offsets, self.links.targets).values

    def important(self, scope: Scope) -> Pages:
        """Return the 5% of the reachable pages that have the highest PageRank."""
        reachable = np.flatnonzero(self.reachable(scope))
        return reachable[top(self.ranks[reachable], TOP)]

    @cached_property
    def topic(self) -> int:
        """The theme to search for: the target set's; if pages have themes, one of middle size."""
        if self.web.profile.themes.sections > 0:
            return topics.middle(self.web, 1)[0]
        return self.web.theme(self.sites[0])

    @property
    def query(self) -> str:
        """The topic in words; "" if hosts have no themes."""
        return topics.query(self.web, self.topic) if self.topical else ""

    @cached_property
    def relevant(self) -> Array:
        """Whether each page is about the topic, bool[pages]."""
        return self.web.relevant_to(self.topic)

    def rates(self) -> Callable[[int], float]:
        """Return a function for how often a page changes, in changes per second."""
        web = self.web
        return lambda page: change.rate(web, page)

    def further(self, order: Pages, steps: Array) -> dict[str, Array]:
        """Return further curves of a crawl that discovers pages: none for a generated web.

        Parameters
        ----------
        order : int64[n]
            Pages in the order of visits.
        steps : int64[k]
            The number of visits at each point of the curves.
        """
        return {}

    def unknown(self, scope: Scope, order: Pages, came: Array, seconds: float) -> dict[str, float]:
        """Return by measure, which share of its answer rests on what is unknown: on nothing here.

        Parameters
        ----------
        scope : Scope
        order, came : int64[n], bool[n]
            The pages in the order of visits, and whether each was fetched successfully.
        seconds : float
            Seconds between two visits.
        """
        return {}

    def links_of(self, scope: Scope, page: int) -> Pages:
        """Return the links of a page that policies of a scope see."""
        offsets, targets = self.part(scope)
        found: Pages = targets[offsets[page] : offsets[page + 1]]
        return found

    @cached_property
    def lives(self) -> tuple[Array, Array]:
        """From when and until when each page is there, in seconds, float64[pages] each."""
        return life.lives(self.web)

    @cached_property
    def texts(self) -> TextSizes:
        """The sizes of the pages' texts."""
        return TextSizes(self.web)

    def sizes_until(self, time: float) -> Array:
        """Return the sizes of the pages' texts, int64[pages]; -1 for pages that change until then.

        Parameters
        ----------
        time : float
            Seconds since the beginning of the crawl.
        """
        if time not in self._sizes:
            pages = np.arange(self.web.pages)
            never = np.zeros(len(pages), dtype=np.int64)
            sizes, _ = self.texts.compared(pages, never, never)
            changes = self.texts.versions(pages, np.full(len(pages), time)) > 0
            self._sizes[time] = immutable(np.where(changes, -1, sizes))
        return self._sizes[time]


class Oracle:
    """True properties of a web, for policies that are oracles.

    Its functions are closures, from which nothing else of the web is reached.

    Parameters
    ----------
    planted : Planted
        The web.

    Attributes
    ----------
    external : callable
        Returns how many links of a page lead to other hosts.
    rate : callable
        Returns how often a page changes, in changes per second.
    """

    __slots__ = ("external", "rate")

    def __init__(self, planted: Planted) -> None:
        self.external: Callable[[int], int] = number_of(planted.external)
        self.rate = planted.rates()


def immutable(array: Array) -> Array:
    """Return a copy of an array whose memory is that of immutable bytes."""
    found: Array = np.frombuffer(array.tobytes(), array.dtype).reshape(array.shape)
    return found


def number_of(numbers: Array) -> Callable[[int], int]:
    """Return a function for the number of a page, without the attribute ``__self__``."""
    item = numbers.item

    def number(page: int) -> int:
        found: int = item(page)
        return found

    return number
