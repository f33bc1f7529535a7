"""Writing transactions of one PostgreSQL store, and errors of its driver."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest
from sqlalchemy import text

from counterpoint.crawler.beebot.beginning import begin
from counterpoint.crawler.errors import CrawlError, GivenUpError
from counterpoint.crawler.store.opening import Store, open_store
from counterpoint.crawler.store.recording import Recording
from counterpoint.crawler.store.seeds import Seed, add_all
from tests.postgres import Server


@pytest.fixture
def store(postgres: Server) -> Iterator[Store]:
    """Return a store with a plan for one site."""
    with open_store(postgres.database(), create=True) as made:
        add_all(made, [("the test", Seed("http://old.test/"))])
        begin(made, {"scheduler": "breadth-first", "budget": "100"})
        yield made


def test_who_joins_while_another_plans(store: Store) -> None:
    """A deadlock: the new worker has a row that the planning one wants, and waits for its lock."""
    joined: list[int] = []

    def join() -> None:
        with store.together() as one:
            joined.append(add_all(one, [("the test", Seed("http://new.test/"))]))
            begin(one)

    thread = threading.Thread(target=join)
    with store.transaction() as connection:
        thread.start()
        waiting = text("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' "
                       "AND datname = current_database()")  # fmt: skip
        with store.engine.connect() as another:
            while thread.is_alive() and not another.execute(waiting).scalar():
                another.rollback()
        assert not joined  # it waits before it has a lock on any row
        connection.execute(text("UPDATE plans SET spent = spent + 1"))
    thread.join(60)
    assert joined == [1]


@pytest.mark.parametrize(
    ("raised", "expected"),
    [("deadlock_detected", GivenUpError), ("read_only_sql_transaction", CrawlError)],
)
def test_errors_of_the_driver_are_converted(
    store: Store, raised: str, expected: type[CrawlError]
) -> None:
    """A traceback of the driver, which came from a cursor and not from SQLAlchemy."""
    with pytest.raises(CrawlError) as caught, store.transaction() as connection:
        Recording(connection)._cursor.execute(f"DO $$ BEGIN RAISE {raised}; END $$")
    assert type(caught.value) is expected
    assert str(caught.value).startswith(store.where)
