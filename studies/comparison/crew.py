"""Processes that run a plan's policies side by side; what hangs or dies is ended and named."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import Any

from .hand import Hand
from .plan import Plan
from .run import Run

_LOOK = 0.2
"""Seconds between two looks at the processes."""


class Fallen:
    """Which policies have failed, each on the first of its webs on which it did.

    A policy need not run on later webs. Since seeds are given out in ascending order, which one
    is the first does not depend on how many processes there are.
    """

    def __init__(self, policies: int) -> None:
        self.first: dict[int, Run] = {}
        self._policies = range(policies)

    def note(self, run: Run) -> None:
        """Take notice of a run."""
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
    """What a process is at: the policies that are still to come, on the web of a seed."""

    seed: int
    left: list[int]


class Crew:
    """Processes for one plan, to be closed when it is done.

    Parameters
    ----------
    plan : Plan
    processes : int
        How many.
    """

    def __init__(self, plan: Plan, processes: int) -> None:
        self._plan = plan
        self._idle = [Hand(plan) for _ in range(processes)]
        self._busy: dict[Hand, _Job] = {}

    def __enter__(self) -> Crew:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End all processes."""
        for hand in [*self._idle, *self._busy]:
            hand.end()
        self._idle, self._busy = [], {}

    def work(self, seeds: Iterable[int], wanted: Callable[[int], Sequence[int]]) -> Iterator[Run]:
        """Run policies on the webs of seeds, and yield each run as it ends.

        Parameters
        ----------
        seeds : iterable of int
            In the order in which they are given out.
        wanted : callable
            Returns the policies to run on the web of a seed; asked when it is given out.

        Raises
        ------
        MemoryError
            If a process ended while no policy had its turn.
        """
        waiting = deque(seeds)
        again: deque[_Job] = deque()
        while waiting or again or self._busy:
            while self._idle and (waiting or again):
                job = again.popleft() if again else self._job(waiting.popleft(), wanted)
                if job.left:
                    self._give(job)
            yield from self._heard()
            for hand in [h for h in self._busy if h.stands_still()]:
                yield self._lost(hand, f"took longer than {self._plan.step_limit:g} s", again)
            for hand in [h for h in self._busy if h.connection.closed]:
                yield self._lost(hand, "its process was ended", again)

    @staticmethod
    def _job(seed: int, wanted: Callable[[int], Sequence[int]]) -> _Job:
        return _Job(seed, list(wanted(seed)))

    def _give(self, job: _Job) -> None:
        hand = self._idle.pop()
        self._busy[hand] = job
        with suppress(BrokenPipeError, ConnectionResetError):
            hand.send(job.seed, tuple(job.left))

    def _heard(self) -> Iterator[Run]:
        """Yield the runs that the processes have sent; a connection that broke is closed."""
        by_connection = {hand.connection: hand for hand in self._busy}
        ready: list[Any] = wait(list(by_connection), _LOOK)
        for connection in ready:
            yield from self._from(by_connection[connection], connection)

    def _from(self, hand: Hand, connection: Connection) -> Iterator[Run]:
        try:
            told = connection.recv()
        except (EOFError, ConnectionResetError):
            connection.close()
            return
        if isinstance(told, BaseException):
            raise told
        if told is None:
            del self._busy[hand]
            self._idle.append(hand)
            return
        self._busy[hand].left.remove(told.policy)
        yield told

    def _lost(self, hand: Hand, why: str, again: deque[_Job]) -> Run:
        """End a process, begin another, and return what is to be said of its policy."""
        job = self._busy.pop(hand)
        policy, mark = hand.at()
        hand.end()
        if mark < 0 or policy not in job.left:
            raise MemoryError("a process was ended from outside, perhaps for want of memory")
        job.left.remove(policy)
        again.append(job)
        self._idle.append(Hand(self._plan))
        step = f"step {(mark + 1) // 2}" if mark else "while it was made"
        return Run(job.seed, policy, f"{self._plan.policies[policy]}: {step}: {why}", failed=True)
