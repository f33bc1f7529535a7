"""The crawling process of the studio: how it is found, started and stopped, and why it failed."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event, insert

from counterpoint.crawler.beebot.holding import crawler_lock
from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.store import seeds
from counterpoint.crawler.store.opening import Store, open_store
from counterpoint.crawler.store.schema import hosts
from counterpoint.studio import wishing
from counterpoint.studio.crawling import CrawlProcess, waits
from counterpoint.studio.watching import StoreWatcher

from .browser import ROOT
from .filled import fill

HOLDER = """
import signal, sys
from counterpoint.crawler.beebot.holding import crawler_lock
from counterpoint.crawler.store.opening import open_store
with open_store(sys.argv[1]) as store, crawler_lock(store):
    signal.signal(signal.SIGTERM, lambda *_: print("asked", flush=True))
    print("holds", flush=True)
    for line in sys.stdin:
        pass
"""


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Yield a store with sites, in a file."""
    with open_store(tmp_path / "crawl.db", create=True) as made:
        yield made


@contextmanager
def lock_holder(where: str) -> Iterator[subprocess.Popen[str]]:
    """Let another process lock a store, as a crawl does, and ignore SIGTERM."""
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


def wait_for_end(crawling: CrawlProcess) -> None:
    """Wait for the end of the process that the studio has started."""
    assert crawling._child is not None
    crawling._child.wait()


def test_a_crawl_of_another_process_is_found_and_stopped(store: Store) -> None:
    """A studio that starts a second crawl because the first one is not its child."""
    crawling = CrawlProcess(store, store.where)
    assert crawling.state().name == "idle"
    assert not crawling.stop()
    with lock_holder(store.where) as process:
        assert crawling.state()[:2] == ("running", process.pid)
        with pytest.raises(CrawlError, match="runs already"):
            crawling.start()
        assert process.stdout is not None
        for _ in range(2):
            assert crawling.stop()
            assert process.stdout.readline() == "asked\n"
        assert crawling.state().name == "stopping"
    assert crawling.state().name == "idle"


