"""What a crawl asks of its fetching, and what it is told."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from counterpoint.crawler.documents.robots import Rules


@dataclass(frozen=True, slots=True)
class Job:
    """A page to fetch.

    Attributes
    ----------
    number : int
        Of the visit; comes back with the answer.
    address : str
        In its one spelling.
    etag, modified : str
        What an earlier answer said of itself; with one of them the page is asked for only if it
        has changed (304 if not).
    """

    number: int
    address: str
    etag: str = ""
    modified: str = ""


class HostState(NamedTuple):
    """What politeness must know of a host after a restart, or in another process.

    Attributes
    ----------
    host : str
        Host, and the port if it is unusual.
    free_at : float
        Seconds since 1970 from when on it may be asked.
    delay : float
        Seconds between requests to it.
    failures : int
        Requests that failed one after another.
    robots : str
        JSON: its robots.txt, as it was answered; "": not known. Always the whole of it.
    robots_at : float or None
        When that was, in seconds since 1970.
    """

    host: str
    free_at: float = 0.0
    delay: float = 0.0
    failures: int = 0
    robots: str = ""
    robots_at: float | None = None


class Fetched(NamedTuple):
    """What a job brought.

    Attributes
    ----------
    job : Job
    status : int
        Of the last answer; 0: none came.
    final : str
        Where redirects led; "" if there were none.
    body : bytes
        Uncompressed; empty unless the status is 200 and the document one of HTML.
    content_type, content_language : str
        Headers.
    etag, modified : str
        Validators to ask with next time.
    time : float
        Seconds since 1970 of the answer.
    problem : str
        What went wrong, in one line; "" if nothing did.
    hosts : tuple of HostState
        Of all hosts that were asked since the last page; to be stored together with this one.
    rules : Rules or None
        What robots.txt says of the origin that answered; None: it was not asked. So links that it
        forbids can be left out.
    leads_to : str
        Where a redirect leads that was not followed; "" if there is none.
    """

    job: Job
    status: int
    final: str = ""
    body: bytes = b""
    content_type: str = ""
    content_language: str = ""
    etag: str = ""
    modified: str = ""
    time: float = 0.0
    problem: str = ""
    hosts: tuple[HostState, ...] = ()
    rules: Rules | None = None
    leads_to: str = ""


class Lease(NamedTuple):
    """What a crawl may ask of hosts that others may ask as well, each in its time.

    Attributes
    ----------
    until : float
        Seconds since 1970; no request begins later.
    lost : frozenset of int
        Jobs that are somebody else's by now.
    hosts : tuple of HostState
        Hosts that are leased anew, as others have left them.
    """

    until: float
    lost: frozenset[int]
    hosts: tuple[HostState, ...]


class ClosedError(RuntimeError):
    """Nothing more will be completed: the dispatcher was closed."""


Recall = Callable[[str], HostState | None]
"""Loads what is known of a host by its name; None: nothing is."""


class Dispatcher(Protocol):
    """Fetches pages, each when its host may be asked."""

    def submit(self, job: Job) -> None:
        """Take a job; return at once."""

    def hold(self, lease: Lease) -> None:
        """Go by a lease from now on; jobs that were lost do not come back."""

    async def completed(self) -> Fetched:
        """Wait for the next job that is finished, and return what it brought.

        Raises
        ------
        ClosedError
            If it was closed, and what was finished by then has been returned.
        CrawlError
            If nothing can be fetched at all: the proxy is not there, the disk for WARC is full.
        """

    def under_way(self) -> int:
        """Return how many requests are under way."""

    def waiting(self) -> str:
        """Return what is waited for now, in one line; "" if for nothing."""

    async def close(self, *, grace: float) -> None:
        """End requests that are under way within so many seconds, give up the rest.

        What was finished is still returned by `completed`; jobs that were not never come back.
        """
