"""Crawls in child processes that are killed at a given point, and the content of their stores."""

from __future__ import annotations

import asyncio
import os
import signal
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from counterpoint.crawler.beebot.beginning import begin
from counterpoint.crawler.beebot.engine import Engine
from counterpoint.crawler.beebot.planner import Planner
from counterpoint.crawler.fetching.job import Fetched, HostState, Job
from counterpoint.crawler.store.opening import Store, open_store
from counterpoint.crawler.store.recording import Recording

from .inprocess import InProcess

Answers = dict[str, tuple[int, bytes]]

TIMELESS = {"plans": ("spent",)}
"""What no two crawls have in common."""


class Punctual(InProcess):
    """A dispatcher whose answers have the same time and host state in every run."""

    def __init__(self, answers: Answers, seed: int | None, passing: Callable[[str], None]) -> None:
        super().__init__(answers, seed)
        self._passing = passing

    def answer(self, job: Job) -> Fetched:
        """Answer a job; the letter of the page replaces the time."""
        self._passing("answer")
        place = float(
            sorted(self.answers).index(job.address) if job.address in self.answers else -1
        )
        host = HostState(job.address.split("/")[2], place, 1.0, 0, "", None)
        return super().answer(job)._replace(time=place, etag=f'"{place}"', hosts=(host,))


class Points:
    """Counts the points of a crawl, and kills the process at one of them.

    Parameters
    ----------
    at : int
        The number of the point; 0: none.
    """

    def __init__(self, at: int = 0) -> None:
        self.at, self.passed = at, list[str]()

    def pass_by(self, name: str) -> None:
        """Reach a point."""
        self.passed.append(name)
        if len(self.passed) == self.at:
            os.kill(os.getpid(), signal.SIGKILL)


class Crawl(NamedTuple):
    """The web, the plan and the options of a crawl."""

    where: str
    starts: tuple[str, ...]
    answers: Answers
    wished: dict[str, Any]
    concurrency: int = 1
    seed: int | None = None
    patience: float = 30.0
    pauses: tuple[float, ...] = ()

    def run(self, points: Points) -> str:
        """Resume the crawl and return why it ended; points are counted."""
        with watched(points):
            store = open_store(self.where, create=True, patience=self.patience)
            try:
                return self._crawled(store, points)
            finally:
                store.close()

    def _crawled(self, store: Store, points: Points) -> str:
        self._sow(store)
        begun = begin(store, self.wished)
        if begun.ended:
            return begun.ended
        dispatcher = Punctual(self.answers, self.seed, points.pass_by)
        planner = Planner(store, 1 if self.concurrency == 1 else 4 * self.concurrency)
        return asyncio.run(Engine(planner, dispatcher, pauses=self.pauses).run()).why

    def _sow(self, store: Store) -> None:
        with store.transaction() as connection:
            if not connection.exec_driver_sql("SELECT count(*) FROM seeds").scalar():
                for number, start in enumerate(self.starts, 1):
                    connection.exec_driver_sql(
                        "INSERT INTO seeds (number, start, site) VALUES "
                        f"({number}, '{start}', '{start.split('/')[2]}')"
                    )


@contextmanager
def watched(points: Points) -> Iterator[None]:
    """Pass a point before and after every write, and before and after every commit."""
    write, transaction = Recording.write, Store.transaction

    def passing(recording: Recording, kind: str, rows: Any) -> None:
        points.pass_by(f"before {kind}")
        write(recording, kind, rows)
        points.pass_by(f"after {kind}")

    @contextmanager
    def committing(store: Store) -> Iterator[Any]:
        points.pass_by("before a transaction")
        with transaction(store) as connection:
            yield connection
            points.pass_by("before a commit")
        points.pass_by("after a commit")

    # A process of its own is watched, so nothing needs to be undone if it is killed.
    Recording.write, Store.transaction = passing, committing  # type: ignore[method-assign]
    try:
        yield
    finally:
        Recording.write, Store.transaction = write, transaction  # type: ignore[method-assign]


def in_child(call: Callable[[], None]) -> int:
    """Run a function in a child process; return its exit status, or -signal."""
    child = os.fork()
    if child == 0:
        status = 70
        try:
            call()
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def contents(where: str) -> dict[str, list[dict[str, Any]]]:
    """Return all rows of a store, without the columns that differ in every crawl."""
    found = {}
    with open_store(where) as store, store.reading() as connection:
        for table in ("settings", "seeds", "pages", "internal_links", "external_links",
                      "bad_links", "plans", "visits", "hosts", "copies", "contents",
                      "sitemaps", "alike"):  # fmt: skip
            rows = connection.exec_driver_sql(f"SELECT * FROM {table}").mappings()
            # SQLite has no truth values, PostgreSQL has.
            left = [{k: int(v) if isinstance(v, bool) else v for k, v in row.items()
                     if k not in TIMELESS.get(table, ())} for row in rows]  # fmt: skip
            found[table] = sorted(left, key=lambda row: list(map(str, row.values())))
    return found
