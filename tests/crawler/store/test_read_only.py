"""SQLite stores in places that cannot be written: they are read, and nothing else."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

import pytest
from sqlalchemy import func, select

from counterpoint.console import run
from counterpoint.crawler.errors import CrawlError, StoreError
from counterpoint.crawler.store.opening import open_store
from counterpoint.crawler.store.schema import seeds
from counterpoint.crawler.store.seeds import add
from counterpoint.crawler.store.views import Kind
from counterpoint.main import counterpoint

from .filled import fill
from .test_opening import everything, nobody


@pytest.fixture(autouse=True, scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Load all modules that the commands need: `nobody` may be unable to read them."""
    path = str(tmp_path_factory.mktemp("loaded") / "a.db")
    assert run(counterpoint, ["sites", "--db", path, "add", "http://a.test/"]) == 0
    assert run(counterpoint, ["links", "--db", path, "--format", "csv"]) == 0
    assert run(counterpoint, ["crawl", "R3", "--db", path, "--budget", "0s"]) == 2


@contextmanager
def unwritable(folder: Path) -> Iterator[None]:
    """Make a folder with its files one that cannot be written."""
    for path in folder.iterdir():
        path.chmod(0o400)
    folder.chmod(0o500)
    try:
        yield
    finally:
        folder.chmod(0o700)
        for path in folder.iterdir():
            path.chmod(0o600)


@pytest.mark.parametrize("name", ["a.db", "what? 100%23.db"])
def test_store_is_listed_and_exported_where_nothing_can_be_written(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A store on a read-only medium that cannot be read, or a command that changes it."""
    with nobody() as folder:
        path = folder / name
        with open_store(path, create=True) as store:
            links = fill(store, Random(1))
        before = everything(folder)
        with unwritable(folder):
            assert run(counterpoint, ["links", "--db", str(path), "--format", "csv"]) == 0
            assert len(capsys.readouterr().out.splitlines()) == 1 + len(links[Kind.EXTERNAL])
            assert run(counterpoint, ["sites", "--db", str(path), "list"]) == 0
            assert "http://s2.test/" in capsys.readouterr().out
            for wrong in (["sites", "--db", str(path), "add", "http://b.test/"],
                          ["sites", "--db", str(path), "remove", "1"],
                          ["crawl", "R3", "--db", str(path)]):  # fmt: skip
                assert run(counterpoint, wrong) == 2
                assert capsys.readouterr().err == f"counterpoint: {path}: cannot be written\n"
            with open_store(path, reads=True) as store, pytest.raises(StoreError, match="readonly"):
                add(store, "http://b.test/")
        assert everything(folder) == before


@pytest.mark.parametrize("name", ["a.db", "link.db"])
def test_what_another_process_has_written_is_read(name: str) -> None:
    """Links of a running crawl that a reader without rights to write does not see.

    A symbolic link has its own name and folder, and the log is not there.
    """
    with nobody() as folder:
        path = folder / "a.db"
        with open_store(path, create=True) as store:
            add(store, "http://a.test/")
            (folder / "link.db").symlink_to(path)
            with (
                unwritable(folder),
                open_store(folder / name, reads=True) as other,
                other.reading() as connection,
            ):
                assert connection.scalar(select(func.count()).select_from(seeds)) == 1


def test_log_without_its_index_is_no_part_left_out() -> None:
    """A copy of a file with its write-ahead log, read without what only the log has."""
    with nobody() as folder:
        (folder / "there").mkdir()
        with open_store(folder / "a.db", create=True) as store:
            add(store, "http://a.test/")
            for name in ("a.db", "a.db-wal"):
                shutil.copy(folder / name, folder / "there" / name)
        path = folder / "there" / "a.db"
        with unwritable(path.parent), pytest.raises(CrawlError) as refused:
            open_store(path, reads=True)
        assert str(refused.value) == (
            f"{path}: its write-ahead log cannot be read there; copy {path.name} and "
            f"{path.name}-wal to a folder that can be written"
        )
        with open_store(path, reads=True) as store, store.reading() as connection:
            assert connection.scalar(select(func.count()).select_from(seeds)) == 1


def test_earlier_version_is_not_migrated_where_nothing_can_be_written() -> None:
    """A traceback for a store that must be migrated first."""
    with nobody() as folder:
        path = folder / "a.db"
        open_store(path, create=True).close()
        connection = sqlite3.connect(path)
        connection.execute("UPDATE alembic_version SET version_num = '0001'")
        connection.commit()
        connection.close()
        with unwritable(folder), pytest.raises(CrawlError, match="is of an earlier version, and"):
            open_store(path, reads=True)
