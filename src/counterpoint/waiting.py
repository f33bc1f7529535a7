"""Says on standard error that code is being compiled, if this takes more than a few seconds.

Otherwise nothing is printed in a pipe for a minute or more when a command is used for the first
time.
"""

from __future__ import annotations

import os
import sys
import time
from multiprocessing import current_process
from threading import Timer

PATIENCE = 3.0
"""Seconds of compiling, all together, after which it is said."""

VARIABLE = "COUNTERPOINT_SAYS_THAT_IT_COMPILES"
"""The variable of the environment with the process that says it; `NEVER`: none does."""

NEVER = "never"

LINE = "counterpoint: compiling code for its first use; this may take minutes, but only once"


def say_when_compiling() -> None:
    """Say it in this process and those that it starts, if no progress line is shown anyway."""
    if os.environ.get(VARIABLE) == NEVER:
        return
    if sys.stderr is not None and not sys.stderr.isatty():
        os.environ[VARIABLE] = str(os.getpid())


def is_wanted() -> bool:
    """Return whether this process has asked for it, or the one of which it is the first worker.

    All workers compile the same at the same time, so that one line is enough.
    """
    asked = os.environ.get(VARIABLE, "")
    first = current_process().name.endswith("-1")
    return asked == str(os.getpid()) or (asked == str(os.getppid()) and first)


class CompilingClock:
    """Adds up the seconds of compiling, and says it once when they are too many."""

    def __init__(self, patience: float = PATIENCE) -> None:
        self._left = patience
        self._depth = 0
        self._begun = 0.0
        self._timer: Timer | None = None
        self._said = False

    def start(self) -> None:
        """Begin to compile; one compilation may begin another."""
        self._depth += 1
        if self._depth == 1 and not self._said:
            self._begun = time.monotonic()
            self._timer = Timer(max(0.0, self._left), self._say)
            self._timer.daemon = True
            self._timer.start()

    def stop(self) -> None:
        """Have compiled what was begun last."""
        self._depth -= 1
        if self._depth == 0 and self._timer is not None:
            self._timer.cancel()
            self._timer = None
            self._left -= time.monotonic() - self._begun

    def _say(self) -> None:
        if not self._said and sys.stderr is not None:
            self._said = True
            print(LINE, file=sys.stderr, flush=True)
