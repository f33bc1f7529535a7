"""Policies that harm the process in which they run; each keeps the rules for policies otherwise."""

from __future__ import annotations

import ctypes
import gc
import os
import signal
import sys
import threading
import time
from types import FrameType
from typing import Any

import numpy as np

from counterpoint.crawler.policy.protocol import Outcome, Request, Setting

from .policies import Queue


class Vandal(Queue):
    """Does harm at the third step."""

    def next(self) -> Request | None:
        """Return the page found first."""
        if self.at == 2:
            self.harm()
        return super().next()

    def harm(self) -> None:
        """Do harm."""


class Exits(Vandal):
    """Ends the interpreter."""

    def harm(self) -> None:
        """Raise SystemExit."""
        sys.exit(7)


class ExitsWhileMade(Queue):
    """Ends the interpreter in its constructor."""

    def __init__(self, setting: Setting) -> None:
        sys.exit(7)


class KillsItself(Vandal):
    """Kills its process."""

    def harm(self) -> None:
        """Send a signal that nobody can handle."""
        os.kill(os.getpid(), signal.SIGKILL)


class Forks(Vandal):
    """Crawls on in two processes."""

    def harm(self) -> None:
        """Fork."""
        os.fork()


class ForksInC(Vandal):
    """Crawls on in two processes, and Python does not know of it."""

    def harm(self) -> None:
        """Fork."""
        ctypes.PyDLL(None).fork()


class Closes(Vandal):
    """Closes all files."""

    def harm(self) -> None:
        """Close the files of its process."""
        os.closerange(0, 200)


class Replaces(Vandal):
    """Closes all files, and opens one in the place of each."""

    def harm(self) -> None:
        """Put other files where the process has its own."""
        os.closerange(0, 200)
        while os.open(os.devnull, os.O_RDWR) < 100:
            pass


class Scrawls(Vandal):
    """Writes into all files that are open."""

    def harm(self) -> None:
        """Write what nobody understands."""
        for descriptor in range(3, 100):
            try:
                os.write(descriptor, b"\xff\x00{ no frame")
            except OSError:
                continue


class Recurses(Vandal):
    """Calls itself without end."""

    def harm(self) -> None:
        """Recurse."""
        self.harm()


class RecursesInC(Vandal):
    """Overflows the stack of its process."""

    def harm(self) -> None:
        """Recurse without a limit."""
        sys.setrecursionlimit(10**9)
        nested: list[Any] = []
        for _ in range(10**6):
            nested = [nested]
        repr(nested)
        ctypes.string_at(0)


class TakesAllMemory(Vandal):
    """Takes more memory than there is."""

    def harm(self) -> None:
        """Make a large array."""
        np.ones(2**55, dtype=np.uint8)


class TakesMoreAndMore(Vandal):
    """Takes memory until there is none; nothing is written into it, so that no machine suffers."""

    def harm(self) -> None:
        """Keep arrays."""
        kept = []
        while True:
            kept.append(bytearray(2**28))


def _world() -> Any:
    """Return the world of the caller, which is found in a frame."""
    frame: FrameType | None = sys._getframe()
    while frame is not None:
        if "world" in frame.f_locals:
            return frame.f_locals["world"]
        frame = frame.f_back
    raise LookupError


class WritesIntoTheWorld(Vandal):
    """Writes into an array of the world."""

    def harm(self) -> None:
        """Let all links lead to the first page."""
        _world()._targets[:] = 0


class MakesWriteable(Vandal):
    """Writes into an array of the world that it made writeable before."""

    def harm(self) -> None:
        """Let all links lead to the first page."""
        targets = _world()._targets
        while targets.base is not None and isinstance(targets.base, np.ndarray):
            targets = targets.base
        targets.flags.writeable = True
        targets[:] = 0


class WritesInC(Vandal):
    """Writes into the memory of an array of the world."""

    def harm(self) -> None:
        """Let all links lead to the first page."""
        targets = _world()._targets
        ctypes.memset(targets.ctypes.data, 0, targets.nbytes)


