"""Configures SQLite for a link store: a file with many readers and one writer at a time.

Python's own handling of transactions is switched off: it begins them too late, and not before a
CREATE TABLE. A writing transaction begins with BEGIN IMMEDIATE, so that it waits for other writers
at its beginning. A transaction that begins as a reader may be refused when it first writes.
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
"""The most megabytes of the file that each connection caches in memory."""

LOG = 64
"""Megabytes to which a longer write-ahead log is truncated."""

CHECKPOINT = 32
"""Megabytes of the write-ahead log that are moved into the file at once. Many transactions change
the same pages of the file, and each checkpoint waits for the disk."""

_MAGIC = b"SQLite format 3\0"


def engine(path: Path, patience: float, pool: int, *, writes: bool = True) -> Engine:
    """Return an engine; it opens no connection yet.

    Parameters
    ----------
    path : Path
    patience : float
        Seconds that a transaction waits for others.
    pool : int
        Number of connections that stay open.
    writes : bool
        Whether the file and its folder can be written, see `is_writable`.
    """

    def connected() -> sqlite3.Connection:
        # A path and not a URI: in a URI, ? and % in the name of the file have a meaning.
        place = path.absolute() if writes else _without_writing(path)
        connection = sqlite3.connect(place, timeout=patience, isolation_level=None,
                                     check_same_thread=False, uri=not writes)  # fmt: skip
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute(f"PRAGMA cache_size = {-1024 * CACHE}")
        # SQLite's own function changes only ASCII letters.
        connection.create_function("lower", 1, _lower, deterministic=True)
        connection.execute(f"PRAGMA journal_size_limit = {LOG * 2**20}")
        size = connection.execute("PRAGMA page_size").fetchone()[0]
        connection.execute(f"PRAGMA wal_autocheckpoint = {CHECKPOINT * 2**20 // size}")
        return connection

    made = create_engine("sqlite://", creator=connected, poolclass=QueuePool, pool_size=pool,
                         max_overflow=-1)  # fmt: skip

    @event.listens_for(made, "begin")
    def begun(connection: Connection) -> None:
        # Use the driver directly: for so short a statement SQLAlchemy takes longer than SQLite.
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


def _without_writing(path: Path) -> str:
    """Return the URI of a file that must not be written.

    To read a file with a write-ahead log, SQLite writes beside it. If there is no log, or an empty
    one, it may instead take the file as one that nobody changes (``immutable``); else it must find
    the log and its index there already.

    Raises
    ------
    CrawlError
        If there is a log without its index.
    """
    real = path.resolve()  # if the path is a link, the log is beside the file that it names
    log = real.with_name(f"{real.name}-wal")
    there = log.exists() and log.stat().st_size > 0
    if there and not real.with_name(f"{real.name}-shm").exists():
        raise CrawlError(f"{path}: its write-ahead log cannot be read there; copy {real.name} and "
                         f"{log.name} to a folder that can be written")  # fmt: skip
    return f"{path.absolute().as_uri()}?mode=ro{'' if there else '&immutable=1'}"


def _lower(text: str | None) -> str | None:
    return None if text is None else text.lower()


def keep_a_log(database: Engine, where: str) -> None:
    """Switch to a write-ahead log, so that readers do not wait for a writer.

    The file stores this mode.

    Parameters
    ----------
    database : Engine
    where : str
        The name of the store in messages.

    Raises
    ------
    CrawlError
        If SQLite cannot use a write-ahead log there.
    """
    raw = database.raw_connection()
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


def is_writable(path: Path) -> bool:
    """Return whether a file and its folder can be written; SQLite writes into both."""
    real = path.resolve()
    return _writable(real) and _writable(real.parent)


def must_be_usable(where: str | Path, create: bool, reads: bool) -> bool:
    """Check that a path is a SQLite database, or that one may be created there.

    Parameters
    ----------
    where : str or Path
    create : bool
        Whether the file may be missing.
    reads : bool
        Whether it is only read, so that it need not be writable.

    Returns
    -------
    bool
        Whether the file exists.

    Raises
    ------
    CrawlError
        If the path cannot be used.
    """
    path = Path(where)
    try:
        if not str(where) or not path.name or "\0" in str(where):
            raise CrawlError(f"{str(where)!r} names no file")
        _must_be_a_place(path, where)
        there = path.exists()
        if there:
            _must_be_a_database(path, where, reads)
        elif not create:
            raise CrawlError(f"{where}: there is no such file")
        if not reads and not _writable(path.parent):
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


def _must_be_a_database(path: Path, where: str | Path, reads: bool) -> None:
    if not path.is_file():
        raise CrawlError(f"{where}: is no file of data")
    with path.open("rb") as file:
        begins = file.read(len(_MAGIC))
    if begins and begins != _MAGIC:
        raise CrawlError(f"{where}: is no SQLite database")
    if not reads and not _writable(path):
        raise CrawlError(f"{where}: cannot be written")


def _writable(path: Path) -> bool:
    return os.access(path, os.W_OK, effective_ids=os.access in os.supports_effective_ids)
