"""Stops a spec's own code that does not end: a loop in an action that asks no engine for the time.

Engines look at the clock between steps. A step that never ends is stopped from outside, by a signal
that arrives in the main thread; elsewhere, and on systems without that signal, it goes on.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from spec.notation import Model
from spec.notation._errors import Stopped

from .limits import LimitReached, Limits

GRACE = 5.0
"""Seconds after the time limit in which an engine may end by itself."""

AGAIN = 0.5
"""Seconds after which it is looked again whether the spec's own code runs."""


class Endless(Stopped, LimitReached):
    """A time limit was reached, in code that looks at no clock."""


@contextmanager
def stopped(model: Model, limits: Limits) -> Iterator[None]:
    """Stop the spec's own code where it runs when the time is over.

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
    files = {
        getattr(sys.modules.get(c.__module__), "__file__", None) for c in type(model.spec).__mro__
    }

    def stop(number: int, frame: FrameType | None) -> None:
        while frame is not None:
            if frame.f_code.co_filename in files:
                place = f"{frame.f_code.co_filename}:{frame.f_lineno}"
                raise Endless(
                    f"the time limit of {limits.seconds:g} s was reached in {place}, which did not "
                    f"end in {GRACE:g} s more: does a loop there have no end?"
                )
            frame = frame.f_back

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, left + GRACE, AGAIN)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
