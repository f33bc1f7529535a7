"""R1 of [BeeBot], the trivial rule: equal shares of the budget first, then the rest for one site.

As printed: 1. Scan the first [N/K] pages of every site, [.] being the nearest integer. 2. Scan the
remaining N - [N/K] pages on the site with the largest sum. That is K [N/K] + N - [N/K] > N pages
for K > 1; N - K [N/K] is meant, and where [.] rounds up even K [N/K] can be more than N. 3. The sum
for that site ends at its page N - [N/K], so that it is scanned N - 2 [N/K] times more: this is N
pages in all for K = 2, and too many for K > 2.
"""

from __future__ import annotations

from typing import Self

from counterpoint.spec.notation import (
    Choice,
    Index,
    Number,
    Value,
    every,
    maximum,
    no,
    some,
    sometimes,
    transition,
)

from .rule import Rule


class R1(Rule):
    """N/K pages of every site, then the rest of the budget for the site with most links."""

    name = "r1"
    flaws = ("rest", "rounding", "exhausted")

    sites = Index(3, names="i", labels="S", at_most=8, help="K, how many sites")
    budget = Number(5, at_least=1, help="N, how many pages may be scanned in all")
    pages = Number(6, at_least=1, help="the most pages that a site has")
    rest = Choice(
        "what-is-left", "to-all-but-one-share", "all-but-one-share",
        help="the second phase: up to N pages in all, to page N - [N/K] of the site, or N - [N/K]",
    )  # fmt: skip
    rounding = Choice("down", "nearest", help="[.]: down and at least 1, or nearest, halves up")

    @property
    def sample(s) -> int:
        """A site's share of the budget."""
        if s.rounding == "down":
            return max(1, s.budget // len(s.sites))
        return (2 * s.budget + len(s.sites)) // (2 * len(s.sites))

    @property
    def remains(s) -> int:
        """The least number of pages in the second phase."""
        shares = {"what-is-left": len(s.sites), "to-all-but-one-share": 2, "all-but-one-share": 1}
        return s.budget - shares[s.rest] * s.sample

    @property
    def leaves_a_rest(s) -> bool:
        """Whether there is a second phase."""
        return s.remains > 0 and s.sample < s.pages

    def is_over(s) -> Value:
        """Return whether the budget is spent, or the rest of it as the paper computes it."""
        if s.rest == "what-is-left":
            spent = s.spent() >= s.budget
        else:
            further = sum(maximum(0, s.scanned[i] - s.sample) for i in s.sites)
            spent = further >= s.remains
        if s.rounding == "nearest" or s.rest != "what-is-left":  # the shares come first
            spent = every(spent, no(s.is_sampling()))
        return some(spent, s.all_exhausted()) if s.passes_over else spent

    def better(s, i: int, j: int) -> Value:
        """Return whether more links were found on site i."""
        return s.found[i] > s.found[j]

    @transition
    def stays_with_its_choice(s, after: Self) -> Value:
        """In the second phase a site is scanned until it is exhausted."""
        return no(
            every(s.is_choosing(), s.chosen(i), after.has_page(i), no(after.is_over()),
                  no(after.chosen(i)))
            for i in s.sites
        )  # fmt: skip

    @sometimes(when=lambda s: s.passes_over and s.leaves_a_rest and len(s.sites) > 1 < s.remains)
    def another_has_the_rest_of_the_rest(s) -> Value:
        """The best site can be exhausted in the second phase, and the next best follows."""
        return every(
            s.is_choosing(),
            some(every(s.scanned[i] > s.sample, no(s.has_page(i))) for i in s.sites),
        )

    @sometimes(when=lambda s: s.sample > 1)
    def a_share_is_not_used_up(s) -> Value:
        """A site can be exhausted before its share is used up."""
        return some(every(no(s.has_page(i)), s.scanned[i] < s.sample) for i in s.sites)
