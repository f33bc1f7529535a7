"""The judgment: every measure of one log against the truth of its web."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from . import freshness as freshnesses
from . import outcomes as outcome
from . import politeness
from . import quality as qualities
from . import reached as reaching
from .reading import Log
from .truth import Truth


@dataclass(frozen=True)
class About:
    """What was judged.

    Attributes
    ----------
    profile, pages, seed, hosts
        The web.
    mounts : int
        Hosts that are real folders.
    lines, requests : int
        In the log; of these, judged.
    agents : tuple of str
        The crawler's names for itself.
    clients : int
        Addresses it came from.
    begun, seconds : float
        Virtual time of the first request, and from then to the end of the last.
    broken_off : int
        The line in whose middle the log ends; 0: none.
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


@dataclass(frozen=True)
class Judgment:
    """All measures; each is defined where it is computed, in the module of its name.

    Attributes
    ----------
    quality : Quality or None
        None: unknown, the web is too large to be looked at as a whole.
    """

    about: About
    reached: tuple[reaching.Point, ...]
    hosts: reaching.Covered
    coverage: reaching.Covered
    components: dict[str, reaching.Covered]
    quality: qualities.Quality | None
    external_links: qualities.ExternalLinks
    freshness: freshnesses.Freshness
    outcomes: outcome.Outcomes
    disallowed: politeness.Disallowed
    crawl_delay: politeness.Fulfilment
    retry_after: politeness.Fulfilment
    concurrency: politeness.Concurrency
    levels: reaching.Levels

    def to_json(self) -> dict[str, Any]:
        """Return the judgment as what JSON can hold; ``quality`` says why it is unknown."""
        told = asdict(self)
        if self.quality is None:
            told["quality"] = {"unknown": "too large"}
        return told


def judge(log: Log, truth: Truth) -> Judgment:
    """Judge a crawler by the log of a web and the truth about it, and by nothing else."""
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
    )


def _delay_by_name(truth: Truth) -> Any:
    def demanded(name: str, agent: str) -> float:
        host = truth.web.named(name)
        return 0.0 if host is None else truth.crawl_delay(host, agent)

    return demanded


def _about(log: Log, truth: Truth) -> About:
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
    )
