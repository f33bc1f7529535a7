"""Reads a log line by line into arrays; a request takes about 60 bytes of memory."""

from __future__ import annotations

import json
from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from hashlib import blake2b
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from counterpoint.files.inputs import TooLargeError, lines_of
from counterpoint.sim_web import record
from counterpoint.sim_web.answer import Fault, Kind
from counterpoint.sim_web.errors import WebError

from .truth import WebTruth

KINDS = tuple(kind.value for kind in Kind)
"""The kinds of answers; `Requests.kind` contains indices of this tuple."""

_KIND = {name: k for k, name in enumerate(KINDS)}
_FAULTS = {fault.value for fault in Fault}
_NAMES = tuple(one.name for one in fields(record.Record))
_SEEN: set[tuple[tuple[str, ...], tuple[type, ...]]] = set()
"""Keys and types of lines that `record.record` has accepted; there are a few dozen at most."""
_LONGEST = 1 << 24
"""The most bytes of a line."""

_NOT_OF_HOSTS = (Kind.MOUNTED, Kind.FOREIGN, Kind.BAD)
"""Kinds of answers that do not come from a host of the generated web."""

_NOT_PLANTED = (Kind.ROBOTS, *_NOT_OF_HOSTS)


@dataclass(frozen=True)
class Requests:
    """The requests of a log in the order in which they began; all arrays have the same length.

    Attributes
    ----------
    started, ended : float64
        When the request arrived and when its answer had been sent, in seconds of virtual time.
    host : int32
        The requested host, an index of `RequestLog.hosts`.
    agent, client : int32
        The User-Agent and the client's address, indices of `RequestLog.agents` and of
        `RequestLog.clients`.
    page : int64
        The page of the planted graph; -1: none.
    version : int64
        How often the page had changed.
    status : int16
        The status that was sent; 0: the connection ended before.
    kind : uint8
        The kind of the address, an index of `KINDS`.
    get : bool
        Whether the method is GET.
    disallowed : bool
        Whether the host's robots.txt forbids this request to this agent.
    robots : bool
        Whether the request was for a robots.txt.
    address : uint64
        A hash of the URL: 64 bits, so that different URLs practically never share one.
    bytes : int64
        The bytes of the body that were sent.
    wait : float64
        Seconds of Retry-After in the answer; 0: none.
    """

    started: NDArray[np.float64]
    ended: NDArray[np.float64]
    host: NDArray[np.int32]
    agent: NDArray[np.int32]
    client: NDArray[np.int32]
    page: NDArray[np.int64]
    version: NDArray[np.int64]
    status: NDArray[np.int16]
    kind: NDArray[np.uint8]
    get: NDArray[np.bool_]
    disallowed: NDArray[np.bool_]
    robots: NDArray[np.bool_]
    address: NDArray[np.uint64]
    bytes: NDArray[np.int64]
    wait: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.started)

    def of(self, *kinds: Kind) -> NDArray[np.bool_]:
        """Return which requests were for addresses of these kinds."""
        found: NDArray[np.bool_] = np.isin(self.kind, [_KIND[kind] for kind in kinds])
        return found

    def pages(self) -> NDArray[np.bool_]:
        """Return which requests fetched a page: GET, 200, its own address or an alias."""
        whole: NDArray[np.bool_] = self.get & (self.status == 200) & (self.page >= 0)
        return whole & self.of(Kind.PAGE, Kind.ALIAS)

    def only(self, chosen: NDArray[Any]) -> Requests:
        """Return some of the requests, chosen by a mask or by their indices."""
        return Requests(**{one.name: getattr(self, one.name)[chosen] for one in fields(self)})


