"""Serves a web while a crawler crawls it, and ends the crawler in time."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections import deque
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from counterpoint.sim_web import profile as profiles
from counterpoint.sim_web.generator import Web
from counterpoint.sim_web.record import Header
from counterpoint.sim_web.server import AccessLog, RealClock, Server, VirtualClock
from counterpoint.sim_web.world.site import SyntheticSite

from . import processes
from .runs import TAIL, Crawl

LOG, OUTPUT, SEEDS = "access.jsonl", "output.txt", "seeds.txt"
"""The files of a run."""

_LOOK = 0.02
"""Seconds between two looks at the crawler."""

_KEPT = 1 << 20
"""Bytes of the crawler's output that are kept, the last ones."""


@dataclass(frozen=True)
class Ended:
    """How a crawler ended: ``exit``, ``budget``, ``timeout`` or ``not started``.

    Attributes
    ----------
    how : str
    exit_code : int or None
    seconds : float
    tail : str
        The last lines of its output; for a crawler that was not started, the reason.
    """

    how: str
    exit_code: int | None
    seconds: float
    tail: str


class _CountedLog(AccessLog):
    """A log that knows when a budget of different pages is fetched."""

    def __init__(self, path: Path, header: Header, budget: int | None) -> None:
        self._budget = budget
        self._pages: set[str] = set()
        super().__init__(path, header)

    def write(self, lines: Sequence[str]) -> None:
        super().write(lines)
        if self._budget is None:
            return
        for line in lines:
            whole = '"status": 200' in line and '"method": "GET"' in line
            if whole and ('"kind": "page"' in line or '"kind": "alias"' in line):
                self._pages.add(line.rpartition('"page": ')[2].partition(",")[0])

    @property
    def is_spent(self) -> bool:
        """Whether the budget is fetched."""
        return self._budget is not None and len(self._pages) >= self._budget


class _Output:
    """Reads the output of a crawler as it comes, and keeps the end of it."""

    def __init__(self) -> None:
        self._read, self.write = os.pipe()
        os.set_blocking(self._read, False)
        self._parts: deque[bytes] = deque()
        self._size = 0

    def take(self) -> None:
        """Read what is there."""
        while True:
            try:
                part = os.read(self._read, 1 << 16)
            except BlockingIOError:
                return
            if not part:
                return
            self._parts.append(part)
            self._size += len(part)
            while self._size - len(self._parts[0]) > _KEPT:
                self._size -= len(self._parts.popleft())

    def close(self) -> bytes:
        """Read the rest, close the pipe, and return the kept output."""
        self.take()
        os.close(self._read)
        if self.write >= 0:
            os.close(self.write)
        return b"".join(self._parts)

    def close_write(self) -> None:
        """Close this process's end for writing."""
        os.close(self.write)
        self.write = -1


def crawl(web: Web, todo: Crawl, starts: Sequence[str], sessions: processes.Sessions) -> Ended:
    """Serve a web to a crawler until it ends, or is ended; its files are in the crawl's folder.

    Parameters
    ----------
    web : Web
    todo : Crawl
    starts : sequence of str
        Start addresses.
    sessions : Sessions
        Starts and ends the crawler.
    """
    return _run(_crawl(web, todo, starts, sessions))


async def _crawl(
    web: Web, todo: Crawl, starts: Sequence[str], sessions: processes.Sessions
) -> Ended:
    subject, folder = todo.subject, todo.folder
    header = Header(profiles.to_mapping(web.profile), web.pages, web.seed, {}, subject.real_time)
    budget = subject.pages if subject.ended_at_budget else None
    log = _CountedLog(folder / LOG, header, budget)
    clock = RealClock() if subject.real_time else VirtualClock()
    server = Server(SyntheticSite(web), clock, limits=web.profile.limits, log=log)
    await server.start()
    seeds = folder / SEEDS
    seeds.write_text("".join(f"{start}\n" for start in starts), encoding="utf-8")
    values = {
        "proxy": server.proxy, "start": starts[0], "seeds_file": seeds.resolve(),
        "pages": subject.pages or web.pages, "seed": todo.seed, "web_pages": web.pages,
    }  # fmt: skip
    output = _Output()
    try:
        return await _watched(todo, values, server, log, output, sessions)
    finally:
        (folder / OUTPUT).write_bytes(output.close())
        await server.stop()


async def _watched(
    todo: Crawl,
    values: dict[str, Any],
    server: Server,
    log: _CountedLog,
    output: _Output,
    sessions: processes.Sessions,
) -> Ended:
    subject, begun = todo.subject, time.monotonic()
    arguments = subject.command.filled(values)
    env = environment(dict(os.environ), dict(subject.env), server.proxy)
    try:
        session = sessions.start(arguments, subject.cwd, env, output.write)
    except OSError as error:
        return Ended("not started", None, 0.0, _why(error, arguments[0], subject.cwd))
    output.close_write()
    how, code = "exit", None
    while (code := processes.ended(session)) is None:
        output.take()
        if server.core.failed.done():
            how = "log"
        elif log.is_spent:
            how = "budget"
        elif time.monotonic() - begun > subject.timeout:
            how = "timeout"
        if how != "exit":
            break
        await asyncio.sleep(_LOOK)
    seconds = time.monotonic() - begun
    await asyncio.to_thread(sessions.end, session)
    if how == "log":
        await server.core.failed
    output.take()
    return Ended(how, code, seconds, tail_of(output))


def tail_of(output: _Output) -> str:
    """Return the last lines of an output, without characters that would move a cursor."""
    text = b"".join(output._parts).decode("utf-8", "replace")
    lines = [line.rstrip() for line in text.splitlines() if line.strip()][-TAIL:]
    shown = ("".join(sign if sign.isprintable() else " " for sign in line) for line in lines)
    return "\n".join(line[:500] for line in shown)


def environment(present: dict[str, str], own: dict[str, str], proxy: str) -> dict[str, str]:
    """Return the environment of a crawler: this process's, the subject's, and the proxy.

    No other setting of proxies stays, because ``no_proxy`` would lead the crawler past the web.
    The folder of this Python is searched for programs last, as if its environment was activated.
    """
    kept = {name: value for name, value in (present | own).items() if "proxy" not in name.lower()}
    path = kept.get("PATH", os.defpath)
    kept["PATH"] = os.pathsep.join([path, str(Path(sys.executable).parent)])
    return kept | {"http_proxy": proxy, "HTTP_PROXY": proxy}


def _why(error: OSError, program: str, cwd: Path) -> str:
    if not cwd.is_dir():
        return f"there is no folder {cwd}"
    if isinstance(error, FileNotFoundError):
        return f"the program {program} was not found"
    return f"{program}: {error.strerror}"


def _run(coroutine: Coroutine[Any, Any, Ended]) -> Ended:
    try:
        import uvloop
    except ImportError:  # it does not exist for Windows
        return asyncio.run(coroutine)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(coroutine)
