"""The process that crawls: found, started, stopped, and why it failed."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event, insert

from counterpoint.crawler.beebot.holding import held
from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.store import seeds
from counterpoint.crawler.store.opening import Store, open_store
from counterpoint.crawler.store.schema import hosts
from counterpoint.studio.crawling import Crawling, waits
from counterpoint.studio.watching import Watch

from .browser import ROOT
from .filled import fill

HOLDER = """
import signal, sys
from counterpoint.crawler.beebot.holding import held
from counterpoint.crawler.store.opening import open_store
with open_store(sys.argv[1]) as store, held(store):
    signal.signal(signal.SIGTERM, lambda *_: print("asked", flush=True))
    print("holds", flush=True)
    for line in sys.stdin:
        pass
"""


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A store with sites, in a file."""
    with open_store(tmp_path / "crawl.db", create=True) as made:
        yield made


@contextmanager
def somebody(where: str) -> Iterator[subprocess.Popen[str]]:
    """Let another process hold a store, as a crawl does, that does not end when it is asked."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, where], env=os.environ | {"PYTHONPATH": str(ROOT / "src")},
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        assert process.stdin is not None
        assert process.stdout.readline() == "holds\n"
        try:
            yield process
        finally:
            process.stdin.close()
            process.wait()


def ended(crawling: Crawling) -> None:
    """Wait for the end of the process that was started here."""
    assert crawling._child is not None
    crawling._child.wait()


def test_a_crawl_of_somebody_else_is_found_and_stopped(store: Store) -> None:
    """A studio that starts a second crawl, since the first is not its child."""
    crawling = Crawling(store, store.where)
    assert crawling.state().name == "idle"
    assert not crawling.stop()
    with somebody(store.where) as process:
        assert crawling.state()[:2] == ("running", process.pid)
        with pytest.raises(CrawlError, match="runs already"):
            crawling.start()
        assert process.stdout is not None
        for _ in range(2):
            assert crawling.stop()
            assert process.stdout.readline() == "asked\n"
        assert crawling.state().name == "stopping"
    assert crawling.state().name == "idle"


def test_why_it_failed_is_told(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """A crawl that ends at once, and a page that says nothing of it."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    crawling = Crawling(store, store.where)
    crawling.start()
    ended(crawling)
    state = crawling.state()
    assert (state.name, "no site to crawl" in state.trouble) == ("idle", True)
    assert state.trouble in crawling.said()
    crawling.log.unlink()
    crawling.log.mkdir()
    with pytest.raises(CrawlError, match=r"crawl\.db\.log: "):
        crawling.start()


