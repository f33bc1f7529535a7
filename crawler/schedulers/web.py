"""Orders without weights over the whole web: breadth first, depth first, by chance."""

from __future__ import annotations

import random

from counterpoint.crawler.policy.protocol import Outcome, Request, Setting
from counterpoint.crawler.policy.tables import Found

from .elsewhere import FoundElsewhere

FETCHED = "every page found was fetched"
SPENT = "the budget is spent"
FLYING = "waiting for answers"


class BreadthFirst:
    """The page found first is next."""

    def __init__(self, setting: Setting) -> None:
        self.why = ""
        elsewhere = setting.frontier
        self._found: Found | FoundElsewhere = (
            Found(setting.starts) if elsewhere is None
            else FoundElsewhere(setting.starts, elsewhere)
        )  # fmt: skip
        self._budget = setting.budget
        self._issued = self._observed = 0

    def next(self) -> Request | None:
        """Return the page found first of those not yet asked for."""
        issued, found = self._issued, self._found
        if issued >= found.end or issued >= self._budget:
            self.why = _why(issued, self._observed, self._budget)
            return None
        self._issued = issued + 1
        return Request(int(found.pages[issued]))

    def observe(self, outcome: Outcome) -> None:
        """Queue the pages that are new."""
        self._observed += 1
        if outcome.status == 200:
            self._found.add(outcome.links)


class DepthFirst:
    """The page found last is next; of those on one page, the first.

    A page found again keeps its place.
    """

    def __init__(self, setting: Setting) -> None:
        self.why = ""
        self._found = Found(setting.starts, last_first=True)
        self._budget = setting.budget
        self._issued = self._observed = 0

    def next(self) -> Request | None:
        """Return the page found last of those not yet asked for."""
        found = self._found
        if not found.end or self._issued >= self._budget:
            self.why = _why(self._issued, self._observed, self._budget)
            return None
        self._issued += 1
        found.end -= 1
        return Request(int(found.pages[found.end]))

    def observe(self, outcome: Outcome) -> None:
        """Put the pages that are new on top."""
        self._observed += 1
        if outcome.status == 200:
            self._found.add(outcome.links)


class Random:
    """Each page found and not yet asked for is next with the same chance."""

    def __init__(self, setting: Setting) -> None:
        self.why = ""
        self._found = Found(setting.starts)
        self._budget = setting.budget
        self._issued = self._observed = 0
        self._chance = random.Random(setting.seed).random

    def next(self) -> Request | None:
        """Return a page drawn at random; the last one takes its place."""
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
        """Add the pages that are new."""
        self._observed += 1
        if outcome.status == 200:
            self._found.add(outcome.links)


def _why(issued: int, observed: int, budget: int) -> str:
    """Return why there is nothing to fetch now."""
    if issued >= budget:
        return SPENT
    return FLYING if issued > observed else FETCHED
