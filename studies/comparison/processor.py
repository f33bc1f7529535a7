"""The processor time of another process."""

from __future__ import annotations

import subprocess
import sys
import time
from contextlib import suppress


def processor_seconds(process: int) -> float:
    """Return how many seconds of processor time a process has used; 0.0 if that is not known.

    Parameters
    ----------
    process : int
        The number of a process of the same user.
    """
    if sys.platform.startswith("linux"):
        with suppress(OSError):
            return time.clock_gettime(_clock(process))
        return 0.0
    asked = ["ps", "-o", "time=", "-p", str(process)]
    with suppress(OSError, ValueError, subprocess.SubprocessError):
        found = subprocess.run(asked, capture_output=True, text=True, timeout=10, check=True)
        return seconds_of(found.stdout.strip())
    return 0.0


def _clock(process: int) -> int:
    """Return the number of a process's clock, as ``clock_getcpuclockid`` of Linux makes it."""
    return ~process << 3 | 2


def seconds_of(text: str) -> float:
    """Return the seconds of a time as ``ps`` prints it: ``[[days-]hours:]minutes:seconds``.

    Raises
    ------
    ValueError
        If the text is something else.
    """
    days, _, clock = text.rpartition("-")
    total = 0.0
    for part in clock.split(":"):
        total = 60 * total + float(part)
    return total + 86_400 * int(days or 0)
