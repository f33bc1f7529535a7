"""Several workers of one store: one log, each page once, each host at its own pace."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from counterpoint.crawler.beebot import beginning
from counterpoint.crawler.beebot.beginning import begin
from counterpoint.crawler.beebot.document import Document, opened
from counterpoint.crawler.beebot.planner import CHANGED, Planner
from counterpoint.crawler.documents.addresses import site
from counterpoint.crawler.fetching.job import Fetched
from counterpoint.crawler.store import postgresql, recording
from counterpoint.crawler.store.opening import Store, open_store
from counterpoint.crawler.store.seeds import remove
from tests.crawler.webs import Web, webs
from tests.examples import few_and_many
from tests.postgres import Server

from .inprocess import address_of, answers_of, visited
from .test_planner import TABLES, Killed, Trap, drive, links_of, totals_are_right
from .together import DELAY, LEASE, Member, Network, replayed

POLICIES = ["breadth-first", "equal-quanta", "R3", "opic", "random"]
FOR_SOME = pytest.mark.parametrize("name", POLICIES)
SAME: dict[str, Any] = {"suppress_health_check": [HealthCheck.function_scoped_fixture]}
"""The stores are emptied for each example."""
ACTIONS = ["poll", "ask", "ask", "ask", "store", "store", "wait", "sleep", "kill"]


@pytest.fixture(scope="module")
def stores(postgres: Server) -> Iterator[list[Store]]:
    """Open two stores that are used again and again."""
    made = [open_store(postgres.database(), create=True) for _ in range(2)]
    yield made
    for store in made:
        store.close()


def emptied(store: Store, web: Web) -> Store:
    """Return a store with nothing in it but the sites of a web."""
    with store.transaction() as connection:
        run = connection.exec_driver_sql
        run(f"TRUNCATE {', '.join((*TABLES, 'hosts', 'workers', 'copies'))}")
        run("DELETE FROM settings WHERE name <> 'format'")
        for number, page in enumerate(web.starts, 1):
            start = address_of(web, page)
            run(f"INSERT INTO seeds (number, start, site) VALUES ({number}, '{start}', "
                f"'{start.split('/')[2]}')")  # fmt: skip
    return store


def crawled_together(
    store: Store, network: Network, many: int, ahead: int, chance: random.Random, kills: int,
    log: Path | None = None,
) -> list[Member]:  # fmt: skip
    """Let workers act in any order until the plan ends; return those that are alive."""
    members = [Member(store, network, f"worker {k}", ahead, log) for k in range(many)]
    for number in range(20_000):
        k = chance.randrange(many)
        member = members[k]
        if member.step.ended:
            if all(one.step.ended for one in members):
                return members
            continue
        action = chance.choice(ACTIONS)
        if action == "ask":
            member.ask(chance.randrange(100))
        elif action == "wait":
            network.now += chance.choice([0.1, 0.5, 1.0])
        elif action == "sleep" and not chance.randrange(10):
            network.now += 1.2 * LEASE  # nobody renews a lease meanwhile
        elif action == "kill" and kills:
            kills -= 1
            members[k] = Member(store, network, f"new {number}", ahead, log)
            with pytest.MonkeyPatch.context() as patch:
                Trap(patch, chance.randint(1, 40))
                with suppress(Killed):
                    member.plan(chance.randrange(100))
            if not member.step.stored and member.in_flight:
                network.stored |= done(store)  # it may have been killed after its commit
        elif action in ("poll", "store"):
            member.plan(chance.randrange(100) if action == "store" else None)
    raise AssertionError("the crawl does not end")


def done(store: Store) -> set[str]:
    """Return the addresses of pages that are answered."""
    with store.reading() as connection:
        read = connection.exec_driver_sql("SELECT address FROM pages WHERE status IS NOT NULL")
        return {row[0] for row in read}


@pytest.mark.long
@few_and_many(
    given(web=webs(), many=st.integers(2, 4), ahead=st.sampled_from([1, 2, 8]),
          kills=st.integers(0, 6), chance=st.integers(0, 2**32)),
    5, 15, FOR_SOME, **SAME,
)  # fmt: skip
def test_many_find_what_one_finds(
    name: str, web: Web, many: int, ahead: int, kills: int, chance: int, stores: list[Store]
) -> None:
    """A page requested again, a host requested by two workers, a log that contradicts itself.

    Workers step in any order, are killed between any two writes, and sleep for longer than their
    leases; `Network.ask` checks each request.
    """
    whole, parts = (emptied(store, web) for store in stores)
    answers = answers_of(web)
    drive(whole, answers, scheduler=name, budget="1000")
    begin(parts, {"scheduler": name, "budget": "1000"})
    network = Network(answers)
    left = crawled_together(parts, network, many, ahead, random.Random(chance), kills)
    assert len({member.step.ended for member in left}) == 1
    assert links_of(parts) == links_of(whole)
    assert sorted(visited(parts)) == sorted(visited(whole))
    assert totals_are_right(parts)
    replayed(parts)


@few_and_many(given(web=webs(), budget=st.integers(1, 30)), 3, 8, FOR_SOME, **SAME)
def test_one_worker_is_as_good_as_none(
    name: str, web: Web, budget: int, stores: list[Store]
) -> None:
    """A shared store with one worker whose order or content differs from an unshared one."""
    whole, parts = (emptied(store, web) for store in stores)
    answers = answers_of(web)
    step = drive(whole, answers, scheduler=name, budget=str(budget))
    begin(parts, {"scheduler": name, "budget": str(budget)})
    network = Network(answers)
    member = Member(parts, network, "alone", 1)
    while not member.step.ended:
        member.plan(0)
        network.now += 1.0
        member.ask(0)
    assert member.step.ended == step.ended
    assert visited(parts) == visited(whole)
    assert links_of(parts) == links_of(whole)


TWO = Web(2, (0, 1, 0, 1, 0, 1), ((2, 4), (3, 5), (), (), (), ()), (0,) * 6, frozenset())
"""Two sites of three pages."""


@pytest.fixture
def two(stores: list[Store], monkeypatch: pytest.MonkeyPatch) -> tuple[Store, Network]:
    """Begin a crawl of `TWO`."""
    store, network = emptied(stores[0], TWO), Network(answers_of(TWO))
    monkeypatch.setattr(beginning, "database_clock", lambda _: network.now)
    begin(store, {"scheduler": "breadth-first", "budget": "100"})
    return store, network


def test_another_plan_waits_for_what_is_under_way(two: tuple[Store, Network]) -> None:
    """Answers of one plan that count for another plan; a plan that two workers start."""
    store, network = two
    members = [Member(store, network, name, 2) for name in "ab"]
    for member in members:
        member.plan()
    assert members[0].ask(0)
    other = {"scheduler": "breadth-first", "budget": "50"}
    assert begin(store, other).waits
    network.now += DELAY
    for member in members:
        member.plan()
    assert members[1].step.ended == CHANGED
    assert members[0].step.ended == "" and begin(store).waits
    while members[0].in_flight or members[0].ask(0):
        members[0].plan(0)
        network.now += DELAY
    assert members[0].step.ended == CHANGED
    begun = [begin(store) for _ in range(2)]
    assert [(one.plan.number, one.waits, one.resumed) for one in begun] == [
        (1, False, False), (1, False, True)]  # fmt: skip
    crawled_together(store, network, 2, 2, random.Random(3), 0)
    assert set(network.asked.values()) == {1}


def test_a_dead_worker_does_not_stop_another_plan(two: tuple[Store, Network]) -> None:
    """A plan that waits for ever for answers of a killed worker."""
    store, network = two
    Member(store, network, "dead", 2).plan()
    assert begin(store, {"budget": "50"}).waits
    network.now += LEASE
    assert begin(store, {"budget": "50"}).plan.number == 1


def test_a_site_is_removed(two: tuple[Store, Network]) -> None:
    """A worker that fails on gaps in the log because it has not read all of it."""
    store, network = two
    first, second = (Member(store, network, name, 2) for name in "ab")
    second.plan()
    first.plan()
    for _ in range(3):
        assert second.ask(0)
        second.plan(0)
        network.now += DELAY
    remove(store, 1)
    first.plan()
    assert first.step.ended == CHANGED


def test_what_is_left_behind(two: tuple[Store, Network]) -> None:
    """Hosts that stay leased after a worker stops, or that are requested too early."""
    store, network = two
    first, second = (Member(store, network, name, 4) for name in "ab")
    first.plan()
    assert first.ask(0)
    first.planner.close()
    second.plan()
    assert len(second.waiting) == 2
    assert not second.ask(0)
    network.now += DELAY
    assert second.ask(0)
    first.plan(0)  # it was stopped, and an answer comes nevertheless
    assert not first.step.stored


def test_who_takes_over_waits(two: tuple[Store, Network]) -> None:
    """A host requested by two workers when a lease expires, or never requested again."""
    store, network = two
    first, second = (Member(store, network, name, 4) for name in "ab")
    first.plan()
    network.now += LEASE - 0.1
    assert first.ask(0)
    second.plan()
    assert not second.waiting
    network.now += 0.1
    assert not first.ask(0)
    second.plan()
    assert len(second.waiting) == 2
    assert not second.ask(0)
    network.now += DELAY
    assert second.ask(0)


def test_a_host_that_comes_back_is_asked_in_its_time(two: tuple[Store, Network]) -> None:
    """A worker that uses an old state of a host that others have requested since."""
    store, network = two
    first, second = (Member(store, network, name, 4) for name in "ab")
    first.plan()
    network.now += LEASE + DELAY
    second.plan()
    assert second.ask(0) and second.ask(0)
    second.planner.close()
    network.now += DELAY / 2
    first.plan()
    assert len(first.waiting) == 2
    assert not first.ask(0)
    network.now += DELAY / 2
    assert first.ask(0)


def test_who_is_stopped_while_it_plans(
    two: tuple[Store, Network], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A crawl that stands still because a stopped worker holds the lock."""
    store, network = two
    monkeypatch.setattr(postgresql, "HUNG", 0.2)
    with store.engine.connect() as connection:
        connection.begin()
        asleep = recording.Recording(connection)
        postgresql.lock(connection)
        member = Member(store, network, "awake", 4)
        member.plan()
        assert len(member.waiting) == 2
        with pytest.raises(store.engine.dialect.loaded_dbapi.Error):
            asleep.head(0)
        connection.invalidate()


