"""Starts, watches and stops the process that crawls; this process outlives the studio.

The studio finds the process by the lock file next to a SQLite store, or by the leases in a
PostgreSQL store, and not among its own children. So a studio that is started later, or a second
one, finds it as well.
"""

from __future__ import annotations

import errno
import getpass
import hashlib
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from math import ceil
from pathlib import Path
from typing import NamedTuple

from aiohttp import web
from sqlalchemy import func, select

from counterpoint.crawler.beebot.holding import is_crawled, locking_process
from counterpoint.crawler.beebot.plan import CrawlSettings
from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.store.opening import Store
from counterpoint.crawler.store.postgresql import url
from counterpoint.crawler.store.recording import Recording
from counterpoint.crawler.store.schema import hosts, plans, visits

CRAWLING: web.AppKey[CrawlProcess] = web.AppKey("crawling")
_TAIL = 16 * 1024


class CrawlState(NamedTuple):
    """The state of the crawl.

    Attributes
    ----------
    name : str
        ``running``, ``stopping`` or ``idle``.
    pid : int or None
        The process, if it runs on this machine.
    waits : str
        The present activity of the crawl, in one line.
    trouble : str
        Why the last crawl that was started here failed, in one line.
    """

    name: str
    pid: int | None = None
    waits: str = ""
    trouble: str = ""


class CrawlProcess:
    """The crawl of a store, as a process.

    Parameters
    ----------
    store : Store
    where : str
        The place of the store as the user gave it, with the password.
    options : sequence of str
        Further arguments of ``counterpoint crawl``.
    """

    def __init__(self, store: Store, where: str, options: Sequence[str] = ()) -> None:
        self._store, self._where, self._options = store, where, options
        self._child: subprocess.Popen[bytes] | None = None
        self._asked: set[int] = set()
        self._trouble = ""
        self._begun = 0
        self._lock = threading.Lock()
        self.log = _log_of(store.where)

    def state(self) -> CrawlState:
        """Return whether a crawl runs, even if another process has started it."""
        with self._lock:
            pid = self._pid()
            if pid is not None:
                name = "stopping" if pid in self._asked else "running"
                return CrawlState(name, pid, waits(self._store))
            if self._elsewhere():
                return CrawlState(
                    "running", None, "Another process crawls; only it can be stopped."
                )
            return CrawlState("idle", trouble=self._trouble)

    def start(self) -> None:
        """Start a crawl, or resume the present one.

        Raises
        ------
        CrawlError
            If a crawl runs already, or the log file cannot be opened.
        """
        with self._lock:
            if self._pid() is not None or self._elsewhere():
                raise CrawlError("the crawl runs already")
            self._trouble = ""
            where, password = _apart(self._where)
            command = [sys.executable, "-m", "counterpoint", "crawl", "--db", where,
                       "--resume", *self._options]  # fmt: skip
            try:
                with open(self.log, "ab", opener=_of_ours) as log:
                    self._begun = log.tell()
                    self._child = subprocess.Popen(
                        command, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                        start_new_session=True, env=os.environ | password,
                    )  # fmt: skip
            except OSError as error:
                raise CrawlError(f"{self.log}: {error.strerror}") from error

    def stop(self) -> bool:
        """Stop the crawl after its pages in flight; at the second call, stop it at once.

        Returns
        -------
        bool
            False if no crawl runs on this machine.

        Raises
        ------
        CrawlError
            If the crawl belongs to another user.
        """
        with self._lock:
            pid = self._pid()
            if pid is None:
                return False
            try:
                os.kill(pid, signal.SIGTERM)
            except PermissionError:
                raise CrawlError(f"process {pid} crawls for another user; only that user can "
                                 "stop it") from None  # fmt: skip
            except ProcessLookupError:
                return False
            self._asked.add(pid)
            return True

    def log_tail(self) -> str:
        """Return the last lines of the log."""
        lines = self._read(0).splitlines()
        return "\n".join(lines[-60:])

    def _elsewhere(self) -> bool:
        return self._store.dialect != "sqlite" and is_crawled(self._store)

    def _pid(self) -> int | None:
        if self._child is not None:
            code = self._child.poll()
            if code is None:
                return self._child.pid
            self._trouble = _trouble(code, self._read(self._begun))
            self._asked.discard(self._child.pid)
            self._child = None
        found = locking_process(self._where)
        if found is None:
            self._asked.clear()
        else:
            self._trouble = ""  # it belongs to an earlier crawl
        return found

    def _read(self, start: int) -> str:
        try:
            with open(self.log, "rb", opener=_of_ours) as file:
                size = file.seek(0, os.SEEK_END)
                file.seek(max(start, size - _TAIL))
                return file.read().decode(errors="replace")
        except OSError:
            return ""


