"""Policies that visit known pages again and again, to keep copies of them fresh."""

from __future__ import annotations

import heapq
import math
import random
from collections.abc import Sequence

import numpy as np

from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.policy.protocol import Outcome, Request, Setting

from .allocation import Numbers, optimal_frequencies, proportional_frequencies
from .parameters import switch, whole
from .web import FLYING, SPENT

UNKNOWN = "no page is known"

ANSWERED = (200, 304)
"""HTTP statuses of a successful visit: the page came, or the server says that it is unchanged."""


class Revisit:
    """Visits pages known from the start; never requests a page while a request for it is in flight.

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
        """Move on to the page after the one that is requested now."""

    def waits(self) -> str:
        """Return why there is no page now, although the budget is not spent."""
        return FLYING

    def next(self) -> Request | None:
        """Return the page whose turn it is."""
        if self.issued >= self.setting.budget or not self.pages:
            self.why = SPENT if self.pages else UNKNOWN
            return None
        i = self.choice()
        if i < 0 or self._flying[i]:
            self.why = self.waits()
            return None
        self.advance()
        self.issued += 1
        self._flying[i] = 1
        return Request(self.pages[i])

    def observe(self, outcome: Outcome) -> None:
        """Pass on the outcome of a visit, with the number of its page."""
        i = self._index[outcome.page]
        self._flying[i] = 0
        self.learn(i, outcome)

    def learn(self, i: int, outcome: Outcome) -> None:
        """Learn the outcome of a visit to page number ``i``."""


class Uniform(Revisit):
    """Every page in turn, in the order in which they are given."""

    def choice(self) -> int:
        """Return the next page of the round."""
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


class ChangeEstimator:
    """Estimates the rate at which each page changes, from what visits showed.

    A visit shows whether a page has changed since the visit before, not how often. Of n such
    comparisons at intervals I, of which X showed a change, the rate is estimated as
    -ln((n - X + 0.5) / (n + 0.5)) / I: the estimator of Cho and Garcia-Molina, "Estimating
    frequency of change" (2003), which has little bias and is finite also if X = n. Where intervals
    differ, I is their mean. If no change was seen, X is taken as 1/2: a page with an estimated rate
    of 0 would never be visited again.

    Parameters
    ----------
    count : int
        How many pages there are.
    """

    def __init__(self, count: int) -> None:
        self._comparisons = [-1] * count
        self._changes = [0] * count
        self._first = [0.0] * count
        self._last = [0.0] * count

    def add(self, i: int, changed: bool, time: float) -> None:
        """Add a visit.

        Parameters
        ----------
        i : int
            The number of the page.
        changed : bool
            Whether the page has changed since the visit before.
        time : float
            In seconds.
        """
        self._comparisons[i] += 1
        if self._comparisons[i]:
            self._changes[i] += changed
        else:
            self._first[i] = time
        self._last[i] = time

    def rates(self) -> Numbers:
        """Return the estimated changes per second; 0 for pages that were not visited twice yet."""
        n = np.maximum(np.asarray(self._comparisons, dtype=float), 0.0)
        elapsed = np.asarray(self._last) - np.asarray(self._first)
        changes = np.maximum(np.asarray(self._changes, dtype=float), 0.5)
        chance = -np.log(np.maximum(n - changes + 0.5, 0.5) / (n + 0.5))
        known = (n > 0) & (elapsed > 0)
        return np.where(known, chance * n / np.where(known, elapsed, 1.0), 0.0)


DIGITS = 10
"""Significant digits to which frequencies are rounded. Logarithms and exponentials differ in their
last bits between processors, even for equal numbers in one array. Without rounding, pages that
change equally often would be visited in different orders on different machines."""


class StrideSchedule:
    """Turns visit frequencies into a sequence of visits: the earliest virtual deadline is next.

    This is stride scheduling (Waldspurger, 1995). Frequency f means a visit in every 1 / f steps.
    A page's first deadline is 1 / f after the beginning, and each further deadline is 1 / f after
    the one before. Of equal deadlines the page with the lower number is next. Frequencies are
    scaled so that their sum is 1 visit per step.

    Parameters
    ----------
    count : int
        How many pages there are; at first all have the same frequency.
    """

    def __init__(self, count: int) -> None:
        self._strides = [float(count)] * count
        self._deadlines = [(float(count), i) for i in range(count)]
        self._now = 0.0

    def first(self) -> int:
        """Return the number of the page that is next."""
        return self._deadlines[0][1]

    def advance(self) -> None:
        """Count the page that is next as visited."""
        deadline, page = self._deadlines[0]
        self._now = deadline
        heapq.heapreplace(self._deadlines, (deadline + self._strides[page], page))

    def allocate(self, frequencies: Sequence[float]) -> None:
        """Set new frequencies.

        The part of a page's stride that remains until its deadline is scaled to the new stride. For
        a page whose frequency was 0, the whole new stride remains.
        """
        total = math.fsum(frequencies)
        strides = [total / f if f > 0 else math.inf for f in frequencies]
        left = {}
        for deadline, page in self._deadlines:
            old = self._strides[page]
            part = min(1.0, max(0.0, (deadline - self._now) / old)) if old < math.inf else 1.0
            left[page] = part
        self._deadlines = [
            (left[page] * stride if stride < math.inf else math.inf, page)
            for page, stride in enumerate(strides)
        ]
        heapq.heapify(self._deadlines)
        self._strides = strides
        self._now = 0.0


class Proportional(Revisit):
    """Visits each page with a frequency proportional to its rate of change.

    The rates are estimated after ``rounds`` visits to every page, and again after each ``every``
    further visits; by default ``every`` is the number of pages, or a 50th of the budget if that is
    more. With ``rates=true`` the policy knows the true rates.
    """

    def prepare(self) -> None:
        """Read ``rounds``, ``every`` and ``rates``."""
        count = len(self.pages)
        self._every = whole(self.setting, "every", max(1, count, self.setting.budget // 50))
        self._due = whole(self.setting, "rounds", 2) * count
        self._changes = ChangeEstimator(count)
        self._schedule = StrideSchedule(count)
        self._began = self._ended = 0.0
        self._answers = 0
        self._true: Numbers | None = None
        if switch(self.setting, "rates"):
            truth = self.setting.truth
            if truth is None:
                raise CrawlError("rates=true needs the truth about pages, which is unknown here")
            self._true = np.array([truth.rate(page) for page in self.pages])

    def choice(self) -> int:
        """Return the page whose deadline is earliest."""
        if self.issued >= self._due:
            self._due += self._every
            frequencies = self.frequencies().tolist()
            self._schedule.allocate([float(f"{often:.{DIGITS}g}") for often in frequencies])
        return self._schedule.first()

    def advance(self) -> None:
        """Move the page's deadline."""
        self._schedule.advance()

    def learn(self, i: int, outcome: Outcome) -> None:
        """Add the visit to the estimates, unless it failed."""
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
    """Visits pages with the frequencies that maximise the mean freshness for the estimated rates.

    Rates are estimated as by `Proportional`; frequencies come from `optimal_frequencies`.
    """

    def frequencies(self) -> Numbers:
        """Return how often each page is to be visited."""
        return optimal_frequencies(self.rates(), self.pace())