def test_a_late_answer_counts_for_nothing(two: tuple[Store, Network]) -> None:
    """A page stored twice: by a stopped worker, and by the worker that took over."""
    store, network = two
    first, second = (Member(store, network, name, 4) for name in "ab")
    first.plan()
    assert first.ask(0)
    network.now += LEASE
    second.plan()
    first.plan(0)
    assert not first.step.stored
    assert not first.waiting
    assert first.step.lease is not None and len(first.step.lease.lost) == 1
    network.now += DELAY
    assert second.ask(0)
    second.plan(0)
    assert second.step.stored


def test_hosts_are_shared_out(stores: list[Store]) -> None:
    """One worker that keeps all hosts, while the others are idle."""
    web = Web(4, (0, 1, 2, 3) * 9, tuple(tuple(range(p % 4 + 4, 36, 4)) for p in range(36)),
              (0,) * 36, frozenset())  # fmt: skip
    store, network = emptied(stores[0], web), Network(answers_of(web))
    begin(store, {"scheduler": "breadth-first", "budget": "100"})
    first, second = (Member(store, network, name, 16) for name in "ab")
    first.plan()
    assert len(hosts_of(first)) == 4
    for _ in range(3):
        for member in (first, second):
            while member.ask(0):
                member.plan(0)
            member.plan()
        network.now += LEASE / 3
    assert len(hosts_of(first)) == len(hosts_of(second)) == 2


