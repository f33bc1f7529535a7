"""Writing transactions that PostgreSQL gives up because of others are repeated as a whole."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from sqlalchemy import text

from counterpoint.commands.crawls.crawl import _begun
from counterpoint.crawler.beebot.beginning import begin
from counterpoint.crawler.beebot.plan import CrawlSettings
from counterpoint.crawler.errors import GivenUpError
from counterpoint.crawler.store import opening, postgresql
from counterpoint.crawler.store.deleting import delete
from counterpoint.crawler.store.opening import Store, open_store
from counterpoint.crawler.store.seeds import Seed, add, add_all, edit, listed, remove, retry
from counterpoint.crawler.store.views import Kind
from counterpoint.studio.wishing import keep
from tests.postgres import Server

FAILING = """
    CREATE SEQUENCE tries;
    CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        -- What a sequence has given is not taken back by a rollback.
        IF nextval('tries') <= {times} THEN RAISE EXCEPTION 'lost' USING ERRCODE = '{code}'; END IF;
        RETURN NULL;
    END $$;
    CREATE TRIGGER fails AFTER INSERT OR UPDATE OR DELETE ON {table}
        FOR EACH STATEMENT EXECUTE FUNCTION fail()"""


@pytest.fixture
def where(postgres: Server) -> str:
    """Return the address of a store with one site that could not be loaded, and a bad link."""
    address = postgres.database()
    with open_store(address, create=True) as store:
        add(store, "http://old.test/")
        begin(store, {"scheduler": "breadth-first", "budget": "100"})
        with store.transaction() as connection:
            connection.execute(text("UPDATE seeds SET standing = 'not available', bad = 1"))
            connection.execute(text(
                "INSERT INTO bad_links (page, position, seed, text, reason) "
                "VALUES (0, 0, 1, 'x', 'y')"
            ))  # fmt: skip
    return address


@pytest.fixture
def store(where: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    """Return the store; its pauses take no time."""
    monkeypatch.setattr(opening, "AGAIN", (0.0, 0.0, 0.0))
    with open_store(where) as opened:
        yield opened


def failing(where: str, table: str, times: int, code: str = "40P01") -> None:
    """Let the first changes of a table fail, by an error of the server itself."""
    with psycopg.connect(where, autocommit=True) as connection:
        connection.execute(FAILING.format(table=table, times=times, code=code))


CHANGES: dict[str, tuple[str, Callable[[Store], object], str, object]] = {
    "add": ("settings", lambda s: add(s, "http://new.test/"),
            "SELECT string_agg(start, ' ' ORDER BY number) FROM seeds",
            "http://old.test/ http://new.test/"),
    "add all": ("settings", lambda s: add_all(s, iter([("1", Seed("http://a.test/")),
                                                       ("2", Seed("http://b.test/"))])),
                "SELECT count(*) FROM seeds", 3),
    "edit": ("settings", lambda s: edit(s, 1, full_name="Old"),
             "SELECT full_name FROM seeds", "Old"),
    "remove": ("settings", lambda s: remove(s, 1), "SELECT count(*) FROM seeds", 0),
    "retry": ("settings", lambda s: retry(s, 1), "SELECT standing FROM seeds", "waiting"),
    "begin": ("plans", lambda s: begin(s, {"budget": "200"}), "SELECT count(*) FROM plans", 2),
    "keep": ("settings", lambda s: keep(s, CrawlSettings(level=3), ("level",)),
             "SELECT value FROM settings WHERE name = 'level'", "3"),
    "delete": ("bad_links", lambda s: delete(s, Kind.BAD, [(0, 0)]),
               "SELECT bad FROM seeds", 0),
}  # fmt: skip
"""For each way to change a store: a table that it changes, the change, and what it leaves."""


@pytest.mark.parametrize("name", CHANGES)
def test_each_change_of_a_store_is_repeated(store: Store, where: str, name: str) -> None:
    """A change that is lost or made twice because of a deadlock with another program."""
    table, change, query, left = CHANGES[name]
    failing(where, table, 2, "40001" if name == "add" else "40P01")
    change(store)
    assert one(store, query) == left
    assert one(store, "SELECT last_value FROM tries") >= 3


def test_it_is_not_repeated_for_ever(store: Store, where: str) -> None:
    """A command that never ends, or an error of more than one line."""
    failing(where, "settings", 1000)
    with pytest.raises(GivenUpError) as caught:
        add(store, "http://new.test/")
    assert str(caught.value) == f"{store.where}: lost; tried 4 times"
    assert one(store, "SELECT last_value FROM tries") == 4
    assert [row.start for row in listed(store)] == ["http://old.test/"]


def test_what_is_part_of_a_transaction_is_not_repeated_alone(store: Store, where: str) -> None:
    """A part that is repeated after the server has rolled the whole back: the rest is lost."""
    failing(where, "settings", 1)
    attempts = []

    def both(connection: Any) -> None:
        attempts.append(1)
        one_of_them = store.within(connection)
        add(one_of_them, "http://first.test/")
        add(one_of_them, "http://second.test/")

    store.write(both)
    assert len(attempts) == 2
    assert [row.site for row in listed(store)] == ["old.test", "first.test", "second.test"]


def test_a_deadlock_with_another_program(store: Store, where: str) -> None:
    """Whatever the server does in a real deadlock that the trigger above does not show."""
    attempts: list[int] = []
    has_row, waits = threading.Event(), threading.Event()

    def other() -> None:
        with psycopg.connect(where) as connection:
            connection.execute("SET deadlock_timeout = '60s'")  # so the store's is the victim
            connection.execute("UPDATE plans SET spent = 1")
            has_row.set()
            waits.wait(60)
            connection.execute("UPDATE seeds SET reason = 'other'")

    def change(connection: Any) -> None:
        attempts.append(1)
        connection.execute(text("SET LOCAL deadlock_timeout = '10ms'"))
        connection.execute(text("UPDATE seeds SET short_name = short_name || 'x'"))
        waits.set()
        connection.execute(text("UPDATE plans SET fetched = fetched + 1"))

    thread = threading.Thread(target=other)
    thread.start()
    assert has_row.wait(60)
    store.write(change)
    thread.join(60)
    assert len(attempts) >= 2
    assert one(store, "SELECT short_name || ' ' || reason FROM seeds") == "x other"
    assert one(store, "SELECT fetched FROM plans") == 1


def one(store: Store, query: str) -> Any:
    """Read one value."""
    with store.reading() as connection:
        return connection.execute(text(query)).scalar()


def test_a_policy_is_loaded_before_the_lock(
    where: str, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A policy that takes longer to load than the server lets a transaction be idle."""
    (tmp_path / "slow_policy.py").write_text(
        "import psycopg\n"
        f"with psycopg.connect({where!r}) as other:\n"
        "    free = other.execute('SELECT pg_try_advisory_xact_lock(%s)',"
        f" [{postgresql._LOCK}]).fetchone()[0]\n"
        "from counterpoint.crawler.schedulers.web import BreadthFirst\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    _begun(store, {"scheduler": "slow_policy:BreadthFirst"}, [], {})
    assert sys.modules["slow_policy"].free
