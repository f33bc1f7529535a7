"""Policies whose order is easy to predict, and policies that break the rules."""

from __future__ import annotations

import ctypes
import os
import sys
import time
from typing import ClassVar

import numba
import numpy as np

from counterpoint.crawler.policy.protocol import Outcome, Request, Scope, Setting


class Queue:
    """Breadth first, in plain Python."""

    scope: ClassVar[str] = "web"
    about = "first found, first fetched"

    def __init__(self, setting: Setting) -> None:
        self.why = ""
        self.found = [int(page) for page in setting.starts]
        self.seen = set(self.found)
        self.at = 0

    def next(self) -> Request | None:
        """Return the page found first."""
        if self.at == len(self.found):
            self.why = "nothing is left"
            return None
        self.at += 1
        return Request(self.found[self.at - 1])

    def observe(self, outcome: Outcome) -> None:
        """Remember what is new."""
        for link in outcome.links.tolist():
            if link not in self.seen:
                self.seen.add(link)
                self.found.append(link)


class Stack(Queue):
    """The page discovered last is fetched first."""

    def next(self) -> Request | None:
        """Return the page found last."""
        if not self.found:
            self.why = "nothing is left"
            return None
        return Request(self.found.pop())


class WithinSites(Queue):
    """Breadth first within sites."""

    scope = Scope.SITE


class RoundRobin(Queue):
    """All known pages in turn, without end."""

    scope = Scope.KNOWN

    def next(self) -> Request | None:
        """Return the next page."""
        self.at += 1
        return Request(self.found[(self.at - 1) % len(self.found)])


class FirstOnly(RoundRobin):
    """One page again and again, which is allowed where all pages are known."""

    def next(self) -> Request | None:
        """Return the first page."""
        return Request(self.found[0])


class Raises(Queue):
    """Raises an exception at the fourth step."""

    def next(self) -> Request | None:
        """Return a page, three times."""
        if self.at == 3:
            raise KeyError("no such site")
        return super().next()


class NeverOffered(Queue):
    """Requests an unknown page at the third step."""

    def next(self) -> Request | None:
        """Return a page, twice."""
        return Request(10**9) if self.at == 2 else super().next()


class TheSame(Queue):
    """Requests the same page again and again."""

    def next(self) -> Request | None:
        """Return the first page."""
        return Request(self.found[0])


class Loops(Queue):
    """Loops for ever at the sixth step."""

    def next(self) -> Request | None:
        """Return a page, five times."""
        while self.at == 5:
            pass
        return super().next()


def hang() -> None:
    """Block in compiled code, ignore signals, and hold the interpreter lock."""
    library, lock = ctypes.PyDLL(None), ctypes.create_string_buffer(256)
    library.pthread_mutex_lock(lock)
    library.pthread_mutex_lock(lock)


class LoopsInC(Queue):
    """Computes for ever in compiled code that holds the interpreter, at the second step."""

    def next(self) -> Request | None:
        """Return a page, once."""
        if self.at == 1:
            pow(3, 10**9)
        return super().next()


class Sleeps(Queue):
    """Waits at the third step, and uses no processor."""

    def next(self) -> Request | None:
        """Return a page, twice."""
        if self.at == 2:
            time.sleep(3600)
        return super().next()


def compiled() -> None:
    """Compile functions, which takes seconds of processor time."""
    for k in range(3):
        numba.njit(lambda x: np.sort(np.unique(x)).cumsum() + k)(np.arange(9))  # noqa: B023


class Compiles(Queue):
    """Compiles code when it is made, and again at the fourth step."""

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        compiled()

    def next(self) -> Request | None:
        """Return a page."""
        if self.at == 3:
            compiled()
        return super().next()


class HangsInC(Queue):
    """Blocks in compiled code at the seventh step."""

    def next(self) -> Request | None:
        """Return a page, six times."""
        if self.at == 6:
            hang()
        return super().next()


class ListensInC(Queue):
    """Blocks in compiled code at the fifth outcome."""

    def observe(self, outcome: Outcome) -> None:
        """Listen, four times."""
        if self.at == 5:
            hang()
        super().observe(outcome)


class Dies(Queue):
    """Ends its process at the third step."""

    def next(self) -> Request | None:
        """Return a page, twice."""
        if self.at == 2:
            os._exit(3)
        return super().next()


class Interrupts(Queue):
    """Raises KeyboardInterrupt, which is no Exception, at the third step."""

    def next(self) -> Request | None:
        """Return a page, twice."""
        if self.at == 2:
            raise KeyboardInterrupt
        return super().next()


class Scribbles(Queue):
    """Writes into the arrays that it receives."""

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        setting.starts.clear()  # type: ignore[attr-defined]

    def observe(self, outcome: Outcome) -> None:
        """Remember what is new, and write over it."""
        super().observe(outcome)
        outcome.links[:] = 0


class CannotBeMade(Queue):
    """Raises an exception in its constructor."""

    def __init__(self, setting: Setting) -> None:
        raise ZeroDivisionError("no sites")


class HangsWhileMade(Queue):
    """Loops for ever in its constructor."""

    def __init__(self, setting: Setting) -> None:
        hang()


class OnSomeWebs(Queue):
    """Raises an exception on every web except the first two."""

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self.seed = setting.seed

    def next(self) -> Request | None:
        """Return a page on two webs."""
        if self.seed >= 2:
            raise ValueError(f"seed {self.seed}")
        return super().next()


class Prints(Queue):
    """Prints text, which must not appear in the output of the command."""

    def next(self) -> Request | None:
        """Return a page, and say so."""
        print("{ no JSON", file=sys.stdout)
        return super().next()


class NoScheduler:
    """A factory whose result is not a scheduler."""

    def __init__(self, setting: Setting) -> None:
        """Take a setting."""


NUMBER = 17
