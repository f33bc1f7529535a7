"""Limits of memory: what compiled code needs, and which errors mean that there is none left.

Where a limit of address space (``ulimit -v``) is too low, LLVM kills the process, or compiles for
minutes. So a command that needs compiled code is refused before it loads it.
"""

from __future__ import annotations

import errno
import sys

LEAST = 1 << 30
"""Bytes of address space that commands with compiled code need: half of it for libraries that are
loaded, and the rest to compile in."""


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
    """Return whether an error, or one that led to it, means that there is no memory left."""
    seen: list[BaseException] = []
    one: BaseException | None = error
    while one is not None and one not in seen:
        seen.append(one)
        one = one.__cause__ or one.__context__
    return any(
        isinstance(one, MemoryError)
        or (isinstance(one, OSError) and one.errno == errno.ENOMEM)
        or (isinstance(one, RuntimeError) and "can't start new thread" in str(one))
        for one in seen
    )
