"""Runs a crawl that is kept in a store, over HTTP; the command line starts it."""

from __future__ import annotations

import asyncio
import os
import secrets
import signal
import socket
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.fetching.clock import VirtualClock, elapsed
from counterpoint.crawler.fetching.dispatcher import PoliteDispatcher
from counterpoint.crawler.fetching.guard import Guard
from counterpoint.crawler.fetching.job import HostState, Tuning
from counterpoint.crawler.fetching.manners import POLITE, Limits, Manners
from counterpoint.crawler.fetching.memory import keep_memory, look_seldom
from counterpoint.crawler.fetching.network import Fetcher, Network
from counterpoint.crawler.fetching.politeness import is_here
from counterpoint.crawler.fetching.room import BodyRoom
from counterpoint.crawler.fetching.warc import Warc
from counterpoint.crawler.limits import LEAVING
from counterpoint.crawler.policy.protocol import Scope
from counterpoint.crawler.store.opening import Store
from counterpoint.crawler.store.reconnecting import reconnecting
from counterpoint.crawler.store.recording import Recording

from .beginning import StartedPlan, begin
from .engine import STOPPED, CrawlEnd, Engine
from .in_progress import ahead_of
from .lease_log import LeaseLog
from .leases import LEASE, Worker, database_clock
from .planner import CHANGED, LOOK, Planner
from .stored_answer import StoredAnswer

ASKED = 5
"""How often a worker asks for the time of the database, to find an answer that came quickly."""
SIGNALS = (signal.SIGINT, signal.SIGTERM)

MakeFetcher = Callable[[str, Callable[[], float], Limits], Fetcher]
"""Makes the web that a text names: gets its clock, in seconds, and the limits of answers."""


def crawl(
    store: Store, begun: StartedPlan, watch: Callable[[StoredAnswer], None] | None = None,
    started: Callable[[Engine], None] | None = None, lease: float = LEASE,
    leave: Callable[[], object] | None = None, lease_log: Path | None = None,
    webs: MakeFetcher | None = None,
) -> CrawlEnd:  # fmt: skip
    """Crawl until the plan ends or a signal comes.

    If the settings change meanwhile so that another plan follows, or if they say that the pages
    are kept fresh from then on, that plan is crawled next.

    Parameters
    ----------
    store : Store
        A SQLite store must be locked by this process (`holding`); a PostgreSQL store may be crawled
        by several processes.
    begun : StartedPlan
    watch : callable, optional
        Called with each answer after it was stored.
    started : callable, optional
        Called with the engine before it runs.
    lease : float
        Seconds after which other workers take over the visits of this process, if it dies.
    leave : callable, optional
        Called at a second signal, or if the crawl has not stopped `LEAVING` seconds after the
        first; it should end the process at once, in the midst of a transaction. By default the
        crawl is cancelled, which waits for the transaction to end.
    lease_log : Path, optional
        A file to which a line of JSON is appended for each step of this worker's leases.
    webs : callable, optional
        Makes the web that the setting ``web`` names.

    Raises
    ------
    CrawlError
        If the crawl cannot continue. Nothing that was stored is lost.
    """
    keep_memory()
    look_seldom()
    process = _Process(lease, leave, lease_log, webs)
    while True:
        while begun.waits:
            time.sleep(LOOK / 4)
            begun = reconnecting(partial(begin, store))
        if begun.ended:
            return CrawlEnd(begun.ended, True)
        with asyncio.Runner(loop_factory=_loop) as runner:
            ended = runner.run(_crawled(store, begun, watch, started, process))
        goes_on = ended.over and not ended.failed and begun.settings.revisit
        if ended.why != CHANGED and (not goes_on or begun.plan.keeps):
            return ended
        begun = reconnecting(partial(begin, store))


class _Process(NamedTuple):
    """The parameters of `crawl` that are the same for all plans."""

    lease: float
    leave: Callable[[], object] | None
    lease_log: Path | None
    webs: MakeFetcher | None


async def _crawled(
    store: Store, begun: StartedPlan, watch: Callable[[StoredAnswer], None] | None,
    started: Callable[[Engine], None] | None, process: _Process,
) -> CrawlEnd:  # fmt: skip
    agent = begun.settings.agent or f"counterpoint/{version('counterpoint')}"
    warc = None if begun.settings.warc is None else Warc(Path(begun.settings.warc), agent)
    worker = None
    try:
        if store.dialect != "sqlite":
            worker = _worker(store, begun.settings.delay, process.lease, process.lease_log)
        limits = Limits(rules=begun.plan.options.rules.answers)
        offline = _offline(store, begun, limits, worker, process.webs)
        clock = None if offline is None else offline.clock
        dispatcher = _dispatcher(store, begun, agent, warc, worker, offline)
        ahead = ahead_of(begun.settings.concurrency)
        if clock is None:
            planner = Planner(store, ahead, worker=worker)
        else:
            # A budget of time is one of virtual time only in a rehearsal, which has its own days.
            now = clock.now if begun.settings.web else time.monotonic
            planner = Planner(store, ahead, now, worker, clock.now)
        settings = begun.settings
        engine = Engine(planner, dispatcher, watch, sleep=None if clock is None else clock.pause,
                        tuning=Tuning(settings.concurrency, settings.delay))  # fmt: skip
        if started is not None:
            started(engine)
        with _stopped_by_signals(engine, process.leave):
            return await engine.run()
    except asyncio.CancelledError:
        return CrawlEnd(STOPPED, False)
    finally:
        if warc is not None:
            warc.close()
        if worker is not None and worker.log is not None:
            worker.log.close()


