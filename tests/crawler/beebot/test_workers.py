"""Several workers of one store: one log, each page once, each host in its time."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import suppress

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from crawler.beebot.beginning import begin
from crawler.store.opening import Store, open_store
from tests.postgres import Server

from ..webs import Web, webs
from .inprocess import address_of, answers_of, visited
from .test_planner import TABLES, Killed, Trap, drive, links_of, totals_are_right
from .together import LEASE, Member, Network, replayed

POLICIES = ["breadth-first", "equal-quanta", "R3", "opic", "random"]
OFTEN = settings(max_examples=20, deadline=None,
                 suppress_health_check=[HealthCheck.function_scoped_fixture])  # fmt: skip
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
    store: Store, network: Network, many: int, ahead: int, chance: random.Random, kills: int
) -> list[Member]:
    """Let workers act in any order until the plan ends; return those that are alive."""
    members = [Member(store, network, f"worker {k}", ahead) for k in range(many)]
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
            members[k] = Member(store, network, f"new {number}", ahead)
            with pytest.MonkeyPatch.context() as patch:
                Trap(patch, chance.randint(1, 40))
                with suppress(Killed):
                    member.plan(chance.randrange(100))
            if member.step.taken is None and member.flying:
                network.stored |= done(store)  # it may have been killed after its commit
        elif action in ("poll", "store"):
            member.plan(chance.randrange(100) if action == "store" else None)
    raise AssertionError("the crawl does not end")


def done(store: Store) -> set[str]:
    """Return the addresses of pages that are answered."""
    with store.reading() as connection:
        read = connection.exec_driver_sql("SELECT address FROM pages WHERE status IS NOT NULL")
        return {row[0] for row in read}


@pytest.mark.parametrize("name", POLICIES)
@OFTEN
@given(web=webs(), many=st.integers(2, 4), ahead=st.sampled_from([1, 2, 8]),
       kills=st.integers(0, 6), chance=st.integers(0, 2**32))  # fmt: skip
def test_many_find_what_one_finds(
    name: str, web: Web, many: int, ahead: int, kills: int, chance: int, stores: list[Store]
) -> None:
    """A page asked for again when its answer was stored, a host asked by two, a log of two minds.

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


@pytest.mark.parametrize("name", POLICIES)
@OFTEN
@given(web=webs(), budget=st.integers(1, 30))
def test_one_worker_is_as_good_as_none(
    name: str, web: Web, budget: int, stores: list[Store]
) -> None:
    """Another order, or anything else that is stored, if a store may be shared and is not."""
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
