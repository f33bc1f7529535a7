"""The rules of [BeeBot] for sites that share a budget, as printed and as corrected.

Source: Pechnikov and Chernobrovkin, an adaptive crawler for external hyperlinks (2011/12). Each
site is crawled breadth first; the rule decides which site is next. Each rule is written as a
generator of pages, so that the code reads like the printed rule. The generator yields `LATER` while
the rule needs the answer to a request in flight.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import TypeAlias

import numpy as np

from counterpoint.crawler.policy.protocol import Outcome, Request, Setting
from counterpoint.crawler.policy.site_kernels import (
    EMPTY,
    LARGEST,
    SCANNED,
    SUM,
    UNDECIDED,
    WAITING,
    of_largest_mean,
    of_largest_sum,
    take_of_largest_index,
)
from counterpoint.crawler.policy.tables import Sites
from counterpoint.spec.crawl.ucb import TRUST, compare

from .elsewhere import FrontierSites
from .parameters import whole
from .web import FLYING, SPENT

EXHAUSTED = "every site is exhausted"
STUCK = "the site chosen is exhausted, and the rule as printed does not say what happens then"
LATER = -1

Order: TypeAlias = Iterator[int]


class _Stuck(Exception):
    """A rule as printed needs a further page of a site that is exhausted."""


class Rule:
    """A scheduler over sites whose order of pages is a generator.

    Parameters
    ----------
    setting : Setting
    """

    overspends = False

    def __init__(self, setting: Setting) -> None:
        self.why = ""
        elsewhere = setting.frontier
        self.sites = (
            Sites(setting.starts) if elsewhere is None
            else FrontierSites(setting.starts, elsewhere)
        )  # fmt: skip
        self._elsewhere = elsewhere
        self.budget = setting.budget
        self.issued = 0
        self.end = EXHAUSTED
        self.setting = setting
        self.prepare()
        self._pages = self.order()
        self._limit = setting.budget if not self.overspends else 2**62

    def prepare(self) -> None:
        """Compile the kernels that the rule uses, and read its parameters."""

    def order(self) -> Order:
        """Yield page after page; before returning, set ``end`` to the reason why none is left."""
        raise NotImplementedError  # each policy has its own

    def next(self) -> Request | None:
        """Return the next page of the site that the rule chooses."""
        if self.issued >= self._limit:
            self.why = SPENT
            return None
        try:
            page = next(self._pages, None)
        except _Stuck:
            page, self.end = None, STUCK
        if page is None or page < 0:
            self.why = self.end if page is None else FLYING
            return None
        self.issued += 1
        # With an external frontier, `FrontierSites` yields the number of a site; the frontier
        # knows which page of that site is first.
        return Request(page if self._elsewhere is None else self._elsewhere.first(page))

    def observe(self, outcome: Outcome) -> None:
        """Add the outcome to the counts and the queue of the page's site."""
        self.sites.learn(outcome)

    def scan(self, k: int, quantum: int) -> Order:
        """Yield the next ``quantum`` pages of site ``k``, or as many as it has."""
        sites = self.sites
        while quantum:
            page = sites.take(k)
            if page >= 0:
                quantum -= 1
            elif not sites.flying(k):
                return
            yield page  # EMPTY is LATER

    def scan_as_printed(self, k: int, quantum: int) -> Order:
        """Yield ``quantum`` pages of site ``k``; the rule is stuck if the site has fewer."""
        before = self.issued
        yield from self.scan(k, quantum)
        if self.issued - before < quantum:
            raise _Stuck

    def settled(self) -> Order:
        """Yield `LATER` until every request has been answered."""
        while self.sites.flying():
            yield LATER


class OneByOne(Rule):
    """Crawls one site after another, each until it is exhausted."""

    def order(self) -> Order:
        """Yield the pages of the first site, then of the second, and so on."""
        for k in range(self.sites.count):
            yield from self.scan(k, -1)


class EqualQuanta(Rule):
    """Takes ``quantum`` pages of each site in turn; exhausted sites are skipped."""

    def prepare(self) -> None:
        """Read ``quantum``."""
        self._quantum = whole(self.setting, "quantum", 10)

    def order(self) -> Order:
        """Yield a quantum of each site, again and again."""
        while self.sites.waiting() or self.sites.flying():
            for k in range(self.sites.count):
                yield from self.scan(k, self._quantum)


class R1(Rule):
    """N/K pages of every site, then the rest of the budget on the site with the largest sum."""

    def prepare(self) -> None:
        """Compile the choice of the site."""
        of_largest_sum(self.sites.table)

    def order(self) -> Order:
        """Yield the first pages of every site, then all pages of the site with the largest sum."""
        sites = self.sites
        share = self.budget // max(1, sites.count)
        for k in range(sites.count):
            yield from self.scan(k, max(1, share))
        yield from self.settled()
        while (k := of_largest_sum(sites.table)) != EMPTY:
            yield from self.scan(k, -1)
            yield from self.settled()


