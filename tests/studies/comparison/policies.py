"""Policies that are easy to foresee, and policies that break rules for policies."""

from __future__ import annotations

import ctypes
import os
import sys
from typing import ClassVar

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
    """The last found first."""

    def next(self) -> Request | None:
        """Return the page found last."""
        if not self.found:
            self.why = "nothing is left"
            return None
        return Request(self.found.pop())


class WithinSites(Queue):
    """The same within sites."""

    scope = Scope.SITE


class RoundRobin(Queue):
    """All known pages in turn, for ever."""

    scope = Scope.KNOWN

    def next(self) -> Request | None:
        """Return the next page."""
        self.at += 1
        return Request(self.found[(self.at - 1) % len(self.found)])


class FirstOnly(RoundRobin):
    """One page for ever, which is allowed where all pages are known."""

    def next(self) -> Request | None:
        """Return the first page."""
        return Request(self.found[0])


class Raises(Queue):
    """Raises at the fourth step."""

    def next(self) -> Request | None:
        """Return a page, three times."""
        if self.at == 3:
            raise KeyError("no such site")
        return super().next()


class NeverOffered(Queue):
    """Asks for what was never offered at the third step."""

    def next(self) -> Request | None:
        """Return a page, twice."""
        return Request(10**9) if self.at == 2 else super().next()


class TheSame(Queue):
    """Returns the same page for ever."""

    def next(self) -> Request | None:
        """Return the first page."""
        return Request(self.found[0])


class Loops(Queue):
    """Never returns from the sixth step."""

    def next(self) -> Request | None:
        """Return a page, five times."""
        while self.at == 5:
            pass
        return super().next()


def hang() -> None:
    """Wait for oneself in C, deaf to signals, and hold the interpreter."""
    library, lock = ctypes.PyDLL(None), ctypes.create_string_buffer(256)
    library.pthread_mutex_lock(lock)
    library.pthread_mutex_lock(lock)


class HangsInC(Queue):
    """Hangs in C at the seventh step."""

    def next(self) -> Request | None:
        """Return a page, six times."""
        if self.at == 6:
            hang()
        return super().next()


class ListensInC(Queue):
    """The same when it is told the fifth outcome."""

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
    """Raises at the third step what is no Exception."""

    def next(self) -> Request | None:
        """Return a page, twice."""
        if self.at == 2:
            raise KeyboardInterrupt
        return super().next()


class Scribbles(Queue):
    """Uses what it is told as paper."""

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        setting.starts.clear()  # type: ignore[attr-defined]

    def observe(self, outcome: Outcome) -> None:
        """Remember what is new, and write over it."""
        super().observe(outcome)
        outcome.links[:] = 0


class CannotBeMade(Queue):
    """Raises before the first step."""

    def __init__(self, setting: Setting) -> None:
        raise ZeroDivisionError("no sites")


class HangsWhileMade(Queue):
    """Does not come to a first step."""

    def __init__(self, setting: Setting) -> None:
        hang()


class OnSomeWebs(Queue):
    """Raises on every web but the first two."""

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self.seed = setting.seed

    def next(self) -> Request | None:
        """Return a page on two webs."""
        if self.seed >= 2:
            raise ValueError(f"seed {self.seed}")
        return super().next()


class Prints(Queue):
    """Prints, which must not get into what the command prints."""

    def next(self) -> Request | None:
        """Return a page, and say so."""
        print("{ no JSON", file=sys.stdout)
        return super().next()


class NoScheduler:
    """Makes nothing that is a scheduler."""

    def __init__(self, setting: Setting) -> None:
        """Take a setting."""


NUMBER = 17
