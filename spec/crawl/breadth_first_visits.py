"""The visits of a breadth-first crawl of one web, whose links are known.

`breadth_first` is about all webs of some size, and what levels mean in each. This spec has one web,
so the log of a crawler can be held against it: is the order of these requests breadth first? A
subclass gives the web and its start pages, as `examples/breadth_first_log.py` does.

Requests are made one at a time. In the order ``first-found`` the next page is the one that was
found first: links are taken in their order on a page. In the order ``by-level`` it is any page with
the least number of links from a start page.
"""

from __future__ import annotations

from typing import ClassVar, Self

from counterpoint.spec.notation import (
    Array,
    Boolean,
    Choice,
    DerivedIndex,
    Integer,
    Spec,
    Value,
    action,
    every,
    implies,
    invariant,
    ite,
    maximum,
    no,
    require,
    sometimes,
    transition,
)


class BreadthFirstVisits(Spec):
    """Visits of one web, in the order in which its pages are found."""

    name = "breadth-first-visits"

    web: ClassVar[tuple[tuple[int, ...], ...]] = ((1, 2), (3, 0), (3, 4, 1), (), (5,), (2,))
    """The pages to which each page links, in the order of the links."""
    starts: ClassVar[tuple[int, ...]] = (0,)
    """The start pages, in the order in which they are given."""

    order = Choice("first-found", "by-level", help="which of the pages of a level is next")

    pages = DerivedIndex(lambda s: len(s.web), names="p", labels="P")

    found = Array(pages, Integer(0, lambda s: len(s.web),
                                 initially=lambda s, p: s.place_of_start(p)))  # fmt: skip
    """The how-manieth page was found, from 1 on; 0: it is not known."""
    level = Array(pages, Integer(0, lambda s: len(s.web)))
    """The number of links from a start page, by the way on which a page was found."""
    visited = Array(pages, Boolean())

    def place_of_start(s, p: int) -> int:
        """Return the place of a page among the start pages, from 1 on; 0 if it is none."""
        return s.starts.index(p) + 1 if p in s.starts else 0

    @action
    def visit(s, p: int) -> None:
        """Request a page, and find the pages to which it links."""
        require(s.is_next(p))
        s.visited[p] = True
        for q in s.web[p]:
            last = maximum(s.found[x] for x in s.pages)
            s.level[q] = ite(s.found[q] == 0, s.level_below(p), s.level[q])
            s.found[q] = ite(s.found[q] == 0, s.place_after(last), s.found[q])

    @action
    def fail(s, p: int) -> None:
        """Request a page that has no document, and so no links."""
        require(s.is_next(p))
        s.visited[p] = True

    def is_next(s, p: int) -> Value:
        """Return whether a page is known and not visited, and no other one comes before it."""
        return every(s.waits(p), no(every(s.waits(q), s.comes_before(q, p)) for q in s.pages))

    def waits(s, p: int) -> Value:
        """Return whether a page is known and not visited."""
        return every(s.found[p] > 0, no(s.visited[p]))

    def comes_before(s, q: int, p: int) -> Value:
        """Return whether q must be visited before p."""
        if s.order == "by-level":
            return s.level[q] < s.level[p]
        return s.found[q] < s.found[p]

    def place_after(s, last: Value) -> Value:
        """Return the place of a page that is found when so many are known."""
        return last + 1

    def level_below(s, p: int) -> Value:
        """Return the level of the pages that p finds."""
        return s.level[p] + 1

    @transition
    def levels_never_fall(s, after: Self) -> Value:
        """No page is visited that is nearer to the start than one that was visited before."""
        return every(
            implies(
                every(no(s.visited[p]), after.visited[p]),
                every(implies(s.visited[q], s.level[q] <= s.level[p]) for q in s.pages),
            )
            for p in s.pages
        )

    @invariant
    def places_differ(s) -> Value:
        """No two pages were found as the same."""
        return every(
            implies(s.found[p] > 0, s.found[p] != s.found[q])
            for p in s.pages for q in s.pages if p < q
        )  # fmt: skip

    @invariant
    def a_visited_page_was_found(s) -> Value:
        """Only known pages are visited."""
        return every(implies(s.visited[p], s.found[p] > 0) for p in s.pages)

    @sometimes
    def all_are_visited(s) -> Value:
        """Every page can be visited."""
        return every(s.visited[p] for p in s.pages)
