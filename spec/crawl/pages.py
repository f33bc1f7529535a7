"""The base of crawler specs: the pages of a bounded web, on their way from unknown to done.

The web is not given. The links of a page are chosen when it is fetched, in every possible way, so a
verdict covers every web of that many pages. The first page is the start page.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Self

from counterpoint.spec.notation import (
    Array,
    Boolean,
    Index,
    Integer,
    Member,
    Number,
    Spec,
    Value,
    count,
    every,
    finished,
    implies,
    invariant,
    ite,
    some,
    transition,
)


class Place(IntEnum):
    """The state of a page."""

    UNKNOWN = 0
    DISCOVERED = 1
    QUEUED = 2
    IN_FLIGHT = 3
    DONE = 4


class Crawl(Spec):
    """Pages are discovered by fetching others; a subclass decides which is requested next."""

    lane = "pages"

    pages = Index(3, names="p", labels="P", at_most=7, help="how many pages the web has")
    concurrency = Number(2, at_least=1, at_most=7, help="how many requests may be in flight")

    place = Array(
        pages,
        Member(Place),
        initially=lambda s, p: Place.QUEUED if p == 0 else Place.UNKNOWN,
    )
    offered = Array(pages, Boolean(), initially=lambda s, p: p == 0)
    """History: the start page, and all that a fetched page links to."""
    fetches = Array(pages, Integer(0, 2))
    """History: how often a page was finished."""

    # What a crawler does to a page

    def offer(s, p: int, when: Value = True, to: Place = Place.QUEUED) -> None:
        """Follow a link to p, if there is one: an unknown page gets a place.

        Parameters
        ----------
        p : int
            The page.
        when : Value
            Whether there is a link.
        to : Place
            The place that an unknown page gets.
        """
        s.offered[p] = some(s.offered[p], when)
        s.place[p] = ite(every(when, s.is_new(p)), to, s.place[p])

    def is_new(s, p: int) -> Value:
        """Return whether a link to p discovers it."""
        return s.place[p] == Place.UNKNOWN

    def finish(s, p: int) -> None:
        """Finish p, and count that."""
        s.fetches[p] = s.fetches[p] + 1
        s.place[p] = Place.DONE

    # Words

    def known(s) -> Value:
        """Return how many pages are known."""
        return count(s.place[p] != Place.UNKNOWN for p in s.pages)

    def in_flight(s) -> Value:
        """Return how many requests are in flight."""
        return count(s.place[p] == Place.IN_FLIGHT for p in s.pages)

    def is_requested(s, after: Self, p: int) -> Value:
        """Return whether the step to another state is the request for p."""
        return every(s.place[p] != Place.IN_FLIGHT, after.place[p] == Place.IN_FLIGHT)

    # What must hold

    @invariant
    def never_twice(s) -> Value:
        """No page is fetched twice."""
        return every(s.fetches[p] <= 1 for p in s.pages)

    @invariant
    def nothing_before_it_was_discovered(s) -> Value:
        """Only the start page and pages linked from fetched pages are ever queued or requested."""
        return every(implies(s.place[p] >= Place.QUEUED, s.offered[p]) for p in s.pages)

    @invariant
    def nothing_is_lost(s) -> Value:
        """A page to which a fetched page links is known from then on."""
        return every(implies(s.offered[p], s.place[p] != Place.UNKNOWN) for p in s.pages)

    @invariant
    def no_more_in_flight_than_allowed(s) -> Value:
        """At most the allowed number of requests is in flight."""
        return s.in_flight() <= s.concurrency

    @transition
    def done_stays_done(s, after: Self) -> Value:
        """A page that is done stays done."""
        return every(
            implies(s.place[p] == Place.DONE, after.place[p] == Place.DONE) for p in s.pages
        )

    @finished
    def all_discovered_is_done(s) -> Value:
        """A crawl may end when all discovered pages are done."""
        return every(some(s.place[p] == Place.UNKNOWN, s.place[p] == Place.DONE) for p in s.pages)
