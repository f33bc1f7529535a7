"""The judgment: every measure of a crawl, from its log and the truth about the web."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from . import freshness as freshnesses
from . import outcomes as outcome
from . import politeness
from . import quality as qualities
from . import reached as reaching
from . import sitemaps as sitemap
from .reading import RequestLog
from .truth import WebTruth


@dataclass(frozen=True)
class About:
    """Which web and which requests were judged.

    Attributes
    ----------
    profile, pages, seed, hosts
        The name of the web's profile, its number of pages, its seed, its number of hosts.
    mounts : int
        How many hosts were folders of files.
    lines, requests : int
        The number of requests in the log, and how many of them were judged.
    agents : tuple of str
        The crawler's User-Agents.
    clients : int
        The number of IP addresses from which requests came.
    begun, seconds : float
        Virtual time of the first request, and the time from it to the end of the last one.
    broken_off : int
        The number of the line in whose middle the log breaks off; 0 if it does not.
    real_time : bool
        Whether virtual time followed the wall clock. If not, no wait of a crawler moved it, so that
        crawl delays and Retry-After cannot be judged.
    """

    profile: str
    pages: int
    seed: int
    hosts: int
    mounts: int
    lines: int
    requests: int
    agents: tuple[str, ...]
    clients: int
    begun: float
    seconds: float
    broken_off: int
    real_time: bool


@dataclass(frozen=True)
class Judgment:
    """All measures of a crawl. The module that computes a measure defines it.

    Attributes
    ----------
    quality : Quality or None
        None if it is unknown because the web is too large to be written out.
    """

    about: About
    reached: tuple[reaching.CurvePoint, ...]
    hosts: reaching.Covered
    coverage: reaching.Covered
    components: dict[str, reaching.Covered]
    quality: qualities.Quality | None
    external_links: qualities.ExternalLinks
    freshness: freshnesses.CopyFreshness
    outcomes: outcome.Outcomes
    disallowed: politeness.Disallowed
    crawl_delay: politeness.Fulfilment
    retry_after: politeness.Fulfilment
    concurrency: politeness.Concurrency
    levels: reaching.Levels
    sitemaps: sitemap.SitemapWorth | None

    def to_json(self) -> dict[str, Any]:
        """Return the judgment as JSON; what is unknown gives the reason."""
        document = asdict(self)
        if not self.about.real_time:
            document["crawl_delay"] = document["retry_after"] = {"unknown": "virtual time"}
        if self.quality is None:
            document["quality"] = {"unknown": "too large"}
        if self.sitemaps is None:
            document["sitemaps"] = {"unknown": "too large"}
        return document


def judge(log: RequestLog, truth: WebTruth) -> Judgment:
    """Judge a crawler from the log of a web and the truth about the web alone."""
    web, requests = truth.web, log.requests
    first = reaching.first_fetches(requests)
    pages = requests.page[first]
    fetched = [int(page) for page in pages]
    hosts = np.array([web.host(page) for page in fetched], dtype=np.int64)
    explicit = web.explicit() if truth.small else None
    covered, components = reaching.coverage(truth, fetched)
    return Judgment(
        about=_about(log, truth),
        reached=reaching.curve(requests, hosts),
        hosts=reaching.covered(len(np.unique(hosts)), web.hosts),
        coverage=covered,
        components=components,
        quality=None if explicit is None else qualities.quality(explicit, pages),
        external_links=qualities.external_links(web, pages, explicit),
        freshness=freshnesses.freshness(requests, truth.next_change),
        outcomes=outcome.outcomes(requests),
        disallowed=politeness.disallowed(requests),
        crawl_delay=politeness.crawl_delay(log, _delay_by_name(truth)),
        retry_after=politeness.retry_after(requests),
        concurrency=politeness.concurrency(log),
        levels=reaching.levels(truth, fetched),
        sitemaps=sitemap.worth(log, truth) if truth.small else None,
    )


def _delay_by_name(truth: WebTruth) -> Any:
    def demanded(name: str, agent: str) -> float:
        host = truth.web.named(name)
        return 0.0 if host is None else truth.crawl_delay(host, agent)

    return demanded


def _about(log: RequestLog, truth: WebTruth) -> About:
    requests = log.requests
    begun = float(requests.started[0]) if len(requests) else 0.0
    ended = float(requests.ended.max()) if len(requests) else 0.0
    return About(
        str(log.header.profile.get("name", "")),
        truth.web.pages,
        truth.web.seed,
        truth.web.hosts,
        len(log.header.mounts),
        log.lines,
        len(requests),
        tuple(log.agents[k] for k in np.unique(requests.agent)),
        len(np.unique(requests.client)),
        begun,
        ended - begun,
        log.broken_off,
        log.header.real_time,
    )
