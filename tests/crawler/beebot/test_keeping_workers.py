"""Several workers keep the pages of one store fresh: one log, and one pace for all together."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from counterpoint.crawler.beebot import beginning
from counterpoint.crawler.beebot.beginning import begin
from counterpoint.crawler.store.opening import Store, open_store
from tests.postgres import Server

from .inprocess import InProcess, answers_of, crawled
from .test_workers import TWO, emptied
from .together import LEASE, Member, Network, replayed

PAGES, EVERY = 6, 120.0
HOURS = 1


class Again(Network):
    """A network that may be asked for a page again."""

    def ask(self, address: str) -> tuple[int, bytes]:
        """Answer, if its host may be asked now."""
        self.stored.clear()
        return super().ask(address)


@pytest.fixture(scope="module")
def store(postgres: Server) -> Iterator[Store]:
    """Open a store with two sites of three pages."""
    with open_store(postgres.database(), create=True) as made:
        yield emptied(made, TWO)


@pytest.mark.parametrize("many", [1, 3])
def test_all_workers_have_one_pace(
    many: int, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three workers that visit pages three times as often; a log that contradicts itself."""
    network, chance = Again(answers_of(TWO)), random.Random(many)
    monkeypatch.setattr(beginning, "database_clock", lambda _: network.now)
    emptied(store, TWO)
    crawled(store, InProcess(network.answers), scheduler="breadth-first", budget="100")
    begin(store, {"revisit": "optimal-freshness", "every": f"{EVERY:g}s"})
    members = [Member(store, network, f"worker {k}", 2) for k in range(many)]
    begun = network.now
    while network.now < begun + HOURS * 3600:
        member = chance.choice(members)
        member.plan(0)
        assert not member.step.ended
        member.ask(0)
        network.now += chance.choice([0.5, 1.0, LEASE / 3])
    with store.reading() as connection:
        visits = connection.exec_driver_sql("SELECT count(*) FROM visits WHERE plan = 1").scalar()
    assert visits == pytest.approx(HOURS * 3600 * PAGES / EVERY, rel=0.05)
    replayed(store)
