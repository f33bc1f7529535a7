"""Work that several threads do, and that Ctrl-C ends at once and safely.

Python raises KeyboardInterrupt between any two steps of the main thread. If the main thread has
just taken a lock of a pool of threads, nobody gives that lock back, and the threads of the pool
wait for it for ever. If the main thread is still handing over work, the pool does all of it before
it ends. So Ctrl-C is only noted here: no thread begins another item, and KeyboardInterrupt is
raised when all threads have ended.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from types import FrameType, TracebackType
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")


class DelayedInterrupt:
    """A context in which Ctrl-C is only noted; at its end, the signal is handled as usual.

    In another thread than the main one it does nothing, since Python interrupts only the main
    thread.

    Attributes
    ----------
    is_noted : bool
        Whether Ctrl-C has been pressed.
    """

    def __init__(self) -> None:
        self.is_noted = False
        self._usual: Callable[[int, FrameType | None], object] | None = None

    def __enter__(self) -> DelayedInterrupt:
        usual = signal.getsignal(signal.SIGINT)
        if threading.current_thread() is threading.main_thread() and callable(usual):
            self._usual = usual
            signal.signal(signal.SIGINT, self._note)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        if self._usual is not None:
            signal.signal(signal.SIGINT, self._usual)
            if self.is_noted:
                self._usual(signal.SIGINT, None)

    def _note(self, number: int, frame: FrameType | None) -> None:
        self.is_noted = True


def for_each(
    work: Callable[[T], R],
    items: Iterable[T],
    threads: int,
    after: Callable[[R], object] | None = None,
) -> None:
    """Do some work for each item, several items at the same time.

    Parameters
    ----------
    work : callable
        Gets an item; it is called in a thread of its own.
    items : iterable
        The items.
    threads : int
        How many threads work.
    after : callable, optional
        Gets each result, in the order of the items; it is called in this thread.

    Raises
    ------
    KeyboardInterrupt
        If Ctrl-C was pressed. The items that had begun are done, and no thread works any more.
    """
    with DelayedInterrupt() as interrupt, ThreadPoolExecutor(threads) as pool:

        def unless_interrupted(item: T) -> tuple[R, ...]:
            return () if interrupt.is_noted else (work(item),)

        try:
            for done in pool.map(unless_interrupted, items):
                if after and done:
                    after(*done)
        finally:  # after an error nothing else begins
            pool.shutdown(wait=False, cancel_futures=True)
