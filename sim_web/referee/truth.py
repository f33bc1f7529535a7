"""The truth about a web, as the referee needs it. It does not depend on the crawler."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

COMPONENTS = ("scc", "in", "out", "tendrils", "tubes", "disconnected")
"""Names of the components, in the order of their numbers."""

LARGEST = 60_000_000
"""How many links a web may have to be written out; measures of a larger web are unknown."""


ERRORS = ("dead", "foreign", "duplicate")
"""The kinds of planted errors in sitemaps, see `pages.sitemap`."""


class PlantedSitemaps(NamedTuple):
    """What the sitemaps of a web name at a time.

    Attributes
    ----------
    hosts : int64
        The hosts that have one.
    pages : int64
        The pages that they list.
    alone : bool
        Whether no page links to each of these.
    errors : mapping of str to list of (int, str)
        For each kind of `ERRORS`, the host whose sitemap has it, and its URL.
    """

    hosts: NDArray[np.int64]
    pages: NDArray[np.int64]
    alone: NDArray[np.bool_]
    errors: Mapping[str, list[tuple[int, str]]]


NO_SITEMAPS = PlantedSitemaps(
    np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.bool_), {}
)  # fmt: skip


def no_sitemaps(time: float) -> PlantedSitemaps:
    """Return what the sitemaps of a web without sitemaps name: nothing."""
    return NO_SITEMAPS


class LinkArrays(Protocol):
    """All links of a web: those of page p are ``targets[offsets[p]:offsets[p + 1]]``."""

    @property
    def offsets(self) -> NDArray[Any]:
        """Where each page's links begin, int, shape (pages + 1,)."""
        ...

    @property
    def targets(self) -> NDArray[Any]:
        """The pages to which the links lead, int, shape (links,)."""
        ...


class PlantedWeb(Protocol):
    """A web as the referee uses it; `counterpoint.sim_web.generator.Web` has this interface."""

    pages: int
    seed: int
    hosts: int

    def component(self, page: int) -> int:
        """Return the component of a page, an index of `COMPONENTS`."""
        ...

    def host(self, page: int) -> int:
        """Return the host of a page."""
        ...

    def pages_of(self, host: int) -> range:
        """Return the pages of a host, which are consecutive."""
        ...

    def level(self, page: int) -> int:
        """Return the least number of internal links from the host's start page; -1: no path."""
        ...

    def out_links(self, page: int) -> NDArray[np.int64]:
        """Return the distinct targets of a page."""
        ...

    def explicit(self) -> LinkArrays:
        """Return all links."""
        ...

    def named(self, name: str) -> int | None:
        """Return the host of a name."""
        ...


@dataclass(frozen=True)
class WebTruth:
    """A web, the rules of its hosts, and the changes of its pages.

    Attributes
    ----------
    web : PlantedWeb
        The planted graph.
    links : float
        About how many links the web has; this decides whether it is written out.
    sizes : tuple of int
        The number of pages of each component, in the order of `COMPONENTS`.
    disallowed : callable
        ``(url, agent)``: whether the robots.txt of the URL's host forbids it to the agent.
    crawl_delay : callable
        ``(host, agent)``: the seconds that the host requires between requests; 0: none.
    next_change : callable
        ``(page, time)``: when the page changes for the first time after that; infinite: never.
    holds : callable
        ``(host, url, page)``: whether the page stands at the URL, an address of the host of that
        name. If ``page`` is None: whether the web has a host of that name.
    sitemaps : callable
        ``(time)``: what the sitemaps of the web name at that time.
    """

    web: PlantedWeb
    links: float
    sizes: tuple[int, ...]
    disallowed: Callable[[str, str], bool]
    crawl_delay: Callable[[int, str], float]
    next_change: Callable[[int, float], float]
    holds: Callable[[str, str, int | None], bool]
    sitemaps: Callable[[float], PlantedSitemaps] = no_sitemaps

    @property
    def small(self) -> bool:
        """Whether the whole graph fits into an ordinary memory."""
        return self.links <= LARGEST and self.web.pages <= LARGEST
