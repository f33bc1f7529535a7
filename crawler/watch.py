"""Stops a step that takes too long.

Nothing is done at a step but to set a mark, so watching costs nothing. Where signals can be had
(the main thread, not on Windows) a timer interrupts whatever Python does; elsewhere a thread does.
Compiled code is interrupted only when it returns.
"""

from __future__ import annotations

import contextlib
import ctypes
import signal
import threading
from collections.abc import Callable, Iterator
from types import FrameType


class TooLong(BaseException):
    """A step takes too long; no `Exception`, lest a policy catch it and go on."""


@contextlib.contextmanager
def watched(seconds: float, at: Callable[[], int]) -> Iterator[None]:
    """Raise `TooLong` in this thread if a mark stays the same for ``seconds`` to twice as long.

    Parameters
    ----------
    seconds : float
        The limit.
    at : callable
        Returns the mark; 0 while nothing is to be stopped.
    """
    usable = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
    with _by_signal(seconds, at) if usable else _by_thread(seconds, at):
        yield


def _stands_still(at: Callable[[], int]) -> Callable[[], bool]:
    """Return a function that tells whether the mark is what it was at the call before."""
    last = 0

    def asked() -> bool:
        nonlocal last
        before, last = last, at()
        return last != 0 and last == before

    return asked


@contextlib.contextmanager
def _by_signal(seconds: float, at: Callable[[], int]) -> Iterator[None]:
    stands_still = _stands_still(at)

    def interrupt(number: int, frame: FrameType | None) -> None:
        if stands_still():
            raise TooLong

    before = signal.signal(signal.SIGALRM, interrupt)
    timer = signal.setitimer(signal.ITIMER_REAL, seconds, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, *timer)
        signal.signal(signal.SIGALRM, before)


@contextlib.contextmanager
def _by_thread(seconds: float, at: Callable[[], int]) -> Iterator[None]:
    stands_still = _stands_still(at)
    over = threading.Event()
    target = ctypes.c_ulong(threading.get_ident())
    throw = ctypes.pythonapi.PyThreadState_SetAsyncExc

    def watch() -> None:
        while not over.wait(seconds):
            if stands_still():
                throw(target, ctypes.py_object(TooLong))

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        while not _ended(over, watcher):
            pass


def _ended(over: threading.Event, watcher: threading.Thread) -> bool:
    """End a watcher; what it has thrown arrives here at the latest, and then it is not ended yet.

    To throw None, so that nothing arrives, would tell Python for ever that there is something for
    some thread: it then looks at every call, and where it traces CPython 3.11 does nothing else.
    """
    try:
        over.set()
        watcher.join()
        for _ in range(2):  # a loop is where Python looks
            pass
    except TooLong:
        return False
    return True
