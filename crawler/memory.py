"""Memory that is freed and needed again at once."""

from __future__ import annotations

import ctypes

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3


def keep_memory() -> bool:
    """Let the process keep the memory that a parsed document frees, for the next one.

    Otherwise the C library gives it back to the system after each, and faulting it in again takes
    longer than parsing a small page. Tells whether the library could be told.
    """
    try:
        tune = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):
        return False
    return bool(tune(_TRIM_THRESHOLD, 1 << 28)) and bool(tune(_MMAP_THRESHOLD, 1 << 25))
