"""The focused crawler of Blekanov and Bondarenko: which pages it indexes, and which it expands.

The spec covers the control only. A step first weighs all known pages by HITS. Here the weights are
arbitrary and new in every step, so a verdict covers whatever HITS may compute. They are never below
0, and only a fetched page, whose links are known, has a hub weight. That their squares sum to 1
is not modelled, since the weights here only stand for an order. Then the ``c`` greatest authorities
that were fetched and are not in the index are added to it, and the ``c`` greatest hubs are
*expanded*: the pages they link to are fetched, in any order, and some may fail. Of equal pages the
one discovered first comes first.

The standard crawler serves for comparison: it expands all pages in the order of their discovery,
and weighs them once, at the end.

As in `breadth_first`, pages are numbered in the order of their discovery. Links to pages that were
requested before change nothing and are left out.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any, Self

from counterpoint.spec.notation import (
    Array,
    Boolean,
    Choice,
    Index,
    Integer,
    Member,
    Number,
    SpecError,
    Value,
    action,
    count,
    every,
    finished,
    implies,
    invariant,
    ite,
    maximum,
    no,
    require,
    some,
    sometimes,
    transition,
)

from .pages import Crawl, Place


class Phase(IntEnum):
    """The phase of the crawler within a step."""

    WEIGHING = 0
    FETCHING = 1


class FocusedHits(Crawl):
    """The best authorities are indexed, and the pages to which the best hubs link are fetched."""

    name = "focused-hits"

    targets = Index(
        8, names="links", labels="L", at_most=128, help="sets of pages; follows from pages"
    )
    concurrency = Number(1, at_least=1, at_most=7, help="how many requests may be in flight")
    c = Number(1, at_least=1, at_most=7, help="how many hubs and authorities a step chooses")
    steps = Number(0, at_most=7, help="after how many steps it ends; 0: when all is expanded")
    failures = Number(1, at_most=7, help="how many fetches may fail")
    hubs = Index(2, names="hub", at_most=8, help="the hub weights there are, from 0 on")
    authorities = Index(3, names="authority", at_most=8, help="the authority weights, from 0 on")
    crawler = Choice(
        "focused", "standard", help="which pages are expanded, and when pages are weighed"
    )

    phase = Member(Phase, initially=Phase.FETCHING)
    step = Integer(0, lambda s: len(s.pages) + 2)
    """The number of started steps."""
    weighed = Integer(0, lambda s: len(s.pages))
    """The number of pages weighed in this step; they are the first ones."""
    hub = Array(Crawl.pages, Integer(0, lambda s: len(s.hubs) - 1))
    authority = Array(Crawl.pages, Integer(0, lambda s: len(s.authorities) - 1))
    leads = Array((Crawl.pages, Crawl.pages), Boolean())
    """Whether the first page was fetched and links to the second, which was not requested."""
    expanded = Array(Crawl.pages, Boolean())
    entries = Array(Crawl.pages, Integer(0, 2))
    """How often a page is in the index."""

    def derive(self, given: dict[str, Any]) -> dict[str, Any]:
        """Let a page link to any set of pages."""
        sets = 2 ** given.get("pages", self.declared_parameters["pages"].default)
        if given.get("targets", sets) != sets:
            raise SpecError(f"targets follows from pages: it is {sets}, not {given['targets']}")
        return {"targets": sets}

    # A step

    @action
    def weigh(s, p: int, hub: int, authority: int) -> None:
        """Give the next page its weights; a page that needs neither gets none."""
        require(s.phase == Phase.WEIGHING, s.weighed == p, p < s.known())
        require(some(hub == 0, s.waits(p)), some(authority == 0, s.entries[p] == 0))
        s.hub[p] = hub
        s.authority[p] = authority
        s.weighed = p + 1

    @action
    def choose(s) -> None:
        """When all known pages are weighed: index the best authorities, expand the best hubs."""
        require(s.phase == Phase.WEIGHING, s.weighed == s.known())
        taken = [s.goes_to_the_index(p) for p in s.pages]
        best = [s.is_expanded_next(p) for p in s.pages]
        for p in s.pages:
            s.entries[p] = s.entries[p] + ite(taken[p], 1, 0)
            s.expanded[p] = some(s.expanded[p], best[p])
        s.follow(best)
        s.phase = Phase.FETCHING

    @action
    def request(s, p: int) -> None:
        """Request a page to which an expanded hub links."""
        require(s.phase == Phase.FETCHING, s.place[p] == Place.QUEUED)
        require(s.in_flight() < s.concurrency)
        if s.crawler == "standard":
            require(no(s.place[q] == Place.QUEUED for q in range(p)))
        s.place[p] = Place.IN_FLIGHT

    @action
    def fetched(s, p: int, links: int) -> None:
        """Receive a page: it links to new pages, and to others that were not requested."""
        targets = [q for q in s.pages if links >> q & 1]
        require(s.place[p] == Place.IN_FLIGHT)
        require(every(s.place[q] <= Place.DISCOVERED for q in targets))
        require(every(q - 1 in targets or s.place[q - 1] != Place.UNKNOWN for q in targets if q))
        s.finish(p)
        for q in targets:
            s.offer(q, to=Place.DISCOVERED)
            s.leads[p, q] = True
        if s.is_followed_at_once():
            s.expanded[p] = True
            s.follow([q == p for q in s.pages])

    @action
    def failed(s, p: int) -> None:
        """Receive no page: it is not requested again."""
        require(s.place[p] == Place.IN_FLIGHT)
        require(count(every(s.place[q] == Place.DONE, s.fetches[q] == 0) for q in s.pages)
                < s.failures)  # fmt: skip
        s.place[p] = Place.DONE

    @action
    def go_on(s) -> None:
        """When all requests are answered: forget all weights, and begin the next step."""
        require(s.phase == Phase.FETCHING, s.all_has_come(), no(s.is_over()))
        s.phase = Phase.WEIGHING
        s.count_step()
        s.weighed = 0
        for p in s.pages:
            s.hub[p] = 0
            s.authority[p] = 0

    def count_step(s) -> None:
        """Count a step."""
        s.step = s.step + 1

    # Words

    def is_followed_at_once(s) -> bool:
        """Return whether a page is expanded as soon as it is fetched."""
        return s.crawler == "standard"

    def follow(s, hubs: list[Value]) -> None:
        """Queue all pages to which some hubs link."""
        for q in s.pages:
            found = some(every(hubs[p], s.leads[p, q]) for p in s.pages)
            s.place[q] = ite(found, Place.QUEUED, s.place[q])
            for p in s.pages:
                s.leads[p, q] = every(s.leads[p, q], no(found))

    def was_fetched(s, p: int) -> Value:
        """Return whether p was fetched."""
        return s.fetches[p] > 0

    def waits(s, p: int) -> Value:
        """Return whether p was fetched but not expanded."""
        return every(s.was_fetched(p), no(s.expanded[p]))

    def is_good(s, p: int) -> Value:
        """Return whether p is a fetched authority that is not in the index."""
        return every(s.was_fetched(p), s.authority[p] > 0, s.entries[p] == 0)

    def is_better_hub(s, q: int, p: int) -> Value:
        """Return whether q has the greater hub weight; of equal ones, the one discovered first."""
        return s.hub[q] >= s.hub[p] if q < p else s.hub[q] > s.hub[p]

    def is_better_authority(s, q: int, p: int) -> Value:
        """Return whether q has the greater authority weight, or is equal and discovered first."""
        return s.authority[q] >= s.authority[p] if q < p else s.authority[q] > s.authority[p]

    def is_expanded_next(s, p: int) -> Value:
        """Return whether p is one of the c best hubs, and this is not the last step."""
        better = count(every(s.waits(q), s.is_better_hub(q, p)) for q in s.pages if q != p)
        return every(s.waits(p), better < s.c, no(s.is_last_step()))

    def goes_to_the_index(s, p: int) -> Value:
        """Return whether p is one of the c best authorities."""
        better = count(every(s.is_good(q), s.is_better_authority(q, p)) for q in s.pages if q != p)
        return every(s.is_good(p), better < s.c)

    def is_last_step(s) -> Value:
        """Return whether the last allowed step has begun."""
        return s.step >= s.steps if s.steps else False

    def all_has_come(s) -> Value:
        """Return whether no page is queued or in flight."""
        return no(some(s.place[p] == Place.QUEUED, s.place[p] == Place.IN_FLIGHT) for p in s.pages)

    def is_over(s) -> Value:
        """Return whether there is no next step."""
        return every(s.step > 0, some(s.is_last_step(), no(s.waits(p) for p in s.pages)))

    def is_new_hub(s, after: Self, p: int) -> Value:
        """Return whether the step to another state expands p."""
        return every(no(s.expanded[p]), after.expanded[p])

    def is_new_entry(s, after: Self, p: int) -> Value:
        """Return whether the step to another state puts p into the index."""
        return after.entries[p] > s.entries[p]

    def is_new_in_the_frontier(s, after: Self, p: int) -> Value:
        """Return whether the step to another state queues p."""
        return every(s.place[p] != Place.QUEUED, after.place[p] == Place.QUEUED)

    def progress(s) -> Value:
        """Return a number that grows with every step of a crawl, and is bounded."""
        pages = len(s.pages)
        begun = (2 * s.step + s.phase) * (pages + 1) + s.weighed
        return begun * (Place.DONE * pages + 1) + sum(s.place[p] for p in s.pages)

    def one_must_wait(s) -> bool:
        """Return whether there are pages enough for more hubs than a step may expand."""
        return s.crawler == "focused" and not s.steps and len(s.pages) > s.c + 1

    # What must hold

    @transition(when=lambda s: s.crawler == "focused")
    def the_greatest_hubs_first(s, after: Self) -> Value:
        """No page that keeps waiting is a greater hub than an expanded one, or equal and older."""
        return every(
            implies(
                every(s.is_new_hub(after, p), s.waits(q), no(after.expanded[q])),
                some(s.hub[q] < s.hub[p], every(s.hub[q] == s.hub[p], p < q)),
            )
            for p in s.pages
            for q in s.pages
            if q != p
        )

    @transition
    def the_greatest_authorities_first(s, after: Self) -> Value:
        """No fetched page outside the index is a greater authority than one that is indexed."""
        return every(
            implies(
                every(s.is_new_entry(after, p), s.fetches[q] > 0, after.entries[q] == 0),
                some(
                    s.authority[q] < s.authority[p],
                    every(s.authority[q] == s.authority[p], p < q),
                ),
            )
            for p in s.pages
            for q in s.pages
            if q != p
        )

    @transition
    def at_most_c_a_step(s, after: Self) -> Value:
        """At most c pages are indexed in a step, and the focused crawler expands at most c."""
        hubs = count(s.is_new_hub(after, p) for p in s.pages)
        entries = count(s.is_new_entry(after, p) for p in s.pages)
        return every(entries <= s.c, some(s.crawler == "standard", hubs <= s.c))

    @transition(when=lambda s: s.crawler == "focused")
    def only_what_chosen_hubs_lead_to(s, after: Self) -> Value:
        """A page is queued only when a hub that links to it is chosen."""
        return every(
            implies(
                s.is_new_in_the_frontier(after, q),
                some(every(s.is_new_hub(after, p), s.leads[p, q]) for p in s.pages),
            )
            for q in s.pages
        )

    @transition(when=lambda s: s.crawler == "focused")
    def the_frontier_grows_by_c_hubs(s, after: Self) -> Value:
        """The frontier grows by at most c times the largest out-degree."""
        grown = count(s.is_new_in_the_frontier(after, q) for q in s.pages)
        return grown <= s.c * maximum(*(count(s.leads[p, q] for q in s.pages) for p in s.pages))

    @transition
    def all_is_weighed_before_it_is_chosen(s, after: Self) -> Value:
        """No page is indexed or expanded before this step has weighed all known pages."""
        chosen = every(s.phase == Phase.WEIGHING, after.phase == Phase.FETCHING)
        changes = some(
            some(s.is_new_entry(after, p) for p in s.pages),
            s.crawler == "focused" and some(s.is_new_hub(after, p) for p in s.pages),
        )
        return every(implies(chosen, s.weighed == s.known()), implies(changes, chosen))

    @transition(when=lambda s: s.crawler == "standard")
    def weighed_at_the_end(s, after: Self) -> Value:
        """The standard crawler weighs no page while there are pages to fetch."""
        over = every(some(s.place[p] == Place.UNKNOWN, s.place[p] == Place.DONE) for p in s.pages)
        return implies(after.weighed != s.weighed, over)

    @invariant
    def the_index_holds_only_fetched_pages(s) -> Value:
        """A page that failed, or was not requested, is not in the index."""
        return every(implies(s.entries[p] > 0, s.fetches[p] > 0) for p in s.pages)

    @invariant
    def indexed_at_most_once(s) -> Value:
        """No page is in the index twice."""
        return every(s.entries[p] <= 1 for p in s.pages)

    @transition
    def nothing_leaves_the_index(s, after: Self) -> Value:
        """A page that is in the index stays there."""
        return every(after.entries[p] >= s.entries[p] for p in s.pages)

    @invariant
    def hubs_were_fetched(s) -> Value:
        """Only fetched pages, whose links are known, are hubs or were expanded."""
        return every(implies(some(s.hub[p] > 0, s.expanded[p]), s.fetches[p] > 0) for p in s.pages)

    @invariant
    def each_step_expands(s) -> Value:
        """Every step but the last expands a page, so there is at most one more step than pages."""
        return s.step <= count(s.expanded[p] for p in s.pages) + 1

    @transition
    def it_gets_on(s, after: Self) -> Value:
        """Each step increases a bounded measure of progress, so the crawl terminates."""
        return after.progress() > s.progress()

    @finished
    def all_discovered_is_done(s) -> Value:
        """A crawl may end when the index is made and no page is left to expand."""
        return every(s.phase == Phase.FETCHING, s.all_has_come(), s.is_over())

    @sometimes(when=lambda s: s.one_must_wait() and len(s.hubs) > 1)
    def found_first_expanded_last(s) -> Value:
        """A page that was found first can be expanded after one found later."""
        return some(every(s.waits(p), s.expanded[q]) for q in s.pages for p in range(q))

    @sometimes(when=lambda s: s.one_must_wait() and len(s.authorities) > 1)
    def indexed_before_it_is_expanded(s) -> Value:
        """A page can be in the index although it is not expanded."""
        return some(every(s.waits(p), s.entries[p] == 1) for p in s.pages)

    @sometimes(when=lambda s: not s.steps and len(s.authorities) > 1)
    def everything_is_fetched(s) -> Value:
        """All pages can be fetched, with one of them in the index."""
        return every(
            every(s.fetches[p] == 1 for p in s.pages), some(s.entries[p] == 1 for p in s.pages)
        )
