"""One crawler at a time for a file: who crawls holds a lock that ends with its process.

Beside a SQLite file ``crawl.db`` that is a lock of the system on ``crawl.db-crawler``. A store in
PostgreSQL several processes may crawl together (`leases`).
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from crawler.errors import CrawlError
from crawler.store.opening import Store

try:
    import fcntl
except ImportError:  # Windows: whoever starts two crawlers there is on their own
    fcntl = None  # type: ignore[assignment]

_HELD = "is being crawled by another process"


@contextmanager
def held(store: Store) -> Iterator[None]:
    """Be the only crawler of a store, if it is a file.

    Raises
    ------
    CrawlError
        If another process is; the message names it.
    """
    if store.dialect == "sqlite":
        with _held_file(store.where):
            yield
    else:
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
        return int(os.pread(file, 32, 0))
    return None