class Collects(Vandal):
    """Finds the web among all objects, and replaces an array of it."""

    def harm(self) -> None:
        """Take the external links from the web."""
        for found in gc.get_objects():
            if type(found).__name__ == "Planted":
                found.external = np.zeros_like(found.external)


class AsksHosts(Queue):
    """Looks for the web behind the function for hosts."""

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        setting.hosts.__self__[:] = 0  # type: ignore[union-attr]


class CountsTwice(Vandal):
    """Adds visits to the records of its crawl."""

    def harm(self) -> None:
        """Add a visit for which nothing was fetched."""
        frame: FrameType | None = sys._getframe()
        while frame is not None and "order" not in frame.f_locals:
            frame = frame.f_back
        assert frame is not None
        frame.f_locals["order"].append(0)


HARM = {
    "Exits": "step 3: SystemExit: 7 (vandals.py:",
    "ExitsWhileMade": "while it was made: SystemExit: 7 (vandals.py:",
    "KillsItself": "step 3: its process was ended by SIGKILL",
    "Forks": "step 3: called os.fork, after which two processes would crawl",
    "Closes": "Closes: closed files of its process that it had not opened",
    "Replaces": "Replaces: closed files of its process that it had not opened",
    "Scrawls": "Scrawls: wrote into files of its process that it had not opened",
    "Recurses": "step 3: RecursionError: maximum recursion depth exceeded",
    "RecursesInC": "step 3: its process was ended by SIGSEGV",
    "TakesAllMemory": "step 3: MemoryError: Unable to allocate",
    "TakesMoreAndMore": "step 3: MemoryError (vandals.py:",
    "WritesIntoTheWorld": "step 3: ValueError: assignment destination is read-only",
    "MakesWriteable": "step 3: ValueError: cannot set WRITEABLE flag to True",
    "WritesInC": "changed the web on which policies are compared (web._parts.web.1)",
    "Collects": "changed the web on which policies are compared (web.external)",
    "AsksHosts": "while it was made: AttributeError: 'function' object has no attribute",
    "CountsTwice": "after its last step: IndexError: ",
}
"""What is said of those that fall."""


class LeavesAThread(Vandal):
    """Leaves a thread that goes on."""

    def harm(self) -> None:
        """Start the thread."""
        threading.Thread(target=time.sleep, args=(3600,)).start()


class ChangesSignals(Vandal):
    """Ignores the signal by which slow policies are stopped."""

    def harm(self) -> None:
        """Ignore all signals."""
        for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
            signal.signal(number, signal.SIG_IGN)


class ClosesOutput(Vandal):
    """Closes the standard output, so that a `print` raises an exception."""

    def harm(self) -> None:
        """Close it."""
        sys.stdout.close()


class RaisesWhenDeleted(Queue):
    """Raises an exception when it is deleted."""

    def __del__(self) -> None:
        """Fail."""
        raise ValueError("deleted")


class PrintsBytes(Vandal):
    """Prints what is no text."""

    def harm(self) -> None:
        """Print bytes."""
        os.write(1, b"\xff\xfe\x00 no text")


class EndsWhenDeleted(Queue):
    """Ends its process when it is deleted, which is when the collector finds it in a cycle."""

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self.cycle = self

    def __del__(self) -> None:
        """End the process."""
        os._exit(4)


LEFT = ("LeavesAThread", "ChangesSignals", "ClosesOutput", "RaisesWhenDeleted", "PrintsBytes",
        "ForksInC")  # fmt: skip
"""Those that are measured, and must harm no other."""


class Neighbour(Queue):
    """Prints, and fails if the process is not as a policy may expect it."""

    def observe(self, outcome: Outcome) -> None:
        """Look around."""
        print("here", file=sys.stdout)
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
        assert threading.active_count() <= 2
        super().observe(outcome)
