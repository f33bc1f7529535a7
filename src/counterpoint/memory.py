"""Limits of memory: for compiled code, and where there is none left.

Where a limit of address space (``ulimit -v``) is too low, LLVM kills the process, or compiles for
minutes. So a command that needs compiled code is refused before it loads it.
"""

from __future__ import annotations

import errno
import gc
import logging
import sys
from collections.abc import Iterator
from contextlib import suppress
from itertools import takewhile

LEAST = 1 << 30
"""Bytes of address space that commands with compiled code need: half of it for libraries that are
loaded, and the rest to compile in."""
RESERVE = 4 << 20
"""Bytes of address space that are given back when a command fails, so that it can say why, and
Python can end. No page of them is ever touched."""
WITHOUT_MEMORY = ("can't start new thread", "can't allocate lock")
"""What Python says where the system has no memory for a thread or a lock."""
NO_DOCUMENT = "Can't parse HTML."
"""What the HTML parser says where it gets no memory; otherwise it accepts any text."""
LARGE = 64 << 20
"""Bytes that a process can get unless memory has run out."""

YOUNG = 20_000
"""How many new objects start a search for unreachable reference cycles."""


class TooLittleMemoryError(MemoryError):
    """The limit of address space is too low for a command; the message says so."""


def must_be_enough() -> None:
    """Raise a `TooLittleMemoryError` if this process may have less than `LEAST`."""
    if sys.platform == "win32":  # it has no such limits
        return
    import resource

    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    if limit != resource.RLIM_INFINITY and limit < LEAST:
        raise TooLittleMemoryError(
            f"the limit of address space is {limit >> 20:,} MB; compiled code needs "
            f"{LEAST >> 20:,} MB (ulimit -v {LEAST >> 10})"
        )


def is_exhausted(error: BaseException) -> bool:
    """Return whether an error, or one that led to it, means that there is no memory left.

    An error that was raised ``from None`` stands for itself: what came before did not lead to it.
    So does one that is no `Exception`, such as the end of a policy's step.
    """
    return any(map(_says_so, takewhile(lambda one: isinstance(one, Exception), chain(error))))


def chain(error: BaseException) -> Iterator[BaseException]:
    """Yield an error and those that led to it, the last one first."""
    seen: list[BaseException] = []
    one: BaseException | None = error
    while one is not None and not any(one is other for other in seen):
        yield one
        seen.append(one)
        one = one.__cause__ or (None if one.__suppress_context__ else one.__context__)


def _says_so(error: BaseException) -> bool:
    """Return whether an error itself means that there is no memory left."""
    if isinstance(error, SystemError):  # compiled code failed, and lost the error that it had
        return is_tight()
    return (
        isinstance(error, MemoryError)
        or (isinstance(error, OSError) and error.errno == errno.ENOMEM)
        or (isinstance(error, RuntimeError) and str(error) in WITHOUT_MEMORY)
        or (isinstance(error, ImportError | OSError) and "failed to map segment" in str(error))
        or (type(error).__name__ == "SelectolaxError" and str(error) == NO_DOCUMENT)
    )


def is_tight() -> bool:
    """Return whether no large allocation succeeds now."""
    try:
        bytes(LARGE)
    except MemoryError:
        return True
    return False


def is_worth_logging(record: logging.LogRecord) -> bool:
    """Return whether a library's record is not about exhausted memory; a filter of handlers.

    SQLAlchemy logs a traceback where giving back a connection fails. What the command was doing
    fails then, too, and is reported.
    """
    error = record.exc_info[1] if record.exc_info else None
    return error is None or not is_exhausted(error)


def report_ignored(ignored: sys.UnraisableHookArgs) -> None:
    """Report an error that Python cannot raise, as it does itself; nothing if memory is exhausted.

    Without memory any finalizer can fail; the command that runs fails as well, and says why.
    """
    with suppress(MemoryError):
        if ignored.exc_value is None or not is_exhausted(ignored.exc_value):
            sys.__unraisablehook__(ignored)


def collect_seldom() -> None:
    """Let Python search for unreachable reference cycles rarely.

    While modules are loaded, it would search again and again among their hundred thousand objects,
    of which none are unreachable.
    """
    gc.set_threshold(YOUNG, 50, 50)
