"""Runs tasks on all cores, in processes that end with their parent; results come in order."""

from __future__ import annotations

import os
import signal
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import current_thread, main_thread
from types import FrameType
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import Future

Item = TypeVar("Item")
Result = TypeVar("Result")

AHEAD = 4
"""Tasks queued for each process, so that none is idle."""

_SIGNALS = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
"""Signals that end this process; CI sends one to a job that is cancelled."""


def cores() -> int:
    """Return how many processes can run at once."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@contextmanager
def interrupts_held() -> Iterator[None]:
    """Hold Ctrl-C back; it never reaches threads that are started meanwhile, nor their processes.

    The mask does that for them. It is not enough for this process, because a thread of a library
    that was started before does not have the mask, and takes the signal.
    """
    with _noted():
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            yield
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _noted() -> Iterator[None]:
    """Note Ctrl-C, and do at the end what is to be done then."""
    handler = signal.getsignal(signal.SIGINT)
    if current_thread() is not main_thread() or not callable(handler):
        yield
        return
    came: list[tuple[int, FrameType | None]] = []
    signal.signal(signal.SIGINT, lambda number, frame: came.append((number, frame)))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
        if came:
            handler(*came[0])


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """Make a folder, which is removed at the end, also if SIGTERM or SIGHUP ends this process."""
    with _signals_raise(), TemporaryDirectory(prefix="counterpoint-") as made:
        yield Path(made)


@contextmanager
def _signals_raise() -> Iterator[None]:
    """Raise SystemExit where a signal would end this process without leaving its contexts."""

    def leave(number: int, _: object) -> None:
        signal.signal(number, signal.SIG_IGN)  # once is enough, and contexts take time to leave
        raise SystemExit(128 + number)

    mine = [one for one in _SIGNALS if signal.getsignal(one) is signal.SIG_DFL]
    if current_thread() is not main_thread():
        mine = []
    for number in mine:
        signal.signal(number, leave)
    try:
        yield
    finally:
        for number in mine:
            signal.signal(number, signal.SIG_DFL)


def in_order(
    function: Callable[[Item], Result], items: Iterable[Item], processes: int
) -> Generator[Result, None, None]:
    """Yield a function's result for each item, in the order of the items.

    Parameters
    ----------
    function : callable
        A function of a module, so that another process can import it.
    items : iterable
        The arguments, one for each call.
    processes : int
        How many processes work at a time; with 1, this process does the work.

    Notes
    -----
    A caller that needs no more results closes the iterator, which ends the running tasks.
    """
    if processes == 1:
        yield from map(function, items)
        return
    from .pool import ProcessPool  # it loads multiprocessing, and most commands need none

    pool = ProcessPool(processes)
    waiting: deque[Future[Result]] = deque()
    try:
        for item in items:
            with interrupts_held():
                waiting.append(pool.submit(function, item))
            if len(waiting) >= AHEAD * processes:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    except BaseException:
        pool.end()
        raise
    finally:
        pool.close()
