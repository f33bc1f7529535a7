"""A crawl that is interrupted any number of times, and whether it ends.

It is the text of `frontier`, with promises, and restarts are not counted. Their number only limits
how many there are, so a state here is one of `frontier` with some number of interruptions.

A crawl that is interrupted again and again comes to an end if each page that is requested again and
again is answered at some time (``fairness=strong``). It is not enough that a request is answered if
it is not interrupted (``weak``): an interruption may come before every answer.
"""

from __future__ import annotations

from counterpoint.spec.notation import (
    Choice,
    Number,
    Value,
    action,
    eventually,
    leads_to,
)

from .frontier import Frontier
from .pages import Place


class FrontierForEver(Frontier):
    """Fetches fail, crawls are interrupted without end, and answers come."""

    name = "frontier-for-ever"

    interruptions = Number(0, at_most=0, help="how often the crawl is interrupted is not counted")
    fairness = Choice(
        "strong", "weak",
        help="a page is answered if it is requested again and again, or if it stays requested",
    )  # fmt: skip

    @action(fair="weak", fair_for=())
    def enqueue(s, p: int) -> None:
        """Queue a page that was discovered."""
        super().enqueue(p)

    @action(fair="weak", fair_for=())
    def request(s, p: int) -> None:
        """Request a page from the queue."""
        super().request(p)

    @action(fair=lambda s: s.fairness, fair_for=("p",))
    def fetched(s, p: int, links: int) -> None:
        """Receive a page; it links to any pages."""
        super().fetched(p, links)

    def count_restart(s) -> None:
        """Count nothing: there may always be another restart."""

    # What must happen

    @eventually
    def the_crawl_ends(s) -> Value:
        """All discovered pages are done."""
        return s.all_discovered_is_done()

    @leads_to
    def what_is_discovered_is_done(s) -> tuple[Value, Value]:
        """The last page, once it is discovered, is fetched or given up."""
        last = s.place[len(s.pages) - 1]
        return last != Place.UNKNOWN, last == Place.DONE