def _worker(
    store: Store, delay: float | None, lease: float, lease_log: Path | None = None
) -> Worker:
    """Return this process as one of several workers, with a clock set by that of the database.

    The clock is never ahead of the database's. It is behind by at most the time that the quickest
    of several answers took.

    Parameters
    ----------
    store : Store
    delay : float or None
        Seconds between requests to a host; None: the polite default.
    lease : float
        Seconds that a lease lasts.
    lease_log : Path, optional
        A file to which the worker appends what it does.
    """

    def measured() -> tuple[float, float]:
        with store.reading() as connection:
            recording, found = Recording(connection), []
            for _ in range(ASKED):
                before = elapsed()
                now = database_clock(recording)
                after = elapsed()
                found.append((after - before, now - after))
        return min(found)

    behind, ahead = reconnecting(measured)
    name = f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(4)}"
    least = POLITE if delay is None else delay

    def here() -> float:
        return ahead + elapsed()

    log = None if lease_log is None else LeaseLog(lease_log, name, here)
    return Worker(name, here, lease, least, behind=behind, log=log)


class _Offline(NamedTuple):
    """What answers in place of a network, and its virtual clock; None: time passes as usual."""

    fetcher: Fetcher
    clock: VirtualClock | None


def _offline(
    store: Store, begun: StartedPlan, limits: Limits, worker: Worker | None,
    webs: MakeFetcher | None,
) -> _Offline | None:  # fmt: skip
    """Return what answers in place of a network, if the settings say so.

    Time is virtual if one process makes one request at a time: others need one clock for all pages.
    """
    settings, clock = begun.settings, VirtualClock(0.0)
    if settings.replay is not None:
        from counterpoint.crawler.archives.fetcher import ArchiveFetcher  # few crawls need it

        archive = ArchiveFetcher(Path(settings.replay), limits)
        clock = VirtualClock(max(float(archive.web.begin), last_time(store)))
        fetcher: Fetcher = archive
    elif settings.web:
        if webs is None:
            raise CrawlError(f"--web {settings.web}: this program cannot make it")
        clock = VirtualClock(last_time(store))
        fetcher = webs(settings.web, clock.now, limits)
    else:
        return None
    return _Offline(fetcher, clock if worker is None and settings.concurrency == 1 else None)


def _dispatcher(
    store: Store, begun: StartedPlan, agent: str, warc: Warc | None, worker: Worker | None,
    offline: _Offline | None,
) -> PoliteDispatcher:  # fmt: skip
    settings, plan = begun.settings, begun.plan
    sites = frozenset(one.site for one in plan.options.sites)
    private = settings.allow_private or private_starts(begun)
    limits = Limits(rules=plan.options.rules.answers)
    room, delay = BodyRoom(), settings.delay
    now = None if worker is None else worker.here
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    if offline is not None:
        fetcher, delay = offline.fetcher, delay or 0.0
        if offline.clock is not None:
            now, sleep = offline.clock.now, offline.clock.pause
    else:
        keep = None if warc is None else warc.keep
        fetcher = Network(settings.proxy, agent=agent, limits=limits, guard=Guard(private=private),
                          keep=keep, room=room)  # fmt: skip
    proxy = fetcher.proxy if isinstance(fetcher, Network) else None
    manners = Manners(
        agent, settings.robots, delay, plan.scope is not Scope.SITE and worker is None,
        sites.__contains__ if plan.stays else None, plan.options.rules.problem, private,
    )  # fmt: skip
    dispatcher = PoliteDispatcher(
        fetcher, concurrency=settings.concurrency, manners=manners, limits=limits,
        recall=lambda host: recalled(store, host), seed=settings.seed,
        through_here=proxy is not None and is_here(proxy),
        now=now, sleep=sleep, room=room,
        behind=0.0 if worker is None else worker.behind,
    )  # fmt: skip
    if worker is not None and worker.log is not None:
        dispatcher.hosts.began = worker.log.ask
    return dispatcher


def last_time(store: Store) -> float:
    """Return when the last answer in the store came, in seconds since 1970; 0 if there is none."""
    with store.reading() as connection:
        return Recording(connection).read("last time")[0].time or 0.0


def recalled(store: Store, host: str) -> HostState | None:
    """Return the state of a host from the store; None if the store does not know the host."""
    with store.reading() as connection:
        rows = Recording(connection).read("host", host=host)
    return HostState(*rows[0]) if rows else None


def private_starts(begun: StartedPlan) -> bool:
    """Return whether the address of a start page is on a private network."""
    guard = Guard()
    return any(is_here(one.start) or guard.problem(one.start) for one in begun.plan.options.sites)


@contextmanager
def _stopped_by_signals(engine: Engine, leave: Callable[[], object] | None) -> Iterator[None]:
    """Stop the crawl at the first signal, and leave it at the second, see `crawl`."""
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    assert task is not None
    at_once = task.cancel if leave is None else leave
    late: asyncio.TimerHandle | None = None

    def stop() -> None:
        nonlocal late
        if late is None:
            late = loop.call_later(LEAVING, at_once)
            engine.stop()
        else:
            at_once()

    with suppress(NotImplementedError, ValueError, RuntimeError):  # not here, or not in this thread
        for number in SIGNALS:
            loop.add_signal_handler(number, stop)
    try:
        yield
    finally:
        if late is not None:
            late.cancel()
        with suppress(NotImplementedError, ValueError, RuntimeError):  # as above
            for number in SIGNALS:
                loop.remove_signal_handler(number)


def _loop() -> asyncio.AbstractEventLoop:
    try:
        import uvloop
    except ImportError:  # Windows
        return asyncio.new_event_loop()
    return uvloop.new_event_loop()
