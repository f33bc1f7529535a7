"""Runs the processes of a load at the same time: as threads, or as processes of the system."""

from __future__ import annotations

import multiprocessing
import multiprocessing.connection
import os
import signal
import threading
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .interface import Memory, RecordingError
from .load import Load
from .transactions import run_process

GRACE = 10.0
"""Seconds that transactions get to end after the time of a recording is over."""

Look = Callable[[], None]
"""Called several times a second while transactions run."""


def run_memory(memory: Memory, load: Load, path: Path, seconds: float | None, look: Look) -> None:
    """Run the transactions of all processes of a load.

    Parameters
    ----------
    memory : Memory
        It is open.
    load : Load
    path : Path
        Where the events go.
    seconds : float or None
        After so many, no transaction begins any more.
    look : callable
        Called while they run.

    Raises
    ------
    RecordingError
        If a process fails, or does not come to an end.
    KeyboardInterrupt
        If Ctrl-C was pressed; no transaction begins any more.
    """
    kind = _Processes if memory.workers == "processes" else _Threads
    workers = kind(memory, load, path)
    end = None if seconds is None else time.monotonic() + seconds
    try:
        while workers.are_running():
            look()
            workers.wait(0.1)
            if workers.failures() or (end is not None and time.monotonic() > end):
                break
    finally:
        workers.over.set()
        late = workers.late(GRACE)
    failures = workers.failures()
    if failures:
        raise RecordingError(failures[0])
    if late:
        raise RecordingError(f"process {late[0]} has not ended {GRACE:g} seconds after its time "
                             "was over")  # fmt: skip


class _Threads:
    """Processes of a load as threads."""

    def __init__(self, memory: Memory, load: Load, path: Path) -> None:
        self.over: Any = threading.Event()
        self._failed: list[str] = []
        start = threading.Barrier(load.threads)

        def work(process: int) -> None:
            try:
                start.wait()
                run_process(memory, load, process, path, self.over.is_set)
            except BaseException as error:
                self._failed.append(in_words(process, error))

        self._all = [threading.Thread(target=work, args=(process,), daemon=True)
                     for process in range(load.threads)]  # fmt: skip
        for one in self._all:
            one.start()

    def are_running(self) -> bool:
        return any(one.is_alive() for one in self._all)

    def failures(self) -> list[str]:
        return self._failed

    def wait(self, seconds: float) -> None:
        """Wait for any process that runs, for at most so long."""
        running = [one for one in self._all if one.is_alive()]
        if running:
            running[0].join(seconds)

    def late(self, grace: float) -> list[int]:
        """Wait until all have ended; return those that have not."""
        end = time.monotonic() + grace
        for one in self._all:
            one.join(max(0.0, end - time.monotonic()))
        return [process for process, one in enumerate(self._all) if one.is_alive()]


class _Processes:
    """Processes of a load as processes of the system, which are forked."""

    def __init__(self, memory: Memory, load: Load, path: Path) -> None:
        system = multiprocessing.get_context("fork")
        self.over: Any = system.Event()
        self._said = system.SimpleQueue()
        self._failed: list[str] = []
        start = system.Barrier(load.threads)
        first = os.getpid()

        def over() -> bool:
            return bool(self.over.is_set()) or os.getppid() != first  # it was killed

        def work(process: int) -> None:
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # the first process ends the recording
            try:
                start.wait()
                run_process(memory, load, process, path, over)
            except BaseException as error:
                self._said.put(in_words(process, error))

        self._all = [system.Process(target=work, args=(process,), daemon=True)
                     for process in range(load.threads)]  # fmt: skip
        for one in self._all:
            one.start()

    def are_running(self) -> bool:
        return any(one.is_alive() for one in self._all)

    def failures(self) -> list[str]:
        while not self._said.empty():
            self._failed.append(self._said.get())
        for process, one in enumerate(self._all):
            if one.exitcode:
                self._failed.append(f"process {process} was ended by signal {-one.exitcode}")
        return self._failed

    def wait(self, seconds: float) -> None:
        """Wait for any process that runs, for at most so long."""
        running = [one.sentinel for one in self._all if one.is_alive()]
        multiprocessing.connection.wait(running, seconds)

    def late(self, grace: float) -> list[int]:
        """Wait until all have ended; kill those that have not, and return them."""
        end = time.monotonic() + grace
        for one in self._all:
            one.join(max(0.0, end - time.monotonic()))
        found = [process for process, one in enumerate(self._all) if one.is_alive()]
        for process in found:
            self._all[process].kill()
        return found


def in_words(process: int, error: BaseException) -> str:
    """Return an error of a process in one line, with the place where it was raised."""
    text = " ".join(str(error).split())
    if isinstance(error, OSError | RecordingError):
        return f"process {process} failed: {text}"
    place = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{Path(place.filename).name}:{place.lineno}"
    return f"process {process} failed: {type(error).__name__}: {text} ({where})"
