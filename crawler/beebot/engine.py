"""The crawl: a loop of events that fetches, and a thread that stores and decides.

A page that was fetched goes to the store's thread, which writes it down and returns what is to be
fetched next. The loop never waits for the database, and the database never for the network. Pages
that come within a moment go there together, and are stored in one transaction: what they change in
common is then written once, and that is most of it. While nothing else is under way nothing is
waited for, so that at a concurrency of 1 each page has a transaction of its own.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from itertools import islice
from typing import NamedTuple

from counterpoint.crawler.errors import CrawlError, StoreError
from counterpoint.crawler.fetching.job import ClosedError, Dispatcher, Fetched

from .answers import Taken
from .planner import CHANGED, Planner, Step

PAUSES = (0.2, 0.5, 1.0, 2.0, 4.0, 8.0)
"""Seconds between attempts to store something that cannot be stored."""
GRACE = 10.0
"""Seconds that requests under way may take when the crawl is stopped."""
TOGETHER = 64
"""Answers that are stored in one transaction, at most: all that may be asked for ahead at the usual
concurrency. With half as many the loop fetches while the thread stores, and as each waits for the
interpreter's lock both take longer (benchmarks/README.md)."""
GATHER = 0.1
"""Seconds that an answer waits for others, while requests are under way."""
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
        Told of each answer when it is stored.
    pauses : sequence of float
        Seconds; one attempt more than these is made to store something.
    """

    def __init__(
        self, planner: Planner, dispatcher: Dispatcher,
        watch: Callable[[Taken], None] | None = None, pauses: tuple[float, ...] = PAUSES,
        grace: float = GRACE, gather: float = GATHER,
    ) -> None:  # fmt: skip
        self._planner, self._dispatcher = planner, dispatcher
        self._watch, self._pauses = watch, pauses
        self._grace, self._gather = grace, gather
        self._thread = ThreadPoolExecutor(1, "store")
        self._stop = asyncio.Event()
        self._come = asyncio.Event()
        self._answers: deque[Fetched] = deque()
        self._others = ""
        self.trouble = "the store"  # until it has led the scheduler to where the crawl was

    def stop(self) -> None:
        """Ask for nothing more, end what is under way, and return."""
        self._stop.set()
        self._come.set()

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
        collecting = loop.create_task(self._collected())
        try:
            return await self._run(collecting)
        finally:
            await self._dispatcher.close(grace=0.0)
            collecting.cancel()
            with suppress(asyncio.CancelledError, CrawlError):
                await collecting
            await loop.run_in_executor(self._thread, self._planner.close)
            self._thread.shutdown(wait=False)

    async def _collected(self) -> None:
        """Take what is fetched as it comes, until somebody stops the crawl."""
        try:
            while not self._stop.is_set():
                self._answers.append(await self._dispatcher.completed())
                self._come.set()
        except ClosedError:
            pass
        finally:
            self._come.set()

    async def _run(self, collecting: asyncio.Task[None]) -> Ended:
        step = await self._stored()
        while not step.ended:
            self._submit(step)
            if self._stop.is_set() or self._out_of_time():
                return await self._closed(collecting)
            if step.more or await self._some(collecting, step.again):
                step = await self._stored()
            else:
                step = Step([])
        return Ended(step.ended, step.ended != CHANGED, step.failed)

    def _submit(self, step: Step) -> None:
        if step.lease is not None:
            self._dispatcher.hold(step.lease)
            self._others = "" if step.busy else OTHERS
        for job in step.jobs:
            self._dispatcher.submit(job)

    def _out_of_time(self) -> bool:
        left = self._planner.left()
        return left is not None and left <= 0

    async def _some(self, collecting: asyncio.Task[None], again: float | None) -> bool:
        """Wait for an answer, or until it is time to look what others have done.

        Returns
        -------
        bool
            Not if somebody stops the crawl or its time is over.
        """
        waits = [seconds for seconds in (self._planner.left(), again) if seconds is not None]
        while not (self._answers or self._stop.is_set()):
            if collecting.done():
                await collecting  # which raises what went wrong
                return False
            self._come.clear()
            try:
                async with asyncio.timeout(min(waits, default=None)):
                    await self._come.wait()
            except TimeoutError:
                self._planner.waits = self.waiting()
                return again is not None and not self._out_of_time()
        await self._gathered()
        return not self._stop.is_set()

    async def _gathered(self) -> None:
        """Wait a moment for more answers, if there may be any."""
        with suppress(TimeoutError):
            async with asyncio.timeout(self._gather):
                while len(self._answers) < TOGETHER and self._dispatcher.under_way():
                    if self._stop.is_set():
                        return
                    self._come.clear()
                    await self._come.wait()

    async def _closed(self, collecting: asyncio.Task[None]) -> Ended:
        """Store what still comes within the grace, and say why the crawl does not go on."""
        await self._dispatcher.close(grace=self._grace)
        await collecting
        with suppress(ClosedError):
            while True:
                self._answers.append(await self._dispatcher.completed())
        step = Step([])
        while self._answers and not step.ended:
            step = await self._stored(ask=False)
        if not step.ended and self._out_of_time():
            step = await self._stored(over=TIME)
        if step.ended and step.ended != CHANGED:
            return Ended(step.ended, True, step.failed)
        return Ended(STOPPED, False)

    async def _stored(self, *, ask: bool = True, over: str = "") -> Step:
        """Let the store's thread do a step; try again if the store cannot do it now.

        Answers leave the queue when they are stored.
        """
        loop, answers = asyncio.get_running_loop(), self._answers
        together = list(islice(answers, TOGETHER))
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
                for _ in together:
                    answers.popleft()
                if self._watch is not None:
                    for taken in step.taken:
                        self._watch(taken)
                return step
        raise AssertionError("the last attempt raises")
