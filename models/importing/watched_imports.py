"""Stops the import of a user's file that does not end, such as an endless loop in a module.

The limit counts processor time of this thread, without the time in which Numba compiles. A file
that waits without using the processor is stopped by a limit of the clock on the wall. A timer
signal interrupts the import in the main thread; in other threads, where there is no such signal,
and where other code has set an alarm, nothing is interrupted.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from .user_modules import OURS, is_installed

LIMIT = 60.0
"""Seconds of processor time that the import of a file may take."""

PATIENCE = 10
"""An import may last this many times the limit, by the clock on the wall."""

LOOK = 0.2
"""Seconds between two looks at the running code."""


class EndlessImport(BaseException):
    """An import takes too long; not an `Exception`, so that no module catches it and continues."""


_FOUND: dict[str, tuple[str, int, str]] = {}
"""The imports that did not end: the file that was interrupted, its date, and the message."""


class _ImportTimer:
    """Notices that an import runs for too long."""

    def __init__(self, name: str) -> None:
        self.name, self.on = name, True
        self.spent, self.since = time.thread_time(), time.monotonic()
        self.last = self.spent, self.since

    def look(self, number: int, frame: FrameType | None) -> None:
        """Raise `EndlessImport` if the import has run for too long."""
        spent, now = time.thread_time(), time.monotonic()
        if _compiles(frame):
            self.spent += spent - self.last[0]
            self.since += now - self.last[1]
        self.last = spent, now
        if not self.on:
            return
        if spent - self.spent >= LIMIT:
            how = f"after {LIMIT:g} s of processor time"
        elif now - self.since >= LIMIT * PATIENCE:
            how = f"within {LIMIT * PATIENCE:g} s"
        else:
            return
        file, line = _place(frame) or (self.name, 0)
        place = f"{_near(file)}:{line}" if line else file
        text = f"{place}: its import did not end {how}: is there an endless loop?"
        _FOUND[self.name] = file, _date(file), text
        raise EndlessImport(text)


def _compiles(frame: FrameType | None) -> bool:
    while frame is not None:
        if str(frame.f_globals.get("__name__") or "").startswith("numba."):
            return True
        frame = frame.f_back
    return False


def _place(frame: FrameType | None) -> tuple[str, int] | None:
    """Return file and line of the innermost frame of a user's file."""
    while frame is not None:
        file, name = frame.f_code.co_filename, str(frame.f_globals.get("__name__") or "")
        is_ours = name.partition(".")[0] in OURS
        if not is_ours and os.path.isfile(file) and not is_installed(Path(file)):
            return file, frame.f_lineno
        frame = frame.f_back
    return None


def _near(file: str) -> str:
    path = Path(file)
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else file


def _date(file: str) -> int:
    try:
        return os.stat(file).st_mtime_ns
    except OSError:
        return 0


@contextmanager
def watched_import(name: str) -> Iterator[None]:
    """Watch the import of a file or a module.

    An import that did not end is not tried again before the interrupted file changes.

    Parameters
    ----------
    name : str
        The file or the module.

    Raises
    ------
    EndlessImport
        If it takes too long; the message names the line.
    """
    if name in _FOUND:
        file, date, text = _FOUND[name]
        if _date(file) == date:
            raise EndlessImport(text)
        del _FOUND[name]
    here = threading.current_thread() is threading.main_thread()
    if not here or not hasattr(signal, "setitimer"):
        yield
        return
    if signal.getitimer(signal.ITIMER_REAL)[0] or signal.getsignal(signal.SIGALRM) is None:
        yield
        return
    timer = _ImportTimer(name)
    before = signal.signal(signal.SIGALRM, timer.look)
    signal.setitimer(signal.ITIMER_REAL, LOOK, LOOK)
    try:
        yield
    finally:
        timer.on = False
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