@dataclass(frozen=True)
class RequestLog:
    """The content of a log.

    Attributes
    ----------
    header : Header
        The description of the web.
    requests : Requests
        The selected requests.
    hosts, agents, clients : tuple of str
        The names of requested hosts, the User-Agents, the IP addresses of clients.
    lines : int
        The number of all requests in the log, selected or not.
    broken_off : int
        The number of the line in whose middle the log breaks off; 0 if it does not.
    """

    header: record.Header
    requests: Requests
    hosts: tuple[str, ...]
    agents: tuple[str, ...]
    clients: tuple[str, ...]
    lines: int
    broken_off: int

    def until(self, seconds: float) -> RequestLog:
        """Return the log with only the requests that began so many seconds after the first."""
        if not len(self.requests):
            return self
        kept = self.requests.started <= self.requests.started[0] + seconds
        return replace(self, requests=self.requests.only(kept))


def read(
    file: BinaryIO,
    place: str,
    header: record.Header,
    truth: WebTruth,
    *,
    agent: str = "",
    client: str = "",
    report: Callable[[str], None] | None = None,
) -> RequestLog:
    """Read the requests of a log whose header has been read.

    An invalid last line without a newline is no error: there the log breaks off.

    Parameters
    ----------
    file : binary file
        The log, positioned at its second line.
    place : str
        The log's name in error messages.
    header : Header
        The first line.
    truth : WebTruth
        The truth about the web of the header: each page in the log must stand at its address there.
    agent : str
        Select only requests whose User-Agent contains this text, in upper or lower case.
    client : str
        Select only requests from this IP address; empty: from all.
    report : callable, optional
        Gets a line of text on the progress from time to time.

    Raises
    ------
    WebError
        If a line is not a request, or a request to another web.
    """
    builder = _Builder(truth)
    lines = 0
    broken_off = 0
    for number, line in enumerate(_lines(file, place), 2):
        try:
            request = _record(line)
            builder.check(request)
        except WebError as error:
            if not line.endswith(b"\n"):
                broken_off = number
                break
            raise WebError(f"{place}: line {number:,} {error}") from None
        builder.check_planted(request, f"{place}: line {number:,}")
        lines += 1
        if report is not None and lines % 10_000 == 0:
            report(f"{lines:,} requests")
        builder.add(request)
    log = builder.log(header, lines, broken_off)
    mine = np.array([agent.lower() in one.lower() for one in log.agents], np.bool_)
    ours = np.array([client in ("", one) for one in log.clients], np.bool_)
    requests = log.requests
    return replace(log, requests=requests.only(mine[requests.agent] & ours[requests.client]))


def read_header(file: BinaryIO, place: str) -> record.Header:
    """Read the first line of a log; raise WebError if it is not the header of a log."""
    line = file.readline(_LONGEST)
    if not line:
        raise WebError(f"{place} is empty")
    try:
        return record.header(line.decode())
    except (WebError, UnicodeDecodeError, RecursionError) as error:
        reason = str(error) if isinstance(error, WebError) else ""
        if b'"counterpoint-web-log"' not in line:
            reason = "is not a log of a synthetic web: the first line is not a header"
        elif not line.endswith(b"\n"):
            reason = "breaks off in its first line"
        raise WebError(f"{place} {reason or 'is not a readable log'}") from None


def _lines(file: BinaryIO, place: str) -> Iterator[bytes]:
    """Yield the lines after the header."""
    try:
        yield from lines_of(file, _LONGEST, begun=1)
    except TooLargeError as error:
        raise WebError(f"{place}: {error}") from None


def _record(line: bytes) -> record.Record:
    """Return the request of a line; a line with known keys and types is not checked again."""
    try:
        values = json.loads(line.decode())
        if type(values) is dict and (tuple(values), tuple(map(type, values.values()))) in _SEEN:
            return record.Record(*values.values())
        made = record.record(line.decode())
        if tuple(values) == _NAMES[: len(values)]:
            _SEEN.add((tuple(values), tuple(map(type, values.values()))))
        return made
    except ValueError as error:
        raise error if isinstance(error, WebError) else WebError("is not JSON") from None
    except RecursionError:
        raise WebError("is not JSON that can be read") from None


