"""Breadth-first crawling: pages are requested in the order of their discovery, level by level.

Pages are numbered in the order of their discovery (so which unknown page a link leads to is no
choice), and the first in the queue is the one with the least number. A fetched page links to any of
the known pages, which changes nothing, and to any number of new ones. A page that fails has no
links.

A page's level is one more than that of the page that discovered it. It is the least number of links
from the start page, among the links seen, if no page links to a page more than one level deeper:
each link on a path then leads at most one level down.

With one request at a time, the levels of requests never fall. With several this is so if answers
are taken in the order of requests, or if a level waits for the one before it. Otherwise one slow
page suffices: while P1, on level 1, is in flight, a chain of other pages reaches level ``pages -
2``. Its last page has that level although P1 may link to it (``pages - 4`` too deep). A page that
P1 discovers, on level 2, makes the chain shorter by one and is requested after level ``pages - 3``.
Larger differences are not possible.
"""

from __future__ import annotations

from typing import Any, Self

from counterpoint.spec.notation import (
    Array,
    Choice,
    Index,
    Integer,
    SpecError,
    Value,
    action,
    every,
    implies,
    invariant,
    ite,
    maximum,
    require,
    some,
    sometimes,
    transition,
)

from .pages import Crawl, Place


class BreadthFirst(Crawl):
    """Pages are requested in the order of their discovery."""

    name = "breadth-first"

    pages = Index(6, names="p", labels="P", at_most=9, help="how many pages the web has")
    news = Index(
        6, names="new", labels="+", at_most=9, help="the numbers of new links; as many as pages"
    )
    order = Choice("fifo", "lifo", help="which of the queued pages is next")
    answers = Choice("any-order", "in-order", help="when an answer is taken")
    next_level = Choice(
        "as-queued", "after-the-level", help="when a page of the next level is requested"
    )

    level = Array(pages, Integer(0, lambda s: max(1, len(s.pages) - 1)))
    deepest = Integer(0, lambda s: max(1, len(s.pages) - 1))
    """History: the greatest level requested so far."""
    asked = Array(pages, Integer(0, lambda s: s.concurrency if s.answers == "in-order" else 0))
    """The number of older requests in flight; counted only if answers are taken in order."""

    def derive(self, given: dict[str, Any]) -> dict[str, Any]:
        """Let a page discover between none and all of the other pages."""
        pages = given.get("pages", self.declared_parameters["pages"].default)
        if given.get("news", pages) != pages:
            raise SpecError(f"news follows from pages: it is {pages}, not {given['news']}")
        return {"news": pages}

    @action
    def request(s, p: int) -> None:
        """Request the first page of the queue."""
        require(s.place[p] == Place.QUEUED, s.in_flight() < s.concurrency, s.is_next(p))
        if s.next_level == "after-the-level":
            require(s.level_is_done(p))
        if s.answers == "in-order":
            s.asked[p] = s.in_flight()
        s.place[p] = Place.IN_FLIGHT
        s.deepest = maximum(s.deepest, s.level[p])

    @action
    def fetched(s, p: int, new: int) -> None:
        """Receive a page: it links to so many unknown pages, and to any of the known ones."""
        known = s.known()
        require(s.place[p] == Place.IN_FLIGHT, known + new <= len(s.pages))
        if s.answers == "in-order":
            require(s.is_oldest(p))
            for q in s.pages:
                s.asked[q] = ite(s.asked[q] > 0, s.asked[q] - 1, 0)
        s.finish(p)
        for q in s.pages:
            found = every(known <= q, q < known + new)
            s.offer(q, found)
            s.level[q] = ite(found, s.level_below(p), s.level[q])

    def is_next(s, p: int) -> Value:
        """Return whether no queued page comes before p."""
        before = range(p) if s.order == "fifo" else range(p + 1, len(s.pages))
        return every(s.place[q] != Place.QUEUED for q in before)

    def is_oldest(s, p: int) -> Value:
        """Return whether no request in flight is older than that for p."""
        return s.asked[p] == 0

    def level_is_done(s, p: int) -> Value:
        """Return whether nothing of a level before p's is in flight."""
        return every(
            implies(s.place[q] == Place.IN_FLIGHT, s.level[q] >= s.level[p]) for q in s.pages
        )

    def level_below(s, p: int) -> Value:
        """Return the level of the pages that p discovers."""
        return s.level[p] + 1

    # How far the order may differ

    def is_strict(s) -> bool:
        """Return whether levels must come in order."""
        return s.concurrency == 1 or s.answers == "in-order" or s.next_level == "after-the-level"

    def most_fallen(s) -> int:
        """Return by how many levels a request may be above the deepest one so far."""
        return 0 if s.is_strict() else max(0, len(s.pages) - 5)

    def most_too_deep(s) -> int:
        """Return by how much a page's level may exceed the least number of links to it."""
        return 0 if s.is_strict() else max(0, len(s.pages) - 4)

    @transition
    def order_by_level(s, after: Self) -> Value:
        """No request is for a level before the deepest one so far, beyond what the mode allows."""
        return every(
            implies(s.is_requested(after, p), s.level[p] + s.most_fallen() >= s.deepest)
            for p in s.pages
        )

    @transition
    def levels_are_distances(s, after: Self) -> Value:
        """A fetched page links to no known page more than one level (or so many) below it.

        It may link to any page, so no page at all may be that deep.
        """
        return every(
            implies(
                every(s.place[p] == Place.IN_FLIGHT, after.place[p] == Place.DONE,
                      after.place[q] != Place.UNKNOWN),
                after.level[q] <= s.level[p] + 1 + s.most_too_deep(),
            )
            for p in s.pages
            for q in s.pages
        )  # fmt: skip

    @transition
    def one_level_down(s, after: Self) -> Value:
        """A page that another discovers has the level below it."""
        return every(
            implies(
                every(s.place[p] == Place.IN_FLIGHT, after.place[p] == Place.DONE,
                      s.place[q] == Place.UNKNOWN, after.place[q] != Place.UNKNOWN),
                after.level[q] == s.level[p] + 1,
            )
            for p in s.pages
            for q in s.pages
        )  # fmt: skip

    @invariant
    def only_the_start_is_on_level_0(s) -> Value:
        """Every known page lies below the start page."""
        return every(
            implies(s.place[p] != Place.UNKNOWN, (s.level[p] == 0) == (p == 0)) for p in s.pages
        )

    @sometimes(when=lambda s: s.concurrency > 1 and len(s.pages) > 2)
    def two_in_flight(s) -> Value:
        """Two requests can be in flight together."""
        return s.in_flight() == 2

    @sometimes(
        when=lambda s: s.concurrency > 1 and len(s.pages) > 3 and s.next_level == "as-queued"
    )
    def two_levels_in_flight(s) -> Value:
        """Pages of two levels can be in flight together, unless a level waits for the other."""
        return some(
            every(
                s.place[p] == Place.IN_FLIGHT, s.place[q] == Place.IN_FLIGHT,
                s.level[p] != s.level[q],
            )
            for p in s.pages
            for q in range(p)
        )  # fmt: skip

    @sometimes
    def all_on_one_path(s) -> Value:
        """Every page can be fetched, each one level below the page before."""
        return every(every(s.fetches[p] == 1, s.level[p] == p) for p in s.pages)
