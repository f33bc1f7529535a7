"""The focused crawler of Blekanov and Bondarenko: which page may be expanded when.

Only the control is here. In each step HITS weighs what was found together with what was processed;
here the weights are any, drawn anew in every step, so that a verdict speaks of whatever HITS may
compute. Good authorities go to the index; of the pages that were found and not yet expanded, those
with the greatest hub weight are expanded next, of equal ones that discovered first. How many are
expanded in one step is a parameter (``concurrency``): their answers come in any order.

The standard crawler is there for comparison: it expands everything in the order of discovery and
weighs once, at the end.

As in `breadth_first`, pages are numbered as they are discovered.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any, Self

from spec.notation import (
    Array,
    Choice,
    Index,
    Integer,
    Member,
    Number,
    SpecError,
    Value,
    action,
    every,
    finished,
    implies,
    invariant,
    ite,
    no,
    require,
    some,
    sometimes,
    transition,
)

from .pages import Crawl, Place


class Phase(IntEnum):
    """What the crawler is doing within a step."""

    WEIGHING = 0
    EXPANDING = 1


class FocusedHits(Crawl):
    """Of the pages found, the one with the greatest hub weight is expanded first."""

    name = "focused-hits"

    news = Index(
        3, names="new", labels="+", at_most=7, help="the numbers of new links; as many as pages"
    )
    concurrency = Number(1, at_least=1, at_most=7, help="how many pages a step expands")
    hubs = Index(3, names="hub", at_most=8, help="the hub weights there are, from 0 on")
    authorities = Index(2, names="authority", at_most=8, help="the authority weights, from 0 on")
    good = Number(1, at_most=7, help="the authority weight from which a page goes to the index")
    crawler = Choice("focused", "standard", help="what is expanded next, and when it is weighed")

    phase = Member(Phase)
    weighed = Integer(0, lambda s: len(s.pages))
    """How many pages were weighed in this step: the first so many."""
    expanded = Integer(0, lambda s: s.concurrency)
    """How many were expanded in this step."""
    hub = Array(Crawl.pages, Integer(0, lambda s: len(s.hubs) - 1))
    authority = Array(Crawl.pages, Integer(0, lambda s: len(s.authorities) - 1))
    entries = Array(Crawl.pages, Integer(0, 2))
    """How often a page stands in the index."""

    def derive(self, given: dict[str, Any]) -> dict[str, Any]:
        """Let a page discover from none to all other pages."""
        pages = given.get("pages", self.declared_parameters["pages"].default)
        if given.get("news", pages) != pages:
            raise SpecError(f"news follows from pages: it is {pages}, not {given['news']}")
        return {"news": pages}

    # A step

    @action
    def weigh(s, p: int, hub: int, authority: int) -> None:
        """Give the next page its weights."""
        require(s.phase == Phase.WEIGHING, s.weighed == p, p < s.known())
        if s.crawler == "standard":
            require(no(s.is_candidate(q) for q in s.pages), s.in_flight() == 0)
        s.hub[p] = hub
        s.authority[p] = authority
        s.weighed = p + 1

    @action
    def rank(s) -> None:
        """When all that is known is weighed: put good authorities into the index."""
        require(s.phase == Phase.WEIGHING, s.weighed == s.known())
        for p in s.pages:
            s.entries[p] = s.entries[p] + ite(s.goes_to_the_index(p), 1, 0)
        s.phase = Phase.EXPANDING

    @action
    def request(s, p: int) -> None:
        """Expand the best of what was found."""
        focused = s.crawler == "focused"
        require(s.phase == (Phase.EXPANDING if focused else Phase.WEIGHING))
        require(s.is_candidate(p), no(s.comes_before(q, p) for q in s.pages if q != p))
        if focused:
            require(s.expanded < s.concurrency)
            s.expanded = s.expanded + 1
        else:
            require(s.in_flight() < s.concurrency)
        s.place[p] = Place.IN_FLIGHT

    @action
    def fetched(s, p: int, new: int) -> None:
        """Have a page: it links to so many pages that nobody knew, and to any that are known."""
        known = s.known()
        require(s.place[p] == Place.IN_FLIGHT, known + new <= len(s.pages))
        s.finish(p)
        for q in s.pages:
            s.offer(q, every(known <= q, q < known + new))

    @action(when=lambda s: s.crawler == "focused")
    def go_on(s) -> None:
        """When what was to be expanded is there: forget all weights for the next step."""
        require(s.phase == Phase.EXPANDING, s.expanded > 0, s.in_flight() == 0)
        require(some(s.expanded == s.concurrency, no(s.is_candidate(p) for p in s.pages)))
        s.phase = Phase.WEIGHING
        s.weighed = 0
        s.expanded = 0
        for p in s.pages:
            s.hub[p] = 0
            s.authority[p] = 0

    # Words

    def is_candidate(s, p: int) -> Value:
        """Return whether p was found and not expanded, and weighed in this step if that counts."""
        return every(s.place[p] == Place.QUEUED, some(s.crawler == "standard", p < s.weighed))

    def comes_before(s, q: int, p: int) -> Value:
        """Return whether q is to be expanded before p."""
        return every(s.is_candidate(q), s.is_better(q, p))

    def is_better(s, q: int, p: int) -> Value:
        """Return whether q has the greater hub weight; of equal ones, the one discovered first."""
        if s.crawler == "standard":
            return q < p
        return s.hub[q] >= s.hub[p] if q < p else s.hub[q] > s.hub[p]

    def goes_to_the_index(s, p: int) -> Value:
        """Return whether p is a good authority that is not in the index."""
        return every(p < s.weighed, s.authority[p] >= s.good, s.entries[p] == 0)

    # What must hold

    @transition
    def the_greatest_hub_first(s, after: Self) -> Value:
        """No page that waits has a greater hub weight than the one expanded, or is equal and older.

        The standard crawler: no page that waits was discovered before it.
        """
        standard = s.crawler == "standard"
        return every(
            implies(
                every(s.is_requested(after, p), s.place[q] == Place.QUEUED),
                p < q if standard else some(
                    s.hub[q] < s.hub[p], every(s.hub[q] == s.hub[p], p < q), q >= s.weighed
                ),
            )
            for p in s.pages
            for q in s.pages
            if q != p
        )  # fmt: skip

    @transition(when=lambda s: s.crawler == "focused")
    def only_what_this_step_weighed(s, after: Self) -> Value:
        """A page is expanded only when this step has weighed all that was known when it began."""
        begins = every(s.phase == Phase.WEIGHING, after.phase == Phase.EXPANDING)
        return every(
            implies(begins, s.weighed == s.known()),
            every(
                implies(s.is_requested(after, p), every(s.phase == Phase.EXPANDING, p < s.weighed))
                for p in s.pages
            ),
        )

    @transition(when=lambda s: s.crawler == "standard")
    def weighed_at_the_end(s, after: Self) -> Value:
        """The standard crawler weighs nothing while there is anything to expand."""
        over = every(some(s.place[p] == Place.UNKNOWN, s.place[p] == Place.DONE) for p in s.pages)
        return implies(after.weighed != s.weighed, over)

    @invariant
    def indexed_at_most_once(s) -> Value:
        """No page stands in the index twice."""
        return every(s.entries[p] <= 1 for p in s.pages)

    @invariant
    def good_authorities_are_in_the_index(s) -> Value:
        """What is weighed as a good authority stands in the index before anything is expanded."""
        return every(
            implies(
                every(s.phase == Phase.EXPANDING, p < s.weighed, s.authority[p] >= s.good),
                s.entries[p] >= 1,
            )
            for p in s.pages
        )

    @transition
    def only_good_authorities(s, after: Self) -> Value:
        """Nothing else goes to the index."""
        return every(
            implies(
                after.entries[p] != s.entries[p],
                every(after.entries[p] > s.entries[p], s.authority[p] >= s.good, p < s.weighed),
            )
            for p in s.pages
        )

    @finished
    def all_is_ranked(s) -> Value:
        """It may end when the index was made, and nothing is left that could be expanded."""
        left = some(s.place[p] == Place.QUEUED for p in s.pages)
        return every(s.phase == Phase.EXPANDING, no(left), s.weighed == s.known())

    @sometimes(when=lambda s: len(s.pages) > 2 and s.crawler == "focused" and len(s.hubs) > 1)
    def found_first_expanded_last(s) -> Value:
        """A page that was found first can be expanded after one found later."""
        return some(
            every(s.place[p] == Place.QUEUED, s.place[q] == Place.DONE)
            for q in s.pages
            for p in range(q)
        )

    @sometimes(when=lambda s: s.crawler == "focused" and len(s.authorities) > s.good)
    def indexed_before_it_is_expanded(s) -> Value:
        """A page can be in the index although it was never expanded."""
        return some(every(s.place[p] == Place.QUEUED, s.entries[p] == 1) for p in s.pages)

    @sometimes(when=lambda s: len(s.authorities) > s.good)
    def everything_is_indexed(s) -> Value:
        """All pages can be fetched and be in the index."""
        return every(every(s.fetches[p] == 1, s.entries[p] == 1) for p in s.pages)
