"""The state that all connections of a server share: web, clock, limits, log and output."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from typing import NamedTuple, Protocol

from counterpoint.sim_web.answer import Answer, Fault, Kind, Question
from counterpoint.sim_web.errors import WebError

from . import request, wire
from .clock import Clock
from .connection import Connection
from .limits import Buckets
from .log import AccessLog, line
from .mounts import FileAnswer, Mounts
from .settings import ServerSettings
from .steps import After, ResponseOptions

FAILED = request.refusal(500, "the web could not answer this; see the server's standard error")

_NO_HOST = (Kind.UNKNOWN, Kind.FOREIGN, Kind.BAD)
"""Kinds of answers that do not come from a host of the web, so that no host's limit applies."""

_METHODS, _REFUSALS = ("GET", "HEAD"), (429, 503)

GetHeader = Callable[[str], str | None]
"""Returns the value of a header of a request, or None."""

Asked = tuple[str, str, str]
"""The method, the address and the host of a request, as the log has them."""


class Reply(NamedTuple):
    """An answer with all that is needed to send and to log it.

    Attributes
    ----------
    started : float
        The virtual time of the request.
    asked : (str, str, str)
        Method, address and host.
    found : Answer or FileAnswer
        The answer.
    manner : ResponseOptions
        How it is sent.
    """

    started: float
    asked: Asked
    found: Answer | FileAnswer
    manner: ResponseOptions


class AnsweringSite(Protocol):
    """The interface that gives the answers, such as `SyntheticSite` or a site of a test."""

    def answer(self, question: Question) -> Answer:
        """Return the answer to a request."""

    def kind(self, question: Question) -> Kind | None:
        """Return the kind of the answer without making it; None: there would be no answer."""


