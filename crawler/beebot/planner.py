"""Plans in step with the store: one transaction per page, begun anew from the store if one fails.

All of it happens in one thread, that of whoever called `Planner.open`.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from typing import NamedTuple

from sqlalchemy.exc import DBAPIError

from crawler.errors import StoreError
from crawler.fetching.job import Fetched, Job
from crawler.judging import LIMIT
from crawler.store.opening import Store
from crawler.store.recording import Head, Recording
from crawler.watch import TooLong, watched

from .answers import Answers, Taken
from .beginning import outdated
from .plan import Plan, plan_of
from .replay import replay
from .revisits import Revisits
from .run import Failed, Flying, Mark, Run

AT_ONCE = 200
"""Pages recalled in one transaction."""
CHANGED = "another plan is wished"
LOOK = 1.0
"""Seconds after which it is looked whether somebody wishes another plan."""


class Step(NamedTuple):
    """What is to be done next.

    Attributes
    ----------
    jobs : list of Job
        To be fetched, beside those that were handed out before.
    more : bool
        Whether the planner is to be called again before anything is fetched.
    ended : str
        Why the crawl has ended; "": it has not.
    failed : bool
        Whether the policy did what none may do.
    taken : Taken or None
        What was stored; None if the answer was to nothing that was asked.
    """

    jobs: list[Job]
    more: bool = False
    ended: str = ""
    failed: bool = False
    taken: Taken | None = None


@dataclass
class Going:
    """What is under way: a run, and what belongs to it."""

    plan: Plan
    run: Run
    answers: Answers
    spent: float
    changed: str | None
    look_at: float
    outdated: bool = False


class Planner:
    """The plan of a store.

    Parameters
    ----------
    store : Store
        With a plan: `beginning.begin` was called.
    ahead : int
        How many requests may be under way.
    now : callable
        Seconds, of a clock that is never set back.
    """

    def __init__(self, store: Store, ahead: int, now: Callable[[], float] = time.monotonic) -> None:
        self.store, self.ahead = store, ahead
        self._now = now
        self._going: Going | None = None
        self._handed: tuple[int, set[int]] = (-1, set())
        self._mark = Mark()
        self._stack = ExitStack()
        self._since = now()
        self._errors: tuple[type[BaseException], ...] = (
            store.engine.dialect.loaded_dbapi.Error, DBAPIError
        )  # fmt: skip

    def open(self) -> None:
        """Begin to watch policies, in this thread."""
        self._stack.enter_context(watched(LIMIT, self._mark))

    def close(self) -> None:
        """End what `open` began."""
        self._stack.close()

    def left(self) -> float | None:
        """Return how many seconds the plan may still take; None: as many as it wants."""
        going = self._going
        if going is None or going.plan.seconds is None:
            return None
        return going.plan.seconds - going.spent - (self._now() - self._since)

    def step(self, fetched: Fetched | None = None, *, ask: bool = True, over: str = "") -> Step:
        """Store an answer, and ask the scheduler for what is next; all of it or nothing.

        Parameters
        ----------
        fetched : Fetched, optional
        ask : bool
            Whether anything new may be asked for.
        over : str
            Why the plan ends now, whatever the scheduler may have to ask.

        Raises
        ------
        StoreError
            The store could not do it; nothing was changed. The next call begins with what the
            store has.
        CrawlError
            The policy does not repeat itself.
        """
        try:
            return self._step(fetched, ask, over)
        except BaseException as error:
            self._going = None  # it may be ahead of the store
            if isinstance(error, TooLong):  # it came when the policy had just returned
                raise StoreError(f"a step of the policy took longer than {LIMIT:g} s") from error
            if isinstance(error, self._errors):
                said = str(error).strip().partition("\n")[0]
                raise StoreError(f"{self.store.where}: {said}") from error
            raise

    def _step(self, fetched: Fetched | None, ask: bool, over: str) -> Step:
        going = self._going or self._rebuilt()
        if isinstance(going, Step):
            return going
        run = going.run
        with self.store.transaction() as connection:
            recording = Recording(connection)
            head = recording.head(going.plan.number)
            self._must_fit(going, head)
            run.frontier.recording = recording
            if head.changed != going.changed or self._now() >= going.look_at:
                going.changed, going.look_at = head.changed, self._now() + LOOK
                going.outdated = outdated(recording, going.plan)
            going.answers.taken = None
            more = self._moved(going, recording, fetched, ask and not going.outdated, over)
            self._save(going, recording)
        self._going, taken = going, going.answers.taken
        if run.ended:
            self._going = None
            return Step([], False, run.ended, run.failed, taken)
        if going.outdated and not run.flying:
            return Step([], False, CHANGED, taken=taken)
        return Step(self._jobs(run), more, taken=taken)

    def _must_fit(self, going: Going, head: Head) -> None:
        """Rebuild if the store is elsewhere than the scheduler."""
        run = going.run
        if (head.events, head.visits, head.pages, head.last_plan) != (
            run.events, run.visits, run.discovery.places, going.plan.number
        ):  # fmt: skip
            raise StoreError(f"{self.store.where}: was changed by another crawler")

    def _moved(
        self, going: Going, recording: Recording, fetched: Fetched | None, ask: bool, over: str
    ) -> bool:
        """Take an answer, ask for more; return whether it stopped only because it was enough."""
        run = going.run
        try:
            if fetched is not None:
                visit = run.flying.get(fetched.job.number)
                if visit is not None:
                    going.answers.take(recording, visit, fetched)
            if over:
                run.ended = over
            return ask and self._asked(going, recording)
        except Failed as failed:
            run.ended, run.failed = str(failed), True
            return False

    def _asked(self, going: Going, recording: Recording) -> bool:
        """Ask until as many requests are under way as may be."""
        run, recalled = going.run, 0
        while len(run.flying) < self.ahead and not run.ended:
            if recalled == AT_ONCE:
                return True
            handle = None
            if not run.spent() and not run.idle:
                handle = run.ask()
            if handle is None:
                if not run.flying:
                    run.ended = run.why
                return False
            page = run.admit(recording, handle)
            visit = run.issue(recording, page)
            if going.answers.is_known(page):
                going.answers.recall(recording, visit, page)
                recalled += 1
        return False

    def _save(self, going: Going, recording: Recording) -> None:
        run, now = going.run, self._now()
        going.spent += now - self._since
        self._since = now
        recording.write("plan", {
            "plan": going.plan.number, "events": run.events, "visits": run.visits,
            "pages": run.discovery.places, "fetched": run.fetched, "spent": going.spent,
            "ended": run.ended, "failed": run.failed,
        })  # fmt: skip
        recording.finish()

    def _jobs(self, run: Run) -> list[Job]:
        """Return what was not handed out before."""
        number, handed = self._handed
        if number != run.plan.number:
            handed = set()
        new = [visit for visit in run.flying.values() if visit.number not in handed]
        self._handed = run.plan.number, set(run.flying)
        return [_job(visit) for visit in sorted(new)]

    def _rebuilt(self) -> Going | Step:
        """Return the store's last plan as far as it is; if it cannot go on, why."""
        with self.store.reading() as connection:
            recording = Recording(connection)
            row = recording.read("last plan")[0]
            if row[12]:
                return Step([], ended=row[12], failed=bool(row[13]))
            plan = plan_of(row)
            if outdated(recording, plan):
                return Step([], ended=CHANGED)
            head = recording.head(plan.number)
            offered = dict(recording.read("offered"))
            pages = -1 if head.last_page is None else head.last_page
            run = Run(plan, self._mark, pages + 1, offered)
            run.fetched = row[11]
            replay(run, recording, head)
        return Going(plan, run, _answers(run), row[7], head.changed, self._now() + LOOK)


def _answers(run: Run) -> Answers:
    return Revisits(run) if run.known else Answers(run)


def _job(visit: Flying) -> Job:
    return Job(visit.number, visit.address, visit.etag, visit.modified)
