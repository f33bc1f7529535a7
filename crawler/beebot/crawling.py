"""A crawl from its store to the network and back: what the command line starts."""

from __future__ import annotations

import asyncio
import os
import secrets
import signal
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib.metadata import version
from pathlib import Path

from counterpoint.crawler.fetching.dispatcher import PoliteDispatcher
from counterpoint.crawler.fetching.guard import Guard
from counterpoint.crawler.fetching.job import HostState
from counterpoint.crawler.fetching.manners import POLITE, Limits, Manners
from counterpoint.crawler.fetching.memory import keep_memory, look_seldom
from counterpoint.crawler.fetching.network import Network
from counterpoint.crawler.fetching.politeness import is_here
from counterpoint.crawler.fetching.warc import Warc
from counterpoint.crawler.policy.protocol import Scope
from counterpoint.crawler.store.opening import Store
from counterpoint.crawler.store.recording import Recording

from .answers import Taken
from .beginning import Begun, begin
from .engine import STOPPED, Ended, Engine
from .leases import LEASE, Worker, database_clock
from .planner import CHANGED, LOOK, Planner

AHEAD = 4
"""Requests handed out per connection, so that hosts that must wait do not occupy one."""
SIGNALS = (signal.SIGINT, signal.SIGTERM)


def crawl(
    store: Store, begun: Begun, watch: Callable[[Taken], None] | None = None,
    started: Callable[[Engine], None] | None = None, lease: float = LEASE,
) -> Ended:  # fmt: skip
    """Crawl until the plan ends or a signal comes; the second one stops at once.

    If another plan is wished meanwhile, that is what is crawled.

    Parameters
    ----------
    store : Store
        In SQLite it is held by this process; in PostgreSQL several processes may crawl it.
    begun : Begun
    watch : callable, optional
        Told of each page when it is stored.
    started : callable, optional
        Told of the engine before it runs.
    lease : float
        Seconds after which other workers take over what this process fetches, if it dies.

    Raises
    ------
    CrawlError
        If the crawl cannot go on. Nothing that was stored is lost.
    """
    keep_memory()
    look_seldom()
    while True:
        while begun.waits:
            time.sleep(LOOK / 4)
            begun = begin(store)
        if begun.ended:
            return Ended(begun.ended, True)
        with asyncio.Runner(loop_factory=_loop) as runner:
            ended = runner.run(_crawled(store, begun, watch, started, lease))
        if ended.why != CHANGED:
            return ended
        begun = begin(store)


async def _crawled(
    store: Store, begun: Begun, watch: Callable[[Taken], None] | None,
    started: Callable[[Engine], None] | None, lease: float,
) -> Ended:  # fmt: skip
    agent = begun.wishes.agent or f"counterpoint/{version('counterpoint')}"
    warc = None if begun.wishes.warc is None else Warc(Path(begun.wishes.warc), agent)
    try:
        worker = None if store.dialect == "sqlite" else _worker(store, begun.wishes.delay, lease)
        dispatcher = _dispatcher(store, begun, agent, warc, worker)
        concurrency = begun.wishes.concurrency
        ahead = 1 if concurrency == 1 else AHEAD * concurrency
        planner = Planner(store, ahead, worker=worker)
        engine = Engine(planner, dispatcher, watch)
        if started is not None:
            started(engine)
        with _stopped_by_signals(engine):
            return await engine.run()
    except asyncio.CancelledError:
        return Ended(STOPPED, False)
    finally:
        if warc is not None:
            warc.close()


def _worker(store: Store, delay: float | None, lease: float) -> Worker:
    """Return this process as one of several; its clock is set by the database's."""
    with store.reading() as connection:
        before = time.monotonic()
        now = database_clock(Recording(connection))
        ahead = now - (before + time.monotonic()) / 2
    name = f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(4)}"
    least = POLITE if delay is None else delay
    return Worker(name, lambda: ahead + time.monotonic(), lease, least)


def _dispatcher(
    store: Store, begun: Begun, agent: str, warc: Warc | None, worker: Worker | None
) -> PoliteDispatcher:  # fmt: skip
    wishes, plan = begun.wishes, begun.plan
    sites = frozenset(of.site for of in plan.told.sites)
    private = wishes.allow_private or private_starts(begun)
    limits, guard = Limits(), Guard(private=private)
    network = Network(wishes.proxy, agent=agent, limits=limits, guard=guard,
                      keep=None if warc is None else warc.keep)  # fmt: skip
    manners = Manners(
        agent, wishes.robots, wishes.delay, plan.scope is not Scope.SITE and worker is None,
        sites.__contains__ if plan.stays else None, private,
    )  # fmt: skip
    return PoliteDispatcher(
        network, concurrency=wishes.concurrency, manners=manners, limits=limits,
        recall=lambda host: recalled(store, host), seed=wishes.seed,
        through_here=network.proxy is not None and is_here(network.proxy),
        now=None if worker is None else worker.here,
    )  # fmt: skip


def recalled(store: Store, host: str) -> HostState | None:
    """Return what the store knows of a host."""
    with store.reading() as connection:
        rows = Recording(connection).read("host", host=host)
    return HostState(*rows[0]) if rows else None


def private_starts(begun: Begun) -> bool:
    """Tell whether a start page is on a private network, as its address says."""
    guard = Guard()
    return any(is_here(of.start) or guard.problem(of.start) for of in begun.plan.told.sites)


@contextmanager
def _stopped_by_signals(engine: Engine) -> Iterator[None]:
    """Let the first signal stop the crawl, and the second one stop it at once."""
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    assert task is not None
    count = 0

    def stop() -> None:
        nonlocal count
        count += 1
        if count == 1:
            engine.stop()
        else:
            task.cancel()

    with suppress(NotImplementedError, ValueError, RuntimeError):  # not here, or not in this thread
        for number in SIGNALS:
            loop.add_signal_handler(number, stop)
    try:
        yield
    finally:
        with suppress(NotImplementedError, ValueError, RuntimeError):  # as above
            for number in SIGNALS:
                loop.remove_signal_handler(number)


def _loop() -> asyncio.AbstractEventLoop:
    try:
        import uvloop
    except ImportError:  # Windows
        return asyncio.new_event_loop()
    return uvloop.new_event_loop()