class R1Printed(Rule):
    """R1 with [N/K] rounded to the nearest integer, then N - [N/K] pages of the best site."""

    overspends = True

    def order(self) -> Order:
        """Yield pages in the order of the rule as printed."""
        sites = self.sites
        if not sites.count:
            return
        share = (2 * self.budget + sites.count) // (2 * sites.count)
        for k in range(sites.count):
            yield from self.scan_as_printed(k, share)
        yield from self.settled()
        best = int(sites.table[:-1, SUM].argmax())
        yield from self.scan_as_printed(best, self.budget - share)
        self.end = SPENT


class R2(Rule):
    """``step`` pages of every site, then repeatedly ``step`` pages of the one with largest mean."""

    def prepare(self) -> None:
        """Read ``step``."""
        of_largest_mean(self.sites.table)
        default = max(1, self.budget // (10 * max(1, self.sites.count)))
        self.step = whole(self.setting, "step", default)

    def order(self) -> Order:
        """Yield quanta of the site whose pages have the most external links on average."""
        sites = self.sites
        for k in range(sites.count):
            yield from self.scan(k, self.step)
        yield from self.settled()
        while (k := of_largest_mean(sites.table)) != EMPTY:
            yield from self.scan(k, self.step)
            yield from self.settled()


class R2Printed(R2):
    """R2 that continues while the sum of t(i) is at most N, checked after each quantum."""

    overspends = True

    def order(self) -> Order:
        """Yield pages in the order of the rule as printed."""
        sites = self.sites
        for k in range(sites.count):
            yield from self.scan_as_printed(k, self.step)
        yield from self.settled()
        indices = [Fraction(int(s), self.step) for s in sites.table[:-1, SUM]]
        while indices:
            k = indices.index(max(indices))
            yield from self.scan_as_printed(k, self.step)
            yield from self.settled()
            indices[k] = Fraction(int(sites.table[k, SUM]), int(sites.table[k, SCANNED]))
            if sites.scanned() > self.budget:
                self.end = SPENT
                return


class Chooser(Rule):
    """A rule that chooses a site again for each page."""

    def draw(self) -> int:
        """Take a page of the chosen site; `EMPTY` if no page waits."""
        raise NotImplementedError  # each policy has its own

    def chosen(self) -> Order:
        """Yield one page after another, each drawn from the site that is chosen then."""
        draw = self.draw
        while (page := draw()) != EMPTY or self.sites.flying():
            yield page  # EMPTY is LATER


class R3(Chooser):
    """``initial`` pages of every site, then always a page of the site with largest UCB1 index."""

    def prepare(self) -> None:
        """Read ``initial``."""
        take_of_largest_index(self.sites.following, np.zeros_like(self.sites.table), TRUST)
        default = max(1, self.budget // (20 * max(1, self.sites.count)))
        self.initial = whole(self.setting, "initial", default)

    def order(self) -> Order:
        """Yield the next page of the site whose index is largest."""
        for k in range(self.sites.count):
            yield from self.scan(k, self.initial)
        yield from self.chosen()

    def draw(self) -> int:
        """Take a page of the site with the largest index."""
        sites = self.sites
        page = take_of_largest_index(sites.following, sites.table, TRUST)
        return page if page != UNDECIDED else sites.take(self._decided())

    def _decided(self) -> int:
        """Return the site with the largest index, compared in exact arithmetic."""
        table = self.sites.table.tolist()
        largest, n = table[-1][LARGEST], table[-1][SCANNED]
        best = EMPTY
        for k, row in enumerate(table[:-1]):
            if row[WAITING] and (
                best == EMPTY
                or compare(row[SUM], row[SCANNED], table[best][SUM], table[best][SCANNED],
                           largest, n) > 0
            ):  # fmt: skip
                best = k
        return best


class R3Printed(R3):
    """R3 that continues while n is at most N, checked after each page; Xmax may be 0.

    The index divides by Xmax even if no page has an external link; the rule then fails.
    """

    overspends = True

    def order(self) -> Order:
        """Yield pages in the order of the rule as printed."""
        sites = self.sites
        for k in range(sites.count):
            yield from self.scan_as_printed(k, self.initial)
        yield from self.settled()
        while sites.count:
            yield from self.scan_as_printed(self._chosen(), 1)
            yield from self.settled()
            if sites.scanned() > self.budget:
                self.end = SPENT
                return

    def _chosen(self) -> int:
        """Return the site with the largest index, exhausted ones included."""
        table = self.sites.table.tolist()
        largest, n = table[-1][LARGEST], table[-1][SCANNED]
        if not largest:
            raise ZeroDivisionError("Xmax is 0: no page has an external link")
        best = 0
        for k, row in enumerate(table[:-1]):
            other = table[best]
            if compare(row[SUM], row[SCANNED], other[SUM], other[SCANNED], largest, n) > 0:
                best = k
        return best
