"""Stops a spec's own code that does not end, such as an endless loop in an action.

Engines check the time between steps. A step that never ends is interrupted by a signal, which
arrives in the main thread. In other threads, and on systems without that signal, it is not
interrupted.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from counterpoint.models.limits import LimitReached, Limits
from counterpoint.spec.notation import Model
from counterpoint.spec.notation.errors import RunInterrupted

GRACE = 5.0
"""Seconds that one call of the spec's code may take after the time limit."""

LOOK = 0.2
"""Seconds between two looks at the running code."""


class EndlessCall(RunInterrupted, LimitReached):
    """The time limit was reached in code that does not check the time."""


class _CallTimer:
    """Notices that one call of the spec's code runs for too long."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.call: FrameType | None = None
        self.since = 0.0

    def look(self, number: int, frame: FrameType | None) -> None:
        """Raise `EndlessCall` if the current call has been running for `GRACE` seconds."""
        call = theirs = within = None  # the frames of a call, and of the spec's code within it
        while frame is not None:
            if frame.f_code is Model.call.__code__:
                call, theirs, within = frame, within, None
            elif _is_ours(frame):  # code that it calls, such as a solver, is not the spec's
                within = None
            elif within is None:
                within = frame
            frame = frame.f_back
        if call is not self.call:
            self.call, self.since = call, time.monotonic()
        elif call is not None and theirs is not None and time.monotonic() - self.since >= GRACE:
            place = f"{theirs.f_code.co_filename}:{theirs.f_lineno}"
            raise EndlessCall(
                f"the time limit of {self.limits.seconds:g} s was reached in {place}, which did "
                f"not end within {GRACE:g} s more: is there an endless loop?"
            )


def _is_ours(frame: FrameType) -> bool:
    name = frame.f_globals.get("__name__") or ""
    return str(name).startswith(("counterpoint.spec.notation", "counterpoint.models."))


@contextmanager
def interrupting_endless_calls(limits: Limits) -> Iterator[None]:
    """Interrupt a call of the spec's own code that still runs when the time is over.

    If an alarm is already set by other code, that alarm stays, and nothing is interrupted.

    Raises
    ------
    EndlessCall
        Within that code; the message names the line.
    """
    left = limits.left()
    here = threading.current_thread() is threading.main_thread()
    if left is None or not here or not hasattr(signal, "setitimer"):
        yield
        return
    if signal.getitimer(signal.ITIMER_REAL)[0] or signal.getsignal(signal.SIGALRM) is None:
        yield
        return
    before = signal.signal(signal.SIGALRM, _CallTimer(limits).look)
    signal.setitimer(signal.ITIMER_REAL, left + LOOK, LOOK)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
