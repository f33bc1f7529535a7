"""What a scheduler is: it decides which page is fetched next, and does nothing else.

There is no clock, no network and no storage in a scheduler. Pages are *handles*: integers from 0 on
that the world gives out, page numbers in a simulation, numbers of addresses in the order of their
discovery over HTTP. No decision may depend on a handle's number, only on the order in which the
scheduler met it, so that the same scheduler makes the same crawl in every world.
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


class Request(NamedTuple):
    """A page to fetch.

    Attributes
    ----------
    page : int
        Its handle.
    """

    page: int


class Content(NamedTuple):
    """What a page says, for policies that read.

    Attributes
    ----------
    title : str
    text : str
        Without the title and without tags.
    anchors : tuple of str
        For each of `Outcome.links` the anchor of the first link to that page, with the words
        around it where they are known.
    language : str
        As the page says, in lower case (``en``, ``zh-cn``); "" if it does not.
    """

    title: str
    text: str
    anchors: tuple[str, ...] = ()
    language: str = ""


class Outcome(NamedTuple):
    """What fetching a page brought.

    Attributes
    ----------
    page : int
        Its handle.
    status : int
        Of HTTP; 0: no answer came.
    links : int64 array
        The distinct pages it links to that may be fetched, in the order of appearance, pages known
        already and the page itself included. For a policy of scope `Scope.SITE` only those of the
        page's own site.
    external : int
        How many links on it lead to other sites, copies included.
    size : int
        Bytes of its text.
    difference : int
        Bytes that are new or gone since the scheduler's last visit; 0 at the first.
    time : float
        When the answer came, in seconds of the world's clock.
    content : Content or None
        What the page says: only for policies that read (`Policy.reads`), and pages with status 200.
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

    Requests may be in flight together: `next` may be called again before the outcome of an earlier
    request is observed. Every request gets exactly one outcome.

    Attributes
    ----------
    why : str
        Why the last call of `next` returned None; "" otherwise.
    """

    why: str

    def next(self) -> Request | None:
        """Return what to fetch next; None if there is nothing to fetch now."""
        ...

    def observe(self, outcome: Outcome) -> None:
        """Learn what a request brought."""
        ...


class Scope(StrEnum):
    """Which links a policy is told of."""

    SITE = "site"
    """Those within the page's own site: each site is crawled for itself."""
    WEB = "web"
    """All that may be fetched."""
    KNOWN = "known"
    """None: all pages are known from the start and are visited again and again."""


class Truth(Protocol):
    """What only an oracle may know."""

    def external(self, page: int) -> int:
        """Return how many links of a page lead to other sites."""
        ...

    def rate(self, page: int) -> float:
        """Return how often a page changes, in changes per second."""
        ...


class Frontier(Protocol):
    """Pages that wait to be asked for, kept elsewhere than in the scheduler: in a store.

    A scheduler that uses one is told of new pages by it: the outcomes it observes then need not
    have links, and it must ask for every page that it takes, before it takes another.
    """

    def first(self, k: int) -> int:
        """Take the next page of site number ``k``, one that waits."""
        ...

    def found(self, number: int) -> int:
        """Return the page that was found so many pages after the first, over all sites."""
        ...

    def news(self) -> tuple[int, int]:
        """Return of what site the outcome observed is, and how many pages it was first to find."""
        ...


@dataclass(frozen=True)
class Setting:
    """What a policy is told before a crawl.

    Attributes
    ----------
    starts : sequence of int
        The start page of each site, in the order in which the sites were given. For a policy of
        scope `Scope.KNOWN`: all pages.
    budget : int
        How many pages may be fetched in all.
    seed : int
        Of whatever chance the policy uses.
    truth : Truth or None
        Given to policies that ask for it; others must do without.
    parameters : dict
        The policy's own parameters, as given by the user.
    frontier : Frontier or None
        Where pages wait, if not in the scheduler; a policy may leave it unused.
    query : str
        What is looked for, in words; "" if nothing is. Its language is not told.
    hosts : callable or None
        Returns the host of a page as a number, the same for pages of one host; None if it is not
        known. The numbers mean nothing else. Given by worlds that know hosts, so that links inside
        one can be weighed down.
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
    """A way to make schedulers.

    Attributes
    ----------
    name : str
        How users call it.
    about : str
        One line.
    make : callable
        Returns a new scheduler for a setting.
    scope : Scope
    parameters : dict
        The parameters it takes, with their defaults (None: depends on the setting).
    oracle : bool
        Whether it must be told the truth.
    overspends : bool
        Whether it may go beyond the budget and ends by itself: rules as they were printed.
    reads : bool
        Whether it is told what pages say (`Outcome.content`). Worlds make contents for no other.
    """

    name: str
    about: str
    make: Callable[[Setting], Scheduler]
    scope: Scope = Scope.WEB
    parameters: dict[str, Any] = field(default_factory=dict)
    oracle: bool = False
    overspends: bool = False
    reads: bool = False
