"""The interface of schedulers: a scheduler decides which page is fetched next, and nothing else.

A scheduler has no clock, no network and no storage. It knows pages by their *handles*, integers
from 0 on that the world assigns: page numbers in a simulation; over HTTP, numbers of addresses in
the order of their discovery. No decision may depend on the value of a handle, only on the order in
which the scheduler met the handles, so that the same scheduler makes the same crawl in every world.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

Pages: TypeAlias = npt.NDArray[np.int64]

NONE: Pages = np.empty(0, dtype=np.int64)

ENDLESS = 10**12
"""The budget of a crawl that goes on until it is stopped."""


class Request(NamedTuple):
    """A page to fetch.

    Attributes
    ----------
    page : int
        The handle of the page.
    """

    page: int


class Content(NamedTuple):
    """The text of a page, for policies that read.

    Attributes
    ----------
    title : str
    text : str
        Without the title and without tags.
    anchors : tuple of str
        For each page in `Outcome.links`, the anchor text of the first link to that page, with the
        words around the link where they are known.
    language : str
        The language that the page declares, in lower case (``en``, ``zh-cn``); "" if it declares
        none.
    """

    title: str
    text: str
    anchors: tuple[str, ...] = ()
    language: str = ""


class Outcome(NamedTuple):
    """The result of fetching a page.

    Attributes
    ----------
    page : int
        The handle of the page.
    status : int
        The HTTP status; 0: no answer came.
    links : int64 array
        The distinct pages that the page links to and that may be fetched, in the order of
        appearance. Pages that are known already and the page itself are included. For a policy of
        scope `Scope.SITE`, only pages of the same site; for one of scope `Scope.KNOWN`, only pages
        that were not known before, in a crawl that meets new pages while it revisits.
    external : int
        How many links on the page lead to other sites; repeated links count each time.
    size : int
        Size of the page's text in bytes.
    difference : int
        Bytes that were added or removed since the scheduler's last visit; 0 at the first visit.
    time : float
        When the answer came, in seconds of the world's clock.
    content : Content or None
        The text of the page: only for policies that read (`Policy.reads`), and only for pages with
        status 200.
    """

    page: int
    status: int
    links: Pages = NONE
    external: int = 0
    size: int = 0
    difference: int = 0
    time: float = 0.0
    content: Content | None = None


class Scheduler(Protocol):
    """Decides the order of a crawl.

    Several requests may be in flight at once: `next` may be called again before the outcome of an
    earlier request is observed. Every request gets exactly one outcome.

    Attributes
    ----------
    why : str
        Why the last call of `next` returned None; "" otherwise.
    """

    why: str

    def next(self) -> Request | None:
        """Return the request for the next page; None if there is nothing to fetch now."""
        ...

    def observe(self, outcome: Outcome) -> None:
        """Learn the outcome of a request."""
        ...


class Scope(StrEnum):
    """Which links a policy sees in `Outcome.links`."""

    SITE = "site"
    """Links within the page's own site: each site is crawled separately."""
    WEB = "web"
    """All links to pages that may be fetched."""
    KNOWN = "known"
    """No links: all pages are known from the start and are visited again and again. In a crawl with
    ``--revisit`` the policy sees the links to pages that are new, and may request them as well."""


class Truth(Protocol):
    """Facts about pages that only an oracle may know before it fetches them."""

    def external(self, page: int) -> int:
        """Return how many links of a page lead to other sites."""
        ...

    def rate(self, page: int) -> float:
        """Return how often a page changes, in changes per second."""
        ...


class Frontier(Protocol):
    """A frontier outside the scheduler, in a store: the pages that wait to be requested.

    A scheduler that uses it learns of new pages through it, so the outcomes that the scheduler
    observes need not have links. The scheduler must request each page that it takes before it takes
    another one.
    """

    def first(self, k: int) -> int:
        """Take the next waiting page of site number ``k``; there must be one."""
        ...

    def found(self, number: int) -> int:
        """Return the page at place ``number``, from 0 on, in the order of discovery of all sites.

        Parameters
        ----------
        number : int
            Below the number of pages that were found.
        """
        ...

    def news(self) -> tuple[int, int]:
        """Return the site of the last outcome, and how many pages that outcome was first to find.

        Returns
        -------
        site : int
            The number of the site, from 0 on; -1: the page belongs to no given site.
        found : int
            How many pages the outcome was the first to link to.
        """
        ...


@dataclass(frozen=True)
class Setting:
    """What a policy knows before a crawl.

    Attributes
    ----------
    starts : sequence of int
        The start page of each site, in the order in which the sites were given. For a policy of
        scope `Scope.KNOWN`: all pages.
    budget : int
        How many pages may be fetched in all; `ENDLESS`: until the crawl is stopped.
    seed : int
        Seed of the random generator, for policies that use chance.
    truth : Truth or None
        The truth about pages; None for policies that are no oracles.
    parameters : dict
        The policy's own parameters, as the user gave them.
    frontier : Frontier or None
        A frontier in a store; None: the scheduler keeps its own. A policy may leave it unused.
    query : str
        The words of the search query; "" if there is none. The query's language is not given.
    hosts : callable or None
        Returns a number for the host of a page, the same for all pages of one host, or None if the
        host is not known. The numbers have no other meaning. `compare`, `try` and `crawl` all give
        this function, and know the hosts of the start pages when the policy is made; only for a
        policy that revisits the pages of a store are they unknown until its first step.
    """

    starts: Sequence[int]
    budget: int
    seed: int = 0
    truth: Truth | None = None
    parameters: dict[str, Any] = field(default_factory=dict)
    frontier: Frontier | None = None
    query: str = ""
    hosts: Callable[[int], int | None] | None = None


@dataclass(frozen=True)
class Policy:
    """A named way to make schedulers.

    Attributes
    ----------
    name : str
        The name that users write.
    about : str
        A description in one line.
    make : callable
        Returns a new scheduler for a `Setting`.
    scope : Scope
    parameters : dict
        The names of the policy's parameters, with their defaults (None: depends on the setting).
    oracle : bool
        Whether the policy needs `Setting.truth`.
    overspends : bool
        Whether the policy may exceed the budget and ends by itself, as some rules do in the form
        in which they were printed.
    reads : bool
        Whether the policy gets the text of pages (`Outcome.content`). Worlds make contents for no
        other policy.
    """

    name: str
    about: str
    make: Callable[[Setting], Scheduler]
    scope: Scope = Scope.WEB
    parameters: dict[str, Any] = field(default_factory=dict)
    oracle: bool = False
    overspends: bool = False
    reads: bool = False
