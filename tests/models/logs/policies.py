"""Policies that are breadth first but for one fault."""

from __future__ import annotations

from counterpoint.crawler.policy.protocol import Outcome, Request
from counterpoint.crawler.schedulers.web import BreadthFirst


class TakesLinksBackwards(BreadthFirst):
    """It queues the links of all pages but the first from the last one on."""

    def observe(self, outcome: Outcome) -> None:
        """Queue the new pages."""
        if self._observed:
            outcome = outcome._replace(links=outcome.links[::-1])
        super().observe(outcome)


class JumpsTheQueue(BreadthFirst):
    """Its ninth request is for the page that was found last."""

    def next(self) -> Request | None:
        """Return a page."""
        if self._issued == 8:
            pages, last = self._found.pages, self._found.end - 1
            pages[8], pages[last] = pages[last], pages[8]
        return super().next()
