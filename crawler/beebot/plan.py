"""What is to be crawled, and how: what a user wishes, and the plan that follows.

Wishes are kept in the table of settings, one row each; sites in that of seeds. A plan is all that
decides which pages are visited and in which order: a crawl of the same plan is resumed, for
another one a new plan begins.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any, NamedTuple, Self

from counterpoint.crawler.documents.addresses import normalized
from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.fetching.manners import POLITE
from counterpoint.crawler.fetching.politeness import is_here
from counterpoint.crawler.policy.protocol import Scope
from counterpoint.crawler.schedulers.finding import Chosen, find

POLICY_OF = {"universities": "R3", "institutes": "R2", "unknown": "equal-quanta"}
"""The policy for a set of sites of a kind ([BeeBot])."""

_UNITS = {"s": 1.0, "sec": 1.0, "min": 60.0, "h": 3600.0, "d": 86400.0}
_TIME = re.compile(r"(\d+(?:\.\d+)?)\s*(s|sec|min|h|d)", re.A)
MOST = 10**9
"""Pages; the largest budget."""
LEAST = 0.01
"""Seconds that a page of a site takes at least."""


class Budget(NamedTuple):
    """What a crawl may cost: pages, seconds, or both."""

    pages: int | None
    seconds: float | None


def budget(text: str) -> Budget:
    """Return a budget as a user writes it: ``2000``, ``30min``, ``2000,1.5h``.

    Raises
    ------
    CrawlError
        If it is none.
    """
    pages: int | None = None
    seconds: float | None = None
    for part in (part.strip() for part in text.split(",")):
        time = _TIME.fullmatch(part)
        if time is not None and seconds is None:
            seconds = float(time[1]) * _UNITS[time[2]]
        elif part.isascii() and part.isdigit() and len(part) < 20 and pages is None:
            pages = int(part)
        else:
            raise CrawlError(f"a budget is a number of pages or a time, as 2000 or 30min, "
                             f"not {text!r}")  # fmt: skip
    if not (pages is None or 0 < pages <= MOST) or not (seconds is None or 0 < seconds < math.inf):
        raise CrawlError(f"a budget is above 0 and at most {MOST:,} pages, not {text!r}")
    return Budget(pages, seconds)


@dataclass(frozen=True)
class Wishes:
    """What a user has set, with what holds until then; kept as settings of the same names.

    Attributes
    ----------
    scheduler : str
        A policy as `policies.find` takes it; "": chosen by ``kind``.
    kind : str
        Of the set of sites: a key of `POLICY_OF`.
    budget : str
        As `budget` takes it.
    seed : int
        Of whatever chance the policy uses.
    level, cap : int or None
        The maximal level, and how many pages of a site may be known; None: no limit.
    stay : bool
        Whether a policy that follows links to any site is kept on those given.
    normalize : str
        How addresses are compared, ``safe`` or ``paper``.
    concurrency : int
        Requests at a time.
    delay : float or None
        Seconds between requests to a host; None: what the fetcher takes for polite.
    agent, proxy : str or None
    robots, allow_private : bool
    warc : str or None
        A folder.
    retries : int
        How often somebody asked for a page to be tried again.
    query : str
        What is looked for, by policies that read.
    """

    scheduler: str = ""
    kind: str = "unknown"
    budget: str = "2000"
    seed: int = 0
    level: int | None = None
    cap: int | None = None
    stay: bool = False
    normalize: str = "safe"
    concurrency: int = 16
    delay: float | None = None
    agent: str | None = None
    proxy: str | None = None
    robots: bool = True
    allow_private: bool = False
    warc: str | None = None
    retries: int = 0
    query: str = ""

    @classmethod
    def of(cls, settings: Mapping[str, str]) -> Self:
        """Return what stands in the table of settings; what is unknown there is left alone."""
        names = {of.name for of in fields(cls)}
        return cls(**{name: json.loads(settings[name]) for name in names & settings.keys()})

    def settings(self) -> dict[str, str]:
        """Return them for the table of settings."""
        return {of.name: json.dumps(getattr(self, of.name)) for of in fields(self)}

    def policy(self) -> str:
        """Return the policy that is meant.

        Raises
        ------
        CrawlError
            If the kind of the set of sites is none.
        """
        if self.kind not in POLICY_OF:
            raise CrawlError(f"sites are {', '.join(POLICY_OF)}, not {self.kind!r}")
        return self.scheduler or POLICY_OF[self.kind]


class Site(NamedTuple):
    """A site of the plan: a row of `schema.seeds`."""

    number: int
    site: str
    start: str
    level: int | None = None
    cap: int | None = None


@dataclass(frozen=True)
class Told:
    """Whatever else decides, beside policy, budget and seed.

    Attributes
    ----------
    scope : str
        Of the policy.
    stay : bool
    normalize : str
    level, cap : int or None
        For all sites that do not have their own.
    robots : bool
    retries : int
    sites : tuple of Site
    query : str
        "" for policies that do not read.
    """

    scope: str
    stay: bool
    normalize: str
    level: int | None
    cap: int | None
    robots: bool
    retries: int
    sites: tuple[Site, ...]
    query: str = ""

    def text(self) -> str:
        """Return it as JSON."""
        return json.dumps({of.name: getattr(self, of.name) for of in fields(self)})

    @classmethod
    def of(cls, text: str) -> Self:
        """Return what `text` made JSON."""
        values = json.loads(text)
        return cls(**values | {"sites": tuple(Site(*site) for site in values["sites"])})


@dataclass(frozen=True)
class Plan:
    """A plan.

    Attributes
    ----------
    policy : str
        As written.
    budget : int
        Pages.
    seconds : float or None
    seed : int
    told : Told
    number : int
        Its row in the store.
    starts : tuple of int
        The pages the scheduler is told of at the beginning.
    """

    policy: str
    budget: int
    seconds: float | None
    seed: int
    told: Told
    number: int = field(default=-1, compare=False)
    starts: tuple[int, ...] = field(default=(), compare=False, repr=False)

    @cached_property
    def chosen(self) -> Chosen:
        """The policy."""
        return find(self.policy)

    @property
    def scope(self) -> Scope:
        """Which links the policy is told of."""
        return Scope(self.told.scope)

    @property
    def stays(self) -> bool:
        """Whether no page of another site is fetched."""
        return self.scope is not Scope.WEB or self.told.stay


def planned(wishes: Wishes, sites: Sequence[Site]) -> Plan:
    """Return the plan that follows from what is wished.

    Raises
    ------
    CrawlError
        If there is no site, or a wish is none that can be met.
    """
    policy = wishes.policy()
    chosen = find(policy)
    if chosen.policy.oracle:
        raise CrawlError(f"{policy}: wants to be told the truth, which nobody knows of real pages")
    if not sites:
        raise CrawlError("there is no site to crawl: add some with --seeds FILE")
    given = budget(wishes.budget)
    told = Told(
        str(chosen.policy.scope), wishes.stay, wishes.normalize, wishes.level, wishes.cap,
        wishes.robots, wishes.retries, tuple(sites), wishes.query if chosen.policy.reads else "",
    )  # fmt: skip
    return Plan(policy, given.pages or _fitting(given, wishes, sites), given.seconds,
                wishes.seed, told)  # fmt: skip


def _fitting(given: Budget, wishes: Wishes, sites: Sequence[Site]) -> int:
    """Return how many pages can politely be fetched in some time: N, for rules that need one."""
    delay = wishes.delay
    if delay is None:
        proxy = normalized(wishes.proxy) if wishes.proxy else None
        here = is_here(proxy) if proxy else any(is_here(of.start) for of in sites)
        delay = 0.0 if here else POLITE
    most = math.ceil((given.seconds or 0.0) * len(sites) / max(delay, LEAST))
    return min(MOST, max(len(sites), most))


def plan_of(row: Sequence[Any]) -> Plan:
    """Return a plan from its row, as the statement ``last plan`` reads it."""
    number, policy, pages, seconds, seed, starts, told = row[:7]
    return Plan(policy, pages, seconds, seed, Told.of(told), number, tuple(json.loads(starts)))
