"""The settings of a crawl, and the plan that follows from them.

The store has each setting as a row of the table of settings, and each site as a row of the table of
seeds. A plan consists of all that decides which pages are visited and in which order. If the
settings still lead to the same plan, the crawl is resumed; otherwise a new plan begins.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any, NamedTuple, Self

from counterpoint.crawler.documents.addresses import Spelling, normalized
from counterpoint.crawler.documents.directives import NOFOLLOW, OF_COPY
from counterpoint.crawler.documents.scope import ScopeRules
from counterpoint.crawler.documents.traps import Traps
from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.fetching.manners import POLITE
from counterpoint.crawler.fetching.politeness import is_here
from counterpoint.crawler.policy.protocol import ENDLESS, Scope
from counterpoint.crawler.schedulers.finding import ChosenPolicy, find
from counterpoint.crawler.store.schema import stored_key

from .amounts import MOST, Budget, budget

POLICY_OF = {"universities": "R3", "institutes": "R2", "unknown": "equal-quanta"}
"""The policy for a set of sites of a kind ([BeeBot])."""

LEAST = 0.01
"""The least time in seconds that is reckoned for a page of a site."""


@dataclass(frozen=True)
class CrawlSettings:
    """The user's settings, with their defaults; the store has settings of the same names.

    Attributes
    ----------
    scheduler : str
        A policy as `finding.find` takes it; "": ``kind`` decides.
    kind : str
        The kind of the set of sites: a key of `POLICY_OF`.
    budget : str
        A budget as `budget` takes it.
    seed : int
        Seed of the policy's random generator.
    level, cap : int or None
        The maximal level, and how many pages of a site may be known; None: no limit.
    stay : bool
        Whether a policy that follows links to any site is restricted to the given sites.
    normalize : str
        How addresses are compared, ``safe`` or ``paper``.
    concurrency : int
        The largest number of simultaneous requests.
    delay : float or None
        Seconds between requests to a host; None: the fetcher's polite default.
    agent, proxy : str or None
        The name of the crawler in requests, and the address of the HTTP proxy.
    robots, allow_private : bool
        Whether to obey robots.txt, and whether to request hosts on private networks.
    warc : str or None
        A folder for a WARC copy of all answers.
    replay : str or None
        A WARC file or a folder of them that answers in place of the network.
    retries : int
        How often the user requested that failed pages be tried again.
    query : str
        The words of the search query, for policies that read.
    include, exclude : tuple of str
        Rules of scope, as `documents.scope.ScopeRules` takes them.
    sitemaps : bool
        Whether the sitemaps of the sites are read.
    nofollow, canonical : bool
        Whether links of ``nofollow``, and the links of copies, are left; see `following`.
    traps : str
        Detectors of traps, as `documents.traps.Traps` takes them.
    revisit : str
        The policy that keeps the pages fresh after the crawl, until it is stopped; "": none.
    every : str
        The mean time between two visits of a page then, as `period` takes it.
    paused : bool
        Whether no new requests are made, until the user continues the crawl.
    web : str
        The synthetic web that answers in place of a network; "": none does.
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
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    replay: str | None = None
    sitemaps: bool = False
    nofollow: bool = False
    canonical: bool = False
    traps: str = ""
    revisit: str = ""
    every: str = "1d"
    web: str = ""
    paused: bool = False

    @classmethod
    def of(cls, settings: Mapping[str, str]) -> Self:
        """Return the settings that a store has; settings with other names are ignored."""
        names = {field.name for field in fields(cls)}
        return cls(**{
            name: _from_json(json.loads(settings[name])) for name in names & settings.keys()
        })  # fmt: skip

    def to_json(self) -> dict[str, str]:
        """Return the settings for the table of settings: JSON by name."""
        return {field.name: json.dumps(getattr(self, field.name)) for field in fields(self)}

    def policy(self) -> str:
        """Return the policy to use: ``scheduler``, or the policy for ``kind``.

        Raises
        ------
        CrawlError
            If there is no such kind of sites.
        """
        if self.kind not in POLICY_OF:
            raise CrawlError(f"sites are {', '.join(POLICY_OF)}, not {self.kind!r}")
        return self.scheduler or POLICY_OF[self.kind]


class PlanSite(NamedTuple):
    """A site of the plan: a row of `schema.seeds`."""

    number: int
    site: str
    start: str
    level: int | None = None
    cap: int | None = None


@dataclass(frozen=True)
class PlanOptions:
    """The parts of a plan other than policy, budget and seed; see `CrawlSettings`.

    Attributes
    ----------
    scope : str
        The policy's scope.
    stay : bool
    normalize : str
    level, cap : int or None
        The limits for all sites that do not have their own.
    robots : bool
    retries : int
    sites : tuple of PlanSite
    query : str
        "" for policies that do not read.
    include, exclude : tuple of str
        Rules of scope.
    sitemaps : bool
    nofollow, canonical : bool
    traps : str
        Detectors of traps, each with its limit.
    first : str
        The policy that found the pages which this plan keeps fresh; "": it is no such plan.
    every : float
        The mean seconds between two visits of a page in a plan that keeps pages fresh.
    """

    scope: str
    stay: bool
    normalize: str
    level: int | None
    cap: int | None
    robots: bool
    retries: int
    sites: tuple[PlanSite, ...]
    query: str = ""
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    sitemaps: bool = False
    nofollow: bool = False
    canonical: bool = False
    traps: str = ""
    first: str = ""
    every: float = 0.0

    @property
    def shut(self) -> int:
        """The marks of links that are not followed."""
        return (NOFOLLOW if self.nofollow else 0) | (OF_COPY if self.canonical else 0)

    @cached_property
    def rules(self) -> ScopeRules:
        """The rules of scope."""
        return ScopeRules(self.include, self.exclude, self.traps)

    def text(self) -> str:
        """Return the options as JSON."""
        return json.dumps({field.name: getattr(self, field.name) for field in fields(self)})

    @classmethod
    def of(cls, text: str) -> Self:
        """Return options from the JSON that `text` returned."""
        values = {name: _from_json(value) for name, value in json.loads(text).items()}
        return cls(**values | {"sites": tuple(PlanSite(*site) for site in values["sites"])})


