"""Runs functions on real threads, one at a time from point to point, along a chosen schedule.

Between two points exactly one thread runs. So a run depends on the choices alone: the same choices
give the same run, whatever the machine does. Nothing sleeps; a thread is waited for by a lock.
"""

from __future__ import annotations

import sys
import threading
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from . import points
from .points import Point, Stopped

Choose = Callable[[list[Point]], int | None]
"""Gets the points at which a thread may go on, and returns the place of one; None: end the run."""

After = Callable[[Point | None, bool], None]
"""Gets the point that was passed, and whether its thread came back to it in vain. All threads stand
or have ended meanwhile. The first time, when all stand at their first points, it gets None."""


@dataclass(frozen=True)
class Outcome:
    """How a thread's function ended.

    Attributes
    ----------
    ended : bool
        Whether it returned or raised; if not, the run was over before it.
    result : object
        What it returned.
    error : BaseException or None
        What it raised.
    """

    ended: bool = False
    result: Any = None
    error: BaseException | None = None


class Unreached(RuntimeError):
    """A thread neither ended nor reached a point in time; the message says where it was."""


class Deadlock(RuntimeError):
    """All threads that have not ended wait, and no step of another thread can help them."""


class Endless(RuntimeError):
    """The run has more steps than are allowed."""


class Controlled:
    """Threads that go from point to point, one at a time.

    Parameters
    ----------
    programs : sequence of callable
        One function for each thread, without arguments. They share what they like, but a run
        changes it: for the next run, make new ones.
    limit : float
        How many seconds a thread may take from one point to the next.
    most : int
        The most steps of a run.
    after : callable, optional
        Called after each step; what it raises ends the run.

    Attributes
    ----------
    passed : list of Point
        The points passed so far.
    outcomes : list of Outcome
        How the threads' functions ended, by the number of the thread.
    waiting : dict of int to Point
        Where the threads that have not ended stand, by number.
    """

    def __init__(
        self,
        programs: Sequence[Callable[[], Any]],
        *,
        limit: float = 10.0,
        most: int = 100_000,
        after: After | None = None,
    ) -> None:
        self._limit, self._most, self._after = limit, most, after or _nothing
        self._threads = [_Thread(i, program) for i, program in enumerate(programs)]
        self._begun = False
        self._last: _Thread | None = None
        self._changes = 0
        self.passed: list[Point] = []

    @property
    def outcomes(self) -> list[Outcome]:
        """How the threads' functions ended."""
        return [thread.outcome for thread in self._threads]

    @property
    def waiting(self) -> dict[int, Point]:
        """Where the threads that have not ended stand."""
        return {t.number: t.point for t in self._threads if t.point and not t.outcome.ended}

    def run(self, choose: Choose) -> list[Point]:
        """Run the threads until all have ended, or until the choice is None.

        Parameters
        ----------
        choose : callable
            Gets the points of the threads that may go on, in the order of their threads, and
            returns the place of the one to pass. A thread that waits may go on only if another one
            has taken a step since it last tried.

        Returns
        -------
        list of Point
            The points passed, in order.

        Raises
        ------
        Deadlock
            If threads wait and none may go on.
        Unreached
            If a thread does not reach a point or its end in time.
        Endless
            If the run has more steps than are allowed.
        ValueError
            If the run was begun before, or the choice is no place.
        """
        if self._begun:
            raise ValueError("these threads have run; make new ones for another run")
        self._begun = True
        points.start()
        try:
            for thread in self._threads:
                thread.start()
                self._await(thread)
            self._after(None, False)
            while self.waiting and self._take(choose):
                pass
        finally:
            self._stop()
            points.finish()
        return self.passed

    def _take(self, choose: Choose) -> bool:
        """Let one thread take its next step; return False if the run ends instead."""
        able = [t for t in self._threads if self._is_able(t)]
        if not able:
            where = "; ".join(f"thread {n}: {point}" for n, point in self.waiting.items())
            raise Deadlock(f"no thread can go on: {where}")
        if len(self.passed) == self._most:
            raise Endless(f"the threads have not ended after {self._most} steps")
        place = choose([t.point for t in able if t.point])
        if place is None:
            return False
        if not 0 <= place < len(able):
            raise ValueError(f"there are {len(able)} points to choose from, not {place + 1}")
        thread = able[place]
        passed = thread.point
        assert passed is not None
        self.passed.append(passed)
        thread.go_on()
        self._await(thread)
        in_vain = thread.came_back_to(passed)
        self._changes += not in_vain
        thread.tried_at = self._changes if in_vain else -1
        self._after(passed, in_vain)
        return True

    def _is_able(self, thread: _Thread) -> bool:
        return not thread.outcome.ended and thread.tried_at != self._changes

    def _await(self, thread: _Thread) -> None:
        if not thread.stands.acquire(timeout=self._limit):
            thread.is_lost = True
            after = f"after {thread.point}" if thread.point else "after its start"
            where = thread.where()
            raise Unreached(
                f"thread {thread.number} has reached no point for {self._limit:g} s {after}"
                + (f"; it is at {where}" if where else "")
            )

    def _stop(self) -> None:
        """Let all threads end; those in Python by `points.Stopped`, those in C by themselves."""
        for thread in self._threads:
            thread.is_stopped = True
            if thread.is_begun and not thread.is_lost:
                thread.go_on()
                thread.join(self._limit)


def _nothing(point: Point | None, in_vain: bool) -> None:
    """Do nothing after a step."""


class _Thread:
    """One thread, and the two locks by which it and the controller hand over to each other."""

    def __init__(self, number: int, program: Callable[[], Any]) -> None:
        self.number = number
        self.point: Point | None = None
        self.outcome = Outcome()
        self.tried_at = -1
        self.is_stopped = self.is_lost = self.is_begun = False
        self.stands, self._turn = threading.Lock(), threading.Lock()
        self.stands.acquire()
        self._turn.acquire()
        self._program = program
        # A thread that is lost in a loop must not keep the process alive.
        self._thread = threading.Thread(target=self._run, name=f"controlled-{number}", daemon=True)

    def start(self) -> None:
        self.is_begun = True
        self._thread.start()

    def go_on(self) -> None:
        if self._turn.locked():
            self._turn.release()

    def join(self, seconds: float) -> None:
        self._thread.join(seconds)

    def came_back_to(self, passed: Point) -> bool:
        """Return whether the thread stands again where it was, and has to wait."""
        now = self.point
        same = now is not None and (now.name, now.arguments) == (passed.name, passed.arguments)
        return same and now is not None and now.waiting and not self.outcome.ended

    def where(self) -> str:
        """Return the line of Python at which the thread is; "" if nobody knows."""
        frame = sys._current_frames().get(self._thread.ident or 0)
        found = traceback.extract_stack(frame)[-1:] if frame else []
        return "".join(f"{one.filename}:{one.lineno}" for one in found)

    # What the thread itself does

    def _run(self) -> None:
        points.control(self)
        try:
            self.outcome = Outcome(True, self._program())
        except Stopped:
            pass
        except BaseException as error:  # it is reported, whatever it is
            self.outcome = Outcome(True, None, error)
        finally:
            points.control(None)
            if not self.is_stopped:
                self.stands.release()

    def pass_point(self, name: str, arguments: tuple[tuple[str, Any], ...], waiting: bool) -> None:
        if self.is_stopped:
            raise Stopped
        self.point = Point(self.number, name, arguments, waiting)
        self.stands.release()
        self._turn.acquire()
        if self.is_stopped:
            raise Stopped

    def must_stop(self) -> bool:
        return self.is_stopped
