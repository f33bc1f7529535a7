"""Ends a command with all that it has started, also what has left its session.

On Linux this process adopts the orphans among its descendants, and finds all of them in /proc.
Elsewhere only the session of the command is ended.
"""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Lock

_SET_CHILD_SUBREAPER = 36
GRACE = 2.0
"""Seconds between SIGTERM and SIGKILL."""

KILLED = 10.0
"""Seconds after which a process that even SIGKILL does not end is left: it waits for a device."""

_LOOK = 0.02
"""Seconds between two looks at whether processes have ended."""


def adopt_orphans() -> None:
    """Become the parent of all descendants whose own parents end, where the system allows it."""
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def start(arguments: Sequence[str], cwd: Path, env: Mapping[str, str], output: int) -> int:
    """Start a command in a session of its own, and return its process id.

    Parameters
    ----------
    arguments : sequence of str
    cwd : Path
    env : mapping of str to str
        The whole environment.
    output : int
        A file descriptor for its output and its errors. Its input is empty.

    Raises
    ------
    OSError
        If the program or the folder does not exist, or may not be used.
    """
    with open(os.devnull, "rb") as nothing:
        process = subprocess.Popen(
            list(arguments), cwd=cwd, env=dict(env), stdin=nothing, stdout=output, stderr=output,
            start_new_session=True, close_fds=True,
        )  # fmt: skip
    process.returncode = 0  # `ended` reaps it, and not this object
    return process.pid


class Sessions:
    """The commands that run now; after `close`, which another thread calls, none is started.

    Parameters
    ----------
    note : callable, optional
        Called with each session when its command is started.
    """

    def __init__(self, note: Callable[[int], None] | None = None) -> None:
        self._note = note
        self._running: list[int] = []
        self._starting = Lock()

    def start(
        self, arguments: Sequence[str], cwd: Path, env: Mapping[str, str], output: int
    ) -> int:
        """Start a command, as `start` does, and remember its session."""
        with self._starting:
            session = start(arguments, cwd, env, output)
            self._running.append(session)
            if self._note is not None:
                self._note(session)
        return session

    def end(self, session: int) -> None:
        """End a command with all that it has started."""
        end_all(session)
        self._running.remove(session)

    def close(self, grace: float) -> None:
        """End all commands; one that is being started is waited for, and those after it block."""
        self._starting.acquire()
        for session in list(self._running):
            end_all(session, grace)


def ended(process: int) -> int | None:
    """Reap what has ended, and return the exit code of a process if it has; None: it still runs.

    The code is negative for a signal.
    """
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return None
        if pid == process:
            return os.waitstatus_to_exitcode(status)
        if pid == 0:
            return None


def end_all(session: int, grace: float = GRACE) -> None:
    """End all processes of a session, and all descendants of this process: SIGTERM, then SIGKILL.

    Parameters
    ----------
    session : int
        The process id of the session's first process, which `start` returned.
    grace : float
        How many seconds the processes have to end by themselves.
    """
    _signal(session, signal.SIGTERM)
    until = time.monotonic() + grace
    while (left := _living(session)) and time.monotonic() < until:
        ended(session)
        time.sleep(_LOOK)
    until += KILLED
    while left and time.monotonic() < until:
        _signal(session, signal.SIGKILL)
        ended(session)
        time.sleep(_LOOK)
        left = _living(session)


def _signal(session: int, number: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(session, number)
    for process in _descendants():
        with suppress(ProcessLookupError, PermissionError):
            os.kill(process, number)


def _living(session: int) -> bool:
    ended(session)
    if _descendants():
        return True
    if Path("/proc/self/stat").exists():
        return False
    try:
        os.killpg(session, 0)
    except (ProcessLookupError, PermissionError):
        return False
    return True


def _descendants() -> list[int]:
    """Return the living descendants of this process; empty where there is no /proc."""
    children: dict[int, list[int]] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            pid, _, rest = path.read_text(errors="replace").partition(" ")
            state, parent, *_ = rest.rpartition(")")[2].split()
        except (OSError, ValueError):
            continue
        if state not in "ZX":
            children.setdefault(int(parent), []).append(int(pid))
    found, waiting = [], [os.getpid()]
    while waiting:
        below = children.get(waiting.pop(), [])
        found += below
        waiting += below
    return found
