"""A crawl from its store to the network and back: what the command line starts."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib.metadata import version
from pathlib import Path

from crawler.fetching.dispatcher import PoliteDispatcher
from crawler.fetching.guard import Guard
from crawler.fetching.job import HostState
from crawler.fetching.manners import Limits, Manners
from crawler.fetching.network import Network
from crawler.fetching.politeness import is_here
from crawler.fetching.warc import Warc
from crawler.memory import keep_memory
from crawler.protocol import Scope
from crawler.store.opening import Store
from crawler.store.recording import Recording

from .answers import Taken
from .beginning import Begun, begin
from .engine import STOPPED, Ended, Engine
from .planner import CHANGED, Planner

AHEAD = 4
"""Requests handed out per connection, so that hosts that must wait do not occupy one."""
SIGNALS = (signal.SIGINT, signal.SIGTERM)


def crawl(
    store: Store, begun: Begun, watch: Callable[[Taken], None] | None = None,
    started: Callable[[Engine], None] | None = None,
) -> Ended:  # fmt: skip
    """Crawl until the plan ends or a signal comes; the second one stops at once.

    If another plan is wished meanwhile, that is what is crawled.

    Parameters
    ----------
    store : Store
        Held by this process.
    begun : Begun
    watch : callable, optional
        Told of each page when it is stored.
    started : callable, optional
        Told of the engine before it runs.

    Raises
    ------
    CrawlError
        If the crawl cannot go on. Nothing that was stored is lost.
    """
    keep_memory()
    while True:
        with asyncio.Runner(loop_factory=_loop) as runner:
            ended = runner.run(_crawled(store, begun, watch, started))
        if ended.why != CHANGED:
            return ended
        begun = begin(store)


async def _crawled(
    store: Store, begun: Begun, watch: Callable[[Taken], None] | None,
    started: Callable[[Engine], None] | None,
) -> Ended:  # fmt: skip
    agent = begun.wishes.agent or f"counterpoint/{version('counterpoint')}"
    warc = None if begun.wishes.warc is None else Warc(Path(begun.wishes.warc), agent)
    try:
        dispatcher = _dispatcher(store, begun, agent, warc)
        concurrency = begun.wishes.concurrency
        planner = Planner(store, 1 if concurrency == 1 else AHEAD * concurrency)
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


def _dispatcher(store: Store, begun: Begun, agent: str, warc: Warc | None) -> PoliteDispatcher:
    wishes, plan = begun.wishes, begun.plan
    sites = frozenset(of.site for of in plan.told.sites)
    private = wishes.allow_private or private_starts(begun)
    limits, guard = Limits(), Guard(private=private)
    network = Network(wishes.proxy, agent=agent, limits=limits, guard=guard,
                      keep=None if warc is None else warc.keep)  # fmt: skip
    manners = Manners(
        agent, wishes.robots, wishes.delay, plan.scope is not Scope.SITE,
        sites.__contains__ if plan.stays else None, private,
    )  # fmt: skip
    return PoliteDispatcher(
        network, concurrency=wishes.concurrency, manners=manners, limits=limits,
        recall=lambda host: recalled(store, host), seed=wishes.seed,
        through_here=network.proxy is not None and is_here(network.proxy),
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
        with suppress(NotImplementedError, ValueError, RuntimeError):
            for number in SIGNALS:
                loop.remove_signal_handler(number)


def _loop() -> asyncio.AbstractEventLoop:
    try:
        import uvloop
    except ImportError:  # Windows
        return asyncio.new_event_loop()
    return uvloop.new_event_loop()
