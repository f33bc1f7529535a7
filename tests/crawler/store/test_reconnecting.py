"""A connection to PostgreSQL that is lost: work is repeated, or ends with one line."""

from __future__ import annotations

import pytest
from sqlalchemy import insert, select, text

from counterpoint.commands.crawls import crawl as command
from counterpoint.console import run
from counterpoint.crawler.beebot import beginning
from counterpoint.crawler.errors import ConnectionLostError
from counterpoint.crawler.store.opening import Store, open_store
from counterpoint.crawler.store.reconnecting import PAUSES, reconnecting
from counterpoint.crawler.store.schema import settings
from counterpoint.main import counterpoint
from tests.postgres import Server

KILL = text("SELECT pg_terminate_backend(pg_backend_pid())")


@pytest.fixture
def store(postgres: Server) -> Store:
    """Yield a store on a server."""
    with open_store(postgres.database(), create=True) as store:
        yield store


def test_lost_connection_is_told_from_other_errors(store: Store) -> None:
    """A restart of the server whose message speaks of input that is consumed."""
    with pytest.raises(ConnectionLostError) as lost, store.transaction() as connection:
        connection.execute(KILL)
    assert str(lost.value).startswith(f"{store.where}: the connection to the database was lost (")
    assert "\n" not in str(lost.value)


def test_connection_that_was_idle_too_long_is_lost(store: Store) -> None:
    """A worker that was suspended within a transaction, and ends with a traceback."""
    with pytest.raises(ConnectionLostError, match="was lost"), store.transaction() as connection:
        connection.execute(text("SET LOCAL idle_in_transaction_session_timeout = 1"))
        with store.reading() as other:
            while other.execute(text("SELECT count(*) FROM pg_stat_activity WHERE state = "
                                     "'idle in transaction' AND datname = current_database() "
                                     "AND pid <> pg_backend_pid()")).scalar():  # fmt: skip
                other.rollback()
        connection.execute(text("SELECT 1"))


def test_work_is_repeated_with_a_new_connection(store: Store) -> None:
    """Work that fails for ever since its connection is gone, or that is done twice."""
    attempts: list[int] = []
    name = "a"

    def work() -> str:
        attempts.append(1)
        with store.transaction() as connection:
            connection.execute(insert(settings).values(name=name, value="1"))
            if len(attempts) < 3:
                connection.execute(KILL)
        return "done"

    assert reconnecting(work, (0.0, 0.0)) == "done"
    with store.reading() as connection:
        assert len(connection.execute(select(settings)).all()) == 2
    attempts.clear()
    name = "b"
    with pytest.raises(ConnectionLostError):
        reconnecting(work, (0.0,))
    assert len(attempts) == 2


@pytest.mark.long
@pytest.mark.parametrize("times", [1, len(PAUSES) + 1])
@pytest.mark.parametrize("place", ["begin", "summary"])
def test_crawl_goes_on_after_a_lost_connection(
    times: int, place: str, postgres: Server, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    """A crawl that ends with exit code 2 since the server restarted as it began or ended."""
    monkeypatch.setattr("counterpoint.crawler.store.reconnecting.time.sleep", lambda seconds: None)
    where = postgres.database()
    module = beginning if place == "begin" else command
    whole = getattr(module, place)
    left = [times]

    def interrupted(store: Store, *more: object) -> object:
        found = whole(store, *more)
        if left[0]:
            left[0] -= 1
            with store.translated_errors(), store.transaction() as connection:
                connection.execute(KILL)
        return found

    monkeypatch.setattr(module, place, interrupted)
    given = ["crawl", "R3", "--db", where, "--start", "http://127.0.0.1:9/", "--budget", "1"]
    code = run(counterpoint, given)
    error = capsys.readouterr().err
    if times == 1:
        assert (code, error) == (1, "")  # nobody answers at that start page
    else:
        assert code == 3
        assert "the connection to the database was lost" in error and error.count("\n") == 1
