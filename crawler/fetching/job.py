"""The interface between a crawl and its dispatcher: jobs, answers, leases."""

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
        The number of the visit; the answer has it, too.
    address : str
        The normalized address.
    etag, modified : str
        Validators of an earlier answer, for a conditional request: the status is 304 if the page
        has not changed.
    sitemap : tuple of str
        The sites, as `documents.addresses.site` names them, whose sitemap it is; empty: it was not
        named as a sitemap.
    """

    number: int
    address: str
    etag: str = ""
    modified: str = ""
    sitemap: tuple[str, ...] = ()


class HostState(NamedTuple):
    """The state of a host that politeness needs after a restart, or in another process.

    Attributes
    ----------
    host : str
        The host, with the port if it is not the default port.
    free_at : float
        The time of the earliest next request, in seconds since 1970.
    delay : float
        Seconds between requests to the host.
    failures : int
        How many requests in a row have failed.
    robots : str
        JSON: the complete robots.txt as it was answered; "": not known.
    robots_at : float or None
        When it was answered, in seconds since 1970.
    """

    host: str
    free_at: float = 0.0
    delay: float = 0.0
    failures: int = 0
    robots: str = ""
    robots_at: float | None = None


class Fetched(NamedTuple):
    """The answer to a job.

    Attributes
    ----------
    job : Job
    status : int
        The status of the last answer; 0: no answer came.
    final : str
        The address to which redirects led; "" if there were none.
    body : bytes
        Uncompressed; empty unless the status is 200 and the document is HTML, or may be a sitemap
        and was named as one.
    content_type, content_language : str
        The headers.
    etag, modified : str
        Validators for the next request.
    time : float
        When the answer came, in seconds since 1970.
    problem : str
        What went wrong, in one line; "": nothing.
    hosts : tuple of HostState
        The states of all hosts that were requested since the last answer; to be stored together
        with this one.
    rules : Rules or None
        The robots.txt rules of the origin that answered, by which forbidden links can be left out;
        None: robots.txt was not requested.
    leads_to : str
        The target of a redirect that was not followed; "" if there is none.
    nofollow : bool
        Whether a header forbids to follow the links of the document.
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
    nofollow: bool = False


class Lease(NamedTuple):
    """The right of one of several workers to request its hosts until a time.

    Attributes
    ----------
    until : float
        Seconds since 1970; no request begins later.
    lost : frozenset of int
        The numbers of jobs that now belong to other workers.
    hosts : tuple of HostState
        The states of newly leased hosts, as other workers have left them.
    """

    until: float
    lost: frozenset[int]
    hosts: tuple[HostState, ...]


class Tuning(NamedTuple):
    """What a user can change while a crawl runs.

    Attributes
    ----------
    concurrency : int
        The largest number of simultaneous requests.
    delay : float or None
        Seconds between requests to one site; None: as before.
    paused : bool
        Whether no request is begun.
    """

    concurrency: int
    delay: float | None
    paused: bool = False


class ClosedError(RuntimeError):
    """The dispatcher was closed, so no more jobs will be completed."""


Recall = Callable[[str], HostState | None]
"""Loads the state of a host by its name; None: the host is not known."""


class Dispatcher(Protocol):
    """Fetches pages, each at a time when its host may be requested."""

    def submit(self, job: Job) -> None:
        """Take a job; return at once."""

    def hold(self, lease: Lease) -> None:
        """Apply a lease from now on; jobs that were lost are never completed."""

    def tune(self, tuning: Tuning) -> None:
        """Change how requests are made from now on; requests in flight are finished."""

    async def completed(self) -> Fetched:
        """Wait for the next finished job, and return its answer.

        Raises
        ------
        ClosedError
            If the dispatcher was closed, and all finished jobs have been returned.
        CrawlError
            If nothing can be fetched at all: the proxy cannot be reached, or the disk is full.
        """

    def under_way(self) -> int:
        """Return how many requests are in flight."""

    def waiting(self) -> str:
        """Return what the dispatcher waits for now, in one line; "" if it does not wait."""

    async def close(self, *, grace: float) -> None:
        """Give requests in flight ``grace`` seconds to finish, and abort the rest.

        `completed` still returns the finished jobs; all other jobs are never completed.
        """