class _Builder:
    """Collects requests in growing columns."""

    def __init__(self, truth: WebTruth) -> None:
        self.pages = truth.web.pages
        self.forbids = lru_cache(1 << 16)(truth.disallowed)
        self.holds = truth.holds
        self.columns: dict[str, array[Any]] = {name: array(code) for name, code in _CODES.items()}
        self.names: dict[str, int] = {}
        self.agents: dict[str, int] = {}
        self.clients: dict[str, int] = {}

    def check(self, request: record.Record) -> None:
        """Raise WebError for values that no server writes."""
        kind, fault = request.kind, request.fault
        if kind not in _KIND or fault not in _FAULTS:
            raise WebError(f"has an unknown kind or fault, {kind!r} or {fault!r}")
        if not 0 <= request.started <= request.ended < 1e15:
            raise WebError(f"has a request from {request.started!r} s to {request.ended!r} s")
        if not -1 < request.status < 1000 or not -1 < request.bytes < 1 << 62:
            raise WebError(f"has status {request.status!r} and {request.bytes!r} bytes")
        if request.page is not None and not -1 < request.page < self.pages:
            raise WebError(f"has page {request.page} in a web of {self.pages:,} pages")
        if not -1 < request.version < 1 << 62:
            raise WebError(f"has version {request.version!r}")
        if not -1 < request.retry_after < 1e15:
            raise WebError(f"has {request.retry_after!r} s of Retry-After")

    def check_planted(self, request: record.Record, place: str) -> None:
        """Raise WebError for a request whose host or page the web does not have at the address."""
        if request.page is None and request.kind in _NOT_OF_HOSTS:
            return
        if not self.holds(request.host, request.url, request.page):
            missing = "host" if request.page is None else f"page {request.page}"
            raise WebError(
                f"{place}: the log is from another web than its header says: that web has no "
                f"{missing} at {_text(request.url)[:200]}"
            )

    def add(self, request: record.Record) -> None:
        """Append a request to the columns."""
        url = _text(request.url)
        planted = request.kind not in _NOT_PLANTED
        row = (
            request.started,
            request.ended,
            self.names.setdefault(_text(request.host), len(self.names)),
            self.agents.setdefault(_text(request.agent), len(self.agents)),
            self.clients.setdefault(_text(request.client), len(self.clients)),
            -1 if request.page is None else request.page,
            request.version,
            request.status,
            _KIND[request.kind],
            request.method == "GET",
            planted and self.forbids(url, request.agent),
            request.kind == Kind.ROBOTS,
            address_hash(url),
            request.bytes,
            request.retry_after,
        )
        for column, value in zip(self.columns.values(), row, strict=True):
            column.append(value)

    def log(self, header: record.Header, lines: int, broken_off: int) -> RequestLog:
        """Return the log, with its requests in the order of their beginnings."""
        columns: dict[str, Any] = {name: np.asarray(c) for name, c in self.columns.items()}
        for name in _TRUTHS:
            columns[name] = columns[name].astype(bool)
        made = Requests(**columns)
        return RequestLog(
            header,
            made.only(np.argsort(made.started, kind="stable")),
            tuple(self.names),
            tuple(self.agents),
            tuple(self.clients),
            lines,
            broken_off,
        )


_CODES = {
    "started": "d", "ended": "d", "host": "i", "agent": "i", "client": "i", "page": "q",
    "version": "q", "status": "h", "kind": "B", "get": "b", "disallowed": "b", "robots": "b",
    "address": "Q", "bytes": "q", "wait": "d",
}  # fmt: skip
_TRUTHS = ("get", "disallowed", "robots")


def address_hash(url: str) -> int:
    """Return the hash of a URL, as `Requests.address` has it."""
    return int.from_bytes(blake2b(url.encode(), digest_size=8).digest(), "big")


def _text(text: str) -> str:
    """Return a text with lone surrogates escaped, which JSON allows and UTF-8 does not."""
    return text if text.isascii() else text.encode(errors="backslashreplace").decode()