class Core:
    """Answers requests, and writes the record of a request to the log before its answer is sent.

    All records and answers of one turn of the event loop are written together: first the records,
    with one system call, then the answers. So if the server is killed at any moment, the log has a
    record of every answer that a client has received; and under load a record costs a fraction of
    a system call.

    Parameters
    ----------
    site : AnsweringSite
        Gives the answers.
    clock : Clock
        Virtual time.
    buckets : Buckets
        The limits of requests to hosts.
    mounts : Mounts
        The mounted folders.
    log : AccessLog or None
        Gets the records.
    settings : ServerSettings
        The limits of the server.
    """

    def __init__(
        self,
        site: AnsweringSite,
        clock: Clock,
        buckets: Buckets,
        mounts: Mounts,
        log: AccessLog | None,
        settings: ServerSettings,
    ) -> None:
        self.loop = asyncio.get_running_loop()
        self.clock = clock
        self.settings = settings
        self.addresses = request.RequestAddresses()
        self.dates = wire.Dates()
        self.connections: set[Connection] = set()
        self.failed: asyncio.Future[None] = self.loop.create_future()
        self.logs = log is not None
        self.answered = 0
        self._log = log
        self._site = site
        self._buckets = buckets
        self._mounts = mounts
        self._lines: list[str] = []
        self._out: list[tuple[Connection, bytes, After]] = []
        self._soon = False
        self._troubles = 0

    def reply(
        self, method: str, target: str, header: GetHeader, client: str, chunks: bool, after: After
    ) -> Reply:
        """Return the answer to a request, be it right or not, and how it is sent.

        Parameters
        ----------
        method, target : str
            The method, and the target of the request line: a path, or an absolute address.
        header : callable
            Returns the value of a header of the request, or None.
        client : str
            The IP address of the client.
        chunks : bool
            Whether the client understands chunked bodies.
        after : After
            What happens to the connection after an answer without a fault.
        """
        time = header(request.TIME_HEADER)
        now = self.clock.request(None if time is None else request.time_of(time))
        asked = (method, target, "")
        found: Answer | FileAnswer
        try:
            if method == "CONNECT":
                raise request.RefusedRequest(request.NO_TUNNEL)
            asked = (method, *self.addresses.absolute(target, header("Host")))
            found = self._found(asked, now, header, client)
        except request.RefusedRequest as refused:
            found = refused.answer
            if found is not request.NO_METHOD:
                after = After.LINGER
        return Reply(now, asked, found, self.manner(method, chunks, after, now))

    def _found(
        self, asked: Asked, now: float, header: GetHeader, client: str
    ) -> Answer | FileAnswer:
        method, url, host = asked
        if method not in _METHODS:
            raise request.RefusedRequest(request.NO_METHOD)
        time = header(request.TIME_HEADER)
        if time is not None and request.time_of(time) < 0:
            raise request.RefusedRequest(request.BAD_TIME)
        return self.answer(url, host, now, method, client, header)

    def manner(self, method: str, chunks: bool, after: After, now: float) -> ResponseOptions:
        """Return how an answer is sent; the arguments are as in `reply`."""
        connection = ""
        if after is not After.KEEP:
            connection = "Connection: close\r\n"
        elif not chunks:
            connection = "Connection: keep-alive\r\n"
        return ResponseOptions(method, chunks, self.dates.lines(now), connection, after)

    def answer(
        self, url: str, host: str, now: float, method: str, client: str,
        header: GetHeader,
    ) -> Answer | FileAnswer:  # fmt: skip
        """Return the answer to a request.

        Parameters
        ----------
        url, host : str
            The absolute address, and its host in lower case without a port.
        now : float
            Virtual time.
        method, client : str
            The method of HTTP, and the IP address of the client.
        header : callable
            Returns the value of a header of the request, or None.
        """
        question = Question(
            url, now, method, header("If-None-Match"), header("If-Modified-Since"),
            header("Accept-Encoding"),
        )  # fmt: skip
        try:
            if host in self._mounts and url.startswith("/", 7 + len(host)):
                return self._mounts.answer(host, question)
            if self._buckets.is_empty(client, host, now):
                kind = self._site.kind(question)
                if kind is not None and kind not in _NO_HOST:
                    return _too_many(kind, self._buckets.wait(client, host, now))
            found = self._site.answer(question)
        except Exception as error:
            self.trouble(url, error)
            return FAILED
        if self._buckets.rate and found.fault is not Fault.VANISHED and found.kind not in _NO_HOST:
            self._buckets.wait(client, host, now)
        return found

    def record(
        self, started: float, client: tuple[str, str], asked: Asked, answer: Answer, status: int,
        size: int,
    ) -> None:  # fmt: skip
        """Queue a line of the log; it is written with the next answers.

        Parameters
        ----------
        started : float
            The virtual time of the request.
        client : (str, str)
            The client's IP address and its User-Agent, as JSON.
        asked : (str, str, str)
            Method, address and host.
        answer : Answer
            The answer.
        status, size : int
            The status and the bytes of the body that were sent.
        """
        method, url, host = asked
        self._lines.append(line(
            started, self.clock.now(), *client, method, url, host, status, size,
            answer.kind, answer.fault, answer.page, answer.version,
            wire.retry_after(answer) if status in _REFUSALS else 0,
        ))  # fmt: skip

    def after_log(self, connection: Connection, data: bytes, after: After) -> None:
        """Let a connection write after all queued records have been written to the log.

        Parameters
        ----------
        connection : Connection
        data : bytes
            What it writes.
        after : After
            What happens to the connection then.
        """
        self._out.append((connection, data, after))
        if not self._soon:
            self._soon = True
            self.loop.call_soon(self.flush)

    def soon(self) -> None:
        """Schedule the writing of the records, even if there are no answers."""
        if not self._soon:
            self._soon = True
            self.loop.call_soon(self.flush)

    def flush(self) -> None:
        """Write the records, then the answers; stop the server if the log cannot be written."""
        self._soon = False
        lines, self._lines = self._lines, []
        out, self._out = self._out, []
        if lines and self._log is not None:
            try:
                self._log.write(lines)
            except WebError as error:
                self._stop(error)
                return
        for connection, data, after in out:
            connection.write(data, after)

    def _stop(self, error: WebError) -> None:
        """Send nothing more, because requests that cannot be logged must not be answered."""
        self.logs = False
        self._log = None
        if not self.failed.done():
            self.failed.set_exception(error)
        for connection in list(self.connections):
            connection.abort()

    def trouble(self, url: str, error: Exception) -> None:
        """Print the error of a failed answer to standard error; only the first ten times."""
        self._troubles += 1
        if self._troubles <= 10:
            text = " ".join(f"{type(error).__name__}: {error}".split())
            print(f"counterpoint: {url!a}: {text}", file=sys.stderr, flush=True)

    def sweep(self) -> None:
        """End the connections whose deadline has passed."""
        now = self.loop.time()
        for connection in [c for c in self.connections if c.deadline < now]:
            connection.overdue()


def _too_many(kind: Kind, wait: int) -> Answer:
    headers = (("Retry-After", str(wait)), ("Content-Type", "text/plain; charset=utf-8"))
    body = b"too many requests to this host\n"
    return Answer(429, headers, body, kind, fault=Fault.TOO_MANY)
