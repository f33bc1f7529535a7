"""How much memory is available, and how much it takes to write a web out and measure it."""

from __future__ import annotations

import os
from pathlib import Path

from counterpoint.sim_web.errors import WebError
from counterpoint.sim_web.profile import Profile

PER_PAGE, PER_LINK, GROUND = 200, 20, 300e6
"""Bytes at the peak for each page, for each link, and in any case: about twice as much as measured
with 1 and 3 million pages."""


def needed(profile: Profile, pages: int) -> float:
    """Estimate how many bytes it takes to write a web out and measure it."""
    return GROUND + pages * (PER_PAGE + PER_LINK * profile.degrees.mean)


def available() -> float:
    """Return how many bytes this process may still use; infinite if the system does not say."""
    found = []
    for line in _text("/proc/meminfo").splitlines():
        if line.startswith("MemAvailable:"):
            found.append(1024.0 * int(line.split()[1]))
    limit, used = _text("/sys/fs/cgroup/memory.max"), _text("/sys/fs/cgroup/memory.current")
    if limit.strip().isdigit() and used.strip().isdigit():
        found.append(float(limit) - float(used) + _of_idle_files())
    if not found and hasattr(os, "sysconf"):
        found.append(float(os.sysconf("SC_PAGE_SIZE")) * os.sysconf("SC_PHYS_PAGES"))
    return min(found, default=float("inf"))


def _of_idle_files() -> float:
    """Return the bytes of files in memory that a container gives back when it needs them."""
    stat = dict(line.split(" ", 1) for line in _text("/sys/fs/cgroup/memory.stat").splitlines())
    return float(stat.get("inactive_file", 0))


def available_cores() -> int:
    """Return the number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def must_fit(profile: Profile, pages: int) -> None:
    """Raise WebError if a web of that many pages cannot be measured in this memory."""
    need, have = needed(profile, pages), available()
    if need > have or pages >= 2**31:
        raise WebError(
            f"{pages:,} pages are too many to be measured here: about {need / 1e9:,.1f} GB are "
            f"needed and {have / 1e9:,.1f} GB are available"
        )


def _text(path: str) -> str:
    try:
        return Path(path).read_text(encoding="ascii")
    except (OSError, UnicodeDecodeError):
        return ""
