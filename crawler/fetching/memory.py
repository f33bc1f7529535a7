"""Memory that is freed and needed again at once, and garbage that is hardly ever there."""

from __future__ import annotations

import ctypes
import gc

YOUNG = 20_000
"""Objects that are new, from which on it is looked for those in circles that nobody holds."""

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


def look_seldom() -> None:
    """Let Python look for what is garbage in circles seldom, and never among what is there now.

    Each page makes hundreds of objects and hardly a circle; a process that has loaded all that it
    needs looks through a hundred thousand objects again and again, a thirtieth of a crawl's time.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(YOUNG, 50, 50)
