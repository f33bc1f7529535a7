"""Plans in step with the store: a page is stored whole, with what the scheduler made of it.

Pages that have come together are written in one transaction. If that fails, all begins anew from
the store.

All of it happens in one thread, that of whoever called `Planner.open`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from typing import NamedTuple

from sqlalchemy.exc import DBAPIError

from counterpoint.crawler.errors import CrawlError, StoreError
from counterpoint.crawler.fetching.job import Fetched, Job, Lease
from counterpoint.crawler.policy.judging import LIMIT
from counterpoint.crawler.policy.watch import TooLong, watched
from counterpoint.crawler.store.opening import Store
from counterpoint.crawler.store.recording import Head, Recording

from .answers import Answers, Taken
from .beginning import outdated
from .document import Document, opened
from .leases import Leases, Worker
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
        Whether the policy broke a rule for policies.
    taken : tuple of Taken
        What was stored: of answers to what was asked.
    lease : Lease or None
        What may be asked for; None: whatever was handed out, as nobody else crawls the store.
    again : float or None
        Seconds after which the planner is to be called again, whatever comes until then.
    busy : bool
        Whether anything is to be fetched here.
    """

    jobs: list[Job]
    more: bool = False
    ended: str = ""
    failed: bool = False
    taken: tuple[Taken, ...] = ()
    lease: Lease | None = None
    again: float | None = None
    busy: bool = True


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
    worker : Worker, optional
        One of several that crawl the store together; None: nobody else does.

    Attributes
    ----------
    waits : str
        What the crawl waits for; stored for others to see.
    """

    def __init__(
        self, store: Store, ahead: int, now: Callable[[], float] = time.monotonic,
        worker: Worker | None = None,
    ) -> None:  # fmt: skip
        self.store, self.ahead, self.waits = store, ahead, ""
        self._now = now
        self._leases = None if worker is None else Leases(worker)
        self._going: Going | None = None
        self._plan: int | None = None
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
        """End what `open` began, and leave what is leased to others."""
        self._stack.close()
        if self._leases is not None:
            with suppress(StoreError, *self._errors), self.store.transaction() as connection:
                self._leases.leave(Recording(connection))

    def left(self) -> float | None:
        """Return how many seconds the plan may still take; None: as many as it wants."""
        going = self._going
        if going is None or going.plan.seconds is None:
            return None
        return going.plan.seconds - going.spent - (self._now() - self._since)

    def step(
        self, answers: Sequence[Fetched] = (), *, ask: bool = True, over: str = ""
    ) -> Step:  # fmt: skip
        """Store answers, and ask the scheduler for what is next; all of it or nothing.

        Parameters
        ----------
        answers : sequence of Fetched
            In the order in which the scheduler is told.
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
            return self._step(answers, ask, over)
        except BaseException as error:
            self._going = None  # it may be ahead of the store
            if isinstance(error, TooLong):  # it came when the policy had just returned
                raise StoreError(f"a step of the policy took longer than {LIMIT:g} s") from error
            if isinstance(error, self._errors):
                said = str(error).strip().partition("\n")[0]
                raise StoreError(f"{self.store.where}: {said}") from error
            raise

    def _step(self, answers: Sequence[Fetched], ask: bool, over: str) -> Step:
        going = self._going or self._rebuilt()
        if isinstance(going, Step):
            return going
        # Nobody else can plan while this transaction lasts: what needs no store is done before it.
        stays, reads = going.plan.stays, going.run.reads
        come = [(one, opened(one, stays=stays, contents=reads)) for one in answers]
        with self.store.transaction() as connection:
            recording = Recording(connection)
            recording.plan_alone()
            if ended := self._looked(going, recording):
                self._going = None
                return ended
            going.answers.taken = []
            more = self._moved(going, recording, come, ask and not going.outdated, over)
            self._save(going, recording)
            if self._leases is not None:
                self._leases.leave_some()
        self._going = None if going.run.ended else going
        return self._told(going, answers, more)

    def _told(self, going: Going, answers: Sequence[Fetched], more: bool) -> Step:
        """Return what follows from what was committed."""
        run, taken, leases = going.run, tuple(going.answers.taken), self._leases
        if run.ended:
            return Step([], False, run.ended, run.failed, taken)
        if going.outdated and not self._mine(run):
            return Step([], False, CHANGED, taken=taken)
        jobs, lost = self._jobs(run, answers)
        if leases is None:
            return Step(jobs, more, taken=taken)
        return Step(jobs, more, taken=taken, lease=leases.handed(lost), again=leases.pause,
                    busy=bool(leases.mine))  # fmt: skip

    def _looked(self, going: Going, recording: Recording) -> Step | None:
        """Read what others have done and wish; return a step if the crawl ends by that."""
        head = recording.head(going.plan.number)
        if ended := self._caught_up(going, recording, head):
            return ended
        going.run.frontier.recording = recording
        if self._leases is not None:
            self._leases.look(recording, going.plan.number, self.waits)
        if head.changed != going.changed or self._now() >= going.look_at:
            going.changed, going.look_at = head.changed, self._now() + LOOK
            going.outdated = outdated(recording, going.plan)
        return None

    def _caught_up(self, going: Going, recording: Recording, head: Head) -> Step | None:
        """Let the scheduler be where the store is; return a step if the crawl ends by that."""
        run, number = going.run, going.plan.number
        if self._leases is not None:
            going.spent = head.spent
        if (head.events, head.visits, head.pages, head.last_plan, head.ended) == (
            run.events, run.visits, run.discovery.places, number, ""
        ):  # fmt: skip
            return None
        if self._leases is None:
            raise StoreError(f"{self.store.where}: was changed by another crawler")
        if head.last_plan != number:
            return Step([], ended=CHANGED)
        if head.ended:
            return Step([], ended=head.ended, failed=head.failed)
        try:
            replay(run, recording, head)
        except CrawlError:
            if outdated(recording, going.plan):  # a site was removed, and its visits with it
                return Step([], ended=CHANGED)
            raise
        return None

    def _moved(
        self, going: Going, recording: Recording, come: Sequence[tuple[Fetched, Document]],
        ask: bool, over: str,
    ) -> bool:  # fmt: skip
        """Take answers, ask for more; return whether it stopped only because it was enough."""
        run, leases = going.run, self._leases
        hosts = {state.host: state for fetched, _ in come for state in fetched.hosts}
        recording.hosts(hosts.values(), None if leases is None else leases.worker.name)
        try:
            for fetched, found in come:
                visit = run.flying.get(fetched.job.number)
                if visit is not None and (leases is None or leases.answered(visit.number)):
                    going.answers.take(recording, visit, fetched, found)
            if leases is not None and ask:
                leases.claim(self.ahead)
            if over:
                run.ended = over
            return ask and self._asked(going, recording)
        except Failed as failed:
            run.ended, run.failed = str(failed), True
            return False

    def _asked(self, going: Going, recording: Recording) -> bool:
        """Ask until as many requests are under way as may be."""
        run, leases, recalled = going.run, self._leases, 0
        while not run.ended and (
            len(run.flying) < self.ahead if leases is None else leases.has_room(self.ahead)
        ):  # fmt: skip
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
            known = going.answers.is_known(recording, page)
            by = None if leases is None or known else leases.offered(run.visits, page.address)
            visit = run.issue(recording, page, by)
            if known:
                going.answers.recall(recording, visit, page)
                recalled += 1
        return False

    def _save(self, going: Going, recording: Recording) -> None:
        run, now = going.run, self._now()
        if self._leases is None or self._leases.is_first:  # of several, one counts the time
            going.spent += now - self._since
        self._since = now
        recording.write("plan", {
            "plan": going.plan.number, "events": run.events, "visits": run.visits,
            "pages": run.discovery.places, "fetched": run.fetched, "spent": going.spent,
            "ended": run.ended, "failed": run.failed,
        })  # fmt: skip
        recording.finish()

    def _mine(self, run: Run) -> Collection[int]:
        """Return the visits that are to be fetched here."""
        return run.flying.keys() if self._leases is None else self._leases.mine.keys()

    def _jobs(self, run: Run, answers: Sequence[Fetched]) -> tuple[list[Job], set[int]]:
        """Return what was not handed out before, and what was but is somebody else's by now."""
        number, handed = self._handed
        if number != run.plan.number:
            handed = set()
        mine = set(self._mine(run))
        self._handed = run.plan.number, mine
        lost = handed - mine - {fetched.job.number for fetched in answers}
        return [_job(run.flying[visit]) for visit in sorted(mine - handed)], lost

    def _rebuilt(self) -> Going | Step:
        """Return the store's last plan as far as it is; if it cannot go on, why."""
        with self.store.reading() as connection:
            recording = Recording(connection)
            row = recording.read("last plan")[0]
            if row[12]:
                return Step([], ended=row[12], failed=bool(row[13]))
            plan = plan_of(row)
            if self._plan not in (None, plan.number) or outdated(recording, plan):
                return Step([], ended=CHANGED)
            self._plan = plan.number
            head = recording.head(plan.number)
            offered = recording.read("offered", first=0, end=len(plan.starts))
            run = Run(plan, self._mark, dict(map(tuple, offered)))
            replay(run, recording, head)
        return Going(plan, run, _answers(run), row[7], head.changed, self._now() + LOOK)


def _answers(run: Run) -> Answers:
    return Revisits(run) if run.known else Answers(run)


def _job(visit: Flying) -> Job:
    return Job(visit.number, visit.address, visit.etag, visit.modified)