def hosts_of(member: Member) -> set[str]:
    """Return the hosts that a worker has leased."""
    return {site(job.address) for job in member.waiting}


def test_time_is_counted_once(two: tuple[Store, Network]) -> None:
    """A budget of seconds that ends sooner with more workers."""
    store, network = two
    members = [Member(store, network, name, 2) for name in "abc"]
    for _ in range(5):
        for member in members:
            member.plan()
        network.now += 1.0
    with store.reading() as connection:
        spent = connection.exec_driver_sql("SELECT spent FROM plans").scalar()
    assert spent == 4.0


def test_a_redirect_to_another_host_is_a_link(two: tuple[Store, Network]) -> None:
    """A lost page: the worker that was redirected to it may not request its host."""
    store, _ = two
    planner = Planner(store, 4, lambda: 0.0)
    job = planner.step().jobs[0]
    led = Fetched(job, 302, leads_to="http://third.test/x", problem="leads to another site")
    planned = planner.step([led])
    assert [one.address for one in planned.jobs] == ["http://third.test/x"]
    assert opened(led, stays=True) == Document(302, problem="leads to another site")


def test_caps_count_what_others_found(stores: list[Store]) -> None:
    """A cap that each worker applies to its own pages only."""
    web = Web(1, (0,) * 7, ((1, 2), (3, 4), (5, 6), (), (), (), ()), (0,) * 7, frozenset())
    store, network = emptied(stores[0], web), Network(answers_of(web))
    begin(store, {"scheduler": "breadth-first", "budget": "100", "cap": 4})
    first, second = (Member(store, network, name, 1) for name in "ab")
    first.plan()
    second.plan()
    assert first.ask(0)
    first.plan(0)
    first.planner.close()
    while not second.step.ended:
        network.now += DELAY
        second.plan(0)
        second.ask(0)
    assert len(visited(store)) == 4


def test_pages_read_ahead_that_others_took(stores: list[Store]) -> None:
    """A page that a worker has read ahead, and requests after another worker has."""
    web = Web(1, (0,) * 7, (tuple(range(1, 7)), *[()] * 6), (0,) * 7, frozenset())
    store, network = emptied(stores[0], web), Network(answers_of(web))
    begin(store, {"scheduler": "equal-quanta", "budget": "100"})
    first, second = (Member(store, network, name, 1) for name in "ab")
    while not first.step.ended:
        first.plan(0)
        if len(network.asked) in (1, 4):
            second.plan()
        network.now += DELAY
        first.ask(0)
    assert not first.step.failed
    assert len(visited(store)) == 7
