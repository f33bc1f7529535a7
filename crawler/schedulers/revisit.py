"""Policies that visit known pages again and again, to keep copies of them fresh."""

from __future__ import annotations

import random

import numpy as np

from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.policy.protocol import Outcome, Request, Setting

from .allocation import Numbers, optimal_frequencies, proportional_frequencies
from .parameters import switch, whole
from .turns import Turns
from .web import FLYING, SPENT

UNKNOWN = "no page is known"

ANSWERED = (200, 304)
"""The page came, or is said to be what it was."""


class Revisit:
    """Visits pages known from the start; no page while a request for it is in flight.

    Parameters
    ----------
    setting : Setting
    """

    def __init__(self, setting: Setting) -> None:
        self.why = ""
        self.setting = setting
        self.pages = list(dict.fromkeys(setting.starts))
        self.issued = 0
        self._index = {page: i for i, page in enumerate(self.pages)}
        self._flying = bytearray(len(self.pages))
        self.prepare()

    def prepare(self) -> None:
        """Read the parameters."""

    def choice(self) -> int:
        """Return the number of the page that is next; the same until `advance` is called."""
        raise NotImplementedError  # each policy has its own

    def advance(self) -> None:
        """Count the page that is next as asked for."""

    def next(self) -> Request | None:
        """Return the page whose turn it is."""
        if self.issued >= self.setting.budget or not self.pages:
            self.why = SPENT if self.pages else UNKNOWN
            return None
        i = self.choice()
        if i < 0 or self._flying[i]:
            self.why = FLYING
            return None
        self.advance()
        self.issued += 1
        self._flying[i] = 1
        return Request(self.pages[i])

    def observe(self, outcome: Outcome) -> None:
        """Learn whether the page has changed."""
        i = self._index[outcome.page]
        self._flying[i] = 0
        self.learn(i, outcome)

    def learn(self, i: int, outcome: Outcome) -> None:
        """Learn what a visit of page number ``i`` brought."""


class Uniform(Revisit):
    """Every page in turn, in the order in which they are given."""

    def choice(self) -> int:
        """Return the next in the round."""
        return self.issued % len(self.pages)


class RandomRevisit(Revisit):
    """Every page with the same chance at every step."""

    def prepare(self) -> None:
        """Draw the first page."""
        self._chance = random.Random(self.setting.seed).random
        self.advance()

    def choice(self) -> int:
        """Return the page drawn."""
        return self._drawn

    def advance(self) -> None:
        """Draw another page."""
        self._drawn = int(self._chance() * len(self.pages))


class Changes:
    """What was seen of changes, and the rates that follow.

    A visit shows whether a page has changed since the visit before, not how often. Of n such
    comparisons at intervals I, of which X showed a change, the rate is estimated as
    -ln((n - X + 0.5) / (n + 0.5)) / I: the estimator of Cho and Garcia-Molina, "Estimating
    frequency of change" (2003), which has little bias and is finite also if X = n. Where intervals
    differ, I is their mean. Where no change was seen X counts as a half: a page whose rate is
    taken for 0 would never be visited again.
    """

    def __init__(self, count: int) -> None:
        self._comparisons = [-1] * count
        self._changes = [0] * count
        self._first = [0.0] * count
        self._last = [0.0] * count

    def add(self, i: int, changed: bool, time: float) -> None:
        """Add a visit of page number ``i``."""
        self._comparisons[i] += 1
        if self._comparisons[i]:
            self._changes[i] += changed
        else:
            self._first[i] = time
        self._last[i] = time

    def rates(self) -> Numbers:
        """Return the estimated changes per second; 0 where nothing was compared yet."""
        n = np.maximum(np.asarray(self._comparisons, dtype=float), 0.0)
        elapsed = np.asarray(self._last) - np.asarray(self._first)
        changes = np.maximum(np.asarray(self._changes, dtype=float), 0.5)
        chance = -np.log(np.maximum(n - changes + 0.5, 0.5) / (n + 0.5))
        known = (n > 0) & (elapsed > 0)
        return np.where(known, chance * n / np.where(known, elapsed, 1.0), 0.0)


DIGITS = 10
"""Of a frequency. Processors compute logarithms and exponentials with other last bits, even of
equal numbers in one array; pages that change equally often would then be visited in another order
on another machine."""


class Proportional(Revisit):
    """Pages are visited in proportion to how often they change.

    After ``rounds`` visits of every page rates are estimated, and again after every ``every``
    visits: as many as there are pages, but no more than 50 times in a crawl. With ``rates=true``
    they are the true ones.
    """

    def prepare(self) -> None:
        """Read ``rounds``, ``every`` and ``rates``."""
        count = len(self.pages)
        self._every = whole(self.setting, "every", max(1, count, self.setting.budget // 50))
        self._due = whole(self.setting, "rounds", 2) * count
        self._changes = Changes(count)
        self._turns = Turns(count)
        self._began = self._ended = 0.0
        self._answers = 0
        self._true: Numbers | None = None
        if switch(self.setting, "rates"):
            truth = self.setting.truth
            if truth is None:
                raise CrawlError("rates=true needs the truth, and nobody knows it here")
            self._true = np.array([truth.rate(page) for page in self.pages])

    def choice(self) -> int:
        """Return the page whose deadline is earliest."""
        if self.issued >= self._due:
            self._due += self._every
            frequencies = self.frequencies().tolist()
            self._turns.allocate([float(f"{often:.{DIGITS}g}") for often in frequencies])
        return self._turns.first()

    def advance(self) -> None:
        """Move the page's deadline."""
        self._turns.advance()

    def learn(self, i: int, outcome: Outcome) -> None:
        """Count the visit for the estimate; one that failed shows nothing."""
        if not self._answers:
            self._began = outcome.time
        self._answers += 1
        self._ended = outcome.time
        if outcome.status in ANSWERED:
            self._changes.add(i, outcome.difference > 0, outcome.time)

    def rates(self) -> Numbers:
        """Return changes per second of each page, estimated or true."""
        return self._changes.rates() if self._true is None else self._true

    def pace(self) -> float:
        """Return the visits per second so far; 1 if no time has passed."""
        elapsed = self._ended - self._began
        return (self._answers - 1) / elapsed if elapsed > 0 else 1.0

    def frequencies(self) -> Numbers:
        """Return how often each page is to be visited."""
        return proportional_frequencies(self.rates(), self.pace())


class OptimalFreshness(Proportional):
    """Pages are visited so often that the mean freshness would be greatest, were the rates right.

    Estimated and allocated as `Proportional` does, by `optimal_frequencies`.
    """

    def frequencies(self) -> Numbers:
        """Return how often each page is to be visited."""
        return optimal_frequencies(self.rates(), self.pace())
