"""What the referee asks of the web's truth: all that it knows, and nothing of crawlers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

COMPONENTS = ("scc", "in", "out", "tendrils", "tubes", "disconnected")
"""Names of the components, in the order of their numbers."""

LARGEST = 60_000_000
"""Links of the largest web that is looked at as a whole; of a larger one, the rest is unknown."""


class Links(Protocol):
    """All links of a web: those of page p are ``targets[offsets[p] : offsets[p + 1]]``."""

    @property
    def offsets(self) -> NDArray[Any]:
        """Where each page's links begin, and where the last one's end."""
        ...

    @property
    def targets(self) -> NDArray[Any]:
        """The pages that they lead to."""
        ...


class Planted(Protocol):
    """A web as the referee uses it; `counterpoint.sim_web.generator.Web` is one."""

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
        """Return the fewest internal links from the host's start page; -1: not reached so."""
        ...

    def out_links(self, page: int) -> NDArray[np.int64]:
        """Return the distinct targets of a page."""
        ...

    def explicit(self) -> Links:
        """Return all links."""
        ...

    def named(self, name: str) -> int | None:
        """Return the host of a name."""
        ...


@dataclass(frozen=True)
class Truth:
    """A web with what its pages say and do.

    Attributes
    ----------
    web : Planted
        The graph.
    links : float
        How many links it has, about; decides whether it is looked at as a whole.
    sizes : tuple of int
        Pages of each component.
    disallowed : callable
        ``(url, agent)``: whether robots.txt of the URL's host forbids it.
    crawl_delay : callable
        ``(host, agent)``: the seconds that the host demands between requests; 0: none.
    next_change : callable
        ``(page, time)``: when the page changes for the first time after that; infinite: never.
    holds : callable
        ``(host, url, page)``: whether the page stands at the URL, which is of the host of that
        name; of no page: whether there is such a host.
    """

    web: Planted
    links: float
    sizes: tuple[int, ...]
    disallowed: Callable[[str, str], bool]
    crawl_delay: Callable[[int, str], float]
    next_change: Callable[[int, float], float]
    holds: Callable[[str, str, int | None], bool]

    @property
    def small(self) -> bool:
        """Whether the whole graph can be looked at in an ordinary memory."""
        return self.links <= LARGEST and self.web.pages <= LARGEST
