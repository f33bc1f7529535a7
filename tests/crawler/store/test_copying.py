"""Many rows, which PostgreSQL gets in another way than few."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import delete, insert, select

from counterpoint.crawler.store import schema
from counterpoint.crawler.store.opening import open_store
from counterpoint.crawler.store.recording import COPIED, Recording
from counterpoint.crawler.store.statements import COPIES, copying
from tests.postgres import place  # noqa: F401 a fixture

ALLOWED = st.characters(codec="utf-8", exclude_characters="\0")
TEXTS = st.text(ALLOWED, max_size=5) | st.sampled_from(
    ["\\N", "\\.", "\t", "a\tb", "\n", "\r\n", "\\", "\\t", "\\\n", "\v", "\\x41", "NULL", '"']
)  # fmt: skip


@settings(max_examples=20, deadline=None, database=None, derandomize=True,
          suppress_health_check=[HealthCheck.function_scoped_fixture])  # fmt: skip
@given(st.lists(st.tuples(TEXTS, TEXTS, st.none() | st.just(1)), min_size=1, max_size=9),
       st.sampled_from([1, COPIED - 1, COPIED, COPIED + 1]))  # fmt: skip
def test_rows_are_stored_as_given(
    place: str, texts: list[tuple[str, str, int | None]], count: int,  # noqa: F811
) -> None:  # fmt: skip
    """A text that COPY reads as a separator, an escape or NULL; a column in another's place."""
    names = ("anchor", "domain", "target")
    rows = [
        {"page": 1, "position": number, "seed": None, "address": f"http://a.test/{number}",
         "host": "a.test", "mark": number % 4}
        | dict(zip(names, texts[number % len(texts)], strict=True))
        for number in range(count)
    ]  # fmt: skip
    external = schema.external_links
    with open_store(place, create=True) as store:
        with store.transaction() as connection:
            connection.execute(delete(external))
            connection.execute(delete(schema.pages))
            connection.execute(insert(schema.pages).values(id=1, address="a", key="a", level=0,
                                                           state=0, problem=""))  # fmt: skip
            Recording(connection).write("add external", rows)
        with store.reading() as connection:
            found = connection.execute(select(external).order_by(external.c.position)).mappings()
            assert [{name: row[name] for name in rows[0]} for row in found] == rows


@pytest.mark.parametrize("kind", sorted(COPIES))
def test_copies_have_the_columns_of_their_tables(kind: str) -> None:
    """A statement of which COPY would be made with a part of its columns."""
    statement, columns = copying(kind)
    table = schema.metadata.tables[statement.split()[1]]
    required = {c.name for c in table.columns if not c.nullable and c.server_default is None}
    assert required <= set(columns) <= set(table.columns.keys())
    assert statement == f"COPY {table.name} ({', '.join(columns)}) FROM STDIN"


def test_other_rows_than_new_ones_are_not_copied(place: str) -> None:  # noqa: F811
    """COPY of a statement that changes rows, or that inserts only those which do not exist."""
    hosts = schema.hosts
    rows = [{"host": f"{number}.test", "free_at": 1.0, "delay": 1.0, "failures": 0, "robots": "",
             "robots_at": None} for number in range(COPIED + 1)]  # fmt: skip
    with open_store(place, create=True) as store:
        for failures in (0, 1):
            with store.transaction() as connection:
                Recording(connection).write("host", [row | {"failures": failures} for row in rows])
        with store.transaction() as connection:
            Recording(connection).write("leave host", [
                {"host": row["host"], "worker": "me", "free_at": 2.0} for row in rows
            ])  # fmt: skip
        with store.reading() as connection:
            found = connection.execute(select(hosts.c.failures, hosts.c.free_at)).all()
            assert found == [(1, 1.0)] * len(rows)
