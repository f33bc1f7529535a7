"""Schedulers with one planted error each, which the gate must notice and describe."""

from __future__ import annotations

import numpy as np

from counterpoint.crawler.policy.protocol import Request, Scope
from counterpoint.crawler.policy.site_kernels import EMPTY, SCANNED, SUM, WAITING
from counterpoint.crawler.schedulers.rules import R1, R2, R3, EqualQuanta, Order
from counterpoint.crawler.schedulers.scent import Scent
from counterpoint.crawler.schedulers.web import BreadthFirst


class Inverted(R3):
    """The comparison is inverted: the site with the smallest mean is chosen next."""

    scope = Scope.SITE

    def draw(self) -> int:
        """Take a page of the worst site."""
        table = self.sites.table[:-1]
        waiting = np.flatnonzero(table[:, WAITING])
        if not len(waiting):
            return EMPTY
        means = table[waiting, SUM] / table[waiting, SCANNED]
        return self.sites.take(int(waiting[means.argmin()]))


class LastIn(BreadthFirst):
    """The page that was discovered last is fetched next."""

    def next(self) -> Request | None:
        """Return the other end of the queue."""
        found, issued = self._found, self._issued
        if issued < found.end:
            pages = found.pages
            pages[issued], pages[found.end - 1] = pages[found.end - 1], pages[issued]
        return super().next()


class Again(BreadthFirst):
    """The first page is requested a second time."""

    def next(self) -> Request | None:
        """Return the first page at the seventh step."""
        return Request(int(self._found.pages[0])) if self._issued == 6 else super().next()


class Starved(EqualQuanta):
    """The last site is never fetched."""

    scope = Scope.SITE

    def order(self) -> Order:
        """Yield the quanta of all sites except the last one."""
        while True:
            for k in range(self.sites.count - 1):
                yield from self.scan(k, self._quantum)


class NeverDecremented(R1):
    """The quantum of the first phase never decreases."""

    scope = Scope.SITE

    def order(self) -> Order:
        """Yield all pages of every site."""
        for k in range(self.sites.count):
            yield from self.scan(k, -1)


class OffByOne(R2):
    """A quantum is one page too short."""

    scope = Scope.SITE

    def prepare(self) -> None:
        """Read the parameter ``step`` wrongly."""
        super().prepare()
        self.step -= 1


class Truncated(Scent):
    """Only the first half of the pages are candidates."""

    scope = Scope.KNOWN

    def _strongest(self) -> list[int]:
        """Return the strongest page of the first half."""
        half = self.scent[: len(self.scent) // 2]
        return [int(i) for i in np.argsort(-half, kind="stable")[: self._batch]]
