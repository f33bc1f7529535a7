"""Settings of memory allocation and garbage collection that make a crawl faster."""

from __future__ import annotations

import ctypes
import gc

from counterpoint.memory import collect_seldom

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3


def keep_memory() -> bool:
    """Let the process keep the memory of a parsed document for the next document.

    Otherwise the C library returns it to the system after each document, and to fault it in again
    takes longer than to parse a small page. Returns whether the library supports the setting.
    """
    try:
        tune = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):
        return False
    return bool(tune(_TRIM_THRESHOLD, 1 << 26)) and bool(tune(_MMAP_THRESHOLD, 1 << 20))


def look_seldom() -> None:
    """Let Python search for reference cycles rarely, and never among the objects that exist now.

    A page creates hundreds of objects and hardly any cycle. Without this, the collector looks
    through the hundred thousand objects of all loaded modules again and again, which takes a
    thirtieth of a crawl's time.
    """
    gc.collect()
    gc.freeze()
    collect_seldom()
