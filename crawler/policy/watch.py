"""Stops a step of a policy that takes too long.

The limit counts the processor time of the thread that makes the step, so that a step takes the same
on a busy machine. Time in which Numba compiles is not counted. A step that waits without using the
processor is ended by a limit of the clock on the wall, `PATIENCE` times as long.

A step only sets a mark, so watching costs almost nothing. In the main thread, except on Windows, a
timer signal interrupts the running Python code; elsewhere a second thread does. Compiled code is
interrupted only when it returns.
"""

from __future__ import annotations

import _thread
import contextlib
import ctypes
import signal
import threading
import time
from collections.abc import Callable, Iterator
from types import FrameType

from counterpoint.compiling import COMPILATIONS

PATIENCE = 10
"""A step may last this many times the limit of its processor time, by the clock on the wall."""

_LOOKS = 4
"""Looks at the mark within the limit."""


class StepTimeout(BaseException):
    """A step takes too long; not an `Exception`, so that no policy catches it and continues."""


class StepStalled(StepTimeout):
    """A step lasts too long by the clock on the wall, and used less processor time than allowed."""


def timeout_text(stalled: bool, limit: float) -> str:
    """Return in words how a step exceeded a limit.

    Parameters
    ----------
    stalled : bool
        Whether it lasted too long by the clock on the wall, rather than computed too long.
    limit : float
        Seconds of processor time that a step may take.
    """
    if stalled:
        return f"did not end within {PATIENCE * limit:g} s"
    return f"took longer than {limit:g} s of processor time"


@contextlib.contextmanager
def watched(seconds: float, mark: Callable[[], int]) -> Iterator[None]:
    """Raise `StepTimeout` in this thread if a mark does not change for too long.

    Parameters
    ----------
    seconds : float
        The limit in seconds of this thread's processor time: the exception comes between
        ``seconds`` and twice ``seconds`` after the mark changed last. After `PATIENCE` times
        ``seconds`` by the clock on the wall it comes in any case, as `StepStalled`.
    mark : callable
        Returns the mark; 0 while nothing may be interrupted. It must be 0 whenever the block is
        left: an exception that arrives between the end of the block and the end of the watch would
        escape. In CPython 3.11, code that starts threads may lose one of them to the exception,
        and then waits for that thread forever.
    """
    usable = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
    with _by_signal(seconds, mark) if usable else _by_thread(seconds, mark):
        yield


class _Watch:
    """A mark that is read at intervals, and the state of the watch.

    Parameters
    ----------
    mark : callable
    seconds : float
        The limit of processor time.
    clock : callable
        Returns the processor time of the watched thread.

    Attributes
    ----------
    on : bool
        Whether `StepTimeout` may be raised.
    begun : bool
        Whether the watching thread runs.
    looking : bool
        Whether the watching thread may be about to raise the exception.
    """

    def __init__(self, mark: Callable[[], int], seconds: float, clock: Callable[[], float]) -> None:
        self._mark, self._seconds, self._clock = mark, seconds, clock
        self._last = self._compiled = self._spent = self._since = 0.0
        self.on = self.begun = self.looking = False

    def overdue(self) -> type[StepTimeout] | None:
        """Return the exception that is due, if the mark has not changed for too long."""
        if not self.on:  # the watched thread may be gone, and its clock with it
            return None
        mark, compiled, spent, now = self._mark(), COMPILATIONS.events, self._clock(), _now()
        if mark != self._last or compiled != self._compiled or COMPILATIONS.running:
            self._spent, self._since = spent, now
        self._last, self._compiled = mark, compiled
        if not mark:
            return None
        if spent - self._spent >= self._seconds:
            return StepTimeout
        return StepStalled if now - self._since >= PATIENCE * self._seconds else None


_now = time.monotonic


def _clock_of_this_thread() -> Callable[[], float]:
    """Return a function that another thread can call for the processor time of this one."""
    if not hasattr(time, "pthread_getcpuclockid"):
        return time.process_time
    number = time.pthread_getcpuclockid(threading.get_ident())
    return lambda: time.clock_gettime(number)


@contextlib.contextmanager
def _by_signal(seconds: float, mark: Callable[[], int]) -> Iterator[None]:
    watch = _Watch(mark, seconds, time.thread_time)

    def interrupt(number: int, frame: FrameType | None) -> None:
        due = watch.overdue()
        if due is not None:
            raise due

    before = signal.signal(signal.SIGALRM, interrupt)
    timer = signal.setitimer(signal.ITIMER_REAL, seconds / _LOOKS, seconds / _LOOKS)
    try:
        watch.on = True
        yield
    finally:
        watch.on = False
        signal.setitimer(signal.ITIMER_REAL, *timer)
        signal.signal(signal.SIGALRM, before)


@contextlib.contextmanager
def _by_thread(seconds: float, mark: Callable[[], int]) -> Iterator[None]:
    """Watch from a second thread.

    The exception that this thread raises arrives with a delay, at some call or loop iteration, and
    so perhaps within `_end`. `_end` therefore takes no lock, which it might then never release, and
    it can be called again.
    """
    watch = _Watch(mark, seconds, _clock_of_this_thread())
    over = _thread.allocate_lock()
    over.acquire()
    this = ctypes.c_ulong(threading.get_ident())
    # Not a `threading.Thread`: its start() waits for the new thread, and would wait forever if
    # another watch raised an exception there meanwhile.
    _thread.start_new_thread(_look, (watch, over, seconds / _LOOKS, this))
    try:
        while not watch.begun:  # until it runs, CPython 3.11 confuses it with this thread
            time.sleep(0)
        watch.on = True
        yield
    finally:
        watch.on = False  # first of all: no exception arrives before the next call
        while True:
            try:
                _end(watch, over)
            except StepTimeout:
                continue
            break


def _end(watch: _Watch, over: _thread.LockType) -> None:
    """End the watch; an exception that is still on its way arrives here at the latest.

    PyThreadState_SetAsyncExc with NULL could cancel the exception. But Python would then check for
    asynchronous exceptions at every call from then on, and CPython 3.11 hangs when it also traces.
    """
    while watch.looking:
        time.sleep(0)
    if over.locked():
        over.release()
    for _ in range(2):  # Python checks for asynchronous exceptions in each loop iteration
        pass


def _look(watch: _Watch, over: _thread.LockType, seconds: float, thread: ctypes.c_ulong) -> None:
    """Raise `StepTimeout` in a thread whenever its step takes too long, until the watch is over.

    Parameters
    ----------
    watch : _Watch
    over : lock
        Held while the watch lasts; its release ends this function.
    seconds : float
        Time between two looks at the mark.
    thread : c_ulong
        The identifier of the thread to interrupt.
    """
    throw = ctypes.pythonapi.PyThreadState_SetAsyncExc
    watch.begun = True
    while not over.acquire(timeout=seconds):
        watch.looking = True
        try:
            due = watch.overdue()
            if due is not None:
                throw(thread, ctypes.py_object(due))
        finally:
            watch.looking = False
