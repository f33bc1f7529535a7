"""The settings of fetching: limits on answers, politeness, and patience with failing sites."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from counterpoint.crawler.documents.addresses import site
from counterpoint.crawler.documents.answer_rules import NO_RULES, AnswerRules
from counterpoint.crawler.documents.directives import AGENT as AGENT

POLITE = 1.0
"""Seconds from the end of an answer to the next request to the same site."""


@dataclass(frozen=True)
class Limits:
    """The limits on the answers to one job.

    Attributes
    ----------
    seconds : float
        Time for each request with its answer.
    body : int
        The most bytes of an answer, uncompressed.
    redirects : int
        How many redirects are followed.
    header : int
        The most bytes of one header line; an answer may have 128 of them.
    ratio : int
        The highest compression ratio of answers that are longer than a million bytes uncompressed.
    rules : AnswerRules
        Which answers are left out: their bodies are not read.
    """

    seconds: float = 30.0
    body: int = 10_000_000
    redirects: int = 10
    header: int = 16_384
    ratio: int = 200
    rules: AnswerRules = NO_RULES


@dataclass(frozen=True)
class Manners:
    """How the crawler behaves.

    Attributes
    ----------
    agent : str
        The header User-Agent; its first word, up to a slash, selects the group in robots.txt.
    robots : bool
        Whether robots.txt is obeyed.
    delay : float or None
        Seconds between requests to one site. None: `POLITE`, but 0 for this machine and for a
        synthetic web (as its answers declare) behind a proxy on this machine. A longer Crawl-delay
        in robots.txt takes precedence.
    leaves_site : bool
        Whether redirects to another site are followed.
    within : callable, optional
        Returns whether a site, as `documents.addresses.site` names it, may be requested at all.
        Redirects to other sites are not followed, not even for robots.txt.
    left_out : callable, optional
        Returns which rule of scope leaves an address out; redirects there are not followed.
    private : bool
        Whether addresses of private networks and of this machine may be requested.
    at_once : int
        The largest number of simultaneous requests to one site.
    """

    agent: str = AGENT
    robots: bool = True
    delay: float | None = None
    leaves_site: bool = True
    within: Callable[[str], bool] | None = None
    left_out: Callable[[str], str] | None = None
    private: bool = False
    at_once: int = 1

    def forbid(self, target: str) -> str:
        """Return why a redirect to an address is not followed; "" if it is."""
        if self.within is not None and not self.within(site(target)):
            return f"leads outside of the sites of this crawl, to {target}"
        left_out = self.left_out(target) if self.left_out is not None else ""
        return left_out and f"leads to {target}, which is {left_out}"

    @property
    def token(self) -> str:
        """The product token, as robots.txt has it."""
        return self.agent.partition("/")[0].split(" ")[0]


@dataclass(frozen=True)
class Patience:
    """The treatment of sites that fail, or that ask for a pause.

    Attributes
    ----------
    tries : int
        How often a page is requested, if the failure may be temporary.
    backoff : float
        Seconds to wait after the first failure; doubled with each further failure in a row, and
        multiplied by a random factor from 0.5 to 1.5.
    longest : float
        Seconds; if a host requires a longer pause, its pages fail at once.
    failures : float
        After so many failures in a row, a site gets a pause of ``rest`` seconds.
    rest : float
        Seconds.
    """

    tries: int = 3
    backoff: float = 1.0
    longest: float = 600.0
    failures: float = 8
    rest: float = 3600.0


LITTLE = Patience(tries=2, backoff=0.0, failures=math.inf)
"""A temporary failure is followed by one more request at once; only Retry-After causes a wait."""
