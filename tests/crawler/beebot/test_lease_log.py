"""The log of workers' leases against the spec `leases`: what is right, and planted faults."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from counterpoint.crawler.beebot.beginning import begin
from counterpoint.crawler.beebot.lease_log import LeaseLog, LeaseSteps, TimedLeaseSteps
from counterpoint.crawler.beebot.leases import Leases
from counterpoint.crawler.fetching.job import Lease
from counterpoint.crawler.store.opening import Store, open_store
from counterpoint.models.loading import load
from counterpoint.models.logs.explaining import Explanation, explained
from counterpoint.models.logs.reading import lines_of, read_log
from tests.crawler.webs import Web, webs
from tests.examples import few_and_many

from .inprocess import address_of, answers_of, host_of, visited
from .test_planner import drive, links_of
from .test_workers import crawled_together
from .together import DELAY, LEASE, Member, Network

SAME: dict[str, Any] = {"suppress_health_check": [HealthCheck.function_scoped_fixture]}
STAR = Web(1, (0,) * 9, ((1, 2, 3, 4, 5, 6, 7, 8), *((0,),) * 8), (0,) * 9, frozenset())
"""One host whose start page links to eight pages."""


class Again(Network):
    """A network that may be asked again for a page whose answer is in the store.

    That happens if a worker loses a visit, gets it back, and then stores the answer of its first
    request: it has the job of the second one already.
    """

    def ask(self, address: str) -> tuple[int, bytes]:
        """Answer, if the pause was kept."""
        self.stored.discard(address)
        return super().ask(address)


def store_of(web: Web, path: Path) -> Store:
    """Return a store of a file, with nothing in it but the sites of a web."""
    store = open_store(path, create=True)
    with store.transaction() as connection:
        for number, page in enumerate(web.starts, 1):
            connection.exec_driver_sql(
                "INSERT INTO seeds (number, start, site) VALUES (?, ?, ?)",
                (number, address_of(web, page), host_of(web.site[page])),
            )
    return store


def held_against(log: Path, workers: int, *, timed: bool) -> Explanation:
    """Return whether a run of the spec explains a log, with or without the ends of leases."""
    names = {json.loads(line)["host"] for line in log.read_text().splitlines() if "host" in line}
    model = load("leases", [f"workers={workers}", f"hosts={max(1, len(names)) + 5}", "lease=1",
                            "delay=0", "time=each-alone"])  # fmt: skip
    with log.open("rb") as file:
        mapping = TimedLeaseSteps() if timed else LeaseSteps()
        lines = read_log(model, lines_of(file), mapping, by_time=True)
    return explained(model, lines, () if timed else ("tick_alone",))


@few_and_many(
    given(web=webs(), many=st.integers(1, 3), ahead=st.sampled_from([1, 2, 8]),
          chance=st.integers(0, 2**32)), 8, 40, **SAME,
)  # fmt: skip
def test_a_run_explains_what_workers_do(
    web: Web, many: int, ahead: int, chance: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """A line that is missing, too early, or of another step than the worker took.

    Workers act in any order on a store of SQLite, and sleep for longer than their leases.
    """
    folder = tmp_path_factory.mktemp("log")
    with store_of(web, folder / "db") as store:
        begin(store, {"scheduler": "breadth-first", "budget": "1000"})
        network = Again(answers_of(web))
        chosen = random.Random(chance)
        for member in crawled_together(store, network, many, ahead, chosen, 0, folder / "log"):
            member.planner.close()
    for timed in (False, True):
        found = held_against(folder / "log", many, timed=timed)
        assert found.obstacle is None, found.obstacle
        assert found.answer == "holds"
        steps = [step.action for step in found.trace.steps]
        assert 1 <= steps.count("stop") <= many and steps.count("begin") >= steps.count("hand")


# Planted faults: a host is taken over from a worker that sleeps, and then the worker wakes up


def takeover(log: Path, store: Store) -> Network:
    """Crawl with two workers, the first of which sleeps for longer than its lease."""
    begin(store, {"scheduler": "breadth-first", "budget": "1000"})
    network = Network(answers_of(STAR))
    first, second = (Member(store, network, name, ahead, log)
                     for name, ahead in (("first", 8), ("second", 2)))  # fmt: skip
    first.plan()
    assert first.ask(0)
    first.plan(0)
    network.now += 1.2 * LEASE
    second.plan()
    network.now += DELAY
    assert second.ask(0)
    network.now += DELAY
    first.ask(-1)  # it wakes up; its lease has run out
    network.now += DELAY
    for _ in range(200):
        for member in (first, second):
            member.plan(0)
            network.now += DELAY
            member.ask(-1)
            network.now += DELAY
        if first.step.ended and second.step.ended:
            first.planner.close()
            second.planner.close()
            return network
    raise AssertionError("the crawl does not end")


def renews_without_comparing(patch: pytest.MonkeyPatch) -> None:
    """A worker that renews its lease takes its visits for its own, even those of others."""
    look = Leases.look

    def wrong(self: Leases, recording: Any, plan: int, waits: str) -> None:
        look(self, recording, plan, waits)
        claims = recording.read("claims", plan=plan)
        self.mine = {one.number: one.host for one in claims if one.worker == self.worker.name}

    patch.setattr(Leases, "look", wrong)


def does_not_notice(patch: pytest.MonkeyPatch) -> None:
    """A dispatcher that wakes up goes on, although its lease has run out meanwhile."""
    hold = Member._hold

    def wrong(self: Member, lease: Lease) -> None:
        hold(self, lease)
        self._until = math.inf

    patch.setattr(Member, "_hold", wrong)


def steals(patch: pytest.MonkeyPatch) -> None:
    """A worker takes hosts although the lease of their worker runs."""
    patch.setattr(Leases, "_lives", lambda self, name: name == self.worker.name)


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (renews_without_comparing, "ask w=W0 h=H0"),
        (does_not_notice, "ask w=W0 h=H0"),
        (None, ""),
    ],
)
def test_a_planted_fault_is_found(
    fault: Callable[[pytest.MonkeyPatch], None] | None, said: str,
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """A worker that asks a host which it has lost, and nothing notices.

    The pauses are kept, each page is stored once, and the store is that of an undisturbed crawl.
    Without a fault the same course of things is explained.
    """
    with store_of(STAR, tmp_path / "whole") as whole, store_of(STAR, tmp_path / "db") as store:
        drive(whole, answers_of(STAR), scheduler="breadth-first", budget="1000")
        if fault is not None:
            fault(monkeypatch)
        takeover(tmp_path / "log", store)
        assert links_of(store) == links_of(whole)
        assert sorted(visited(store)) == sorted(visited(whole))
    for timed in (False, True):
        found = held_against(tmp_path / "log", 2, timed=timed)
        if fault is None:
            assert found.answer == "holds", found.obstacle
            continue
        assert found.obstacle is not None
        assert found.obstacle.line.text == said
        assert found.obstacle.line.note == "first, site0.test"
        assert found.obstacle.allowed


def test_a_running_lease_that_is_broken_is_found_by_its_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker that takes a host from one whose lease runs, which only the times show."""
    steals(monkeypatch)
    with store_of(STAR, tmp_path / "db") as store:
        begin(store, {"scheduler": "breadth-first", "budget": "1000"})
        network = Network(answers_of(STAR))
        first, second = (Member(store, network, name, 8, tmp_path / "log")
                         for name in ("first", "second"))  # fmt: skip
        first.plan()
        assert first.ask(0)
        first.plan(0)
        second.plan()
    assert held_against(tmp_path / "log", 2, timed=False).answer == "holds"
    found = held_against(tmp_path / "log", 2, timed=True)
    assert found.obstacle is not None and found.obstacle.line.text == "take w=W1 h=H0"


