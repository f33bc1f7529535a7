"""The crawl: an event loop that fetches pages, and a thread that stores them and decides.

The store's thread writes each answer to the database and returns the jobs to fetch next. The event
loop never waits for the database, and the database never waits for the network. Answers that come
within a short time are stored in one transaction, since most of what they change is common to them
and is then written once. If no other request is in flight, an answer is stored at once; so at a
concurrency of 1 each page has its own transaction.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import NamedTuple

from counterpoint.crawler.errors import CrawlError, StoreError
from counterpoint.crawler.fetching.job import ClosedError, Dispatcher, Fetched, Tuning
from counterpoint.crawler.fetching.politeness import day_and_time
from counterpoint.crawler.limits import CLOSING, GRACE, TOGETHER, TOGETHER_BYTES
from counterpoint.crawler.store.reconnecting import PAUSES

from .planner import CHANGED, LOOK, Planner
from .planner_step import PlannerStep
from .stored_answer import StoredAnswer

GATHER = 0.1
"""Seconds that an answer waits for others while requests are in flight."""
TIME = "the time is over"
STOPPED = "stopped"
PAUSED = "the end of a pause: counterpoint control --continue"
LOOK_AGAIN = 30.0
"""The most seconds until the planner looks again whether the settings lead to another plan."""
OTHERS = "pages that other workers fetch"


class CrawlEnd(NamedTuple):
    """How a crawl ended or was stopped.

    Attributes
    ----------
    why : str
        The reason, in one line.
    over : bool
        Whether the plan has ended; otherwise the crawl can be resumed.
    failed : bool
        Whether the policy broke a rule for policies.
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
        Called with each answer after it was stored.
    pauses : sequence of float
        Seconds between attempts to store answers; there is one more attempt than pauses.
    grace : float
        Seconds that requests in flight may take when the crawl is stopped.
    gather : float
        Seconds that an answer waits for others while requests are in flight.
    tuning : Tuning, optional
        How requests are made at the beginning; None: as the store says.
    sleep : callable, optional
        Lets virtual time pass, in seconds, while nothing is in flight; None: time passes by itself.
    """

    def __init__(
        self, planner: Planner, dispatcher: Dispatcher,
        watch: Callable[[StoredAnswer], None] | None = None, pauses: tuple[float, ...] = PAUSES,
        grace: float = GRACE, gather: float = GATHER,
        sleep: Callable[[float], Awaitable[None]] | None = None, tuning: Tuning | None = None,
    ) -> None:  # fmt: skip
        self._planner, self._dispatcher, self._sleep = planner, dispatcher, sleep
        self._watch, self._pauses = watch, pauses
        self._grace, self._gather = grace, gather
        self._thread = ThreadPoolExecutor(1, "store")
        self._stop = asyncio.Event()
        self._come = asyncio.Event()
        self._taken = asyncio.Event()
        self._answers: deque[Fetched] = deque()
        self._bytes = 0
        self._drains = False
        self._closing = 0.0
        self._others = self._due = ""
        self.tuning = tuning or Tuning(1, None)
        self._knows = tuning is not None
        self._looks = False
        self.trouble = "the store"  # until the planner has rebuilt the scheduler's state

    def stop(self) -> None:
        """Make no new requests, and let `run` return soon.

        Requests in flight may take ``grace`` seconds. Their answers are stored, unless this takes
        longer than `CLOSING` seconds.
        """
        self._closing = time.monotonic() + CLOSING
        self._stop.set()
        self._come.set()
        self._taken.set()

    def waiting(self) -> str:
        """Return what the crawl waits for now, in one line; "" if it does not wait."""
        if self._stop.is_set():
            return self.trouble or "the requests in flight, and then stops"
        if self._sleep is None and self.tuning.paused and not self._dispatcher.under_way():
            return self.trouble or PAUSED
        return self.trouble or self._dispatcher.waiting() or self._others or self._due

    async def run(self) -> CrawlEnd:
        """Crawl until the plan ends or `stop` is called.

        Raises
        ------
        StoreError
            If answers could not be stored in several attempts. Nothing that was stored is lost.
        CrawlError
            If, in a replay, the policy decides differently than before, or if nothing can be
            fetched at all.
        """
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(self._thread, self._planner.open)
        collecting = loop.create_task(self._collected())
        tuning = None if self._sleep is not None else loop.create_task(self._tuned())
        try:
            return await self._run(collecting)
        finally:
            if tuning is not None:
                tuning.cancel()
            await self._dispatcher.close(grace=0.0)
            collecting.cancel()
            with suppress(asyncio.CancelledError, CrawlError):
                await collecting
            await loop.run_in_executor(self._thread, self._planner.close)
            self._thread.shutdown(wait=False)

    async def _tuned(self) -> None:
        """Look again and again whether the user has paused the crawl, or changed its pace."""
        loop = asyncio.get_running_loop()
        while True:
            with suppress(StoreError):  # the next step of the planner raises it, too
                tuning = await loop.run_in_executor(self._thread, self._planner.tuning)
                if self._knows and tuning != self.tuning:
                    await loop.run_in_executor(self._thread, self._planner.tune, tuning)
                    self._dispatcher.tune(tuning)
                    self._looks = True
                    self._come.set()
                self.tuning, self._knows = tuning, True
            await asyncio.sleep(LOOK)

    async def _collected(self) -> None:
        """Queue the answers as they come, while there is room, until the crawl is stopped."""
        try:
            while not self._stop.is_set():
                if self._bytes >= TOGETHER_BYTES and not self._drains:
                    self._taken.clear()
                    await self._taken.wait()
                    continue
                self._queue(await self._dispatcher.completed())
                self._come.set()
        except ClosedError:
            pass
        finally:
            self._come.set()

    def _queue(self, answer: Fetched) -> None:
        self._answers.append(answer)
        self._bytes += len(answer.body)

    def _together(self) -> list[Fetched]:
        """Return the first answers of the queue, as many as one transaction may store."""
        found, size = list[Fetched](), 0
        for answer in self._answers:
            if found and (len(found) == TOGETHER or size >= TOGETHER_BYTES):
                break
            found.append(answer)
            size += len(answer.body)
        return found

    async def _run(self, collecting: asyncio.Task[None]) -> CrawlEnd:
        step = await self._stored()
        while not step.ended:
            self._submit(step)
            if self._stop.is_set() or self._out_of_time():
                return await self._closed(collecting)
            if step.more or await self._some(collecting, step.again):
                step = await self._stored()
            else:
                step = PlannerStep([])
        return CrawlEnd(step.ended, step.ended != CHANGED, step.failed)

    def _submit(self, step: PlannerStep) -> None:
        self._due = "" if step.due is None else f"the next visit, due at {day_and_time(step.due)}"
        if step.lease is not None:
            self._dispatcher.hold(step.lease)
            self._others = "" if step.busy else OTHERS
        for job in step.jobs:
            self._dispatcher.submit(job)

    def _out_of_time(self) -> bool:
        left = self._planner.left()
        return left is not None and left <= 0

    async def _some(self, collecting: asyncio.Task[None], again: float | None) -> bool:
        """Wait for an answer, or until the planner must look what other workers have done.

        Parameters
        ----------
        collecting : Task
            The task that queues answers.
        again : float or None
            Seconds after which the planner must be called; None: only when an answer comes.

        Returns
        -------
        bool
            Whether to call the planner; False if the crawl is stopped or its time is over.
        """
        if again is not None and self._sleep is None:
            again = min(again, LOOK_AGAIN)
        waits = [seconds for seconds in (self._planner.left(), again) if seconds is not None]
        while not (self._answers or self._looks or self._stop.is_set()):
            if collecting.done():
                await collecting  # this raises the task's error
                return False
            self._come.clear()
            if self._sleep is not None and again is not None and not self._dispatcher.under_way():
                await self._sleep(max(0.0, min(waits)))
                await asyncio.sleep(0)  # virtual time passes at once; others must have their turn
                return not (self._stop.is_set() or self._out_of_time())
            try:
                async with asyncio.timeout(min(waits, default=None)):
                    await self._come.wait()
            except TimeoutError:
                self._planner.waits = self.waiting()
                return again is not None and not self._out_of_time()
        if self._answers:
            await self._gathered()
        self._looks = False
        return not self._stop.is_set()

    async def _gathered(self) -> None:
        """Wait a short time for more answers while requests are in flight."""
        with suppress(TimeoutError):
            async with asyncio.timeout(self._gather):
                while (len(self._answers) < TOGETHER and self._bytes < TOGETHER_BYTES
                       and self._dispatcher.under_way()):  # fmt: skip
                    if self._stop.is_set():
                        return
                    self._come.clear()
                    await self._come.wait()

    async def _closed(self, collecting: asyncio.Task[None]) -> CrawlEnd:
        """Store the answers that come within the grace time, and return how the crawl ended.

        If the crawl was stopped, answers are dropped that cannot be stored in time.
        """
        self._drains = True
        self._taken.set()
        await self._dispatcher.close(grace=self._grace)
        await collecting
        with suppress(ClosedError):
            while True:
                self._queue(await self._dispatcher.completed())
        step = PlannerStep([])
        while self._answers and not step.ended and not self._is_late():
            step = await self._stored(ask=False)
        if not step.ended and self._out_of_time():
            step = await self._stored(over=TIME)
        if step.ended and step.ended != CHANGED:
            return CrawlEnd(step.ended, True, step.failed)
        return CrawlEnd(STOPPED, False)

    def _is_late(self) -> bool:
        """Return whether the crawl was stopped so long ago that nothing more is stored."""
        return self._stop.is_set() and time.monotonic() > self._closing

    async def _stored(self, *, ask: bool = True, over: str = "") -> PlannerStep:
        """Run a step of the planner in the store's thread; retry if the store fails.

        Answers are removed from the queue only after they were stored.

        Parameters
        ----------
        ask : bool
            Whether new requests may be made.
        over : str
            Why the plan ends now; "": it does not.
        """
        loop, answers = asyncio.get_running_loop(), self._answers
        together = self._together()
        call = partial(self._planner.step, together, ask=ask, over=over)
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
                for _ in range(step.taken):
                    self._bytes -= len(answers.popleft().body)
                self._taken.set()
                if self._watch is not None:
                    for answer in step.stored:
                        self._watch(answer)
                return step
        raise AssertionError("the last attempt raises")
