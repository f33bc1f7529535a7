"""Limits of memory: for files that are read, for compiled code, and where there is none left.

Where a limit of address space (``ulimit -v``) is too low, LLVM kills the process, or compiles for
minutes. So a command that needs compiled code is refused before it loads it.

A file that is no file of its kind, such as a device or a sparse file, may have no line feed and no
end. So lines are read up to a limit, and so are texts that are read as a whole.
"""

from __future__ import annotations

import errno
import logging
import sys
from collections.abc import Iterator
from contextlib import suppress
from itertools import takewhile
from typing import IO

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
LINE = 1 << 20
"""The most bytes of a line with a few fields, such as one of a run of TREC."""
PIECE = 1 << 20
"""Bytes of a file that are read at a time."""
TEXT = 1 << 28
"""The most bytes of a text that is read as a whole, and of a line that has a whole page."""


class TooLargeError(ValueError):
    """A file has more than its reader takes; the message says what, without the file's name."""


class TooLittleMemoryError(MemoryError):
    """The limit of address space is too low for a command; the message says so."""


def lines_of(file: IO[bytes], most: int = LINE, begun: int = 0) -> Iterator[bytes]:
    """Yield the lines of a file with their line feeds; the last line may lack it.

    Parameters
    ----------
    file : binary file
    most : int
        The most bytes of a line.
    begun : int
        How many lines have been read before, for the message.

    Raises
    ------
    TooLargeError
        If a line is longer; no more of it has been read. The message has its number.
    """
    number = begun
    while line := file.readline(most + 1):
        number += 1
        if len(line) > most:
            raise TooLargeError(f"line {number:,} is longer than {most >> 20:,} MB")
        yield line


def whole(file: IO[bytes], most: int = TEXT) -> bytearray:
    """Return all that a file has.

    Raises
    ------
    TooLargeError
        If it has more than so many bytes; little more of it has been read.
    """
    data = bytearray()
    while piece := file.read(PIECE):  # to read so many bytes at once would allocate them all
        data += piece
        if len(data) > most:
            raise TooLargeError(f"is larger than {most >> 20:,} MB")
    return data


def without_advice(error: ValueError) -> str:
    """Return the message of a reader of JSON or TOML, for a user.

    Where a number has thousands of digits, Python's own advises a programmer to allow them.
    """
    if "sys.set_int_max_str_digits" not in str(error):
        return str(error)
    return f"a number has more than {sys.get_int_max_str_digits():,} digits"


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
