"""A crawl that is killed at any point and resumed equals an uninterrupted crawl."""

from __future__ import annotations

import os
import random
import resource
import signal
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from counterpoint.crawler.errors import StoreError
from counterpoint.crawler.store.opening import open_store
from tests.crawler.webs import Web
from tests.needs import need
from tests.postgres import Server, new_server

from .inprocess import address_of, answers_of
from .killing import Crawl, Points, contents, in_child

WEB = Web(
    sites=3,
    site=(0, 1, 2, 0, 0, 1, 1, 2, 0, 1, 0, 2),
    links=((3, 4, 0), (5, 6, 9), (7,), (8, 10), (8, 3), (1,), (9, 5), (11, 2), (), (6,), (4,), ()),
    external=(2, 0, 1, 0, 3, 1, 0, 0, 2, 0, 1, 0),
    failing=frozenset({9}),
)
SOME = 11
"""One point in so many is tried where not all are."""


def crawl_of(where: str | Path, concurrency: int = 1, order: int | None = None) -> Crawl:
    """Return a crawl of a small web; with a seed, answers arrive in random order."""
    starts = tuple(address_of(WEB, page) for page in WEB.starts)
    wished = {"scheduler": "R3,initial=1", "budget": "30"}
    return Crawl(str(where), starts, answers_of(WEB), wished, concurrency, order)


def points_of(crawl: Crawl) -> list[str]:
    """Return the number of points of an uninterrupted crawl."""
    points = Points()
    crawl.run(points)
    return points.passed


def removed(where: str) -> None:
    """Remove a SQLite store."""
    for file in Path(where).parent.glob(f"{Path(where).name}*"):
        file.unlink()


def found(where: str) -> dict[str, Any]:
    """Return what a crawl found by addresses, independent of its order and without its log."""
    rows = contents(where)
    address = {row["id"]: row["address"] for row in rows["pages"]}
    assert len(set(address.values())) == len(address)

    def links(table: str) -> list[tuple[Any, ...]]:
        named = [row | {"page": address[row["page"]]} for row in rows[table]]
        if table == "internal_links":
            named = [row | {"target": address[row["target"]]} for row in named]
        return sorted(tuple(map(str, row.values())) for row in named)

    kept = ("address", "level", "state", "status", "problem", "size", "external")
    return {
        "pages": sorted(tuple(map(str, (row[name] for name in kept))) for row in rows["pages"]),
        **{table: links(table) for table in ("internal_links", "external_links", "bad_links")},
        "seeds": rows["seeds"],
        "visited": sorted(address[row["page"]] for row in rows["visits"]),
    }


@pytest.mark.parametrize(
    "every", [pytest.param(SOME, id="some"), pytest.param(1, id="all", marks=pytest.mark.slow)]
)
def test_killed_at_every_point(tmp_path: Path, every: int) -> None:
    """A write outside of its page's transaction; a lost or doubled page, or another order."""
    whole, again = crawl_of(tmp_path / "whole.db"), crawl_of(tmp_path / "again.db")
    points, wanted = points_of(whole), contents(whole.where)
    assert len(points) >= 200
    kinds = {name.partition(" ")[2] for name in points if name.startswith("after ")}
    assert {"answer page", "add page", "meet page", "issue page", "issue visit", "observe visit",
            "host", "plan", "count", "stand", "setting", "a commit", "add internal",
            "add external", "add bad", "add plan"} <= kinds  # fmt: skip
    for at in range(1, len(points) + 1, every):
        assert in_child(partial(again.run, Points(at))) == -signal.SIGKILL
        assert in_child(partial(again.run, Points())) == 0
        assert contents(again.where) == wanted, f"killed at point {at}, {points[at - 1]}"
        removed(again.where)


