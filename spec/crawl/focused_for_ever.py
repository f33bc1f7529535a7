"""The focused crawler on a finite web and on one without an end, and whether its growth stops.

It is the text of `focused`, with promises: the crawler does not stop by itself, and each request is
answered. With ``web=finite`` the web has the given number of pages, as there. With ``web=endless``
there is always another page to link to, and ``pages`` is the number of pages that matter at the
same time. A run in which more pages would matter is left out, so only what is *violated* on an
endless web is a fact about all of them.

**Why the endless web is exact.** A page is *spent* when it is done and either failed or is both
expanded and in the index. No weight, no choice and no request depends on a spent page any more. So
when a step begins, the oldest page is forgotten if it is spent: all others move up by one number,
which keeps the order of their discovery, and the last number becomes free for a new page. Failed
pages are counted only until they are forgotten. Up to then, both forms take the same steps.

Steps are counted only if their number is limited.
"""

from __future__ import annotations

from typing import Any

from counterpoint.spec.notation import (
    Choice,
    SpecError,
    Value,
    action,
    eventually,
    every,
    ite,
    no,
    some,
    stays,
)

from .focused import FocusedHits
from .pages import Place


class FocusedForEver(FocusedHits):
    """The focused crawler, and whether it comes to an end."""

    name = "focused-for-ever"
    without = tuple(
        name
        for name, mark in FocusedHits.declared_methods.items()
        if mark.kind not in ("action", "finished")
    )

    web = Choice("finite", "endless", help="whether there is always another page to discover")

    def derive(self, given: dict[str, Any]) -> dict[str, Any]:
        """Refuse an endless web for the standard crawler, which indexes nothing before the end."""
        if given.get("web") == "endless" and given.get("crawler") == "standard":
            raise SpecError("web=endless is for crawler=focused: the standard one has no steps")
        return super().derive(given)

    # A step, with promises

    @action(fair="weak", fair_for=())
    def weigh(s, p: int, hub: int, authority: int) -> None:
        """Give the next page its weights."""
        super().weigh(p, hub, authority)

    @action(fair="weak")
    def choose(s) -> None:
        """Index the best authorities, expand the best hubs."""
        super().choose()

    @action(fair="weak", fair_for=())
    def request(s, p: int) -> None:
        """Request a page to which an expanded hub links."""
        super().request(p)

    @action(fair="weak", fair_for=("p",))
    def fetched(s, p: int, links: int) -> None:
        """Receive a page; each request is answered at some time, unless it fails."""
        super().fetched(p, links)

    @action(fair="weak")
    def go_on(s) -> None:
        """Begin the next step; on an endless web, the oldest page is forgotten if it is spent."""
        super().go_on()
        if s.web == "endless":
            s.forget(s.is_spent(0))

    def count_step(s) -> None:
        """Count a step if there is a last one, and else note that one has begun."""
        s.step = s.step + 1 if s.steps else 1

    def is_spent(s, p: int) -> Value:
        """Return whether nothing depends on a page any more."""
        indexed = every(s.expanded[p], s.entries[p] > 0)
        return every(s.place[p] == Place.DONE, some(s.fetches[p] == 0, indexed))

    def forget(s, when: Value) -> None:
        """Forget the first page: each other page gets the number before its own."""
        last = len(s.pages) - 1
        for p in s.pages:
            new = p == last
            s.place[p] = ite(when, Place.UNKNOWN if new else s.place[p + 1], s.place[p])
            s.offered[p] = ite(when, False if new else s.offered[p + 1], s.offered[p])
            s.fetches[p] = ite(when, 0 if new else s.fetches[p + 1], s.fetches[p])
            s.expanded[p] = ite(when, False if new else s.expanded[p + 1], s.expanded[p])
            s.entries[p] = ite(when, 0 if new else s.entries[p + 1], s.entries[p])
            for q in s.pages:
                moved = False if new or q == last else s.leads[p + 1, q + 1]
                s.leads[p, q] = ite(when, moved, s.leads[p, q])

    # What must happen

    @stays
    def growth_stops(s) -> Value:
        """From some time on no page is requested any more."""
        return no(s.place[p] == Place.IN_FLIGHT for p in s.pages)

    @eventually
    def the_crawl_ends(s) -> Value:
        """No page is left to expand, or the last step is over."""
        return s.all_discovered_is_done()
