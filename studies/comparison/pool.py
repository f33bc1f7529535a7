"""Runs a plan's policies in several processes; a policy that hangs or crashes is reported.

A process whose policy takes too long for a step is killed, and the policy counts as timed out. A
policy that ended the process itself, or wrote into its files, counts as failed. A new process runs
the remaining policies.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import wait

from .channel import ChannelError
from .plan import ComparisonPlan
from .run import PolicyRun
from .worker import CLOSED_FILES, IDLE, WORN, Worker, step_of

_LOOK = 0.2
"""Seconds between two checks of the processes."""


class FailedPolicies:
    """The policies that have failed, each with its run on the first web on which it failed.

    A failed policy need not run on later webs. Seeds are handed out in ascending order, so the
    first web does not depend on the number of processes.
    """

    def __init__(self, policies: int) -> None:
        self.first: dict[int, PolicyRun] = {}
        self._policies = range(policies)

    def note(self, run: PolicyRun) -> None:
        """Record a run, if it failed."""
        known = self.first.get(run.policy)
        if run.failed and (known is None or run.seed < known.seed):
            self.first[run.policy] = run

    def wanted(self, seed: int) -> tuple[int, ...]:
        """Return the policies to run on the web of a seed."""
        return tuple(
            policy
            for policy in self._policies
            if policy not in self.first or self.first[policy].seed > seed
        )


@dataclass
class _Job:
    """The job of a process: the policies that it still has to run on the web of a seed.

    Attributes
    ----------
    seed : int
    left : list of int
    last : int
        The policy that was taken last.
    tried : bool
        Whether a process has ended before it ran any of them.
    """

    seed: int
    left: list[int]
    last: int = -1
    tried: bool = False

    @property
    def policy(self) -> int:
        """The policy that runs, or ran last; runs come in the order of `left`."""
        return self.left[0] if self.left else self.last

    def take(self) -> int:
        """Take the policy that runs from those that are left."""
        if self.left:
            self.last = self.left.pop(0)
        return self.last


class WorkerPool:
    """Processes that run the policies of one plan; must be closed after use.

    Parameters
    ----------
    plan : ComparisonPlan
    processes : int
        The largest number of processes.
    """

    def __init__(self, plan: ComparisonPlan, processes: int) -> None:
        self._plan, self._processes = plan, processes
        self._idle: list[Worker] = []
        self._busy: dict[Worker, _Job] = {}
        self._again: deque[_Job] = deque()

    def __enter__(self) -> WorkerPool:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End all processes."""
        for worker in [*self._idle, *self._busy]:
            worker.end()
        self._idle, self._busy = [], {}

    def work(
        self, seeds: Iterable[int], wanted: Callable[[int], Sequence[int]]
    ) -> Iterator[PolicyRun]:
        """Run policies on the webs of seeds, and yield each run as it ends.

        Parameters
        ----------
        seeds : iterable of int
            In the order in which they are handed out.
        wanted : callable
            Returns the indices of the policies to run on the web of a seed; called when the seed
            is handed out.

        Raises
        ------
        MemoryError
            If two processes ended while they were making the same web.
        """
        waiting, again = deque(seeds), self._again
        while waiting or again or self._busy:
            while len(self._busy) < self._processes and (waiting or again):
                job = again.popleft() if again else self._job(waiting.popleft(), wanted)
                if job.left:
                    self._give(job)
            for worker in self._ready():
                yield from self._heard(worker)
            for worker in list(self._busy):
                if why := worker.overdue():
                    yield self._failed(worker, why, timed_out=True)

    @staticmethod
    def _job(seed: int, wanted: Callable[[int], Sequence[int]]) -> _Job:
        return _Job(seed, list(wanted(seed)))

    def _give(self, job: _Job) -> None:
        worker = self._idle.pop() if self._idle else Worker(self._plan)
        self._busy[worker] = job
        worker.send(job.seed, tuple(job.left))

    def _ready(self) -> list[Worker]:
        """Wait a moment; return the processes that have sent something or have ended."""
        wait([worker.results.fileno() for worker in self._busy], _LOOK)
        return list(self._busy)

    def _heard(self, worker: Worker) -> Iterator[PolicyRun]:
        """Yield the runs that a process has sent; if it has ended, also the run that failed."""
        ended = worker.has_ended()  # asked first, so that all that it sent is there then
        try:
            for message in worker.results.received():
                yield from self._taken(worker, message)
        except ChannelError:
            yield self._failed(worker, "wrote into files of its process that it had not opened", "")
        if ended and worker in self._busy:
            yield from self._lost(worker)

    def _taken(self, worker: Worker, message: object) -> Iterator[PolicyRun]:
        """Yield the run of a message, if it is one.

        Raises
        ------
        ChannelError
            If it is no message that the process may send now.
        """
        job = self._busy[worker]
        if isinstance(message, BaseException):
            raise message
        if isinstance(message, PolicyRun):
            if message.policy not in job.left[:1] or message.seed != job.seed:
                raise ChannelError("another run")
            job.take()
            yield message
        elif message is None and not job.left:
            del self._busy[worker]
            self._idle.append(worker)
        elif message == WORN:
            self._ended(worker)
        else:
            raise ChannelError("another message")

    def _ended(self, worker: Worker) -> _Job:
        """Kill a process; another one will run its remaining policies. Return its job."""
        job = self._busy.pop(worker)
        worker.end()
        if job.left:
            self._again.append(job)
        return job

    def _lost(self, worker: Worker) -> Iterator[PolicyRun]:
        """Yield the failed run of a process that ended; nothing if it had not run a policy.

        Raises
        ------
        MemoryError
            If the process before had not run a policy of this web, either.
        """
        if worker.at()[1] != IDLE:
            why = worker.ending()
            # If the policy closed the files, it may have gone on meanwhile: the step is by chance.
            yield self._failed(worker, why, "" if why == CLOSED_FILES else None)
            return
        job = self._ended(worker)
        if job.tried:
            raise MemoryError("a process was ended from outside, perhaps for want of memory")
        job.tried = True

    def _failed(
        self, worker: Worker, why: str, at: str | None = None, *, timed_out: bool = False
    ) -> PolicyRun:
        """Kill a process, and return the failed run of the policy that it runs.

        Parameters
        ----------
        worker : Worker
        why : str
            Why the policy failed.
        at : str, optional
            The step in words; by default that of its mark of progress.
        timed_out : bool
            Whether that is a limit of time.
        """
        job = self._busy[worker]
        step, policy = step_of(worker.at()[1]) if at is None else at, job.take()
        self._ended(worker)
        line = ": ".join(part for part in (self._plan.policies[policy], step, why) if part)
        return PolicyRun(job.seed, policy, line, failed=True, timed_out=timed_out)
