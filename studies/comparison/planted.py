"""The web of a seed as arrays: what all policies crawl, and what is true of it.

The target set are the profile's own sites, or those hosts that have the most pages (where hosts
have themes, of those that share the largest one's; where pages have their own, that one alone).
Three scopes see three parts of the web:

- `Scope.SITE`: each site of the target set for itself, by the links within it;
- `Scope.WEB`: all that the start pages of the target set lead to. Where the profile names sites,
  the others are only led to: nobody follows links out of the target set;
- `Scope.KNOWN`: all pages, or all pages of the sites that the profile names.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from counterpoint.crawler.policy.protocol import Pages, Scope
from counterpoint.sim_web.generator import Explicit, Web
from counterpoint.sim_web.generator.counting import first_pages, leaving_links
from counterpoint.sim_web.measure.graph import Graph
from counterpoint.sim_web.measure.kernels import extend
from counterpoint.sim_web.pages import change
from counterpoint.sim_web.pages.sizes import Texts
from counterpoint.sim_web.referee.quality import page_rank, top
from counterpoint.sim_web.world import topics

from .plan import Plan

TOP = 5
"""Per cent of the pages that are important ([COV])."""

Array = np.ndarray[Any, Any]


class Planted:
    """A web with its truth, written out.

    Parameters
    ----------
    plan : Plan
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
        How many links of each page lead to other hosts, copies included.
    """

    def __init__(self, plan: Plan, seed: int) -> None:
        self.web = Web(plan.profile, plan.web_pages, seed)
        self.links: Explicit = self.web.explicit()
        first = first_pages(self.web)
        self._first = first
        self.host: Array = np.repeat(np.arange(self.web.hosts, dtype=np.int32), np.diff(first))
        self.external: Array = leaving_links(self.web, self.links, first, self.host)
        self.sites = self._target_set(plan.sites)
        self._parts: dict[Scope, tuple[Array, Array]] = {}
        self._reachable: dict[Scope, Array] = {}
        self._sizes: dict[float, Array] = {}

    def _target_set(self, number: int) -> tuple[int, ...]:
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
        """Whether hosts have themes, so that pages can be off the topic."""
        return self.web.profile.themes.count > 1

    @cached_property
    def of_site(self) -> Array:
        """The place in ``sites`` of the site of each page; of a page elsewhere: their number."""
        places = np.full(self.web.hosts, len(self.sites), dtype=np.int64)
        places[list(self.sites)] = np.arange(len(self.sites))
        return places[self.host]

    def starts(self, scope: Scope) -> list[int]:
        """Return the pages that a policy of a scope is given at the start."""
        if scope is not Scope.KNOWN:
            return [int(self._first[host]) for host in self.sites]
        if self.web.profile.sites:
            return list(range(int(self._first[len(self.sites)])))
        return list(range(self.web.pages))

    def part(self, scope: Scope) -> tuple[Array, Array]:
        """Return the links that policies of a scope are told of, as offsets and int64 targets."""
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
        """Return which pages a policy of a scope can fetch at all, bool[pages]."""
        if scope not in self._reachable:
            reached = np.zeros(self.web.pages, dtype=np.bool_)
            reached[self.starts(scope)] = True
            if scope is not Scope.KNOWN:
                graph = Graph(*self.part(scope))
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
        """What is looked for: the target set's theme; if pages have their own, a middle one."""
        if self.web.profile.themes.sections > 0:
            return topics.middle(self.web, 1)[0]
        return self.web.theme(self.sites[0])

    @property
    def query(self) -> str:
        """The topic in words; "" if hosts have no themes."""
        return topics.query(self.web, self.topic) if self.topical else ""

    @cached_property
    def relevant(self) -> Array:
        """Which pages are about the topic, bool[pages]."""
        return self.web.relevant_to(self.topic)

    def links_of(self, scope: Scope, page: int) -> Pages:
        """Return the links of a page that policies of a scope are told of."""
        offsets, targets = self.part(scope)
        found: Pages = targets[offsets[page] : offsets[page + 1]]
        return found

    @cached_property
    def texts(self) -> Texts:
        """The sizes of the pages' texts."""
        return Texts(self.web)

    def sizes_until(self, time: float) -> Array:
        """Return the sizes of the pages' texts, int64[pages]; -1 of those that change by a time."""
        if time not in self._sizes:
            pages = np.arange(self.web.pages)
            never = np.zeros(len(pages), dtype=np.int64)
            sizes, _ = self.texts.compared(pages, never, never)
            changes = self.texts.versions(pages, np.full(len(pages), time)) > 0
            self._sizes[time] = np.where(changes, -1, sizes)
        return self._sizes[time]


class Known:
    """What an oracle is told.

    Parameters
    ----------
    planted : Planted
        The web.
    """

    def __init__(self, planted: Planted) -> None:
        self._external: Callable[[int], int] = planted.external.item
        self._web = planted.web

    def external(self, page: int) -> int:
        """Return how many links of a page lead to other hosts."""
        return self._external(page)

    def rate(self, page: int) -> float:
        """Return how often a page changes, in changes per second."""
        return change.rate(self._web, page)
