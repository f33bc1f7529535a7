"""Opening a database: it is created, migrated, or refused without any change to it."""

from __future__ import annotations

import hashlib
import os
import sqlite3
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from sqlalchemy import insert, select, text

from counterpoint.crawler.errors import CrawlError, StoreError
from counterpoint.crawler.store import migrations
from counterpoint.crawler.store.opening import open_store
from counterpoint.crawler.store.schema import FORMAT, settings
from tests.postgres import Server


def refused(where: str | Path, create: bool = True) -> str:
    """Return the one-line reason why a store is not opened."""
    with pytest.raises(CrawlError) as caught:
        open_store(where, create=create, patience=0.2)
    message = str(caught.value)
    assert "\n" not in message
    return message


def everything(folder: Path) -> dict[str, str]:
    """Return the hash of each file below a folder."""
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in folder.rglob("*") if path.is_file()}  # fmt: skip


def test_it_is_made_and_opened_again(place: str) -> None:
    """A store that is lost when it is closed, or not recognized again."""
    with open_store(place, create=True) as store, store.transaction() as connection:
        connection.execute(insert(settings).values(name="level", value="3"))
    with open_store(place) as store, store.reading() as connection:
        found = dict(connection.execute(select(settings.c.name, settings.c.value)).all())
    assert found == {"format": f'"{FORMAT}"', "level": "3"}


def test_a_transaction_is_whole_or_not_at_all(place: str) -> None:
    """A change that stays although another of the same transaction failed."""
    with open_store(place, create=True) as store:
        with pytest.raises(ZeroDivisionError), store.transaction() as connection:
            connection.execute(insert(settings).values(name="a", value="1"))
            raise ZeroDivisionError
        with store.reading() as connection:
            assert connection.execute(select(settings.c.name)).scalars().all() == ["format"]


def test_a_reader_changes_nothing_and_sees_one_state(place: str) -> None:
    """A reader that writes, or that sees half of a concurrent transaction."""
    with open_store(place, create=True) as store:
        with pytest.raises(Exception, match=r"read.?only"), store.reading() as connection:
            connection.execute(text("DELETE FROM settings"))
        with store.reading() as reader:
            names = select(settings.c.name)
            assert reader.execute(names).scalars().all() == ["format"]
            with store.transaction() as writer:
                writer.execute(insert(settings).values(name="a", value="1"))
            assert reader.execute(names).scalars().all() == ["format"]
        with store.reading() as reader:
            assert len(reader.execute(names).all()) == 2


