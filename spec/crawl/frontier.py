"""The frontier of a crawler: pages that are discovered, queued, in flight and done.

Several requests are in flight at once, fetches fail and are tried again, and the crawl may be
interrupted at any moment: after a restart, pages that were in flight are queued again. The order in
which queued pages are requested is left open, so the properties hold for every order.
"""

from __future__ import annotations

from typing import Any

from counterpoint.spec.notation import (
    Array,
    Index,
    Integer,
    Number,
    SpecError,
    Value,
    action,
    every,
    invariant,
    ite,
    require,
    some,
    sometimes,
)

from .pages import Crawl, Place


class Frontier(Crawl):
    """Any queued page may be requested next; fetches fail, and crawls are interrupted."""

    name = "frontier"

    pages = Index(4, names="p", labels="P", at_most=7, help="how many pages the web has")
    link_sets = Index(
        16, names="links", at_most=128, help="the sets of pages to link to; follows from pages"
    )
    retries = Number(1, at_most=3, help="how often a page that failed is tried again")
    interruptions = Number(1, at_most=3, help="how often the crawl is interrupted")

    failures = Array(pages, Integer(0, lambda s: s.retries + 1))
    open = Integer(0, lambda s: s.concurrency)
    """The crawler's own count of requests in flight."""
    restarts = Integer(0, lambda s: s.interruptions)

    def derive(self, given: dict[str, Any]) -> dict[str, Any]:
        """Derive the number of sets of links from the number of pages."""
        pages = given.get("pages", self.declared_parameters["pages"].default)
        if given.get("link-sets", 2**pages) != 2**pages:
            raise SpecError(f"{pages} pages have {2**pages} sets, not {given['link-sets']}")
        return {"link-sets": 2**pages}

    def label(self, index: str, member: int) -> str | None:
        """Show a set of links as its pages."""
        if index != "link-sets":
            return None
        linked = [type(self).pages.label(self, p) for p in self.pages if member >> p & 1]
        return f"to {' '.join(linked) or 'nothing'}"

    @action
    def enqueue(s, p: int) -> None:
        """Queue a page that was discovered."""
        require(s.place[p] == Place.DISCOVERED)
        s.place[p] = Place.QUEUED

    @action
    def request(s, p: int) -> None:
        """Request a page from the queue."""
        require(s.place[p] == Place.QUEUED, s.open < s.concurrency)
        s.open = s.open + 1
        s.place[p] = Place.IN_FLIGHT

    @action
    def fetched(s, p: int, links: int) -> None:
        """Receive a page; it links to any pages."""
        require(s.place[p] == Place.IN_FLIGHT)
        s.open = s.open - 1
        s.finish(p)
        for q in s.pages:
            if links >> q & 1:
                s.offer(q, to=Place.DISCOVERED)

    @action
    def failed(s, p: int) -> None:
        """Receive no answer: try again later, or give the page up."""
        require(s.place[p] == Place.IN_FLIGHT)
        s.open = s.open - 1
        s.place[p] = ite(s.failures[p] < s.retries, Place.QUEUED, Place.DONE)
        s.failures[p] = s.failures[p] + 1

    @action
    def restart(s) -> None:
        """Restart after an interruption: pages that were in flight are queued again."""
        s.count_restart()
        s.open = 0
        for p in s.pages:
            s.place[p] = ite(s.place[p] == Place.IN_FLIGHT, Place.QUEUED, s.place[p])

    def count_restart(s) -> None:
        """Count a restart; there are no more than interruptions."""
        require(s.restarts < s.interruptions)
        s.restarts = s.restarts + 1

    @invariant
    def the_count_is_right(s) -> Value:
        """The crawler knows how many requests are in flight."""
        return s.open == s.in_flight()

    @invariant
    def done_is_fetched_or_given_up(s) -> Value:
        """A page is done if it was fetched, or has failed as often as it may be tried."""
        return every(
            (s.place[p] == Place.DONE) == some(s.fetches[p] > 0, s.failures[p] > s.retries)
            for p in s.pages
        )

    @sometimes(when=lambda s: s.concurrency > 1 and len(s.pages) > 2)
    def several_in_flight(s) -> Value:
        """The allowed number of requests can be in flight at once."""
        return s.in_flight() >= min(s.concurrency, len(s.pages) - 1)

    @sometimes
    def a_page_is_given_up(s) -> Value:
        """A page can fail at every try."""
        return some(every(s.place[p] == Place.DONE, s.fetches[p] == 0) for p in s.pages)

    @sometimes(when=lambda s: s.retries > 0)
    def a_failed_page_is_fetched(s) -> Value:
        """A page that failed can be fetched at a later try."""
        return some(every(s.failures[p] > 0, s.fetches[p] > 0) for p in s.pages)

    @sometimes
    def everything_is_fetched(s) -> Value:
        """All pages can be fetched."""
        return every(s.fetches[p] == 1 for p in s.pages)
