"""Processes that crawl one store over HTTP, killed and stopped; the referee judges the log."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from counterpoint.crawler.beebot.beginning import begin
from counterpoint.crawler.beebot.crawling import crawl
from counterpoint.crawler.store.opening import Store, open_store
from counterpoint.crawler.store.seeds import add
from counterpoint.sim_web import profile as profiles
from counterpoint.sim_web import record
from counterpoint.sim_web.generator import Web
from counterpoint.sim_web.pages.address import address
from counterpoint.sim_web.referee.known import truth
from counterpoint.sim_web.referee.opening import Selection, judge_file
from counterpoint.sim_web.sections import Faults
from counterpoint.sim_web.server import AccessLog, RealClock
from counterpoint.sim_web.world.site import SyntheticSite
from tests.postgres import Server
from tests.sim_web.serving import QUICK
from tests.sim_web.threaded import running

from .test_planner import links_of, totals_are_right
from .together import replayed

ROOT = Path(__file__).resolve().parents[3]
LEASE = 8.0


def web(delays: float) -> Web:
    """Return a web of two dozen hosts, a share of which ask for a delay; nothing in it changes."""
    of = profiles.load("broder-1999")
    return Web(replace(
        of, hosts=replace(of.hosts, mean_pages=10, exponent=0.3),
        robots=replace(of.robots, present=1.0, disallow=0.5, crawl_delay=delays,
                       delay_seconds=0.1),
        change=replace(of.change, static=1.0), faults=replace(Faults(), slow_headers=0.3),
    ), 240, 5)  # fmt: skip


@contextmanager
def served(of: Web, log: Path) -> Iterator[str]:
    """Serve a web; yield the proxy."""
    header = record.Header(profiles.to_mapping(of.profile), of.pages, of.seed, {}, True)
    with running(SyntheticSite(of), clock=RealClock(), limits=of.profile.limits,
                 log=AccessLog(log, header), settings=QUICK) as proxy:  # fmt: skip
        yield proxy


def prepared(store: Store, of: Web, proxy: str, policy: str) -> None:
    """Begin a plan that crawls all of a web."""
    for host in range(of.hosts):
        add(store, address(of, of.pages_of(host).start))
    begin(store, {"scheduler": policy, "budget": "100000", "proxy": proxy, "delay": 0.05,
                  "concurrency": 4, "stay": True})  # fmt: skip


def asked(log: Path) -> Counter[str]:
    """Return how often each page was asked for."""
    lines = log.read_text().splitlines()[1:]
    urls = (record.record(line).url for line in lines)
    return Counter(url for url in urls if not url.endswith("/robots.txt"))


@contextmanager
def started(where: str, folder: Path, many: int = 3) -> Iterator[list[subprocess.Popen[str]]]:
    """Start workers; none is left behind."""
    program = [sys.executable, "-m", "tests.crawler.beebot.worker"]
    processes = [
        subprocess.Popen([*program, where, str(LEASE), str(folder / f"worker-{k}")], cwd=ROOT,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for k in range(many)
    ]  # fmt: skip
    try:
        yield processes
    finally:
        for process in processes:
            process.kill()
            with process:
                pass


def until(holds: Callable[[], bool]) -> None:
    """Wait for something that must come to be."""
    end = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.01)


def read(store: Store, sql: str) -> list[str]:
    """Read a column."""
    with store.reading() as connection:
        return [str(row[0]) for row in connection.exec_driver_sql(sql)]


def under_way(store: Store, process: subprocess.Popen[str]) -> set[str]:
    """Return the addresses that a process was to fetch when it was stopped."""
    return set(
        read(
            store,
            "SELECT p.address FROM visits v JOIN pages p ON p.id = v.page WHERE "
            f"v.observed IS NULL AND v.worker LIKE '%%:{process.pid}:%%'",
        )
    )


def busy(store: Store, processes: list[subprocess.Popen[str]]) -> subprocess.Popen[str]:
    """Return the process that is to fetch most; one that came late may have nothing."""
    until(lambda: any(under_way(store, process) for process in processes))
    return max(processes, key=lambda process: len(under_way(store, process)))


def ended(processes: list[subprocess.Popen[str]]) -> list[str]:
    """Wait for processes; return what they say."""
    endings = []
    for process in processes:
        out, error = process.communicate(timeout=120)
        assert process.returncode == 0, error
        endings.append(out.strip())
    return endings


def must_be_polite(log: Path) -> None:
    """Let the referee judge."""
    report = judge_file(log, Selection(), truth)
    assert report.disallowed.judged > 200
    assert report.disallowed.requests == 0
    assert report.crawl_delay.waits > 50
    assert report.crawl_delay.broken == 0
    assert report.concurrency.greatest == 1


def found(store: Store) -> set[Any]:
    """Return links and pages; but not those that robots.txt forbids, which are asked for in vain.

    Unless the host itself was the first to link to them.
    """
    forbidden = set(read(store, "SELECT address FROM pages WHERE problem LIKE 'forbidden%%'"))
    return {row for row in links_of(store) if isinstance(row[1], str) or row[0] not in forbidden}


@pytest.mark.long
@pytest.mark.parametrize(("how", "policy"), [
    (signal.SIGKILL, "breadth-first"),
    pytest.param(signal.SIGSTOP, "equal-quanta", marks=pytest.mark.slow),
])  # fmt: skip
def test_three_processes_and_one_that_goes(
    how: signal.Signals, policy: str, postgres: Server, tmp_path: Path
) -> None:
    """Pages lost or asked for twice, hosts asked by two at once, late answers that count.

    One process is killed in the middle, or stopped until others have taken over what it held.
    """
    with served(web(0.0), tmp_path / "quick") as proxy, open_store(
        tmp_path / "crawl.db", create=True
    ) as store:  # fmt: skip
        prepared(store, web(0.0), proxy, policy)
        crawl(store, begin(store))
        expected = found(store)
    log, where = tmp_path / "log", postgres.database()
    with served(web(0.6), log) as proxy, open_store(where, create=True) as store, ExitStack() as on:
        prepared(store, web(0.6), proxy, policy)
        processes = on.enter_context(started(where, tmp_path))
        until(lambda: sum(asked(log).values()) > 80)
        one = busy(store, processes)
        one.send_signal(how)
        if how == signal.SIGKILL:
            one.wait(10)
        again = under_way(store, one)
        if how == signal.SIGSTOP:
            until(lambda: not under_way(store, one))
            one.send_signal(signal.SIGCONT)
        endings = ended([p for p in processes if p is not one or how == signal.SIGSTOP])
        assert len(set(endings)) == 1
        assert found(store) == expected
        assert totals_are_right(store)
        run = replayed(store)
        assert not run.in_flight
        visits = sorted(read(store, "SELECT p.address FROM visits v JOIN pages p ON p.id = v.page"))
    must_be_polite(log)
    twice = {page for page, times in asked(log).items() if times > 1}
    assert twice <= again
    taken = [line for k in range(3)
             for line in (tmp_path / f"worker-{k}").read_text().splitlines()]  # fmt: skip
    # The one that was killed may not have come to write down what it stored last.
    missing = list((Counter(visits) - Counter(taken)).elements())
    assert len(missing) <= (how == signal.SIGKILL)
    assert not Counter(taken) - Counter(visits)
