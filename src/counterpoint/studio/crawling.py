"""The process that crawls: started, watched and stopped; it outlives the studio.

Who crawls is known by the lock beside a SQLite store, or the leases in a PostgreSQL one, not by
whose child it is: a studio that is started later finds it, and so does one beside another.
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
from pathlib import Path
from typing import NamedTuple

from aiohttp import web
from sqlalchemy import func, select

from counterpoint.crawler.beebot.holding import holder, is_held
from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.store.opening import Store
from counterpoint.crawler.store.postgresql import url
from counterpoint.crawler.store.schema import hosts, plans, visits

CRAWLING: web.AppKey[Crawling] = web.AppKey("crawling")
_TAIL = 16 * 1024


class Running(NamedTuple):
    """Whether a crawl runs.

    Attributes
    ----------
    name : str
        ``running``, ``stopping`` or ``idle``.
    pid : int or None
        Of the process, if it is of this machine.
    waits : str
        What it does or waits for, in one line.
    trouble : str
        Why the last one that was started here failed, in one line.
    """

    name: str
    pid: int | None = None
    waits: str = ""
    trouble: str = ""


class Crawling:
    """The crawl of a store, as a process.

    Parameters
    ----------
    store : Store
    where : str
        As it was given to the studio, password and all.
    options : sequence of str
        Given to ``counterpoint crawl`` as they are.
    """

    def __init__(self, store: Store, where: str, options: Sequence[str] = ()) -> None:
        self._store, self._where, self._options = store, where, options
        self._child: subprocess.Popen[bytes] | None = None
        self._asked: set[int] = set()
        self._trouble = ""
        self._begun = 0
        self._lock = threading.Lock()
        self.log = _log_of(store.where)

    def state(self) -> Running:
        """Return whether a crawl runs, of whoever's child it is."""
        with self._lock:
            pid = self._pid()
            if pid is not None:
                name = "stopping" if pid in self._asked else "running"
                return Running(name, pid, waits(self._store))
            if self._elsewhere():
                return Running("running", None, "Another process crawls; only it can be stopped.")
            return Running("idle", trouble=self._trouble)

    def start(self) -> None:
        """Start a crawl, or let the present one go on.

        Raises
        ------
        CrawlError
            If one runs already, or none can be started.
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
        """Ask the crawl to end when its pages in flight have come; the second time, at once.

        Returns
        -------
        bool
            False if there is none that could be asked.

        Raises
        ------
        CrawlError
            If it is another user's.
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

    def said(self) -> str:
        """Return the last lines that crawls have written."""
        lines = self._read(0).splitlines()
        return "\n".join(lines[-60:])

    def _elsewhere(self) -> bool:
        return self._store.dialect != "sqlite" and is_held(self._store)

    def _pid(self) -> int | None:
        if self._child is not None:
            code = self._child.poll()
            if code is None:
                return self._child.pid
            self._trouble = _trouble(code, self._read(self._begun))
            self._asked.discard(self._child.pid)
            self._child = None
        found = holder(self._where)
        if found is None:
            self._asked.clear()
        else:
            self._trouble = ""  # of an earlier one
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
    """Return what a crawl does or waits for, in one line, as the store tells it."""
    with store.reading() as connection:
        plan = connection.execute(select(func.max(plans.c.number))).scalar()
        rows = connection.execute(
            select(visits.c.host, hosts.c.free_at)
            .outerjoin(hosts, hosts.c.host == visits.c.host)
            .where(visits.c.plan == plan, visits.c.observed.is_(None))
        ).all()
    now = time.time()
    flying = {host: free_at or 0.0 for host, free_at in rows}
    if not flying:
        return ""
    resting = [free_at - now for free_at in flying.values() if free_at > now]
    if len(resting) < len(flying):
        return f"{len(rows):,} page{'s are' if len(rows) > 1 else ' is'} asked for."
    many = f"{len(resting):,} hosts rest, the first" if len(resting) > 1 else "1 host rests"
    return f"{many} for another {min(resting):.0f} s."


def _log_of(where: str) -> Path:
    """Return where crawls write what they say: beside a file, else among temporary files."""
    if "://" not in where:
        return Path(f"{where}.log")
    name = hashlib.sha256(where.encode()).hexdigest()[:16]
    return Path(tempfile.gettempdir()) / f"counterpoint-{getpass.getuser()}-{name}.log"


def _trouble(code: int, said: str) -> str:
    """Return why a crawl failed, in one line; "" if it ended as crawls do, or was stopped."""
    if code in (0, 130, -signal.SIGTERM):
        return ""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    last = lines[-1] if lines else ""
    if code < 0:
        return f"It was ended by signal {-code}; no link is lost."
    if last.startswith("ended: "):
        return ""  # the plan says why
    return last.removeprefix("counterpoint: ") or f"It ended with code {code}."


def _of_ours(path: str, flags: int) -> int:
    """Open a file that we alone read: no symbolic link, and none that somebody else has made."""
    file = os.open(path, flags | getattr(os, "O_NOFOLLOW", 0), 0o600)
    if hasattr(os, "getuid") and os.fstat(file).st_uid != os.getuid():
        os.close(file)
        raise PermissionError(errno.EPERM, "belongs to another user", path)
    return file


def _apart(where: str) -> tuple[str, dict[str, str]]:
    """Return a place without its password, and what tells it to a child: all see its arguments."""
    if "://" not in where:
        return where, {}
    of = url(where)
    if of.password is None:
        return where, {}
    plain = of._replace(password=None)  # to URL.set(), None says nothing
    return plain.render_as_string(), {"PGPASSWORD": of.password}
