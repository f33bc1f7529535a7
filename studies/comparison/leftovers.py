"""What a policy leaves changed in its process, which must not run another policy then.

This finds what policies change by mistake: threads that go on, handlers of signals, closed files,
the folder, the environment. It is no sandbox: a policy can change what is not looked at here.
"""

from __future__ import annotations

import _thread
import gc
import os
import signal
import sys
from collections.abc import Mapping
from types import FrameType
from typing import Any

from counterpoint.crawler.policy.judging import RuleViolation

_STANDARD = (0, 1, 2)
"""The descriptors of standard input, output and error."""


def state() -> dict[str, Any]:
    """Return what is compared before and after a policy, by its name."""
    return {
        "threads": _thread._count(),
        "signals": {number: signal.getsignal(number) for number in signal.valid_signals()},
        "timer": signal.getitimer(signal.ITIMER_REAL)[1],
        "blocked signals": signal.pthread_sigmask(signal.SIG_BLOCK, ()),
        "files": [_file(descriptor) for descriptor in _STANDARD],
        "streams": [(id(stream), _closed(stream)) for stream in (sys.stdout, sys.stderr)],
        "folder": _folder(),
        "environment": dict(os.environ),
        "path": list(sys.path),
        "hooks": (sys.gettrace(), sys.getprofile(), sys.excepthook, sys.unraisablehook),
        "collector": (gc.isenabled(), len(gc.callbacks)),
        "recursion": sys.getrecursionlimit(),
    }


def left(before: Mapping[str, Any]) -> list[str]:
    """Return the names of what has changed since `state` returned ``before``."""
    now = state()
    return [name for name in before if before[name] != now[name]]


def _file(descriptor: int) -> tuple[int, int] | None:
    try:
        found = os.fstat(descriptor)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _closed(stream: Any) -> bool:
    return bool(getattr(stream, "closed", True))


def _folder() -> str | None:
    try:
        return os.getcwd()
    except OSError:
        return None


def forbid_forks() -> None:
    """Refuse ``os.fork`` from now on, except where `multiprocessing` calls it.

    After ``os.fork`` two processes would go on with one crawl, and both would send its result.
    """
    sys.addaudithook(_refuse)


def _refuse(event: str, _: tuple[Any, ...]) -> None:
    if event in ("os.fork", "os.forkpty") and not _is_within("multiprocessing."):
        raise RuleViolation(f"called {event}, after which two processes would crawl")


def _is_within(package: str) -> bool:
    """Return whether a module of a package is among the callers."""
    frame: FrameType | None = sys._getframe()
    while frame is not None:
        if str(frame.f_globals.get("__name__", "")).startswith(package):
            return True
        frame = frame.f_back
    return False
