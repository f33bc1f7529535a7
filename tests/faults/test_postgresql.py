"""A crawl whose database is slow, loses connections, or ends them; the store must not show it."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import psycopg
import pytest

from tests.crawler.beebot.killing import Crawl, Points
from tests.crawler.beebot.test_killed import crawl_of, found
from tests.oracle.seeds import this_week
from tests.postgres import USER, Server

from .proxy import proxied

SEED = this_week(0, 1).start // 1_000_000
BEGUN = "after add plan"
"""The first point after which the crawl itself runs."""


@pytest.fixture(scope="module")
def wanted(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return what an undisturbed crawl finds."""
    whole = crawl_of(tmp_path_factory.mktemp("whole") / "whole.db")
    whole.run(Points())
    return found(whole.where)


@pytest.fixture
def where(postgres: Server) -> str:
    """Return the address of an empty database."""
    return postgres.database()


def through(where: str, port: int) -> Crawl:
    """Return the crawl of a store that is reached through a proxy."""
    name = where.rpartition("/")[2].partition("?")[0]
    address = f"postgresql://{USER}@127.0.0.1:{port}/{name}?sslmode=disable&gssencmode=disable"
    return crawl_of(address)._replace(pauses=(0.0,) * 8)


class Disturbing(Points):
    """Does something at random points of a crawl.

    Parameters
    ----------
    chance : Random
    disturb : callable
    """

    def __init__(self, chance: random.Random, disturb: Callable[[], None]) -> None:
        super().__init__()
        self._chance, self._disturb = chance, disturb
        self._left: int | None = None
        self.times = 0

    def pass_by(self, name: str) -> None:
        """Reach a point."""
        super().pass_by(name)
        if name == BEGUN:
            self._left = 10
        elif self._left == 0:
            self._left = self._chance.randint(10, 60)
            self.times += 1
            self._disturb()
        elif self._left is not None:
            self._left -= 1


@pytest.mark.parametrize("number", [0, pytest.param(1, marks=pytest.mark.long)])
def test_connections_are_cut(postgres: Server, where: str, wanted: Any, number: int) -> None:
    """A page that is lost or stored twice when the connection ends within a transaction."""
    chance = random.Random(f"{SEED}/{number}")
    with proxied(postgres.folder) as proxy:
        points = Disturbing(chance, proxy.cut_all)
        through(where, proxy.port).run(points)
        assert points.times > 3
        assert proxy.cut >= points.times
    assert found(where) == wanted, f"seed {SEED}/{number}"


def test_the_answer_to_a_commit_is_lost(postgres: Server, where: str, wanted: Any) -> None:
    """Pages that are stored twice: the crawl cannot know that its transaction was committed."""
    chance, points = random.Random(SEED), Points()

    def cuts(piece: bytes) -> bool:
        return BEGUN in points.passed and b"COMMIT" in piece and chance.random() < 0.2

    with proxied(postgres.folder, cuts=cuts) as proxy:
        through(where, proxy.port).run(points)
        assert proxy.cut > 3
    assert found(where) == wanted, f"seed {SEED}"


def test_a_slow_database(postgres: Server, where: str, wanted: Any) -> None:
    """Answers that are given up, or observed in another order, because the database is slow."""
    with proxied(postgres.folder, delay=0.001) as proxy:
        through(where, proxy.port).run(Points())
        assert proxy.passed > 100
    assert found(where) == wanted


@pytest.mark.parametrize("number", [0, pytest.param(1, marks=pytest.mark.long)])
def test_the_server_ends_connections(where: str, wanted: Any, number: int) -> None:
    """A page that is lost or stored twice when an administrator ends the connection."""
    points = Disturbing(random.Random(f"{SEED}/{number}"), lambda: terminate(where))
    crawl_of(where)._replace(pauses=(0.0,) * 8).run(points)
    assert points.times > 3
    assert found(where) == wanted, f"seed {SEED}/{number}"


def terminate(where: str) -> None:
    """End all other connections to a database, and wait until they have ended."""
    others = "FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
    with psycopg.connect(where, autocommit=True) as connection:
        connection.execute(f"SELECT pg_terminate_backend(pid) {others}")
        while connection.execute(f"SELECT count(*) {others}").fetchone() != (0,):
            pass
