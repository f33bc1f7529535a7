"""Requests to the studio that are drawn at random: forms by fields, and raw bytes.

Each request is checked: no error 500, no bug in the log, no answer that takes too long, and no
change of the store by a refused request. Run for as long as wanted::

    python -m tests.counterpoint.studio.fuzzing --requests 100000 --seed 1

Every thousand requests get a new store, and the next seed. The first failure is shrunk and printed.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import logging
import resource
import socket
import sqlite3
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from aiohttp import web
from hypothesis import HealthCheck, given, seed, settings

from counterpoint.crawler.store.opening import open_store
from counterpoint.crawler.store.schema import metadata
from counterpoint.studio import terminal
from counterpoint.studio.rendering import FLASHES
from tests.postgres import new_server

from .client import Client, serve_studio
from .drawing import Drawn, forms, mutated
from .filled import fill

SECONDS = 1.0
"""Longest time of an answer, for each KiB that is sent or received."""
ROUND = 1000
"""Requests to one store."""
SILENCE = 0.3
"""Seconds without data after which a client sends no more."""
GROWTH = 200 * 1024
"""KiB by which the memory may grow in a round."""


@dataclass
class Studio:
    """A studio in a thread of this process, and what is known of it.

    Attributes
    ----------
    client : Client
    application : web.Application
    bugs : list of str
        Records in the log that are errors of the studio.
    session : str
        A session that the studio has signed.
    counts : Counter
        How many answers had each status; 0: none.
    """

    client: Client
    application: web.Application
    bugs: list[str]
    session: str
    counts: Counter[int] = field(default_factory=Counter)

    def version(self) -> str:
        """Return a text that is another one after each change of the store."""
        if self._look is not None:
            return str(self._look.execute("PRAGMA data_version").fetchone()[0])
        digests = ", ".join(
            f"(SELECT md5(string_agg(t::text, ' ' ORDER BY t::text)) FROM {table} AS t)"
            for table in metadata.tables
        )
        with self.client.store.reading() as connection:
            return str(connection.exec_driver_sql(f"SELECT {digests}").one())

    def __post_init__(self) -> None:
        where = self.client.store.where
        self._look = None if "://" in where else sqlite3.connect(where, check_same_thread=False)

    def close(self) -> None:
        """Close the connection to the store."""
        if self._look is not None:
            self._look.close()

    def check(self, drawn: Drawn) -> None:
        """Send a request, and check the answer and the store."""
        request = drawn.request(self.client, self.session)
        flashes = self.application[FLASHES]
        # A busy machine may be slow once; a slow answer is slow each time.
        for _ in range(3):
            flashes.clear()
            before, begun = self.version(), time.monotonic()
            answer = exchange(self.client.port, request, drawn)
            seconds = time.monotonic() - begun
            slow = seconds > SILENCE + SECONDS * max(1.0, (len(request) + len(answer)) / 1024)
            if not slow:
                break
        assert not slow, f"{seconds:.1f} s"
        first = answer.split(b"\r\n", 1)[0].split(b" ")
        status = int(first[1]) if len(first) > 1 and first[0].startswith(b"HTTP/") else 0
        self.counts[status] += 1
        assert status or drawn.changes, "no answer"
        assert status != 500, answer[:2000]
        assert not self.bugs, "\n".join(self.bugs)
        wrong = any(flash.wrong for flash in flashes.values())
        if status >= 400 or wrong:
            assert self.version() == before, (status, wrong)


def exchange(port: int, request: bytes, drawn: Drawn) -> bytes:
    """Send a request on a connection of its own; return all that comes.

    Parameters
    ----------
    port : int
    request : bytes
    drawn : Drawn
        What the request was made of. If it was changed, its end may be missing, so the client ends
        the connection after some silence.
    """
    found = b""
    patience = SILENCE if drawn.changes else 20.0
    with socket.create_connection(("127.0.0.1", port), timeout=patience) as client:
        with contextlib.suppress(OSError):
            client.sendall(request)
        while True:
            try:
                data = client.recv(1 << 16)
            except TimeoutError:
                if client.gettimeout() == 20.0:
                    raise
                client.settimeout(20.0)
                with contextlib.suppress(OSError):
                    client.shutdown(socket.SHUT_WR)
                continue
            except OSError:
                return found
            found += data
            if not data or (drawn.streams and found):
                return found


@contextmanager
def running(folder: Path, where: str) -> Iterator[Studio]:
    """Serve a new store in a thread, after it was filled; yield the studio.

    Parameters
    ----------
    folder : Path
        Where the report of the gate would be.
    where : str
        The place of the store.
    """
    bugs: list[str] = []
    ready = threading.Event()
    given: list[Studio] = []
    ends: list[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = []

    class Bugs(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if terminal.is_bug(record):
                bugs.append(logging.Formatter().format(record))

    async def serve() -> None:
        with open_store(where, create=True) as store:
            fill(store, visited=60)
            async with serve_studio(store, folder=folder) as client:
                made = client.http.server.app  # type: ignore[union-attr]
                end = asyncio.Event()
                ends.append((asyncio.get_running_loop(), end))
                given.append(Studio(client, made, bugs, client.access.session()))
                ready.set()
                await end.wait()

    handler = Bugs()
    logs = [terminal.LOG, logging.getLogger("aiohttp.server"), logging.getLogger("asyncio")]
    with pytest.MonkeyPatch.context() as patch:
        for log in logs:
            log.addHandler(handler)
            patch.setattr(log, "propagate", False)
        thread = threading.Thread(target=lambda: asyncio.run(serve()))
        thread.start()
        try:
            assert ready.wait(60)
            yield given[0]
        finally:
            if given:
                given[0].close()
                ends[0][0].call_soon_threadsafe(ends[0][1].set)
            thread.join()
            for log in logs:
                log.removeHandler(handler)


def fuzz(studio: Studio, requests: int, chance: int) -> None:
    """Send drawn requests: four of five are forms and queries, the others raw bytes.

    Raises
    ------
    AssertionError
        If an answer is wrong; the request was shrunk.
    """
    for strategy, share in ((forms, requests * 4 // 5), (mutated, requests - requests * 4 // 5)):
        # The client and the server share a processor, so Hypothesis must not measure times.
        @seed(chance)
        @settings(max_examples=share, deadline=None, database=None, derandomize=False,
                  suppress_health_check=list(HealthCheck))  # fmt: skip
        @given(strategy())
        def send(drawn: Drawn) -> None:
            studio.check(drawn)

        send()


def main(requests: int, first: int, place: Callable[[str], str]) -> None:
    """Fuzz studio after studio, and print what was seen.

    Parameters
    ----------
    requests : int
    first : int
        The seed of the first store.
    place : callable
        Returns the place of a new store, which may be in a given folder.
    """
    counts: Counter[int] = Counter()
    for number in range(0, requests, ROUND):
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        with (
            tempfile.TemporaryDirectory() as folder,
            running(Path(folder), place(folder)) as studio,
        ):
            fuzz(studio, min(ROUND, requests - number), first + number // ROUND)
            counts += studio.counts
        after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        grown = after - before if number else 0  # the first round loads modules
        assert grown < GROWTH, f"the memory grew by {grown // 1024} MiB"
        told = ", ".join(f"{status}: {count:,}" for status, count in sorted(counts.items()))
        print(f"seed {first + number // ROUND}: {counts.total():,} requests; {told}; "
              f"{after // 1024} MiB", flush=True)  # fmt: skip


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Send drawn requests to the studio.")
    parser.add_argument("--requests", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--postgresql", action="store_true", help="instead of SQLite")
    options = parser.parse_args()
    if options.postgresql:
        with new_server() as server:
            main(options.requests, options.seed, lambda _: server.database())
    else:
        main(options.requests, options.seed, lambda folder: f"{folder}/crawl.db")
