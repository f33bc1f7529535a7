"""The separate process that reads large documents (`apart`)."""

from __future__ import annotations

import gc
import os
import pickle
import resource
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import IO, Any

from selectolax.lexbor import SelectolaxError

from . import sitemaps
from .apart import MEMORY, TOO_MUCH
from .blocks import blocks_here
from .embedded import embedded_here
from .links import Reading, read_here

_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "links": read_here, "blocks": blocks_here, "embedded": embedded_here,
    "sitemap": sitemaps.read_here,
}  # fmt: skip

PART = 2_000
"""How many references are sent at a time."""


def serve() -> None:
    """Answer calls from standard input on standard output, until the input ends."""
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    most = MEMORY if soft == resource.RLIM_INFINITY else min(MEMORY, soft)
    with suppress(OSError, ValueError):  # macOS refuses a limit below what is reserved
        resource.setrlimit(resource.RLIMIT_AS, (most, hard))
    incoming, outgoing = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr
    gc.set_threshold(20_000, 50, 50)  # a document makes many objects, and no reference cycles
    while (call := _received(incoming)) is not None:
        seconds, name, arguments = call
        signal.setitimer(signal.ITIMER_PROF, seconds)  # SIGPROF ends a process, whatever it does
        try:
            found: Any = _FUNCTIONS[name](*arguments)
        except (MemoryError, SelectolaxError):  # the parser reports a lack of memory as its own
            found = TOO_MUCH
        except Exception as error:
            found = error
        signal.setitimer(signal.ITIMER_PROF, 0)
        try:
            _send(found, outgoing)
            outgoing.flush()
        except BrokenPipeError:  # Python would try to write the rest when it ends, and complain
            os.dup2(os.open(os.devnull, os.O_WRONLY), outgoing.fileno())
            return


def _send(found: Any, outgoing: IO[bytes]) -> None:
    """Write an answer; of a reading, first the rest, then its references in parts.

    A pickle remembers each object in it; one of all references would take as much memory again.
    """
    references = found.references if isinstance(found, Reading) else ()
    pickle.dump(found._replace(references=()) if references else found, outgoing)
    for first in range(0, len(references), PART):
        pickle.dump(references[first : first + PART], outgoing)
    pickle.dump((), outgoing)


def _received(incoming: IO[bytes]) -> Any:
    """Return the next call; None if the crawl ended, perhaps in the middle of a call."""
    try:
        return pickle.load(incoming)
    except (EOFError, pickle.UnpicklingError):
        return None
