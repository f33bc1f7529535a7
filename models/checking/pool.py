"""A pool of processes in which the end of a process ends its own task, and nothing else.

In `concurrent.futures.ProcessPoolExecutor` all processes share a queue with its locks. If one of
them is killed, all tasks are lost; if that happens while processes start, Python 3.11 may even wait
for ever. Here each process has a pipe of its own and a thread that waits for it.
"""

from __future__ import annotations

import os
import pickle
import signal
import traceback
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from multiprocessing import connection, get_context, parent_process, resource_tracker
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from threading import Lock, Thread, local
from typing import Any, TypeVar
from weakref import WeakSet

from counterpoint.memory import is_exhausted

Result = TypeVar("Result")

_NO_MEMORY = pickle.dumps((None, MemoryError(), ""))


class ProcessEndedError(RuntimeError):
    """The process of a task has ended before the task had."""


class RemoteTracebackError(Exception):
    """The traceback of an error in another process, as the cause of that error."""

    def __str__(self) -> str:
        return f'\n"""\n{self.args[0]}"""'


class ProcessPool:
    """New processes that run tasks, and end when this process ends, however it ends.

    Ctrl-C does not reach them: who catches it calls `end`.

    Parameters
    ----------
    processes : int
        How many tasks run at a time.
    """

    def __init__(self, processes: int) -> None:
        resource_tracker.ensure_running()  # its start would allow Ctrl-C again in its thread
        self._threads = ThreadPoolExecutor(processes, initializer=_block_interrupts)
        self._own = local()
        self._started: set[SpawnProcess] = set()
        self._pipes: WeakSet[Connection] = WeakSet()
        self._starting, self._is_ended = Lock(), False

    def submit(self, function: Callable[..., Result], *arguments: Any) -> Future[Result]:
        """Run a function of a module in one of the processes, as soon as one is free.

        The future has the exception of the function, or a `ProcessEndedError`.
        """
        return self._threads.submit(self._run, function, arguments)

    def end(self) -> None:
        """End all processes at once, even in the middle of a task."""
        with self._starting:
            self._is_ended = True
            for process in self._started:
                process.terminate()

    def close(self) -> None:
        """Cancel the tasks that have not begun, wait for the others, and for all processes.

        A thread that ends drops its pipe, and a process whose pipe is closed ends.
        """
        self._threads.shutdown(wait=True, cancel_futures=True)
        for pipe in list(self._pipes):  # the tracebacks of errors keep them
            pipe.close()
        for process in self._started:
            process.join()

    def _run(self, function: Callable[..., Result], arguments: tuple[Any, ...]) -> Result:
        """Run a task in the process of this thread, which is started if there is none."""
        pipe: Connection = getattr(self._own, "pipe", None) or self._start()
        try:
            pipe.send((function, arguments))
            found = pipe.recv_bytes()
        except (EOFError, OSError):
            self._own.pipe = None
            pipe.close()
            raise ProcessEndedError("the process of the task has ended") from None
        result, error, text = pickle.loads(found)
        if error is not None:
            raise error from RemoteTracebackError(text)
        return result  # type: ignore[no-any-return]  # it was pickled, and has no type

    def _start(self) -> Connection:
        with self._starting:
            if self._is_ended:
                raise ProcessEndedError("the pool has ended")
            context = get_context("spawn")  # a fork would have copies of the other pipes
            pipe, theirs = context.Pipe()
            with theirs:
                process = context.Process(target=_serve, args=(theirs,))
                process.start()
            self._started.add(process)
            self._pipes.add(pipe)
        self._own.pipe = pipe
        return pipe


def _block_interrupts() -> None:
    """Block Ctrl-C in this thread, and in the processes that it starts."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})


def _serve(tasks: Connection) -> None:
    """Run the tasks that come over a pipe, until it is closed; the main loop of a process."""
    _end_with_parent()
    _leave_standard_output()
    while True:
        try:
            function, arguments = tasks.recv()
        except EOFError:
            return
        try:
            found = pickle.dumps((function(*arguments), None, ""))
        except BaseException as error:
            found = _packed(error)
        with suppress(BrokenPipeError):
            tasks.send_bytes(found)


def _packed(error: BaseException) -> bytes:
    """Return what is sent for an error; for want of memory without a traceback."""
    try:
        return pickle.dumps((None, sendable(error), traceback.format_exc()))
    except MemoryError:
        return _NO_MEMORY


def _leave_standard_output() -> None:
    """Send what tasks print to standard error; standard output has what the parent prints."""
    try:
        os.dup2(2, 1)
    except OSError:  # standard error is closed
        with open(os.devnull, "wb") as nothing:
            os.dup2(nothing.fileno(), 1)


def sendable(error: BaseException) -> Exception:
    """Return an error, or one with the same words if it cannot be sent to another process.

    One that is no `Exception` would end the process that gets it; it is one of the task there.
    The errors that led to it are not sent; so one that means that there is no memory left becomes a
    `MemoryError`.
    """
    if is_exhausted(error) and not isinstance(error, MemoryError):
        return MemoryError(str(error))
    words = RuntimeError(f"{type(error).__name__}: {error}")
    if not isinstance(error, Exception):
        return words
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return words
    return error


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is None:
        return

    def wait() -> None:
        connection.wait([parent.sentinel])
        os._exit(1)

    Thread(target=wait, daemon=True).start()
