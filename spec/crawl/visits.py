"""Whether a site with pages left is visited again: the rules of [BeeBot] beside each other.

These are the texts of the rules, as corrected, with the promise that a crawl goes on until it is
over. The counts of a rule grow for ever, and so does n in the index of R3, so no form without a
budget has finitely many states. Instead the budget must be so small, or the sites so large, that no
site is exhausted before its time: ``pages`` is at least ``budget``. Then a site that was not
visited again when the crawl is over was passed over while the rule had other pages to scan.

For R3 the least budget that suffices is the bound of `r3` plus one, and `r3` shows that each later
wait has its bound, too.
"""

from __future__ import annotations

from counterpoint.spec.notation import (
    Number,
    Value,
    action,
    decreases,
    eventually,
    every,
    implies,
)

from .equal_quanta import EqualQuanta
from .r1 import R1
from .r2 import R2
from .r3 import R3
from .sites import Sites


class Visits(Sites):
    """A rule that goes on, and whether it comes back to every site."""

    budget = Number(8, at_least=1, help="N, how many pages may be scanned in all")
    pages = Number(8, at_least=1, help="the most pages that a site has")
    links = Number(1, at_most=16, help="the most external links that a page has")

    @action(fair="weak", fair_for=())
    def scan(s, i: int, x: int, new: int) -> None:
        """Scan the site's next page."""
        super().scan(i, x, new)

    @eventually(when=lambda s: s.pages >= s.budget)
    def every_site_is_visited_again(s) -> Value:
        """Each site with pages left gets more than its first pages."""
        return every(implies(s.has_page(i), s.scanned[i] > s.first_pages()) for i in s.sites)

    def first_pages(s) -> int:
        """Return how many pages of each site come first."""
        raise NotImplementedError


class VisitsOfR1(Visits, R1):
    """R1 does not come back: after a share of each site, the rest goes to the best."""

    name = "r1-visits"

    def first_pages(s) -> int:
        """Return the size of the sample."""
        return s.sample


class VisitsOfR2(Visits, R2):
    """R2 does not come back to a site with fewer links per page."""

    name = "r2-visits"

    def first_pages(s) -> int:
        """Return the size of the sample."""
        return s.sample


class VisitsOfR3(Visits, R3):
    """R3: the highest upper confidence bound."""

    name = "r3-visits"

    def first_pages(s) -> int:
        """Return the size of the sample."""
        return s.sample

    @decreases(of=Visits.every_site_is_visited_again)
    def left_of_the_budget(s) -> Value:
        """How many pages may still be scanned; that it suffices follows from the lemmas of R3."""
        return s.budget - s.spent()


class VisitsOfEqualQuanta(Visits, EqualQuanta):
    """Equal quanta: each site in turn."""

    name = "equal-quanta-visits"

    def first_pages(s) -> int:
        """Return the pages of a turn."""
        return s.quantum
