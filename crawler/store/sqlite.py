"""SQLite as a link store needs it: a file, many readers and one writer at a time.

Python's own handling of transactions is switched off: it begins them too late, and not around a
CREATE TABLE. A transaction that writes begins with BEGIN IMMEDIATE, so it waits for its turn at
its beginning; one that begins as a reader and then writes may be refused in its middle.
"""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import QueuePool

from counterpoint.crawler.errors import CrawlError

CACHE = 32
"""Megabytes of a file that each connection keeps in memory at most."""

LOG = 64
"""Megabytes to which the write-ahead log is cut when it was longer."""

CHECKPOINT = 32
"""Megabytes of that log that are written into the file together: many transactions change the same
pages of it, and each time the disk is waited for."""

_MAGIC = b"SQLite format 3\0"


def engine(path: Path, patience: float, pool: int) -> Engine:
    """Return an engine; nothing is opened yet."""

    def connected() -> sqlite3.Connection:
        # By its path as it is: in a URI, a name with ? or % in it would be another name.
        connection = sqlite3.connect(path.absolute(), timeout=patience, isolation_level=None,
                                     check_same_thread=False)  # fmt: skip
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute(f"PRAGMA cache_size = {-1024 * CACHE}")
        # SQLite's own knows the letters of ASCII only.
        connection.create_function("lower", 1, _lower, deterministic=True)
        connection.execute(f"PRAGMA journal_size_limit = {LOG * 2**20}")
        size = connection.execute("PRAGMA page_size").fetchone()[0]
        connection.execute(f"PRAGMA wal_autocheckpoint = {CHECKPOINT * 2**20 // size}")
        return connection

    made = create_engine("sqlite://", creator=connected, poolclass=QueuePool, pool_size=pool,
                         max_overflow=-1)  # fmt: skip

    @event.listens_for(made, "begin")
    def begun(connection: Connection) -> None:
        # By the driver itself: around so short a statement SQLAlchemy takes longer than SQLite.
        reads = connection.get_execution_options().get("reads", False)
        raw = connection.connection.driver_connection
        assert raw is not None
        statement = "BEGIN" if reads else "BEGIN IMMEDIATE"
        try:
            if connection.info.get("reads") is not reads:
                raw.execute(f"PRAGMA query_only = {int(reads)}")
                connection.info["reads"] = reads
            raw.execute(statement)
        except sqlite3.Error as error:
            raise DBAPIError.instance(statement, None, error, sqlite3.Error) from error

    return made


def _lower(text: str | None) -> str | None:
    return None if text is None else text.lower()


def keep_a_log(of: Engine, where: str) -> None:
    """Let readers and a writer work at the same time; the file remembers it."""
    raw = of.raw_connection()
    try:
        cursor = raw.cursor()
        cursor.execute("PRAGMA journal_mode = WAL")
        mode = cursor.fetchone()
    except sqlite3.Error as error:
        raise CrawlError(f"{where}: {error}") from error
    finally:
        raw.close()
    if mode != ("wal",):
        raise CrawlError(f"{where}: SQLite can keep no write-ahead log there")


def must_be_usable(where: str | Path, create: bool) -> bool:
    """Refuse a path that is no SQLite database, or may not become one.

    Returns
    -------
    bool
        Whether there is a file.
    """
    path = Path(where)
    try:
        if not str(where) or not path.name or "\0" in str(where):
            raise CrawlError(f"{str(where)!r} names no file")
        _must_be_a_place(path, where)
        there = path.exists()
        if there:
            _must_be_a_database(path, where)
        elif not create:
            raise CrawlError(f"{where}: there is no such file")
        if not _writable(path.parent):
            raise CrawlError(f"{where}: nothing can be written in {path.parent.absolute()}")
    except CrawlError:
        raise
    except (OSError, ValueError) as error:
        raise CrawlError(f"{str(where)!r}: {getattr(error, 'strerror', None) or error}") from error
    return there


def _must_be_a_place(path: Path, where: str | Path) -> None:
    if path.is_dir():
        raise CrawlError(f"{where}: is a folder")
    if not path.parent.is_dir():
        raise CrawlError(f"{where}: there is no folder {path.parent}")


def _must_be_a_database(path: Path, where: str | Path) -> None:
    if not path.is_file():
        raise CrawlError(f"{where}: is no file of data")
    with path.open("rb") as file:
        begins = file.read(len(_MAGIC))
    if begins and begins != _MAGIC:
        raise CrawlError(f"{where}: is no SQLite database")
    if not _writable(path):
        raise CrawlError(f"{where}: cannot be written")


def _writable(path: Path) -> bool:
    return os.access(path, os.W_OK, effective_ids=os.access in os.supports_effective_ids)
