"""The process in which long documents are read: it can be killed."""

from __future__ import annotations

import pickle
import signal
import sys
from typing import IO, Any

from .links import read_here


def serve() -> None:
    """Read what comes in on standard input until it ends: the other process."""
    incoming, outgoing = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr
    while (call := _received(incoming)) is not None:
        seconds, arguments = call
        signal.setitimer(signal.ITIMER_PROF, seconds)  # SIGPROF ends a process, whatever it does
        try:
            found: Any = read_here(*arguments)
        except Exception as error:
            found = error
        signal.setitimer(signal.ITIMER_PROF, 0)
        pickle.dump(found, outgoing)
        outgoing.flush()


def _received(incoming: IO[bytes]) -> Any:
    try:
        return pickle.load(incoming)
    except EOFError:
        return None
