"""Stops a step that takes too long.

Nothing is done at a step but to set a mark, so watching costs nothing. Where signals can be had
(the main thread, not on Windows) a timer interrupts whatever Python does; elsewhere a thread does.
Compiled code is interrupted only when it returns.
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


class TooLong(BaseException):
    """A step takes too long; no `Exception`, so that no policy catches it and goes on."""


@contextlib.contextmanager
def watched(seconds: float, at: Callable[[], int]) -> Iterator[None]:
    """Raise `TooLong` in this thread if a mark stays the same for ``seconds`` to twice as long.

    Parameters
    ----------
    seconds : float
        The limit.
    at : callable
        Returns the mark; 0 while nothing is to be stopped. It must be 0 when the block is left,
        however that happens: between there and the end of the watch a stop would get away. Code
        that begins threads may lose one to a stop in CPython 3.11, and then waits for it in vain.
    """
    usable = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
    with _by_signal(seconds, at) if usable else _by_thread(seconds, at):
        yield


class _Watch:
    """Somebody who looks at a mark from time to time.

    Attributes
    ----------
    on : bool
        Whether to raise `TooLong`.
    begun : bool
        Whether somebody looks.
    looking : bool
        Whether somebody may be about to.
    """

    def __init__(self, at: Callable[[], int]) -> None:
        self._at, self._last = at, 0
        self.on = self.begun = self.looking = False

    def stands_still(self) -> bool:
        """Return whether the mark is what it was at the call before, and matters to anybody."""
        before, self._last = self._last, self._at()
        return self.on and self._last != 0 and self._last == before


@contextlib.contextmanager
def _by_signal(seconds: float, at: Callable[[], int]) -> Iterator[None]:
    watch = _Watch(at)

    def interrupt(number: int, frame: FrameType | None) -> None:
        if watch.stands_still():
            raise TooLong

    before = signal.signal(signal.SIGALRM, interrupt)
    timer = signal.setitimer(signal.ITIMER_REAL, seconds, seconds)
    try:
        watch.on = True
        yield
    finally:
        watch.on = False
        signal.setitimer(signal.ITIMER_REAL, *timer)
        signal.signal(signal.SIGALRM, before)


@contextlib.contextmanager
def _by_thread(seconds: float, at: Callable[[], int]) -> Iterator[None]:
    """Watch from a thread of its own.

    What it throws arrives later, at any call or turn of a loop, and so perhaps in what ends the
    watch. Thus that takes no lock, which might then never be given back, and can be done again.
    """
    watch = _Watch(at)
    over = _thread.allocate_lock()
    over.acquire()
    this = ctypes.c_ulong(threading.get_ident())
    # A `threading.Thread` would be waited for, in vain if another watch throws into it meanwhile.
    _thread.start_new_thread(_look, (watch, over, seconds, this))
    try:
        while not watch.begun:  # until it runs, CPython 3.11 takes it for this thread
            time.sleep(0)
        watch.on = True
        yield
    finally:
        watch.on = False  # at once: before the next call nothing arrives
        while True:
            try:
                _end(watch, over)
            except TooLong:
                continue
            break


def _end(watch: _Watch, over: _thread.LockType) -> None:
    """Return when nothing is thrown any more; what was thrown arrives here at the latest.

    To throw None, so that nothing arrives, would tell Python for ever that there is something for
    some thread: it then looks at every call, and where it traces CPython 3.11 does nothing else.
    """
    while watch.looking:
        time.sleep(0)
    if over.locked():
        over.release()
    for _ in range(2):  # a loop is where Python looks whether anything was thrown
        pass


def _look(watch: _Watch, over: _thread.LockType, seconds: float, thread: ctypes.c_ulong) -> None:
    """Throw `TooLong` into a thread whenever its mark stands still, until the watch is over."""
    throw = ctypes.pythonapi.PyThreadState_SetAsyncExc
    watch.begun = True
    while not over.acquire(timeout=seconds):
        watch.looking = True
        try:
            if watch.stands_still():
                throw(thread, ctypes.py_object(TooLong))
        finally:
            watch.looking = False
