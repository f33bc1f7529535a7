"""How a crawl behaves, and what it bears: limits, manners, patience."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

AGENT = "counterpoint"
"""The product token, by which robots.txt names this crawler."""
POLITE = 1.0
"""Seconds from the end of an answer to the next request to the same site."""


@dataclass(frozen=True)
class Limits:
    """What one address may cost.

    Attributes
    ----------
    seconds : float
        For each request, with its answer.
    body : int
        Bytes of an answer, uncompressed.
    redirects : int
        How many are followed.
    header : int
        Bytes of one line of an answer's head; it may have 128.
    ratio : int
        How many times its size an answer may unpack to, once it is longer than a million bytes.
    """

    seconds: float = 30.0
    body: int = 10_000_000
    redirects: int = 10
    header: int = 16_384
    ratio: int = 200


@dataclass(frozen=True)
class Manners:
    """How the crawler behaves.

    Attributes
    ----------
    agent : str
        The header User-Agent; its first word, up to a slash, is looked for in robots.txt.
    robots : bool
        Whether robots.txt is honoured.
    delay : float or None
        Seconds between requests to one site. None: `POLITE`, and 0 for this machine and for what
        says, behind a proxy on this machine, that it is a synthetic web. A longer Crawl-delay of
        robots.txt counts.
    leaves_site : bool
        Whether redirects to another site are followed.
    within : callable, optional
        Tells of a site, as `pages.addresses.site` names it, whether it may be asked at all; no
        redirect leads to another, and no robots.txt is taken from there.
    private : bool
        Whether addresses of private networks and of this machine may be asked.
    at_once : int
        Requests to one site at a time.
    """

    agent: str = AGENT
    robots: bool = True
    delay: float | None = None
    leaves_site: bool = True
    within: Callable[[str], bool] | None = None
    private: bool = False
    at_once: int = 1

    @property
    def token(self) -> str:
        """The product token, as robots.txt has it."""
        return self.agent.partition("/")[0].split(" ")[0]


@dataclass(frozen=True)
class Patience:
    """What becomes of a site that does not answer, or wants to be left alone.

    Attributes
    ----------
    tries : int
        How often a page is asked for, if what went wrong may pass.
    backoff : float
        Seconds, doubled with each failure in a row and drawn from half to once and a half of it.
    longest : float
        Seconds; who must be left alone for longer is not waited for: pages there fail.
    failures : float
        After so many in a row a site is given up,
    rest : float
        for so many seconds.
    """

    tries: int = 3
    backoff: float = 1.0
    longest: float = 600.0
    failures: float = 8
    rest: float = 3600.0


LITTLE = Patience(tries=2, backoff=0.0, failures=math.inf)
"""What may pass is asked for once more; only Retry-After is waited for."""