@pytest.mark.long
def test_killed_again_and_again(tmp_path: Path) -> None:
    """A repair at the start of a resumed crawl that fails if it is killed, too."""
    whole, again = crawl_of(tmp_path / "whole.db"), crawl_of(tmp_path / "again.db")
    whole.run(Points())
    chance, kills = random.Random(3), 0
    while in_child(partial(again.run, Points(chance.randint(1, 60)))):
        kills += 1
    assert kills > 5
    assert contents(again.where) == contents(whole.where)


@pytest.mark.long
@pytest.mark.parametrize("order", [1, 2, 3])
def test_killed_with_many_under_way(tmp_path: Path, order: int) -> None:
    """Requests without an answer that are lost when the process is killed."""
    whole, again = crawl_of(tmp_path / "whole.db", 8, order), crawl_of(tmp_path / "a.db", 8, order)
    count = len(points_of(whole))
    chance = random.Random(order)
    for at in sorted(chance.sample(range(1, count), 6)):
        assert in_child(partial(again.run, Points(at))) == -signal.SIGKILL
        assert in_child(partial(again.run, Points())) == 0
        assert found(again.where) == found(whole.where)
        removed(again.where)


@pytest.mark.long
def test_killed_on_postgresql(postgres: Server, tmp_path: Path) -> None:
    """A difference between PostgreSQL and SQLite that loses a page."""
    whole = crawl_of(tmp_path / "whole.db")
    points = points_of(whole)
    wanted = found(whole.where)
    for at in range(2, len(points), 5 * SOME):
        again = crawl_of(postgres.database())
        assert in_child(partial(again.run, Points(at))) == -signal.SIGKILL
        assert in_child(partial(again.run, Points())) == 0
        assert found(again.where) == wanted, f"killed at point {at}, {points[at - 1]}"


def test_postgresql_restarts_in_the_middle(tmp_path: Path) -> None:
    """A crawl that ends or loses a page because the server was restarted."""
    whole = crawl_of(tmp_path / "whole.db")
    whole.run(Points())
    # A server ends with the thread that started it.
    with new_server() as server, ThreadPoolExecutor(1) as thread:
        again = crawl_of(server.database())._replace(pauses=(0.0,) * 5)
        how = {40: signal.SIGINT, 120: signal.SIGQUIT, 250: signal.SIGINT}
        restarting = Restarting(server, thread, how)
        again.run(restarting)
        assert not restarting.left
        assert found(again.where) == found(whole.where)


class Restarting(Points):
    """Restarts a server at some points."""

    def __init__(
        self, server: Server, thread: ThreadPoolExecutor, at: dict[int, signal.Signals]
    ) -> None:
        super().__init__()
        self._server, self._thread, self.left = server, thread, at

    def pass_by(self, name: str) -> None:
        """Reach a point."""
        super().pass_by(name)
        how = self.left.pop(len(self.passed), None)
        if how is not None:
            self._thread.submit(self._server.stop, how).result()
            self._thread.submit(self._server.start).result()


@pytest.mark.long
def test_disk_full(tmp_path: Path) -> None:
    """A page that is stored in part, or a crawl that continues as if it had been stored."""
    whole, again = crawl_of(tmp_path / "whole.db"), crawl_of(tmp_path / "again.db")
    whole.run(Points())
    wanted, failed = contents(whole.where), 0
    open_store(again.where, create=True).close()
    empty = Path(again.where).stat().st_size
    for room in range(20_000, empty + 400_000, 30_000):
        failed += in_child(partial(_with_room, again, room)) == NO_ROOM
        assert in_child(partial(again.run, Points())) == 0
        assert contents(again.where) == wanted, f"with room for {room} bytes"
        removed(again.where)
        open_store(again.where, create=True).close()
    assert failed > 5


NO_ROOM = 9


