"""What the synthetic web answers to one request, over a wire or in process."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

SECONDS_PER_REQUEST = 0.1
"""By how much a request moves virtual time by default: as if ten came a second."""


class Kind(StrEnum):
    """What an address of the web is.

    A page is a node of the planted graph. Everything else is not: a crawler that fetches it finds
    links, traps or nothing, and the referee knows which.
    """

    PAGE = "page"
    ALIAS = "alias"
    """Another address of a page, with the same content."""
    REDIRECT = "redirect"
    ROBOTS = "robots"
    SITEMAP = "sitemap"
    FRAME = "frame"
    """A part of a page that is a document of its own."""
    TRAP = "trap"
    """A page made up as it is asked for: an endless calendar, a session id."""
    MISSING = "missing"
    """An address on a host of the web at which nothing is."""
    MOUNTED = "mounted"
    """A file of a real site."""
    FOREIGN = "foreign"
    """A host that is not in the web."""
    BAD = "bad"
    """A request that is no proper request."""


class Fault(StrEnum):
    """What goes wrong with an answer on purpose."""

    NONE = "none"
    REDIRECT_CHAIN = "redirect-chain"
    REDIRECT_LOOP = "redirect-loop"
    NOT_FOUND = "not-found"
    GONE = "gone"
    SERVER_ERROR = "server-error"
    UNAVAILABLE = "unavailable"
    """503 with Retry-After."""
    TOO_MANY = "too-many-requests"
    """429: the host's limit of requests was passed."""
    RESET = "reset"
    SLOW_HEADERS = "slow-headers"
    ENDLESS_BODY = "endless-body"
    TRUNCATED_CHUNKS = "truncated-chunks"
    WRONG_LENGTH = "wrong-length"
    WRONG_TYPE = "wrong-type"
    HUGE_PAGE = "huge-page"
    BOMB = "decompression-bomb"
    VANISHED = "vanished"
    """A host that is gone from a certain time on."""
    ROBOTS_TIMEOUT = "robots-timeout"


class Answer(NamedTuple):
    """An answer, before it goes over a wire.

    Attributes
    ----------
    status : int
        HTTP status.
    headers : tuple of (str, str)
        In the order in which they are sent; without those of the connection (Date, Server,
        Connection, Content-Length, Transfer-Encoding).
    body : bytes
        As sent, with its content encoding applied. With a fault of the body: its true beginning.
    kind : Kind
        What was asked for.
    page : int or None
        The page of the graph whose content this is.
    version : int
        How often that page had changed by then.
    fault : Fault
        What the server is to do to the answer, or has done with the status already.
    chunked : bool
        The body is sent in chunks.
    """

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    kind: Kind
    page: int | None = None
    version: int = 0
    fault: Fault = Fault.NONE
    chunked: bool = False


class Question(NamedTuple):
    """A request, as far as an answer depends on it.

    Attributes
    ----------
    url : str
        Absolute, without a fragment.
    time : float
        Virtual time, seconds since the web's beginning.
    method : str
        GET or HEAD.
    if_none_match, if_modified_since, accept_encoding : str or None
        Headers, as they came.
    """

    url: str
    time: float
    method: str = "GET"
    if_none_match: str | None = None
    if_modified_since: str | None = None
    accept_encoding: str | None = None