def _from_json(value: Any) -> Any:
    """Return a value of JSON with tuples for its lists, so that it can be compared."""
    return tuple(value) if isinstance(value, list) else value


@dataclass(frozen=True)
class CrawlPlan:
    """A plan: all that decides which pages a crawl visits, and in which order.

    Attributes
    ----------
    policy : str
        The policy as the user wrote it.
    budget : int
        The budget in pages.
    seconds : float or None
        The budget in seconds; None: no limit.
    seed : int
    options : PlanOptions
    number : int
        The plan's number in the store; -1: it is not stored yet.
    starts : tuple of int
        The pages that the scheduler knows at the beginning.
    """

    policy: str
    budget: int
    seconds: float | None
    seed: int
    options: PlanOptions
    number: int = field(default=-1, compare=False)
    starts: tuple[int, ...] = field(default=(), compare=False, repr=False)

    @cached_property
    def chosen(self) -> ChosenPolicy:
        """The policy."""
        return find(self.policy)

    @property
    def keeps(self) -> bool:
        """Whether the plan keeps the pages of an earlier plan fresh, and meets new ones."""
        return bool(self.options.first)

    @property
    def revisits(self) -> bool:
        """Whether the plan visits known pages again."""
        return self.keeps or self.scope is Scope.KNOWN

    @property
    def visits(self) -> int:
        """The budget of the policy, in visits."""
        return ENDLESS if self.keeps else self.budget

    @property
    def scope(self) -> Scope:
        """Which links the plan follows, or those of the policy that found the pages it keeps."""
        return Scope(self.options.scope)

    @property
    def stays(self) -> bool:
        """Whether the crawl fetches no pages of other sites than those given."""
        return self.scope is not Scope.WEB or self.options.stay

    def start_keys(self) -> dict[str, PlanSite]:
        """Return the sites by the stored keys of their start pages, in the order of `starts`.

        Sites whose start pages have the same key are one: the last.
        """
        key = Spelling(self.options.normalize).key
        return {stored_key(key(one.start)): one for one in self.options.sites}


def make_plan(settings: CrawlSettings, sites: Sequence[PlanSite]) -> CrawlPlan:
    """Return the plan that follows from settings and sites.

    Raises
    ------
    CrawlError
        If there is no site, or a setting is invalid.
    """
    policy = settings.policy()
    chosen = find(policy)
    if chosen.policy.oracle:
        raise CrawlError(f"{policy}: needs the truth about pages, which is unknown for real pages")
    if not sites:
        raise CrawlError("there is no site to crawl: add some with --seeds FILE")
    _require_network(settings)
    given = budget(settings.budget)
    options = PlanOptions(
        str(chosen.policy.scope), settings.stay, settings.normalize, settings.level, settings.cap,
        settings.robots, settings.retries, tuple(sites),
        settings.query if chosen.policy.reads else "", settings.include, settings.exclude,
        settings.sitemaps, settings.nofollow, settings.canonical,
        Traps(settings.traps).spelled(),
    )  # fmt: skip
    if chosen.policy.scope is not Scope.KNOWN:  # it asks for no start pages
        options.rules.require(one.start for one in sites)
    return CrawlPlan(policy, given.pages or _pages_in_time(given, settings, sites), given.seconds,
                     settings.seed, options)  # fmt: skip


def _require_network(settings: CrawlSettings) -> None:
    """Refuse settings of a network for a crawl that uses none."""
    if not (settings.replay or settings.web):
        return
    source, name = ("replay", "replayed from") if settings.replay else ("web", "a rehearsal on")
    for other in ("proxy", "warc", "web"):
        if other != source and getattr(settings, other):
            raise CrawlError(f"--{other}: this crawl is {name} {settings.replay or settings.web} "
                             f"and uses no network; --{source} '' ends that")  # fmt: skip


def _pages_in_time(given: Budget, settings: CrawlSettings, sites: Sequence[PlanSite]) -> int:
    """Return how many pages can be fetched politely in the given time, for rules that need N.

    Parameters
    ----------
    given : Budget
        With a time and without a number of pages.
    settings : CrawlSettings
        Its delay and proxy decide the time between requests to a host.
    sites : sequence of PlanSite
    """
    delay = settings.delay
    if delay is None:
        proxy = normalized(settings.proxy) if settings.proxy else None
        here = is_here(proxy) if proxy else any(is_here(one.start) for one in sites)
        delay = 0.0 if here or settings.replay or settings.web else POLITE
    most = math.ceil((given.seconds or 0.0) * len(sites) / max(delay, LEAST))
    return min(MOST, max(len(sites), most))


def plan_from_row(row: Any) -> CrawlPlan:
    """Return a plan from its row in the store, as the query ``last plan`` reads it."""
    return CrawlPlan(
        row.policy, row.budget, row.seconds, row.seed, PlanOptions.of(row.told), row.number,
        tuple(json.loads(row.starts)),
    )  # fmt: skip
