"""Stops a spec's own code that does not end: a loop in an action that asks no engine for the time.

Engines look at the clock between steps. A step that never ends is stopped from outside, by a signal
that arrives in the main thread; elsewhere, and on systems without that signal, it goes on.
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
from counterpoint.spec.notation.errors import Stopped

GRACE = 5.0
"""Seconds that one call of the spec's code may take after the time limit."""

LOOK = 0.2
"""Seconds after which it is looked again what runs."""


class Endless(Stopped, LimitReached):
    """A time limit was reached, in code that looks at no clock."""


class _Watch:
    """Sees whether one and the same call of the spec's code goes on and on."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.call: FrameType | None = None
        self.since = 0.0

    def look(self, number: int, frame: FrameType | None) -> None:
        """Raise `Endless` in the midst of a call that was there `GRACE` seconds ago."""
        call = theirs = within = None  # the frames of a call, and of the spec's code in it
        while frame is not None:
            if frame.f_code is Model.call.__code__:
                call, theirs, within = frame, within, None
            elif _is_ours(frame):  # what it calls, a solver among others, is none of the spec's
                within = None
            elif within is None:
                within = frame
            frame = frame.f_back
        if call is not self.call:
            self.call, self.since = call, time.monotonic()
        elif call is not None and theirs is not None and time.monotonic() - self.since >= GRACE:
            place = f"{theirs.f_code.co_filename}:{theirs.f_lineno}"
            raise Endless(
                f"the time limit of {self.limits.seconds:g} s was reached in {place}, which did "
                f"not end in {GRACE:g} s more: does a loop there have no end?"
            )


def _is_ours(frame: FrameType) -> bool:
    name = frame.f_globals.get("__name__") or ""
    return str(name).startswith(("counterpoint.spec.notation", "counterpoint.models."))


@contextmanager
def stopped(limits: Limits) -> Iterator[None]:
    """Stop a call of the spec's own code that does not end when the time is over.

    Where somebody else has set an alarm, that one stays, and nothing is stopped.

    Raises
    ------
    Endless
        In the midst of that code; the message says in which line.
    """
    left = limits.left()
    here = threading.current_thread() is threading.main_thread()
    if left is None or not here or not hasattr(signal, "setitimer"):
        yield
        return
    if signal.getitimer(signal.ITIMER_REAL)[0] or signal.getsignal(signal.SIGALRM) is None:
        yield
        return
    before = signal.signal(signal.SIGALRM, _Watch(limits).look)
    signal.setitimer(signal.ITIMER_REAL, left + LOOK, LOOK)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
