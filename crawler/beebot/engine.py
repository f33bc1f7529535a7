"""The crawl: a loop of events that fetches, and a thread that stores and decides.

A page that was fetched goes to the store's thread, which writes it down and returns what is to be
fetched next. The loop never waits for the database, and the database never for the network.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import NamedTuple

from crawler.errors import StoreError
from crawler.fetching.job import ClosedError, Dispatcher, Fetched

from .answers import Taken
from .planner import CHANGED, Planner, Step

PAUSES = (0.2, 0.5, 1.0, 2.0, 4.0, 8.0)
"""Seconds between attempts to store something that cannot be stored."""
GRACE = 10.0
"""Seconds that requests under way may take when the crawl is stopped."""
TIME = "the time is over"
STOPPED = "stopped"
OTHERS = "what other workers fetch"


class Ended(NamedTuple):
    """How a crawl came to its end, or to a stop.

    Attributes
    ----------
    why : str
    over : bool
        Whether the plan has ended; else the crawl can go on.
    failed : bool
        Whether the policy did what none may do.
    """

    why: str
    over: bool
    failed: bool = False


class Engine:
    """Runs the plan of a store.

    Parameters
    ----------
    planner : Planner
    dispatcher : Dispatcher
    watch : callable, optional
        Told of each answer when it is stored.
    pauses : sequence of float
        Seconds; one attempt more than these is made to store something.
    """

    def __init__(
        self, planner: Planner, dispatcher: Dispatcher,
        watch: Callable[[Taken], None] | None = None, pauses: tuple[float, ...] = PAUSES,
        grace: float = GRACE,
    ) -> None:  # fmt: skip
        self._planner, self._dispatcher = planner, dispatcher
        self._watch, self._pauses, self._grace = watch, pauses, grace
        self._thread = ThreadPoolExecutor(1, "store")
        self._stop = asyncio.Event()
        self._flying = 0
        self._others = ""
        self.trouble = "the store"  # until it has led the scheduler to where the crawl was

    def stop(self) -> None:
        """Ask for nothing more, end what is under way, and return."""
        self._stop.set()

    def waiting(self) -> str:
        """Return what the crawl waits for now, in one line; "" if for nothing."""
        if self._stop.is_set():
            return self.trouble or "what is under way, and stops then"
        return self.trouble or self._dispatcher.waiting() or self._others

    async def run(self) -> Ended:
        """Crawl until the plan ends or somebody stops it.

        Raises
        ------
        StoreError
            What was fetched cannot be stored, again and again. Nothing that was stored is lost.
        CrawlError
            The policy does not repeat itself, or nothing can be fetched at all.
        """
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(self._thread, self._planner.open)
        try:
            return await self._run()
        finally:
            await self._dispatcher.close(grace=0.0)
            await loop.run_in_executor(self._thread, self._planner.close)
            self._thread.shutdown(wait=False)

    async def _run(self) -> Ended:
        step = await self._stored()
        while not step.ended:
            self._submit(step)
            fetched = None
            if not step.more and not self._is_over():
                fetched = await self._next(step.again)
            if fetched is None and self._is_over():
                return await self._closed()
            step = await self._stored(fetched)
        return Ended(step.ended, step.ended != CHANGED, step.failed)

    def _is_over(self) -> bool:
        return self._stop.is_set() or self._out_of_time()

    def _submit(self, step: Step) -> None:
        if step.lease is not None:
            self._dispatcher.hold(step.lease)
            self._others = "" if step.busy else OTHERS
        for job in step.jobs:
            self._dispatcher.submit(job)
        self._flying += len(step.jobs)

    def _out_of_time(self) -> bool:
        left = self._planner.left()
        return left is not None and left <= 0

    async def _next(self, again: float | None) -> Fetched | None:
        """Wait for an answer; None: it is time for something else, or the crawl is stopped."""
        left = self._planner.left()
        waits = [seconds for seconds in (left, again) if seconds is not None]
        completed = asyncio.ensure_future(self._dispatcher.completed())
        stopped = asyncio.ensure_future(self._stop.wait())
        try:
            done, _ = await asyncio.wait(
                (completed, stopped), timeout=min(waits, default=None),
                return_when=asyncio.FIRST_COMPLETED,
            )  # fmt: skip
        finally:
            stopped.cancel()
            if not completed.done():
                completed.cancel()
        if completed not in done:
            self._planner.waits = self.waiting()
            return None
        self._flying -= 1
        return completed.result()

    async def _closed(self) -> Ended:
        """Store what still comes within the grace, and say why the crawl does not go on."""
        await self._dispatcher.close(grace=self._grace)
        step = Step([])
        while self._flying and not step.ended:
            try:
                fetched = await self._dispatcher.completed()
            except ClosedError:
                break
            self._flying -= 1
            step = await self._stored(fetched, ask=False)
        if not step.ended and self._out_of_time():
            step = await self._stored(over=TIME)
        if step.ended and step.ended != CHANGED:
            return Ended(step.ended, True, step.failed)
        return Ended(STOPPED, False)

    async def _stored(
        self, fetched: Fetched | None = None, *, ask: bool = True, over: str = ""
    ) -> Step:
        """Let the store's thread do a step; try again if the store cannot do it now."""
        loop = asyncio.get_running_loop()
        call = partial(self._planner.step, fetched, ask=ask, over=over)
        for pause in (*self._pauses, None):
            try:
                step = await loop.run_in_executor(self._thread, call)
            except StoreError as error:
                if pause is None or self._stop.is_set():
                    raise
                self.trouble = str(error)
                await asyncio.sleep(pause)
            else:
                self.trouble = ""
                if step.taken is not None and self._watch is not None:
                    self._watch(step.taken)
                return step
        raise AssertionError("the last attempt raises")
