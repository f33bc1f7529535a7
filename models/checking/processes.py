"""Work on all cores: processes that end with their parent, and results in the given order."""

from __future__ import annotations

import os
import signal
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import connection, get_context, parent_process
from threading import Thread
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

AHEAD = 4
"""Tasks that wait for each process, so that none is idle."""


def cores() -> int:
    """Return how many processes can run at once."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def executor(processes: int) -> ProcessPoolExecutor:
    """Return a pool of new processes that end with this one, in whatever way it ends."""
    return ProcessPoolExecutor(
        processes, mp_context=get_context("spawn"), initializer=_end_with_parent
    )


def end(pool: ProcessPoolExecutor) -> None:
    """End the processes of a pool at once, with what they are doing."""
    for process in list(pool._processes.values()):  # no public way to stop running workers
        process.terminate()


@contextmanager
def interrupts_held() -> Iterator[None]:
    """Hold Ctrl-C back; processes begun meanwhile never see it, and it is for us to end them."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is None:
        return

    def wait() -> None:
        connection.wait([parent.sentinel])
        os._exit(1)

    Thread(target=wait, daemon=True).start()


def in_order(
    function: Callable[[Item], Result], items: Iterable[Item], processes: int
) -> Generator[Result, None, None]:
    """Yield what a function makes of each item, in the order of the items.

    Parameters
    ----------
    function : callable
        Of a module, so that another process can find it.
    items : iterable
        What it is given, one by one.
    processes : int
        How many work at a time; with one, it is this process.

    Notes
    -----
    A caller who has seen enough closes the iterator; what is under way then is ended.
    """
    if processes == 1:
        yield from map(function, items)
        return
    pool = executor(processes)
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
        end(pool)
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
