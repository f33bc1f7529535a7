"""Policies that visit known pages again and again, to keep copies of them fresh."""

from __future__ import annotations

import heapq
import math
import random
from collections import deque
from collections.abc import Iterable, Sequence

import numpy as np

from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.policy.protocol import ENDLESS, Outcome, Request, Setting

from .allocation import Numbers, optimal_frequencies, proportional_frequencies
from .parameters import switch, whole
from .web import FLYING, SPENT

UNKNOWN = "no page is known"

ANSWERED = (200, 304)
"""HTTP statuses of a successful visit: the page came, or the server says that it is unchanged."""
GONE = (404, 410)
"""HTTP statuses that say that the page is not there."""


class Revisit:
    """Visits pages again and again; never requests a page while a request for it is in flight.

    Its pages are those known from the start and, in a crawl that meets new pages, the links of
    outcomes. A new page is visited before all others.

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
        self._new = deque[int]()
        self.prepare()

    def prepare(self) -> None:
        """Read the parameters."""

    def choice(self) -> int:
        """Return the number of the page that is next; the same until `advance` is called."""
        raise NotImplementedError  # each policy has its own

    def advance(self) -> None:
        """Move on to the page after the one that is requested now."""

    def grow(self, count: int) -> None:
        """Take the last ``count`` of `pages`, which are new."""

    def begin(self, i: int) -> None:
        """Take note that page number ``i``, which is new, is requested for the first time."""

    def waits(self) -> str:
        """Return why there is no page now, although the budget is not spent."""
        return FLYING

    def next(self) -> Request | None:
        """Return the page whose turn it is."""
        if self.issued >= self.setting.budget or not self.pages:
            self.why = SPENT if self.pages else UNKNOWN
            return None
        if self._new:
            i = self._new.popleft()
            self.begin(i)
        else:
            i = self.choice()
            if i < 0 or self._flying[i]:
                self.why = self.waits()
                return None
            self.advance()
        self.issued += 1
        self._flying[i] = 1
        return Request(self.pages[i])

    def observe(self, outcome: Outcome) -> None:
        """Pass on the outcome of a visit, with the number of its page, and meet its new links."""
        i = self._index[outcome.page]
        self._flying[i] = 0
        self.learn(i, outcome)
        if len(outcome.links):
            self._meet(outcome.links.tolist())

    def _meet(self, links: Iterable[int]) -> None:
        before = len(self.pages)
        for page in links:
            if page not in self._index:
                self._index[page] = len(self.pages)
                self._new.append(len(self.pages))
                self.pages.append(page)
        if count := len(self.pages) - before:
            self._flying.extend(bytes(count))
            self.grow(count)

    def learn(self, i: int, outcome: Outcome) -> None:
        """Learn the outcome of a visit to page number ``i``."""


class Uniform(Revisit):
    """Every page in turn, in the order in which they are given; new pages come last."""

    _place = 0

    def choice(self) -> int:
        """Return the next page of the round."""
        return self._place

    def advance(self) -> None:
        """Move on to the next page; after the last one, to the first."""
        self._place = (self._place + 1) % len(self.pages)


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
        self._comparisons: list[int] = []
        self._changes: list[int] = []
        self._first: list[float] = []
        self._last: list[float] = []
        self.grow(count)

    def grow(self, count: int) -> None:
        """Add pages of which nothing is known."""
        self._comparisons += [-1] * count
        self._changes += [0] * count
        self._first += [0.0] * count
        self._last += [0.0] * count

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
        """Return the estimated changes per second.

        Pages that were not compared yet have the mean of the others; if there are none, 0.
        """
        n = np.maximum(np.asarray(self._comparisons, dtype=float), 0.0)
        elapsed = np.asarray(self._last) - np.asarray(self._first)
        changes = np.maximum(np.asarray(self._changes, dtype=float), 0.5)
        chance = -np.log(np.maximum(n - changes + 0.5, 0.5) / (n + 0.5))
        known = (n > 0) & (elapsed > 0)
        rates = np.where(known, chance * n / np.where(known, elapsed, 1.0), 0.0)
        return np.where(known, rates, rates[known].mean() if known.any() else 0.0)


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

    def grow(self, count: int) -> None:
        """Add pages, each to be visited as often as the mean of all."""
        before = len(self._strides)
        stride = float(before + count)
        self._strides += [stride] * count
        for page in range(before, before + count):
            heapq.heappush(self._deadlines, (self._now + stride, page))

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

    That a page is gone, or is there again, is a change as well. A visit without such an answer
    shows nothing.
    """

    def prepare(self) -> None:
        """Read ``rounds``, ``every`` and ``rates``."""
        count, budget = len(self.pages), self.setting.budget
        self._own = whole(self.setting, "every", 0 if budget == ENDLESS else budget // 50)
        self._given = self.setting.parameters.get("every") is not None
        self._there: list[bool | None] = [None] * count
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
            self._due += self._own if self._given else max(1, len(self.pages), self._own)
            frequencies = self.frequencies().tolist()
            self._schedule.allocate([float(f"{often:.{DIGITS}g}") for often in frequencies])
        return self._schedule.first()

    def advance(self) -> None:
        """Move the page's deadline."""
        self._schedule.advance()

    def grow(self, count: int) -> None:
        """Take new pages, each to be visited as often as the mean of all."""
        self._there += [None] * count
        self._changes.grow(count)
        self._schedule.grow(count)

    def learn(self, i: int, outcome: Outcome) -> None:
        """Add the visit to the estimates, if it shows whether the page has changed."""
        if not self._answers:
            self._began = outcome.time
        self._answers += 1
        self._ended = outcome.time
        there = outcome.status in ANSWERED
        if there or outcome.status in GONE:
            changed = self._there[i] is not there or outcome.difference > 0
            self._changes.add(i, changed, outcome.time)
            self._there[i] = there

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
