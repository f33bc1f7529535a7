"""What the connections of a server share: the web, the clock, the limits, and the way out."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from typing import Protocol

from counterpoint.sim_web.answer import Answer, Fault, Kind, Question
from counterpoint.sim_web.errors import WebError

from . import wire
from .clock import Clock
from .connection import Connection
from .limits import Buckets
from .log import Log
from .mounts import Mounts, Opened
from .request import Addresses, refusal
from .settings import Settings
from .steps import After

FAILED = refusal(500, "the web could not answer this; the server's standard error says why")

_NO_HOST = (Kind.FOREIGN, Kind.BAD)
"""Kinds of answers that no host of the web gives: these have no limit of a host."""


class Site(Protocol):
    """Whatever knows the answers, such as a `SyntheticSite`, or a test's own."""

    def answer(self, question: Question) -> Answer:
        """Return the answer to any question."""

    def kind(self, question: Question) -> Kind | None:
        """Return of what kind the answer would be, without making it; None: nothing comes back."""


class Core:
    """Answers questions, and sees to it that a record is in the log before its answer is sent.

    Records and answers of one turn of the event loop leave together: first all records, with one
    call to the system, then the answers. So a kill at any moment loses no record of an answer that
    anybody has received, and under load a record costs a fraction of a call.

    Parameters
    ----------
    site : Site
    clock : Clock
    buckets : Buckets
    mounts : Mounts
    log : Log or None
    settings : Settings
    """

    def __init__(
        self,
        site: Site,
        clock: Clock,
        buckets: Buckets,
        mounts: Mounts,
        log: Log | None,
        settings: Settings,
    ) -> None:
        self.loop = asyncio.get_running_loop()
        self.clock = clock
        self.settings = settings
        self.addresses = Addresses()
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

    def answer(
        self, url: str, host: str, now: float, method: str, client: str,
        header: Callable[[str], str | None],
    ) -> Answer | Opened:  # fmt: skip
        """Return the answer to a request for an address."""
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

    def record(self, line: str) -> None:
        """Take a line of the log; it is written with the next answers."""
        self.answered += 1
        self._lines.append(line)

    def after_log(self, connection: Connection, data: bytes, after: After) -> None:
        """Let a connection write when all records of now are in the log."""
        self._out.append((connection, data, after))
        if not self._soon:
            self._soon = True
            self.loop.call_soon(self.flush)

    def soon(self) -> None:
        """Write the records soon, whether there are answers or not."""
        if not self._soon:
            self._soon = True
            self.loop.call_soon(self.flush)

    def flush(self) -> None:
        """Write the records, then the answers. A log that cannot be written ends everything."""
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
        """Send nothing more: what could not be logged is not answered."""
        self.logs = False
        self._log = None
        if not self.failed.done():
            self.failed.set_exception(error)
        for connection in list(self.connections):
            connection.abort()

    def trouble(self, url: str, error: Exception) -> None:
        """Say on standard error that an answer failed; the first ten times."""
        self._troubles += 1
        if self._troubles <= 10:
            told = " ".join(f"{type(error).__name__}: {error}".split())
            print(f"counterpoint: {url!a}: {told}", file=sys.stderr, flush=True)

    def sweep(self) -> None:
        """End connections that wait for too long."""
        now = self.loop.time()
        for connection in [c for c in self.connections if c.deadline < now]:
            connection.overdue()


def _too_many(kind: Kind, wait: int) -> Answer:
    headers = (("Retry-After", str(wait)), ("Content-Type", "text/plain; charset=utf-8"))
    body = b"too many requests to this host\n"
    return Answer(429, headers, body, kind, fault=Fault.TOO_MANY)
