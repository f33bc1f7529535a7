"""The migration steps lead to the tables of `crawler.store.schema`, in both databases."""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, inspect, text

from counterpoint.crawler.store import migrations
from counterpoint.crawler.store.opening import open_store
from counterpoint.crawler.store.schema import metadata

CATALOGUE = {
    "sqlite": ["SELECT name, sql FROM sqlite_master ORDER BY name"],
    "postgresql": [
        "SELECT tablename, indexname, indexdef FROM pg_indexes WHERE schemaname = 'public' "
        "ORDER BY 1, 2",
        "SELECT table_name, column_name, data_type, is_nullable, column_default, collation_name "
        "FROM information_schema.columns WHERE table_schema = 'public' ORDER BY 1, 2",
        "SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint "
        "WHERE connamespace = 'public'::regnamespace ORDER BY 1",
    ],
}  # fmt: skip


def catalogue(connection: Connection) -> list[Any]:
    """Return all that a database records of its tables, independent of the order of columns."""
    return [
        [sorted(line.strip(" ,\t") for line in _lines(str(value))) for value in row]
        for query in CATALOGUE[connection.dialect.name]
        for row in connection.execute(text(query))
    ]


def _lines(declared: str) -> list[str]:
    """Return what a database declares, with a line for each column that was added to a table."""
    return re.sub(r", (?=\w+ [A-Z]+ DEFAULT)", ",\n", declared).splitlines()


def test_no_difference_is_found(place: str) -> None:
    """A column or an index that was added to the schema and to no step."""
    with open_store(place, create=True) as store, store.transaction() as connection:
        # Alembic does not know that an index may be of one dialect only.
        context = MigrationContext.configure(connection, opts={
            "include_object": lambda of, name, kind, reflected, other: (
                kind != "index" or of._ddl_if is None or of._ddl_if.dialect == store.dialect
            )
        })  # fmt: skip
        with warnings.catch_warnings():
            # SQLAlchemy reads no index of an expression back; the next test sees those.
            warnings.filterwarnings("ignore", "autogenerate skipping metadata-specified")
            warnings.filterwarnings("ignore", "Skipped unsupported reflection of expression")
            assert compare_metadata(context, metadata) == []


def test_the_tables_are_the_same_to_the_letter(place: str) -> None:
    """Differences that the test above misses: expressions, conditions, rowids, constraints."""
    with open_store(place, create=True) as store, store.transaction() as connection:
        made = catalogue(connection)
        metadata.drop_all(connection)
        metadata.create_all(connection)
        expected = catalogue(connection)
    assert len(made) > 30
    assert made == expected


def test_head_is_the_last_step() -> None:
    """A step that no store reaches."""
    steps = ScriptDirectory(str(Path(migrations.__file__).parent))
    assert steps.get_heads() == [migrations.HEAD]


STEP = """
import sqlalchemy as sa
from alembic import op
revision = "next"
down_revision = "{head}"
def upgrade():
    op.add_column("seeds", sa.Column("colour", sa.Text(), nullable=False, server_default="red"))
    op.execute("UPDATE settings SET value = '4' WHERE name = 'level'")
    {then}
"""


def with_a_step(monkeypatch: pytest.MonkeyPatch, folder: Path, then: str) -> None:
    """Add one more step for a test."""
    (folder / "versions").mkdir(exist_ok=True)
    for step in (Path(migrations.__file__).parent / "versions").glob("revision_*.py"):
        (folder / "versions" / step.name).write_text(step.read_text())
    more = STEP.format(then=then, head=migrations.HEAD)
    (folder / "versions" / "revision_next.py").write_text(more)
    monkeypatch.setattr(migrations, "HEAD", "next")
    monkeypatch.setattr(migrations, "_steps", lambda: ScriptDirectory(str(folder)))


@pytest.mark.parametrize("then", ["", "op.execute('SELECT x FROM nowhere')"])
def test_an_older_store_is_migrated_in_one_transaction(
    then: str, place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Lost data, or a store between two versions after a failed step."""
    with open_store(place, create=True) as store, store.transaction() as connection:
        connection.execute(text("INSERT INTO settings VALUES ('level', '3')"))
        connection.execute(text("INSERT INTO seeds (number, start, site) VALUES (1, 'a', 'b')"))
        before = catalogue(connection)
    with_a_step(monkeypatch, tmp_path, then)
    if then:
        with pytest.raises(Exception, match="nowhere"):
            open_store(place)
        monkeypatch.undo()
    with open_store(place) as store, store.reading() as connection:
        level = connection.execute(text("SELECT value FROM settings WHERE name = 'level'"))
        assert level.scalar() == ("3" if then else "4")
        assert connection.execute(text("SELECT start FROM seeds")).scalar() == "a"
        assert (catalogue(connection) == before) == bool(then)
        if not then:
            assert connection.execute(text("SELECT colour FROM seeds")).scalar() == "red"


def test_a_store_of_the_first_tables_gets_the_others(
    place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A step that is not applied to a store made before it."""
    newest = migrations.HEAD
    with monkeypatch.context() as older:
        older.setattr(migrations, "HEAD", "0001")
        with open_store(place, create=True) as store, store.transaction() as connection:
            assert migrations.current(connection) == "0001"
            assert not inspect(connection).has_table("contents")
            connection.execute(text("INSERT INTO seeds (number, start, site) VALUES (1, 'a', 'b')"))
    with open_store(place) as store, store.transaction() as connection:
        assert migrations.current(connection) == newest
        made = catalogue(connection)
        assert connection.execute(text("SELECT start FROM seeds")).scalar() == "a"
        metadata.drop_all(connection)
        metadata.create_all(connection)
        assert catalogue(connection) == made