def test_a_crawl_that_is_killed(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """A crawl that was ended by force, shown as if it had been stopped."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    crawling = Crawling(store, store.where)
    crawling.start()
    assert crawling._child is not None
    crawling._child.send_signal(signal.SIGKILL)
    ended(crawling)
    assert crawling.state().trouble == "It was ended by signal 9; no link is lost."


def test_the_log_is_the_users_alone(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Addresses that others may read, or a file of somebody's that is written to."""
    monkeypatch.setattr(sys, "executable", "false")
    crawling = Crawling(store, store.where)
    crawling.start()
    ended(crawling)
    assert crawling.log.stat().st_mode & 0o777 == 0o600
    theirs = tmp_path / "theirs"
    theirs.write_text("x")
    crawling.log.unlink()
    crawling.log.symlink_to(theirs)
    with pytest.raises(CrawlError):
        crawling.start()
    assert theirs.read_text() == "x"
    crawling.log.unlink()
    theirs.rename(crawling.log)
    monkeypatch.setattr(os, "getuid", lambda: os.stat(tmp_path).st_uid + 1)
    with pytest.raises(CrawlError, match="belongs to another user"):
        crawling.start()
    assert (crawling.said(), crawling.log.read_text()) == ("", "x")


def test_a_crawl_of_another_user(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """A traceback where the system refuses; a signal to all processes, by a number that is none."""
    crawling = Crawling(store, store.where)

    def refused(pid: int, number: int) -> None:
        assert (pid, number) == (process.pid, signal.SIGTERM)
        raise PermissionError

    with somebody(store.where) as process:
        monkeypatch.setattr(os, "kill", refused)
        with pytest.raises(CrawlError, match="for another user"):
            crawling.stop()
        assert crawling.state().name == "running"
        for number in ("-1", "0"):
            Path(f"{store.where}-crawler").write_text(number)
            assert not crawling.stop()


def test_an_earlier_trouble_is_forgotten(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """A failure that is shown though another crawl has been made since, from a terminal."""
    crawling = Crawling(store, store.where)
    with monkeypatch.context() as patch:
        patch.setattr(sys, "executable", "false")
        crawling.start()
    ended(crawling)
    assert crawling.state().trouble == "It ended with code 1."
    with somebody(store.where):
        assert crawling.state().trouble == ""
    assert crawling.state() == ("idle", None, "", "")


def test_a_password_is_told_to_nobody(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """A password in the list of processes, or to be guessed by the name of a file."""
    began: list[tuple[list[str], dict[str, str]]] = []

    def popen(command: list[str], *, env: dict[str, str], **_: Any) -> Any:
        began.append((command, env))
        raise OSError(1, "no")

    monkeypatch.setattr(subprocess, "Popen", popen)
    for where in ("postgresql://me:s%40x@h:1/links", "postgresql://me@h:1/links?password=s%40x"):
        crawling = Crawling(store, where)
        with pytest.raises(CrawlError):
            crawling.start()
        command, env = began.pop()
        assert command[4:6] == ["--db", "postgresql+psycopg://me@h:1/links"]
        assert env["PGPASSWORD"] == "s@x"
    assert Crawling(store, where).log == Crawling(store, "postgresql://me:other@h:1/links").log


def test_a_removed_site_is_forgotten(store: Store) -> None:
    """Visits that a studio remembers though they are gone: another one would not show them."""
    fill(store)
    crawling = Crawling(store, store.where)
    watch = Watch(store, crawling)
    watch.look()
    seeds.remove(store, 6)
    assert watch.look() == Watch(store, crawling).look()


def test_postgresql_shows_the_same(place: str, store: Store) -> None:
    """A view that works with one of the two databases only, or a crawl that it does not see."""
    fill(store)
    expected = Watch(store, Crawling(store, store.where)).look()
    with open_store(place, create=True) as other:
        fill(other)
        crawling = Crawling(other, place)
        assert Watch(other, crawling).look() == expected
        if other.dialect == "postgresql":
            with held(other):
                state = crawling.state()
                assert (state.name, state.pid, crawling.stop()) == ("running", None, False)
                with pytest.raises(CrawlError, match="runs already"):
                    crawling.start()
            assert crawling.state().name == "idle"


def test_a_look_costs_no_scan(store: Store, tmp_path: Path) -> None:
    """A studio that reads all pages of all sites each second."""
    fill(store)
    watch = Watch(store, Crawling(store, store.where))
    asked: list[tuple[str, Any]] = []
    event.listen(
        store.engine, "before_cursor_execute",
        lambda _c, _k, statement, given, *_: asked.append((statement, given)),
    )  # fmt: skip
    watch.look()
    plans = []
    with sqlite3.connect(tmp_path / "crawl.db") as connection:
        for statement, given in asked:
            if statement.startswith("SELECT"):
                rows = connection.execute(f"EXPLAIN QUERY PLAN {statement}", given)
                plans += [row[3] for row in rows]
    connection.close()
    assert any("USING COVERING INDEX ix_pages_frontier" in step
               or "USING INDEX ix_pages_frontier" in step for step in plans), plans  # fmt: skip
    scanned = {step.split()[1] for step in plans if step.startswith("SCAN")}
    assert scanned <= {"seeds", "plans"}


def test_what_it_waits_for(store: Store) -> None:
    """A crawl that seems to hang while a host must be left alone."""
    assert waits(store) == ""
    fill(store, visited=30)
    assert waits(store) == ""
    with store.transaction() as connection:
        connection.exec_driver_sql("UPDATE visits SET observed = NULL WHERE number IN (3, 25)")
    assert waits(store) == "2 pages are asked for."
    with store.transaction() as connection:
        names = connection.exec_driver_sql("SELECT DISTINCT host FROM visits").scalars().all()
        connection.execute(
            insert(hosts), [{"host": name, "free_at": 4_000_000_000.0} for name in names]
        )
    assert waits(store).startswith("2 hosts rest, the first for another ")
