"""Policies for the whole web that use no weights: breadth first, depth first, random order."""

from __future__ import annotations

import random

from counterpoint.crawler.policy.protocol import Outcome, Request, Setting
from counterpoint.crawler.policy.tables import FoundPages

from .elsewhere import FrontierPages

FETCHED = "every page found was fetched"
SPENT = "the budget is spent"
FLYING = "waiting for answers"


class BreadthFirst:
    """Fetches the page that was found first."""

    def __init__(self, setting: Setting) -> None:
        self.why = ""
        elsewhere = setting.frontier
        self._found: FoundPages | FrontierPages = (
            FoundPages(setting.starts) if elsewhere is None
            else FrontierPages(setting.starts, elsewhere)
        )  # fmt: skip
        self._budget = setting.budget
        self._issued = self._observed = 0

    def next(self) -> Request | None:
        """Return the page found first among those not yet requested."""
        issued, found = self._issued, self._found
        if issued >= found.end or issued >= self._budget:
            self.why = _why(issued, self._observed, self._budget)
            return None
        self._issued = issued + 1
        return Request(int(found.pages[issued]))

    def observe(self, outcome: Outcome) -> None:
        """Queue the new pages."""
        self._observed += 1
        if outcome.status == 200:
            self._found.add(outcome.links)


class DepthFirst:
    """Fetches the page that was found last; of pages found on the same page, the first.

    A page that is found again keeps its place.
    """

    def __init__(self, setting: Setting) -> None:
        self.why = ""
        self._found = FoundPages(setting.starts, last_first=True)
        self._budget = setting.budget
        self._issued = self._observed = 0

    def next(self) -> Request | None:
        """Return the page found last among those not yet requested."""
        found = self._found
        if not found.end or self._issued >= self._budget:
            self.why = _why(self._issued, self._observed, self._budget)
            return None
        self._issued += 1
        found.end -= 1
        return Request(int(found.pages[found.end]))

    def observe(self, outcome: Outcome) -> None:
        """Put the new pages on top of the stack."""
        self._observed += 1
        if outcome.status == 200:
            self._found.add(outcome.links)


class Random:
    """Fetches each found page that was not requested yet with the same probability."""

    def __init__(self, setting: Setting) -> None:
        self.why = ""
        self._found = FoundPages(setting.starts)
        self._budget = setting.budget
        self._issued = self._observed = 0
        self._chance = random.Random(setting.seed).random

    def next(self) -> Request | None:
        """Return a page drawn at random; the last page takes its place in the table."""
        found = self._found
        if not found.end or self._issued >= self._budget:
            self.why = _why(self._issued, self._observed, self._budget)
            return None
        self._issued += 1
        found.end -= 1
        place = int(self._chance() * (found.end + 1))
        page = int(found.pages[place])
        found.pages[place] = found.pages[found.end]
        return Request(page)

    def observe(self, outcome: Outcome) -> None:
        """Add the new pages."""
        self._observed += 1
        if outcome.status == 200:
            self._found.add(outcome.links)


def _why(issued: int, observed: int, budget: int) -> str:
    """Return why there is nothing to fetch now.

    Parameters
    ----------
    issued, observed : int
        How many requests were made, and how many of them were answered.
    budget : int
        How many requests may be made.
    """
    if issued >= budget:
        return SPENT
    return FLYING if issued > observed else FETCHED