def test_writers_wait_for_each_other(place: str) -> None:
    """A writer that fails in its middle, or whose change another writer overwrites."""
    with open_store(place, create=True) as store:
        with store.transaction() as connection:
            connection.execute(insert(settings).values(name="sum", value="0"))

        total = select(settings.c.value).where(settings.c.name == "sum")

        def add() -> None:
            for _ in range(10):
                with store.transaction() as connection:
                    value = int(connection.execute(total.with_for_update()).scalar_one())
                    new = settings.update().where(settings.c.name == "sum")
                    connection.execute(new.values(value=str(value + 1)))

        threads = [threading.Thread(target=add) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        with store.reading() as connection:
            assert connection.execute(total).scalar_one() == "40"


def test_there_is_none(place: str, tmp_path: Path) -> None:
    """A store created by a command that should only open one."""
    error = refused(place, create=False)
    assert error.endswith(("there is no such file", "contains no link store yet"))
    assert everything(tmp_path) == {}


def test_an_empty_file_may_become_one(tmp_path: Path) -> None:
    """An empty file refused as foreign, or filled by a command that only reads."""
    (tmp_path / "empty.db").touch()
    assert "contains no link store yet" in refused(tmp_path / "empty.db", create=False)
    assert (tmp_path / "empty.db").stat().st_size == 0
    open_store(tmp_path / "empty.db", create=True).close()
    open_store(tmp_path / "empty.db").close()


@pytest.mark.parametrize("begins", [b"<html>", b"\x89PNG\r\n\x1a\n", b"SQLite format 3\0xxx"])
def test_a_file_of_another_kind(begins: bytes, tmp_path: Path) -> None:
    """A file overwritten because it is no database or only resembles one."""
    (tmp_path / "some.file").write_bytes(begins * 50)
    before = everything(tmp_path)
    error = refused(tmp_path / "some.file")
    assert "database" in error
    assert everything(tmp_path) == before


@pytest.mark.parametrize("journal", ["delete", "wal"])
@pytest.mark.parametrize("statement", [
    "CREATE TABLE urls (id INTEGER)",
    "CREATE TABLE settings (key TEXT, value TEXT)",
    "CREATE TABLE settings (name TEXT, value TEXT); CREATE TABLE alembic_version (version_num);"
    "INSERT INTO settings VALUES ('format', 'another'); INSERT INTO alembic_version VALUES ('1')",
    "CREATE TABLE settings (a TEXT); CREATE TABLE alembic_version (version_num)",
])  # fmt: skip
def test_a_database_of_another_program(statement: str, journal: str, tmp_path: Path) -> None:
    """Tables added to another program's database, or its settings changed."""
    path = tmp_path / "other.db"
    with_statement(path, f"PRAGMA journal_mode = {journal}; {statement}")
    before = everything(tmp_path)
    for create in (True, False):
        assert "is a database of another program; its tables are" in refused(path, create)
    assert everything(tmp_path) == before


def with_statement(path: Path, script: str) -> None:
    """Run a script of SQL on a SQLite file."""
    connection = sqlite3.connect(path)
    connection.executescript(script)
    connection.close()


def test_a_database_of_another_program_on_a_server(postgres: Server) -> None:
    """Tables added to another program's database."""
    url = postgres.database()
    name = url.partition("@/")[2].partition("?")[0]
    postgres.execute("CREATE TABLE settings (name text, value text)", name)
    postgres.execute("CREATE TABLE users (id int)", name)
    error = refused(url)
    assert error.endswith(": is a database of another program; its tables are settings, users")
    assert refused(url, create=False) == error


def test_a_newer_version(place: str) -> None:
    """A store of a newer version that is opened nevertheless and damaged."""
    with open_store(place, create=True) as store, store.transaction() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9f31'"))
    for create in (True, False):
        error = refused(place, create)
        assert "was made by a newer version of counterpoint: its tables are of revision" in error


def test_an_unknown_version_that_is_not_newer(tmp_path: Path) -> None:
    """A damaged revision that is called newer."""
    path = tmp_path / "crawl.db"
    with open_store(path, create=True) as store, store.transaction() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '0000'"))
    assert refused(path) == (
        f"{path}: its tables are of revision 0000; the last one known here is {migrations.HEAD}"
    )


def test_places_that_are_none(tmp_path: Path) -> None:
    """A traceback, or a file created, for a path that cannot be a store."""
    fifo = tmp_path / "pipe"
    os.mkfifo(fifo)
    for where, message in {
        tmp_path: "is a folder",
        tmp_path / "no" / "x.db": "there is no folder",
        "": "names no file",
        "a\0b": "names no file",
        tmp_path / ("x" * 300): "name too long",
        fifo: "is no file of data",
        "sqlite:///x.db": "a link store is a file's path or postgresql://",
        "mysql://localhost/x": "a link store is a file's path or postgresql://",
        "postgresql://a:b:c@:x/": "must be such as postgresql://",
    }.items():
        assert message in refused(where).lower(), where
    assert everything(tmp_path) == {}


def test_a_server_that_refuses(postgres: Server) -> None:
    """A printed password, or a traceback, where a server or its database does not exist."""
    error = refused("postgresql://me:secret@127.0.0.1:1/x")
    assert "127.0.0.1" in error and "secret" not in error
    assert 'database "nowhere" does not exist' in refused(postgres.url("nowhere"))


def test_a_database_without_unicode(postgres: Server) -> None:
    """A store that fails at the first page that is not in Latin letters."""
    postgres.execute("CREATE DATABASE latin TEMPLATE template0 ENCODING 'LATIN1' "
                     "LOCALE_PROVIDER libc LOCALE 'C'")  # fmt: skip
    assert "its encoding is LATIN1" in refused(postgres.url("latin"))


def test_no_permission_on_a_server(postgres: Server) -> None:
    """A traceback for a user who may read but not create tables."""
    url = postgres.database()
    postgres.execute("CREATE ROLE guest LOGIN")
    assert "permission denied" in refused(url.replace("postgres@", "guest@"))


@contextmanager
def nobody() -> Iterator[Path]:
    """Yield a folder of a user who is not root; the process works as that user."""
    if os.geteuid() != 0:
        with tempfile.TemporaryDirectory() as folder:
            yield Path(folder)
        return
    with tempfile.TemporaryDirectory() as folder:
        os.chown(folder, 65534, 65534)
        os.seteuid(65534)
        try:
            yield Path(folder)
        finally:
            os.seteuid(0)


def test_no_permission_to_write() -> None:
    """A traceback for a read-only file or folder, or a store that fails later."""
    with nobody() as folder:
        path = folder / "a.db"
        open_store(path, create=True).close()
        before = everything(folder)
        path.chmod(0o400)
        assert refused(path) == f"{path}: cannot be written"
        path.chmod(0o600)
        folder.chmod(0o500)
        assert refused(path) == f"{path}: nothing can be written in {folder}"
        assert refused(folder / "b.db") == f"{folder / 'b.db'}: nothing can be written in {folder}"
        folder.chmod(0o700)
        assert everything(folder) == before


def test_a_locked_file(tmp_path: Path) -> None:
    """Endless waiting for another program, or a message without the waiting time."""
    path = tmp_path / "a.db"
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("CREATE TABLE x (y)")
    other.execute("BEGIN EXCLUSIVE")
    message = f"{path}: is locked by another program; waited 0.2 seconds"
    assert refused(path) == message
    other.close()
    path.unlink()
    with open_store(path, create=True, patience=0.2) as store, store.transaction():
        second = open_store(path, patience=0.2)  # it is up to date: nothing is to be written
        with second, pytest.raises(StoreError) as caught, second.transaction():
            pass
        assert str(caught.value) == message
        with second, second.reading() as connection:
            assert connection.execute(select(settings.c.name)).scalars().all() == ["format"]


def test_a_locked_table(postgres: Server) -> None:
    """Endless waiting for a lock on a server."""
    url = postgres.database()
    with open_store(url, create=True, patience=0.2) as store:
        update = text("UPDATE settings SET value = value")
        with store.transaction() as connection:
            connection.execute(update)
            locked = pytest.raises(StoreError, match=r"waited 0\.2 seconds")
            with locked, store.transaction() as second:
                second.execute(update)


@pytest.mark.long
def test_processes_that_make_it_at_once(place: str) -> None:
    """Two processes that both create the tables, so that one fails or finds half of them."""
    script = ("import sys; from counterpoint.crawler.store.opening import open_store\n"
              "sys.stdin.read(1)\n"
              "open_store(sys.argv[1], create=True).close()")  # fmt: skip
    started = [
        subprocess.Popen([sys.executable, "-c", script, place], stdin=subprocess.PIPE,
                         stderr=subprocess.PIPE, text=True)
        for _ in range(4)
    ]  # fmt: skip
    for process in started:
        assert process.stdin is not None
        process.stdin.write("x")
        process.stdin.flush()
    for process in started:
        _, errors = process.communicate(timeout=120)
        assert (process.returncode, errors) == (0, "")
    open_store(place).close()


def test_a_server_that_comes_back(postgres: Server) -> None:
    """A pool whose connections stay broken after the server was restarted."""
    with open_store(postgres.database(), create=True) as store:
        with store.reading():
            pass
        postgres.stop()
        with pytest.raises(StoreError), store.reading():
            pass
        postgres.start()
        with store.reading() as connection:
            assert connection.execute(select(settings.c.name)).scalars().all() == ["format"]


def test_names_that_are_no_addresses_of_files(tmp_path: Path) -> None:
    """A name with special characters of URIs, for which another file is created."""
    for name in ("a?mode=ro.db", "50%20.db", "a#b.db", "ä ö.db", ":memory:"):
        open_store(tmp_path / name, create=True).close()
        with closing(sqlite3.connect(tmp_path / name)) as connection:
            assert connection.execute("SELECT 1 FROM settings").fetchone() == (1,)
    assert len(everything(tmp_path)) == 5


def test_a_damaged_file(tmp_path: Path) -> None:
    """A traceback for a store whose file is damaged in the middle."""
    path = tmp_path / "a.db"
    with open_store(path, create=True) as store, store.transaction() as connection:
        rows = [{"name": f"{number}", "value": "x" * 999} for number in range(200)]
        connection.execute(insert(settings), rows)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2] + b"A" * (len(whole) - len(whole) // 2))
    refusal = pytest.raises(CrawlError, match=f"{path}: .*malformed")
    with open_store(path) as store, refusal, store.reading() as connection:
        connection.execute(select(settings)).all()


def test_who_may_only_read(postgres: Server) -> None:
    """A traceback for a user who may only read."""
    url = postgres.database()
    open_store(url, create=True).close()
    refusal = pytest.raises(CrawlError, match="read-only")
    with open_store(url) as store, refusal, store.transaction() as connection:
        connection.execute(text("SET TRANSACTION READ ONLY"))
        connection.execute(text("UPDATE settings SET value = value"))
