"""A limit of the memory of this process, so that a policy cannot take that of the whole machine."""

from __future__ import annotations

import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

SHARE = 0.5
"""The share of the machine's memory that a policy may take."""


@contextmanager
def limited_memory(more: int | None = None) -> Iterator[None]:
    """Let allocations fail that take much more memory than this process has now.

    It holds on Linux; elsewhere nothing is limited.

    Parameters
    ----------
    more : int, optional
        How many bytes more may be taken; by default `SHARE` of the machine's memory.
    """
    before = resource.getrlimit(resource.RLIMIT_DATA)
    used = _used()
    if used is not None:
        if more is None:
            more = int(SHARE * os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
        soft = used + more if before[0] == resource.RLIM_INFINITY else min(before[0], used + more)
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_DATA, (soft, before[1]))
    try:
        yield
    finally:
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_DATA, before)


def _used() -> int | None:
    """Return the bytes that count for the limit; None if that is not known."""
    try:
        lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
        kilobytes = next(line.split()[1] for line in lines if line.startswith("VmData:"))
    except (OSError, StopIteration, ValueError):
        return None
    return 1024 * int(kilobytes)
