"""One crawler at a time for a file: who crawls holds a lock that ends with its process.

Beside a SQLite file ``crawl.db`` that is a lock of the system on ``crawl.db-crawler``. A store in
PostgreSQL several processes may crawl together (`leases`); they share an advisory lock, each by a
connection that stays open, so that others can see whether anybody crawls.
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
except ImportError:  # Windows: whoever starts two crawlers there is on their own
    fcntl = None  # type: ignore[assignment]  # a module that is not there

_LOCK = 0x43726177  # any number of our own
_HELD = "is being crawled by another process"


@contextmanager
def held(store: Store) -> Iterator[None]:
    """Be the only crawler of a store, if it is a file; else one of its crawlers.

    Raises
    ------
    CrawlError
        If another process is; the message names it.
    """
    with _held_file(store.where) if store.dialect == "sqlite" else _shared(store):
        yield


def holder(where: str | Path) -> int | None:
    """Return the process that crawls a SQLite store on this machine; None if there is none."""
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


def is_held(store: Store) -> bool:
    """Tell whether some process crawls a store in PostgreSQL, on whatever machine."""
    locks = text(
        "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND granted AND classid = 0 "
        "AND objid = :lock AND database = "
        "(SELECT oid FROM pg_database WHERE datname = current_database())"
    )
    with store.reading() as connection:
        return bool(connection.execute(locks, {"lock": _LOCK}).scalar())


@contextmanager
def _shared(store: Store) -> Iterator[None]:
    """Share the lock; that it is lost with its connection changes nothing but what others see."""
    with store.engine.connect() as connection:
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
        # The file stays: who removed it would let a third process lock another one of its name.
        os.close(file)


def _locked(file: int) -> bool:
    """Take the lock; whoever only asks who has it, has it for a moment."""
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
    """Return the process that wrote its number into the file."""
    with suppress(ValueError, OSError):
        number = int(os.pread(file, 32, 0))
        return number if number > 0 else None  # others stand for groups of processes
    return None
