"""Requests to the synthetic web and its answers, over HTTP or in process."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

SECONDS_PER_REQUEST = 0.1
"""By how many seconds a request advances virtual time by default: ten requests take a second."""


class Kind(StrEnum):
    """What an address of the web stands for.

    A page is a node of the planted graph. All other addresses are not: a crawler that fetches them
    finds links, traps or nothing, and the referee distinguishes these.
    """

    PAGE = "page"
    ALIAS = "alias"
    """Another address of a page, with the same content."""
    REDIRECT = "redirect"
    ROBOTS = "robots"
    SITEMAP = "sitemap"
    FRAME = "frame"
    """A document in a frame of a page."""
    FORM = "form"
    """A page to which only a form leads."""
    TRAP = "trap"
    """A page that the server makes up on request: an endless calendar, a session id."""
    MISSING = "missing"
    """An address on a host of the web where there is nothing."""
    MOUNTED = "mounted"
    """A file of a mounted folder."""
    CAPTURED = "captured"
    """An answer of a captured web."""
    UNKNOWN = "unknown"
    """An address that was never captured, so that nobody knows what it would have answered."""
    FOREIGN = "foreign"
    """A host that is not in the web."""
    BAD = "bad"
    """A malformed request."""


class Fault(StrEnum):
    """What the web does wrong in an answer on purpose."""

    NONE = "none"
    REDIRECT_CHAIN = "redirect-chain"
    REDIRECT_LOOP = "redirect-loop"
    NOT_FOUND = "not-found"
    GONE = "gone"
    SERVER_ERROR = "server-error"
    UNAVAILABLE = "unavailable"
    """503 with Retry-After."""
    TOO_MANY = "too-many-requests"
    """429: the client exceeded the host's limit of requests."""
    RESET = "reset"
    SLOW_HEADERS = "slow-headers"
    ENDLESS_BODY = "endless-body"
    TRUNCATED_CHUNKS = "truncated-chunks"
    WRONG_LENGTH = "wrong-length"
    WRONG_TYPE = "wrong-type"
    HUGE_PAGE = "huge-page"
    BOMB = "decompression-bomb"
    VANISHED = "vanished"
    """The host has stopped answering for good."""
    ROBOTS_TIMEOUT = "robots-timeout"


class Answer(NamedTuple):
    """An answer, before the server sends it.

    Attributes
    ----------
    status : int
        The status of HTTP; 0: the connection ends without an answer.
    headers : tuple of (str, str)
        Headers in the order in which they are sent, without those of the connection (Date, Server,
        Connection, Content-Length, Transfer-Encoding).
    body : bytes
        The body as sent, with its content encoding applied. If the body has a fault: the correct
        body, or its beginning.
    kind : Kind
        The kind of the requested address.
    page : int or None
        The page of the graph whose content this is.
    version : int
        How often that page had changed by then.
    fault : Fault
        The fault that the server has to add, or that the status expresses already.
    chunked : bool
        Whether the body is sent in chunks.
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
    """The parts of a request on which the answer depends.

    Attributes
    ----------
    url : str
        The absolute address, without a fragment.
    time : float
        Virtual time, in seconds since the web's beginning.
    method : str
        GET or HEAD.
    if_none_match, if_modified_since, accept_encoding : str or None
        The values of these headers; None: the request has no such header.
    """

    url: str
    time: float
    method: str = "GET"
    if_none_match: str | None = None
    if_modified_since: str | None = None
    accept_encoding: str | None = None
