"""The lock of the process that crawls a store; it is released when the process ends.

Only one process may crawl a SQLite file ``crawl.db``: it has an operating system lock on
``crawl.db-crawler``, next to the file. Several processes may crawl a PostgreSQL store together
(`leases`): they share an advisory lock, each by a connection that stays open, so that other
processes can see whether the store is being crawled.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError

from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.store.opening import Store

try:
    import fcntl
except ImportError:  # on Windows there is no protection against two crawlers of one file
    fcntl = None  # type: ignore[assignment]  # a module that is not there

_LOCK = 0x43726177  # any number of our own
_HELD = "is being crawled by another process"


@contextmanager
def crawler_lock(store: Store) -> Iterator[None]:
    """Lock a store for crawling: alone if it is a SQLite file, else shared with other crawlers.

    Raises
    ------
    CrawlError
        If another process crawls the file; the message has its number.
    """
    with _held_file(store.where) if store.dialect == "sqlite" else _shared(store):
        yield


def locking_process(where: str | Path) -> int | None:
    """Return the number of the process that crawls a SQLite store; None if there is none."""
    if fcntl is None or "://" in str(where):
        return None
    try:
        file = os.open(_beside(where), os.O_RDONLY)
    except OSError:
        return None
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return _number(file)
    finally:
        os.close(file)
    return None


def is_crawled(store: Store) -> bool:
    """Return whether a process on any machine crawls a PostgreSQL store."""
    locks = text(
        "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND granted AND classid = 0 "
        "AND objid = :lock AND database = "
        "(SELECT oid FROM pg_database WHERE datname = current_database())"
    )
    with store.reading() as connection:
        return bool(connection.execute(locks, {"lock": _LOCK}).scalar())


@contextmanager
def _shared(store: Store) -> Iterator[None]:
    """Share the advisory lock; if the connection is lost, only `is_crawled` is affected."""
    with store.translated_errors(), store.engine.connect() as connection:
        connection.execute(text("SELECT pg_advisory_lock_shared(:lock)"), {"lock": _LOCK})
        connection.commit()
        try:
            yield
        finally:
            with suppress(SQLAlchemyError):
                connection.execute(text("SELECT pg_advisory_unlock_shared(:lock)"), {"lock": _LOCK})
                connection.commit()


@contextmanager
def _held_file(where: str) -> Iterator[None]:
    if fcntl is None:
        yield
        return
    file = os.open(_beside(where), os.O_RDWR | os.O_CREAT, 0o644)
    try:
        if not _locked(file):
            number = _number(file)
            who = f": process {number}" if number is not None else ""
            raise CrawlError(f"{where}: {_HELD}{who}")
        os.truncate(file, 0)
        os.pwrite(file, f"{os.getpid()}\n".encode(), 0)
        yield
    finally:
        # The file is not removed: a third process could then lock a new file of the same name.
        os.close(file)


def _locked(file: int) -> bool:
    """Try to take the lock, several times: `locking_process` takes it for a moment."""
    for _ in range(20):
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            time.sleep(0.02)
        else:
            return True
    return False


def _beside(where: str | Path) -> Path:
    path = Path(where)
    return path.with_name(f"{path.name}-crawler")


def _number(file: int) -> int | None:
    """Return the process number in the lock file."""
    with suppress(ValueError, OSError):
        number = int(os.pread(file, 32, 0))
        return number if number > 0 else None  # other numbers would mean groups of processes
    return None
