"""A greedy policy that knows the truth, as a near upper bound for all other policies."""

from __future__ import annotations

import heapq

from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.policy.protocol import Outcome, Request, Setting, Truth
from counterpoint.crawler.policy.tables import FoundPages

from .web import FETCHED, FLYING, SPENT


class Oracle:
    """Fetches the found page with the most external links; of equal pages, the one found first.

    It is greedy, so not optimal: it does not know which pages a page without external links leads
    to.
    """

    def __init__(self, setting: Setting) -> None:
        if setting.truth is None:
            raise CrawlError("an oracle needs the truth about pages, which is unknown here")
        self.why = ""
        self._truth: Truth = setting.truth
        self._budget = setting.budget
        self._issued = self._observed = self._weighed = 0
        self._found = FoundPages(setting.starts)
        self._heap: list[tuple[int, int, int]] = []

    def next(self) -> Request | None:
        """Return the page with the most external links."""
        if self._issued >= self._budget:
            self.why = SPENT
            return None
        self._weigh()
        if not self._heap:
            self.why = FLYING if self._issued > self._observed else FETCHED
            return None
        self._issued += 1
        return Request(heapq.heappop(self._heap)[2])

    def _weigh(self) -> None:
        """Put the new pages on the heap, with their true numbers of external links."""
        begin, end = self._weighed, self._found.end
        for number, page in enumerate(self._found.pages[begin:end].tolist(), begin):
            heapq.heappush(self._heap, (-self._truth.external(page), number, page))
        self._weighed = end

    def observe(self, outcome: Outcome) -> None:
        """Learn of new pages."""
        self._observed += 1
        if outcome.status == 200:
            self._found.add(outcome.links)
