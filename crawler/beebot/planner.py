"""Runs a plan's scheduler in step with the store.

Answers that came together are stored in one transaction, with the requests that the scheduler makes
next. If the transaction fails, the scheduler's state is rebuilt from the store.

All methods must be called in one thread, the one that called `Planner.open`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from contextlib import ExitStack, suppress

from sqlalchemy.exc import DBAPIError

from counterpoint.crawler.errors import CrawlError, StoreError
from counterpoint.crawler.fetching.clock import steady
from counterpoint.crawler.fetching.job import Fetched, Job, Tuning
from counterpoint.crawler.limits import TOGETHER_LINKS, TOGETHER_SECONDS
from counterpoint.crawler.policy.judging import LIMIT
from counterpoint.crawler.policy.watch import StepStalled, StepTimeout, timeout_text, watched
from counterpoint.crawler.store.opening import Store
from counterpoint.crawler.store.recording import Head, Recording

from .beginning import is_outdated
from .document import Document, opened
from .in_progress import PlanInProgress, ahead_of, answers_of, job_of
from .keeping import next_due
from .leases import Leases, Worker
from .plan import CrawlSettings, plan_from_row
from .planner_step import PlannerStep
from .replay import replay
from .run import CrawlRun, Mark, PolicyFailure

AT_ONCE = 200
"""How many pages at most are answered from the store in one transaction."""
CHANGED = "another plan begins, because the settings were changed"
LOOK = 1.0
"""Seconds after which the planner checks whether the settings lead to another plan."""


class Planner:
    """Runs the last plan of a store.

    Parameters
    ----------
    store : Store
        It must have a plan: `beginning.begin` was called.
    ahead : int
        The largest number of requests in flight, see `ahead_of`.
    now : callable
        Returns the seconds of a monotonic clock.
    clock : callable, optional
        Returns the seconds since 1970; by default the worker's, or such that never go back.
    worker : Worker, optional
        This process, as one of several that crawl the store; None: it is the only one.

    Attributes
    ----------
    waits : str
        What the crawl waits for; stored so that other processes can show it.
    """

    def __init__(
        self, store: Store, ahead: int, now: Callable[[], float] = time.monotonic,
        worker: Worker | None = None, clock: Callable[[], float] | None = None,
    ) -> None:  # fmt: skip
        self.store, self.ahead, self.waits = store, ahead, ""
        self._now = now
        self._clock = clock or (steady() if worker is None else worker.here)
        self._leases = None if worker is None else Leases(worker)
        self._paused = False
        self._going: PlanInProgress | None = None
        self._plan: int | None = None
        self._handed: tuple[int, set[int]] = (-1, set())
        self._mark = Mark()
        self._stack = ExitStack()
        self._since = now()
        self._errors: tuple[type[BaseException], ...] = (
            store.engine.dialect.loaded_dbapi.Error, DBAPIError
        )  # fmt: skip

    def open(self) -> None:
        """Begin to watch for steps of the policy that take too long, in this thread."""
        self._stack.enter_context(watched(LIMIT, self._mark))

    def close(self) -> None:
        """End the watch, and give up this worker's leases."""
        self._stack.close()
        if self._leases is not None:
            leases = self._leases
            with suppress(StoreError, *self._errors):
                self.store.write(lambda connection: leases.leave(Recording(connection)))
                leases.committed()

    def left(self) -> float | None:
        """Return how many seconds of the budget are left; None: time is not limited."""
        going = self._going
        if going is None or going.plan.seconds is None:
            return None
        now = 0.0 if self._paused else self._now() - self._since
        return going.plan.seconds - going.spent - now

    def tuning(self) -> Tuning:
        """Read what the user can change while the crawl runs.

        Raises
        ------
        StoreError
            If the store cannot be read.
        """
        try:
            with self.store.reading() as connection:
                rows = dict(map(tuple, Recording(connection).read("tuning")))
        except self._errors as error:
            raise StoreError(f"{self.store.where}: {error}") from error
        settings = CrawlSettings.of(rows)
        return Tuning(settings.concurrency, settings.delay, settings.paused)

    def tune(self, tuning: Tuning) -> None:
        """Change how many requests may be in flight, and begin or end a pause."""
        if self._paused and not tuning.paused:
            self._since = self._now()  # the time of a pause does not count
        self._paused, self.ahead = tuning.paused, ahead_of(tuning.concurrency)
        if self._leases is not None:
            self._leases.keep_delay(tuning.delay)

    def step(
        self, answers: Sequence[Fetched] = (), *, ask: bool = True, over: str = ""
    ) -> PlannerStep:  # fmt: skip
        """Store answers, and let the scheduler request more pages, in one transaction.

        If the first answers have many links or take long, the others are left for the next step.

        Parameters
        ----------
        answers : sequence of Fetched
            In the order in which the scheduler shall observe them.
        ask : bool
            Whether new requests may be made.
        over : str
            Why the plan ends now, even if the scheduler would request more; "": it does not.

        Raises
        ------
        StoreError
            If the transaction failed; nothing was changed. The next call continues from the state
            of the store.
        CrawlError
            If, in a replay, the policy decides differently than before.
        """
        try:
            return self._step(answers, ask, over)
        except BaseException as error:
            self._going = None  # it may be ahead of the store
            if isinstance(error, StepTimeout):  # it came when the policy had just returned
                why = timeout_text(isinstance(error, StepStalled), LIMIT)
                raise StoreError(f"a step of the policy {why}") from error
            if isinstance(error, self._errors):
                message = str(error).strip().partition("\n")[0]
                raise StoreError(f"{self.store.where}: {message}") from error
            raise

    def _step(self, answers: Sequence[Fetched], ask: bool, over: str) -> PlannerStep:
        going = self._going or self._rebuilt()
        if isinstance(going, PlannerStep):
            return going
        # No other process can plan during the transaction, so work without the store comes before.
        come = self._opened(going, answers)
        answers = [fetched for fetched, _ in come]
        with self.store.transaction() as connection:
            recording = Recording(connection)
            if ended := self._looked(going, recording):
                self._going = None
                return ended
            going.answers.stored = []
            more = self._moved(going, recording, come, ask and not going.is_outdated, over)
            self._save(going, recording)
            if self._leases is not None:
                self._leases.leave_some()
        if self._leases is not None:
            self._leases.committed()
        self._going = None if going.run.ended else going
        return self._result(going, answers, more)

    def _opened(
        self, going: PlanInProgress, answers: Sequence[Fetched]
    ) -> list[tuple[Fetched, Document]]:
        """Read the documents of the first answers, as many as one transaction may store."""
        stays, reads = going.plan.stays, going.run.reads
        come, links, end = list[tuple[Fetched, Document]](), 0, self._now() + TOGETHER_SECONDS
        for one in answers:
            if come and (links >= TOGETHER_LINKS or self._now() >= end):
                break
            come.append((one, opened(one, stays=stays, contents=reads)))
            links += len(come[-1][1].references)
        return come

    def _result(
        self, going: PlanInProgress, answers: Sequence[Fetched], more: bool
    ) -> PlannerStep:  # fmt: skip
        """Return the result of a step after its transaction was committed.

        Parameters
        ----------
        going : PlanInProgress
        answers : sequence of Fetched
            The answers that were stored.
        more : bool
            Whether the planner must be called again before anything is fetched.
        """
        run, stored, leases = going.run, tuple(going.answers.stored), self._leases
        taken = len(answers)
        if run.ended:
            return PlannerStep([], False, run.ended, run.failed, stored, taken=taken)
        if going.is_outdated and not self._mine(run):
            return PlannerStep([], False, CHANGED, stored=stored, taken=taken)
        jobs, lost = self._jobs(run, answers)
        due = None if going.again is None else run.due
        if leases is None:
            return PlannerStep(jobs, more, stored=stored, again=going.again, taken=taken,
                               due=due)  # fmt: skip
        again = min(one for one in (leases.pause, going.again) if one is not None)
        return PlannerStep(jobs, more, stored=stored, lease=leases.handed(lost),
                           again=again, busy=bool(leases.mine), taken=taken, due=due)  # fmt: skip

    def _looked(self, going: PlanInProgress, recording: Recording) -> PlannerStep | None:
        """Read what other processes have changed; return a step if the crawl ends because of it."""
        head = recording.head(going.plan.number)
        if ended := self._caught_up(going, recording, head):
            return ended
        going.run.frontier.recording = recording
        going.run.due = max(going.run.due, head.due)
        if self._leases is not None:
            self._leases.look(recording, going.plan.number, self.waits)
        if head.changed != going.changed or self._now() >= going.look_at:
            going.changed, going.look_at = head.changed, self._now() + LOOK
            going.is_outdated = is_outdated(recording, going.plan)
        return None

    def _caught_up(
        self, going: PlanInProgress, recording: Recording, head: Head
    ) -> PlannerStep | None:
        """Replay what other workers have done; return a step if the crawl ends because of it.

        Parameters
        ----------
        going : PlanInProgress
        recording : Recording
        head : Head
            The progress of the plan in the store.
        """
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
            return PlannerStep([], ended=CHANGED)
        if head.ended:
            return PlannerStep([], ended=head.ended, failed=head.failed)
        try:
            replay(run, recording, head)
        except CrawlError:
            if is_outdated(recording, going.plan):  # a site was removed, and its visits with it
                return PlannerStep([], ended=CHANGED)
            raise
        return None

    def _moved(
        self, going: PlanInProgress, recording: Recording, come: Sequence[tuple[Fetched, Document]],
        ask: bool, over: str,
    ) -> bool:  # fmt: skip
        """Store answers, and let the scheduler request more pages.

        Parameters
        ----------
        going : PlanInProgress
        recording : Recording
        come : sequence of tuple of Fetched and Document
            The answers.
        ask : bool
            Whether new requests may be made.
        over : str
            Why the plan ends now; "": it does not.

        Returns
        -------
        bool
            Whether the planner must be called again before anything is fetched.
        """
        run, leases = going.run, self._leases
        hosts = {state.host: state for fetched, _ in come for state in fetched.hosts}
        recording.hosts(hosts.values(), None if leases is None else leases.worker.name)
        numbers = [fetched.job.number for fetched, _ in come]
        recording.expect([run.in_flight[one].page for one in numbers if one in run.in_flight])
        try:
            for fetched, found in come:
                visit = run.in_flight.get(fetched.job.number)
                if visit is not None and (leases is None or leases.answered(visit.number)):
                    going.answers.take(recording, visit, fetched, found)
            if leases is not None and ask:
                leases.claim(self.ahead)
            if over:
                run.ended = over
            return ask and not self._paused and self._asked(going, recording)
        except PolicyFailure as failed:
            run.ended, run.failed = str(failed), True
            return False

    def _asked(self, going: PlanInProgress, recording: Recording) -> bool:
        """Let the scheduler make requests until as many are in flight as allowed.

        Returns
        -------
        bool
            Whether it stopped only because the transaction has answered enough pages from the
            store, or because that takes long.
        """
        run, leases, recalled, keeps = going.run, self._leases, 0, going.plan.keeps
        end, going.again = self._now() + TOGETHER_SECONDS, None
        while not run.ended and (
            len(run.in_flight) < self.ahead if leases is None else leases.has_room(self.ahead)
        ):  # fmt: skip
            if recalled == AT_ONCE or (recalled and self._now() >= end):
                return True
            if keeps and not self._is_due(going):
                return False
            handle = None if run.spent() or run.idle else run.ask()
            if handle is None:
                if not run.in_flight:
                    run.ended = run.why
                return False
            page = run.admit(recording, handle)
            if keeps:
                run.due = next_due(run, self._clock())
            known = going.answers.is_known(recording, page)
            by = None if leases is None or known else leases.offered(run.visits, page.address)
            visit = run.issue(recording, page, by)
            if known:
                going.answers.recall(recording, visit, page)
                recalled += 1
        return False

    def _is_due(self, going: PlanInProgress) -> bool:
        """Return whether a plan that keeps pages fresh may make the next visit now."""
        wait = going.run.due - self._clock()
        going.again = wait if wait > 0 else None
        return wait <= 0

    def _save(self, going: PlanInProgress, recording: Recording) -> None:
        run, now = going.run, self._now()
        counts = self._leases is None or self._leases.is_first  # one of several workers
        if counts and not self._paused:
            going.spent += now - self._since
        self._since = now
        recording.write("plan", {
            "plan": going.plan.number, "events": run.events, "visits": run.visits,
            "pages": run.discovery.places, "fetched": run.fetched, "spent": going.spent,
            "due": run.due, "ended": run.ended, "failed": run.failed,
        })  # fmt: skip
        recording.finish()

    def _mine(self, run: CrawlRun) -> Collection[int]:
        """Return the numbers of the visits that this process fetches."""
        return run.in_flight.keys() if self._leases is None else self._leases.mine.keys()

    def _jobs(self, run: CrawlRun, answers: Sequence[Fetched]) -> tuple[list[Job], set[int]]:
        """Return the new jobs, and the numbers of jobs that now belong to other workers."""
        number, handed = self._handed
        if number != run.plan.number:
            handed = set()
        mine = set(self._mine(run))
        self._handed = run.plan.number, mine
        lost = handed - mine - {fetched.job.number for fetched in answers}
        return [job_of(run.in_flight[visit]) for visit in sorted(mine - handed)], lost

    def _rebuilt(self) -> PlanInProgress | PlannerStep:
        """Return the store's last plan with its progress; a step if the plan cannot continue."""
        with self.store.reading() as connection:
            recording = Recording(connection)
            row = recording.read("last plan")[0]
            if row.ended:
                return PlannerStep([], ended=row.ended, failed=bool(row.failed))
            plan = plan_from_row(row)
            if self._plan not in (None, plan.number) or is_outdated(recording, plan):
                return PlannerStep([], ended=CHANGED)
            self._plan = plan.number
            head = recording.head(plan.number)
            offered = recording.read("offered", first=0, end=len(plan.starts))
            run = CrawlRun(plan, self._mark, dict(map(tuple, offered)))
            replay(run, recording, head)
        return PlanInProgress(
            plan, run, answers_of(run), row.spent, head.changed, self._now() + LOOK
        )