def waits(store: Store) -> str:
    """Return the present activity of a crawl in one line, from the store."""
    with store.reading() as connection:
        plan = connection.execute(select(func.max(plans.c.number))).scalar()
        rows = connection.execute(
            select(visits.c.host, hosts.c.free_at)
            .outerjoin(hosts, hosts.c.host == visits.c.host)
            .where(visits.c.plan == plan, visits.c.observed.is_(None))
        ).all()
        settings = CrawlSettings.of(dict(map(tuple, Recording(connection).read("tuning"))))
        due = connection.execute(select(plans.c.due).where(plans.c.number == plan)).scalar()
    now = time.time()
    flying = {host: free_at or 0.0 for host, free_at in rows}
    if settings.paused:
        return _waits_in_a_pause(len(rows))
    if not flying:
        left = ceil((due or 0.0) - now)
        return f"The next visit is due in {_time(left)}." if left > 0 else ""
    resting = [free_at - now for free_at in flying.values() if free_at > now]
    if len(resting) < len(flying):
        return f"{len(rows):,} page{'s are' if len(rows) > 1 else ' is'} being fetched."
    if len(resting) > 1:
        return (f"Waiting for the crawl delays of {len(resting):,} hosts; the first ends in "
                f"{ceil(min(resting))} s.")  # fmt: skip
    return f"Waiting for the crawl delay of 1 host; it ends in {ceil(min(resting))} s."


def _waits_in_a_pause(flying: int) -> str:
    if not flying:
        return "No request begins until you continue."
    pages = "1 page is" if flying == 1 else f"{flying:,} pages are"
    return f"{pages} still being fetched; no other request begins until you continue."


def _time(seconds: int) -> str:
    """Return a time in words: in seconds, from two minutes on in minutes, then in hours."""
    if seconds < 120:
        return f"{seconds} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


def _log_of(where: str) -> Path:
    """Return the log file of crawls: next to a SQLite file, else among temporary files."""
    if "://" not in where:
        return Path(f"{where}.log")
    name = hashlib.sha256(where.encode()).hexdigest()[:16]
    return Path(tempfile.gettempdir()) / f"counterpoint-{getpass.getuser()}-{name}.log"


def _trouble(code: int, log: str) -> str:
    """Return why a crawl failed, in one line; "" if it ended normally or was stopped.

    Parameters
    ----------
    code : int
        The exit code of the process; negative if a signal ended it.
    log : str
        The output of the process.
    """
    if code in (0, 130, -signal.SIGTERM):
        return ""
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    last = lines[-1] if lines else ""
    if code < 0:
        return f"The crawl was ended by signal {-code}; no link is lost."
    if last.startswith("ended: "):
        return ""  # the plan says why
    return last.removeprefix("counterpoint: ") or f"The crawl ended with exit code {code}."


def _of_ours(path: str, flags: int) -> int:
    """Open a private file; refuse a symbolic link, and a file of another user.

    Raises
    ------
    PermissionError
        If the file belongs to another user.
    """
    file = os.open(path, flags | getattr(os, "O_NOFOLLOW", 0), 0o600)
    if hasattr(os, "getuid") and os.fstat(file).st_uid != os.getuid():
        os.close(file)
        raise PermissionError(errno.EPERM, "belongs to another user", path)
    return file


def _apart(where: str) -> tuple[str, dict[str, str]]:
    """Return a place without its password, and the password as an environment variable.

    The arguments of a process are visible to all users of the machine, its environment is not.
    """
    if "://" not in where:
        return where, {}
    of = url(where)
    if of.password is None:
        return where, {}
    plain = of._replace(password=None)  # to URL.set(), None says nothing
    return plain.render_as_string(), {"PGPASSWORD": of.password}
