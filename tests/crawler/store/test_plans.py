"""Every view finds its links by an index, and reads no more of them than allowed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from random import Random
from typing import Any

import pytest
from sqlalchemy import event

from counterpoint.crawler.store import browsing
from counterpoint.crawler.store.browsing import browse, total
from counterpoint.crawler.store.opening import Store, open_store
from counterpoint.crawler.store.views import VIEWS, Kind

from .filled import fill
from .test_browsing import filters


@contextmanager
def queries(store: Store) -> Iterator[list[tuple[str, Any]]]:
    """Yield a list that records the executed queries."""
    made: list[tuple[str, Any]] = []

    def take(_c: Any, _k: Any, statement: str, parameters: Any, _x: Any, _m: Any) -> None:
        if statement.startswith("SELECT"):
            made.append((statement, parameters))

    event.listen(store.engine, "before_cursor_execute", take)
    yield made
    event.remove(store.engine, "before_cursor_execute", take)


def plan(store: Store, statement: str, parameters: Any) -> list[str]:
    """Return the steps of a database's query plan."""
    with store.reading() as connection:
        if store.dialect == "postgresql":
            # A table as small as this one is read whole wherever possible.
            connection.exec_driver_sql("SET LOCAL enable_seqscan = off")
            connection.exec_driver_sql("SET LOCAL enable_bitmapscan = off")
            found = connection.exec_driver_sql(f"EXPLAIN {statement}", parameters)
        else:
            found = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters)
        return [str(row[-1]) for row in found]


def reads_all(step: str, statement: str) -> bool:
    """Return whether a step scans a whole table or a whole index."""
    if "Seq Scan" in step:
        return any(table in step for table in ("_links", "pages"))
    if not step.startswith("SCAN"):
        return False
    if "ix_pages_frontier" in step:
        return False  # an index with only the requested rows and the deleted pages
    if any(f"SCAN {table}" in step for table in ("pages", "source", "target")):
        return True
    # Only a walk from the beginning may; the LIMIT of its part ends it.
    return "_links" in step and (") > (" in statement or ") < (" in statement)


@pytest.mark.parametrize("kind", Kind)
def test_every_filter_and_sort_has_an_index(
    kind: Kind, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A view that reads a whole table, or sorts more links than allowed."""
    monkeypatch.setattr(browsing, "FIRST", 5)
    with open_store(place, create=True) as store:
        fill(store, Random(7), size=12, links=9)
        made: dict[str, Any] = {}
        for sort in VIEWS[kind].sorts:
            for wanted in filters(kind, Random(1)):
                with queries(store) as asked, store.reading() as connection:
                    found = browse(connection, kind, wanted, sort, limit=2, look=30)
                    if found.after:
                        browse(connection, kind, wanted, sort, limit=2, look=30, after=found.after)
                        browse(connection, kind, wanted, sort, limit=2, look=30, before=found.after)
                    total(connection, kind, wanted)
                made.update(asked)
        assert len(made) > 50
        for statement, parameters in made.items():
            steps = plan(store, statement, parameters)
            assert not any(reads_all(step, statement) for step in steps), (statement, steps)
            # What is sorted is a part that was cut off before, never what an index could order.
            if "FROM (" not in statement:
                assert not any("Sort" in step or "TEMP B-TREE" in step for step in steps), steps