def _with_room(crawl: Crawl, room: int) -> None:
    """Crawl while no file can grow; exit with `NO_ROOM` if the store reports it."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))
    try:
        crawl.run(Points())
    except StoreError:
        os._exit(NO_ROOM)


class Locking(Points):
    """Locks a store at a point, and unlocks it when a transaction is tried again."""

    def __init__(self, where: str, at: int) -> None:
        super().__init__()
        self._where, self._lock_at, self.tries = where, at, 0
        self._lock: sqlite3.Connection | None = None

    def pass_by(self, name: str) -> None:
        """Reach a point."""
        super().pass_by(name)
        if name != "before a transaction":
            return
        if self._lock is not None:
            self.tries += 1
            if self.tries == 3:
                self.unlock()
        elif len(self.passed) >= self._lock_at and not self.tries:
            self._lock = sqlite3.connect(self._where, isolation_level=None, check_same_thread=False)
            self._lock.execute("BEGIN IMMEDIATE")
            self.tries = 1

    def unlock(self) -> None:
        """Let others write again."""
        assert self._lock is not None
        self._lock.close()
        self._lock = None


def test_locked_by_another_process(tmp_path: Path) -> None:
    """A crawl that ends or loses a page because another process locks the database."""
    whole = crawl_of(tmp_path / "whole.db")
    whole.run(Points())
    again = crawl_of(tmp_path / "again.db")._replace(patience=0.01, pauses=(0.0,) * 5)
    locking = Locking(again.where, 100)
    again.run(locking)
    assert locking.tries == 3
    assert contents(again.where) == contents(whole.where)


def test_locked_for_too_long(tmp_path: Path) -> None:
    """A crawl that waits for ever, or leaves a store that cannot be resumed."""
    whole = crawl_of(tmp_path / "whole.db")
    whole.run(Points())
    again = crawl_of(tmp_path / "again.db")._replace(patience=0.01)
    locking = Locking(again.where, 100)
    with pytest.raises(StoreError, match="is locked by another program"):
        again.run(locking)
    locking.unlock()
    again.run(Points())
    assert contents(again.where) == contents(whole.where)


SCRIPT = """
import os, sys
from counterpoint.crawler.errors import CrawlError
from tests.crawler.beebot.test_killed import crawl_of
from tests.crawler.beebot.killing import Points
try:
    crawl_of(sys.argv[1]).run(Points())
except CrawlError:
    os._exit(9)
"""


def traced(where: Path, inject: str) -> subprocess.CompletedProcess[str]:
    """Crawl in a process under strace, which changes the result of a system call."""
    strace = str(need("strace"))
    call = inject.partition(":")[0]
    command = [strace, "-f", "-qq", "-o", os.devnull, "-P", f"{where}-wal", "-e", f"trace={call}",
               "-e", f"inject={inject}", sys.executable, "-c", SCRIPT, str(where)]  # fmt: skip
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


@pytest.mark.slow
def test_killed_within_a_write_of_the_database(tmp_path: Path) -> None:
    """A store that SQLite leaves inconsistent and that the crawl accepts."""
    whole = crawl_of(tmp_path / "whole.db")
    whole.run(Points())
    wanted, where = contents(whole.where), tmp_path / "again.db"
    for at in range(1, 200, 17):
        done = traced(where, f"pwrite64:signal=SIGKILL:when={at}")
        assert done.returncode == -signal.SIGKILL, done.stderr
        assert in_child(partial(crawl_of(where).run, Points())) == 0
        assert contents(str(where)) == wanted, f"killed at write {at}"
        removed(str(where))


@pytest.mark.slow
def test_disk_full_at_every_write(tmp_path: Path) -> None:
    """A store that SQLite leaves inconsistent when the disk is full."""
    whole = crawl_of(tmp_path / "whole.db")
    whole.run(Points())
    wanted, where = contents(whole.where), tmp_path / "again.db"
    for at in range(1, 200, 17):
        done = traced(where, f"pwrite64:error=ENOSPC:when={at}+")
        assert done.returncode == NO_ROOM, done.stderr
        assert in_child(partial(crawl_of(where).run, Points())) == 0
        assert contents(str(where)) == wanted, f"full at write {at}"
        removed(str(where))
