"""The log as columns: read line by line, some 60 bytes of memory for each request."""

from __future__ import annotations

import json
from array import array
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from hashlib import blake2b
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from counterpoint.sim_web import record
from counterpoint.sim_web.answer import Fault, Kind
from counterpoint.sim_web.errors import WebError

from .truth import Truth

KINDS = tuple(kind.value for kind in Kind)
"""A kind's number in `Requests.kind` is its place here."""

_KIND = {name: k for k, name in enumerate(KINDS)}
_FAULTS = {fault.value for fault in Fault}
_NAMES = tuple(one.name for one in fields(record.Record))
_SEEN: set[tuple[tuple[str, ...], tuple[type, ...]]] = set()
"""Types of lines that `record.record` has accepted; there are a few dozen at most."""

_NOT_OF_HOSTS = (Kind.MOUNTED, Kind.FOREIGN, Kind.BAD)
"""Kinds of answers that no host of the web gives."""

_NOT_PLANTED = (Kind.ROBOTS, *_NOT_OF_HOSTS)


@dataclass(frozen=True)
class Requests:
    """The requests of a log in the order in which they began; arrays of one length.

    Attributes
    ----------
    started, ended : float64
        Virtual time in seconds.
    host : int32
        An index of `Log.hosts`.
    agent, client : int32
        Indices of `Log.agents` and of `Log.clients`.
    page : int64
        Of the planted graph; -1: none.
    version : int64
        Of the page's content.
    status : int16
        0: the connection ended before there was one.
    kind : uint8
        An index of `KINDS`.
    get : bool
        The method is GET.
    disallowed : bool
        The host's robots.txt forbids this request to this agent.
    robots : bool
        The request was for a robots.txt.
    address : uint64
        A hash of the URL; equal exactly if the URL is.
    bytes : int64
        Of the body.
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
        """Return which requests asked for something of these kinds."""
        found: NDArray[np.bool_] = np.isin(self.kind, [_KIND[kind] for kind in kinds])
        return found

    def pages(self) -> NDArray[np.bool_]:
        """Return which requests fetched a page: GET, 200, its own address or an alias."""
        whole: NDArray[np.bool_] = self.get & (self.status == 200) & (self.page >= 0)
        return whole & self.of(Kind.PAGE, Kind.ALIAS)

    def only(self, chosen: NDArray[Any]) -> Requests:
        """Return the chosen requests, by a mask or by their numbers in another order."""
        return Requests(**{one.name: getattr(self, one.name)[chosen] for one in fields(self)})


@dataclass(frozen=True)
class Log:
    """What a log tells.

    Attributes
    ----------
    header : Header
        Which web it is about.
    requests : Requests
        Those that were asked for.
    hosts, agents, clients : tuple of str
        Names, as asked for and as told; addresses.
    lines : int
        Requests in the log, with those that were not asked for.
    broken_off : int
        The number of the line in whose middle the log ends; 0: it ends with a line.
    """

    header: record.Header
    requests: Requests
    hosts: tuple[str, ...]
    agents: tuple[str, ...]
    clients: tuple[str, ...]
    lines: int
    broken_off: int

    def until(self, seconds: float) -> Log:
        """Return the log up to so many seconds after the beginning of its first request."""
        if not len(self.requests):
            return self
        kept = self.requests.started <= self.requests.started[0] + seconds
        return replace(self, requests=self.requests.only(kept))


def read(
    file: BinaryIO,
    place: str,
    header: record.Header,
    truth: Truth,
    *,
    agent: str = "",
    client: str = "",
    tell: Callable[[str], None] | None = None,
) -> Log:
    """Read the requests of a log whose header has been read.

    Parameters
    ----------
    file : binary file
        At the second line.
    place : str
        The log's name in errors.
    header : Header
        The first line.
    truth : Truth
        About the web that the header names: each page in the log must stand at its address there.
    agent : str
        Only requests whose User-Agent contains this, in any case.
    client : str
        Only requests from this address.
    tell : callable, optional
        Takes a line about how far it is.

    Raises
    ------
    WebError
        If a line is no request, or one of another web; a last line without its newline is where
        the log breaks off.
    """
    builder = _Builder(truth)
    lines = 0
    broken_off = 0
    for number, line in enumerate(file, 2):
        try:
            told = _record(line)
            builder.check(told)
        except WebError as error:
            if not line.endswith(b"\n"):
                broken_off = number
                break
            raise WebError(f"{place}: line {number:,} {error}") from None
        builder.must_be_planted(told, f"{place}: line {number:,}")
        lines += 1
        if tell is not None and lines % 10_000 == 0:
            tell(f"{lines:,} requests")
        builder.add(told)
    log = builder.log(header, lines, broken_off)
    mine = np.array([agent.lower() in one.lower() for one in log.agents], np.bool_)
    ours = np.array([client in ("", one) for one in log.clients], np.bool_)
    requests = log.requests
    return replace(log, requests=requests.only(mine[requests.agent] & ours[requests.client]))


def read_header(file: BinaryIO, place: str) -> record.Header:
    """Read the first line of a log; raise WebError if it is not the header of a log."""
    line = file.readline(1 << 24)
    if not line:
        raise WebError(f"{place} is empty")
    try:
        return record.header(line.decode())
    except (WebError, UnicodeDecodeError, RecursionError) as error:
        told = str(error) if isinstance(error, WebError) else ""
        if b'"counterpoint-web-log"' not in line:
            told = "is no log of a synthetic web: the first line is no header"
        elif not line.endswith(b"\n"):
            told = "breaks off in its first line"
        raise WebError(f"{place} {told or 'is no log that can be read'}") from None


def _record(line: bytes) -> record.Record:
    """Return the request of a line; one with the types of a line before needs no second look."""
    try:
        told = json.loads(line.decode())
        if type(told) is dict and (tuple(told), tuple(map(type, told.values()))) in _SEEN:
            return record.Record(*told.values())
        made = record.record(line.decode())
        if tuple(told) == _NAMES[: len(told)]:
            _SEEN.add((tuple(told), tuple(map(type, told.values()))))
        return made
    except ValueError as error:
        raise error if isinstance(error, WebError) else WebError("is no JSON") from None
    except RecursionError:
        raise WebError("is no JSON that can be read") from None


class _Builder:
    """Columns that grow."""

    def __init__(self, truth: Truth) -> None:
        self.most = truth.web.pages
        self.forbids = lru_cache(1 << 16)(truth.disallowed)
        self.holds = truth.holds
        self.columns: dict[str, array[Any]] = {name: array(code) for name, code in _CODES.items()}
        self.names: dict[str, int] = {}
        self.agents: dict[str, int] = {}
        self.clients: dict[str, int] = {}

    def check(self, told: record.Record) -> None:
        """Refuse what no server writes."""
        if told.kind not in _KIND or told.fault not in _FAULTS:
            raise WebError(f"tells of an unknown kind or fault, {told.kind!r} or {told.fault!r}")
        if not 0 <= told.started <= told.ended < 1e15:
            raise WebError(f"tells of a request from {told.started!r} s to {told.ended!r} s")
        if not -1 < told.status < 1000 or not -1 < told.bytes < 1 << 62:
            raise WebError(f"tells of status {told.status!r} and {told.bytes!r} bytes")
        if told.page is not None and not -1 < told.page < self.most:
            raise WebError(f"tells of page {told.page} in a web of {self.most:,} pages")
        if not -1 < told.version < 1 << 62:
            raise WebError(f"tells of version {told.version!r}")
        if not -1 < told.retry_after < 1e15:
            raise WebError(f"tells of {told.retry_after!r} s of Retry-After")

    def must_be_planted(self, told: record.Record, place: str) -> None:
        """Refuse a request to a host, or for a page, that the web does not have there."""
        if told.page is None and told.kind in _NOT_OF_HOSTS:
            return
        if not self.holds(told.host, told.url, told.page):
            what = "a host" if told.page is None else f"page {told.page}"
            raise WebError(
                f"{place} is of a log from another web than the header's: that has not {what} at "
                f"{_text(told.url)[:200]}"
            )

    def add(self, told: record.Record) -> None:
        """Append a request to the columns."""
        url = _text(told.url)
        planted = told.kind not in _NOT_PLANTED
        row = (
            told.started,
            told.ended,
            self.names.setdefault(_text(told.host), len(self.names)),
            self.agents.setdefault(_text(told.agent), len(self.agents)),
            self.clients.setdefault(_text(told.client), len(self.clients)),
            -1 if told.page is None else told.page,
            told.version,
            told.status,
            _KIND[told.kind],
            told.method == "GET",
            planted and self.forbids(url, told.agent),
            told.kind == Kind.ROBOTS,
            int.from_bytes(blake2b(url.encode(), digest_size=8).digest(), "big"),
            told.bytes,
            told.retry_after,
        )
        for column, value in zip(self.columns.values(), row, strict=True):
            column.append(value)

    def log(self, header: record.Header, lines: int, broken_off: int) -> Log:
        """Return the log, its requests in the order of their beginnings."""
        columns: dict[str, Any] = {name: np.asarray(c) for name, c in self.columns.items()}
        for name in _TRUTHS:
            columns[name] = columns[name].astype(bool)
        made = Requests(**columns)
        return Log(
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


def _text(told: str) -> str:
    """Return a text without half characters, which JSON can hold and no file can."""
    return told if told.isascii() else told.encode(errors="backslashreplace").decode()