def test_the_reason_of_a_failure_is_shown(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """A crawl that ends at once, and a page that does not say why."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    crawling = CrawlProcess(store, store.where)
    crawling.start()
    wait_for_end(crawling)
    state = crawling.state()
    assert (state.name, "no site to crawl" in state.trouble) == ("idle", True)
    assert state.trouble in crawling.log_tail()
    crawling.log.unlink()
    crawling.log.mkdir()
    with pytest.raises(CrawlError, match=r"crawl\.db\.log: "):
        crawling.start()


def test_a_killed_crawl(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """A killed crawl that is shown as a stopped one."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    crawling = CrawlProcess(store, store.where)
    crawling.start()
    assert crawling._child is not None
    crawling._child.send_signal(signal.SIGKILL)
    wait_for_end(crawling)
    assert crawling.state().trouble == "The crawl was ended by signal 9; no link is lost."


def test_the_log_is_private(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Addresses that other users may read, or a file of another user that is written to."""
    monkeypatch.setattr(sys, "executable", "false")
    crawling = CrawlProcess(store, store.where)
    crawling.start()
    wait_for_end(crawling)
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
    assert (crawling.log_tail(), crawling.log.read_text()) == ("", "x")


def test_a_crawl_of_another_user(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """A traceback where the system refuses; a signal to all processes, by an invalid pid."""
    crawling = CrawlProcess(store, store.where)

    def refused(pid: int, number: int) -> None:
        assert (pid, number) == (process.pid, signal.SIGTERM)
        raise PermissionError

    with lock_holder(store.where) as process:
        monkeypatch.setattr(os, "kill", refused)
        with pytest.raises(CrawlError, match="for another user"):
            crawling.stop()
        assert crawling.state().name == "running"
        for number in ("-1", "0"):
            Path(f"{store.where}-crawler").write_text(number)
            assert not crawling.stop()


def test_an_earlier_failure_is_forgotten(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """A failure that is shown although another crawl has run since, from a terminal."""
    crawling = CrawlProcess(store, store.where)
    with monkeypatch.context() as patch:
        patch.setattr(sys, "executable", "false")
        crawling.start()
    wait_for_end(crawling)
    assert crawling.state().trouble == "The crawl ended with exit code 1."
    with lock_holder(store.where):
        assert crawling.state().trouble == ""
    assert crawling.state() == ("idle", None, "", "")


def test_a_password_is_not_revealed(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """A password in the list of processes, or one that the name of a file depends on."""
    began: list[tuple[list[str], dict[str, str]]] = []

    def popen(command: list[str], *, env: dict[str, str], **_: Any) -> Any:
        began.append((command, env))
        raise OSError(1, "no")

    monkeypatch.setattr(subprocess, "Popen", popen)
    for where in ("postgresql://me:s%40x@h:1/links", "postgresql://me@h:1/links?password=s%40x"):
        crawling = CrawlProcess(store, where)
        with pytest.raises(CrawlError):
            crawling.start()
        command, env = began.pop()
        assert command[4:6] == ["--db", "postgresql+psycopg://me@h:1/links"]
        assert env["PGPASSWORD"] == "s@x"
    assert (
        CrawlProcess(store, where).log == CrawlProcess(store, "postgresql://me:other@h:1/links").log
    )


def test_a_removed_site_is_forgotten(store: Store) -> None:
    """Visits of a removed site that the studio still counts."""
    fill(store)
    crawling = CrawlProcess(store, store.where)
    watch = StoreWatcher(store, crawling)
    watch.look()
    seeds.remove(store, 6)
    assert watch.look() == StoreWatcher(store, crawling).look()


def test_postgresql_shows_the_same(place: str, store: Store) -> None:
    """A view that works with one of the two databases only, or a crawl that it does not find."""
    fill(store)
    expected = StoreWatcher(store, CrawlProcess(store, store.where)).look()
    with open_store(place, create=True) as other:
        fill(other)
        crawling = CrawlProcess(other, place)
        assert StoreWatcher(other, crawling).look() == expected
        if other.dialect == "postgresql":
            with crawler_lock(other):
                state = crawling.state()
                assert (state.name, state.pid, crawling.stop()) == ("running", None, False)
                with pytest.raises(CrawlError, match="runs already"):
                    crawling.start()
            assert crawling.state().name == "idle"


def test_an_update_needs_no_table_scan(store: Store, tmp_path: Path) -> None:
    """A studio that reads all pages of all sites each second."""
    fill(store)
    watch = StoreWatcher(store, CrawlProcess(store, store.where))
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


def test_the_reason_of_waiting_is_shown(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """A crawl that seems to hang while a host must be left alone."""
    assert waits(store) == ""
    fill(store, visited=30)
    assert waits(store) == ""
    with store.transaction() as connection:
        connection.exec_driver_sql("UPDATE visits SET observed = NULL WHERE number IN (3, 25)")
    assert waits(store) == "2 pages are being fetched."
    with store.transaction() as connection:
        names = connection.exec_driver_sql("SELECT DISTINCT host FROM visits").scalars().all()
        connection.execute(
            insert(hosts), [{"host": name, "free_at": 4_000_000_000.0} for name in names]
        )
    assert waits(store).startswith("Waiting for the crawl delays of 2 hosts; the first ends in ")
    with store.transaction() as connection:
        connection.exec_driver_sql("DELETE FROM hosts")
        soon = [{"host": name, "free_at": 1_000.2} for name in names]
        connection.execute(insert(hosts), soon)
    monkeypatch.setattr(time, "time", lambda: 1_000.0)
    assert waits(store) == "Waiting for the crawl delays of 2 hosts; the first ends in 1 s."


@pytest.mark.parametrize(("due", "words"), [
    (1_000.2, "The next visit is due in 1 s."), (1_119, "The next visit is due in 119 s."),
    (1_120, "The next visit is due in 2 min."), (8_200, "The next visit is due in 2.0 h."),
    (999, ""),
])  # fmt: skip
def test_what_a_pause_or_a_visit_to_come_waits_for(
    store: Store, monkeypatch: pytest.MonkeyPatch, due: float, words: str
) -> None:
    """A crawl that keeps pages fresh, or is paused, and seems to hang."""
    monkeypatch.setattr(time, "time", lambda: 1_000.0)
    fill(store, visited=30)
    with store.transaction() as connection:
        connection.exec_driver_sql(f"UPDATE plans SET due = {due}")
    assert waits(store) == words
    wishing.pause(store, True)
    assert waits(store) == "No request begins until you continue."
    with store.transaction() as connection:
        connection.exec_driver_sql("UPDATE visits SET observed = NULL WHERE number IN (3, 25)")
    still = "2 pages are still being fetched; no other request begins until you continue."
    assert waits(store) == still
    wishing.pause(store, False)
    assert waits(store) == "2 pages are being fetched."