def test_a_worker_without_a_log_writes_nothing(tmp_path: Path) -> None:
    """A file that nobody asked for."""
    with store_of(STAR, tmp_path / "db") as store:
        begin(store, {"scheduler": "breadth-first", "budget": "1000"})
        member = Member(store, Network(answers_of(STAR)), "alone", 1)
        member.plan()
        assert member.ask(0)
        member.planner.close()
    assert {path.name.partition("-")[0] for path in tmp_path.iterdir()} == {"db"}


def test_a_request_before_the_line_of_a_transaction_does_not_move_it(tmp_path: Path) -> None:
    """Catches a right crawl that is refused: the line of a transaction gets the time of a request.

    Requests are noted by the event loop, transactions by another thread.
    """
    path, now = tmp_path / "leases.jsonl", [0.0]
    one, other = (LeaseLog(path, name, lambda: now[0]) for name in "AB")
    one.transaction(1.0, 21.0, [("renew", ""), ("take", "h"), ("take", "g")])
    now[0] = 1.1
    one.hand()
    other.transaction(2.0, 22.0, [("renew", "")])
    now[0] = 2.1
    other.hand()
    other.transaction(10.06, 30.0, [("renew", ""), ("take", "h")])
    now[0] = 10.07
    one.ask("g")
    one.transaction(10.0, 30.0, [("renew", ""), ("leave", "h")])
    now[0] = 10.2
    one.hand()
    other.hand()
    one.close()
    other.close()
    model = load("leases", ["time=each-alone", "delay=0", "workers=2", "hosts=2"])
    with path.open("rb") as file:
        lines = read_log(model, lines_of(file), LeaseSteps(), True)
    assert explained(model, lines, ["tick_alone"]).answer == "holds"
