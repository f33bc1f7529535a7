"""R3 of [BeeBot], after UCB1: one page at a time of the site with the highest index.

As printed: scan m pages of each site (m << N); repeat: n := the sum of t(i), Xmax := the most links
seen on a page; scan one page of the site with the largest mean(i) / Xmax + sqrt(2 ln n / t(i));
n := n + 1; while n <= N. So N + 1 pages are scanned, and where no page has had a link, Xmax = 0
divides.

Indices are compared exactly (`ucb`). In the spec a site's index is represented by its place among
all indices of the same n and Xmax, a function of small integers that every engine can read.

How long a site can wait. Let a site have t pages scanned and others left. Its index is at least
sqrt(2 ln n / t); that of another with t' pages is at most 1 + sqrt(2 ln n / t'). The other is
chosen only where the second is no less than the first, and that is sooner false the larger n is: it
is `may_precede`. With K sites that have at least a page each, n >= t + t' + K - 2. So no other site
gets beyond T + 1 pages before this one is visited again, T being the greatest t' that may precede
at that n, and the visit comes at n <= t + (K - 1)(T + 1), which is `latest_visit`. For K = 2 it is
sharp: the site has no links and each page of the other has Xmax of them (`the_longest_wait`). T
grows as e^(t/2), but it is finite: no site starves.
"""

from __future__ import annotations

from functools import cache, cmp_to_key
from itertools import pairwise
from typing import Self

from counterpoint.spec.notation import (
    Choice,
    Integer,
    Number,
    Value,
    action,
    every,
    implies,
    invariant,
    ite,
    lemma,
    maximum,
    no,
    some,
    sometimes,
    tabulated,
    transition,
)

from .rule import Rule
from .ucb import compare


@cache
def places(most_pages: int, largest: int, n: int) -> dict[tuple[int, int], int]:
    """Return the place of the index of every (s, t), from the lowest; equal indices share one.

    Parameters
    ----------
    most_pages : int
        t is at most this, and s at most ``largest * t``.
    largest, n : int
        See `ucb.compare`.
    """

    def order(a: tuple[int, int], b: tuple[int, int]) -> int:
        return compare(a[0], a[1], b[0], b[1], largest, n)

    pairs = [(s, t) for t in range(1, most_pages + 1) for s in range(largest * t + 1)]
    pairs.sort(key=cmp_to_key(order))
    place = 0
    found = {pairs[0]: place}
    for before, pair in pairwise(pairs):
        place += order(before, pair) != 0
        found[pair] = place
    return found


def index_place(
    sites: int, pages: int, budget: int, largest: int, t: int, links: int, n: int
) -> int:
    """Return the place of a site's index; arguments beyond all contests count as the nearest.

    Parameters
    ----------
    pages, budget : int
        The most pages of a site, and N.
    n, largest : int
        See `ucb.compare`.
    t, links : int
        Pages scanned of the site, and links found on them.
    """
    t = max(t, 1)
    others = min(max(n - t, sites - 1), (sites - 1) * pages)
    n = max(1, min(t + others, budget + 1))
    return places(pages, largest, n)[min(links, largest * t), t]


def may_precede(other: int, own: int, n: int) -> bool:
    """Return whether a site with `other` pages can be chosen while one with `own` pages waits.

    The best case for the first is that each of its pages has Xmax links, and the worst case for the
    second is that none of its pages has any. A site without scanned pages counts as one with one.
    """
    other, own, n = max(other, 1), max(own, 1), max(n, 1)
    return compare(other, other, 0, own, 1, n) >= 0


@cache
def most_ahead(own: int, sites: int, most_pages: int) -> int:
    """Return how many pages another site can have while one with `own` pages waits: T + 1.

    Sites have at most ``most_pages`` pages. A site without scanned pages counts as one with one.
    """
    other = own = max(own, 1)
    while other < most_pages and may_precede(other, own, own + other + sites - 2):
        other += 1
    return other


def latest_visit(own: int, sites: int, most_pages: int) -> int:
    """Return the greatest n at which a site with `own` pages may have to wait for a visit."""
    return max(own, 1) + (sites - 1) * most_ahead(own, sites, most_pages)


class R3(Rule):
    """A page of the site with the highest upper confidence bound."""

    name = "r3"
    flaws = ("stops", "without_links", "exhausted")

    budget = Number(8, at_least=1, help="N, how many pages may be scanned in all")
    pages = Number(6, at_least=1, help="the most pages that a site has")
    initial = Number(1, at_least=1, help="m, the pages of each site first")
    stops = Choice("at-the-budget", "after-it", help="while n < N, or while n <= N")
    without_links = Choice(
        "mean-is-0", "divides", help="while Xmax = 0: the means count as 0, or are divided by it"
    )

    largest = Integer(0, lambda s: s.links)

    @property
    def sample(s) -> int:
        """The initial pages."""
        return s.initial

    @property
    def longest_wait(s) -> int:
        """The greatest n at which a site may still wait for the first visit after its sample."""
        return latest_visit(s.sample, len(s.sites), s.pages)

    @property
    def can_wait(s) -> bool:
        """Whether there is budget for the longest wait, and links to be preferred for."""
        return s.leaves_a_rest and len(s.sites) > 1 and s.links > 0 and s.longest_wait < s.budget

    @property
    def can_be_ahead(s) -> bool:
        """Whether a site can be as far ahead as it may, and have a page left."""
        return most_ahead(s.sample, len(s.sites), s.pages) < s.pages

    def chosen(s, i: int) -> Value:
        """Return whether the site is next; no site is next if the index is not defined."""
        return every(some(s.is_sampling(), s.has_indices()), super().chosen(i))

    def is_over(s) -> Value:
        """Return whether the budget is spent; as printed, a page later."""
        if s.stops == "at-the-budget":
            spent = s.spent() >= s.budget
        else:
            spent = every(s.spent() > s.budget, no(s.is_sampling()))
        return some(spent, s.all_exhausted()) if s.passes_over else spent

    def has_indices(s) -> Value:
        """Return whether nothing is divided by 0."""
        return True if s.without_links == "mean-is-0" else s.largest > 0

    def better(s, i: int, j: int) -> Value:
        """Return whether the index of site i is higher."""
        return s.index_place(i) > s.index_place(j)

    def index_place(s, i: int) -> Value:
        """Return the place of the site's index among all that there can be."""
        return tabulated(
            index_place, len(s.sites), s.pages, s.budget,
            s.largest, s.scanned[i], s.found[i], s.spent(),
        )  # fmt: skip

    @action
    def scan(s, i: int, x: int, new: int) -> None:
        """Scan the site's next page, and note the most links seen on a page."""
        super().scan(i, x, new)
        s.largest = maximum(s.largest, x)

    # What must hold

    @invariant
    def no_division_by_zero(s) -> Value:
        """In a contest every index is defined, on sites without links too."""
        return implies(s.is_choosing(), s.has_indices())

    @transition
    def largest_is_the_most_seen(s, after: Self) -> Value:
        """Xmax is the most links seen on a page so far."""
        links = sum(after.found[i] - s.found[i] for i in s.sites)
        return after.largest == maximum(s.largest, links)

    @invariant
    def more_links_on_fewer_pages_win(s) -> Value:
        """No site is chosen while one with as high a mean, or higher, has fewer pages."""
        return no(
            every(
                s.is_choosing(), s.chosen(i), s.has_page(j), s.scanned[j] < s.scanned[i],
                s.found[j] * s.scanned[i] >= s.found[i] * s.scanned[j],
            )
            for i in s.sites
            for j in s.sites
            if i != j
        )  # fmt: skip

    @invariant
    def who_waits_is_owed(s) -> Value:
        """No site is chosen that is so far ahead in pages that no mean can make up for it."""
        return every(
            implies(
                every(s.is_choosing(), s.chosen(j), s.has_page(i)),
                tabulated(may_precede, s.scanned[j], s.scanned[i], s.spent()),
            )
            for i in s.sites
            for j in s.sites
            if i != j
        )

    @invariant
    def nobody_waits_too_long(s) -> Value:
        """A site with pages left is visited again by the visit that the bound gives."""
        return every(
            implies(
                every(no(s.is_sampling()), s.has_page(i)),
                s.spent() <= tabulated(latest_visit, s.scanned[i], len(s.sites), s.pages),
            )
            for i in s.sites
        )

    @lemma
    def nobody_is_too_far_ahead(s) -> Value:
        """No site has more than its sample at first, nor than another's wait allows later."""
        return every(
            implies(
                some(s.is_sampling(), s.has_page(i)),
                s.scanned[j] <= ite(s.is_sampling(), s.sample, s.most_ahead_of(i)),
            )
            for i in s.sites
            for j in s.sites
            if i != j
        )

    def most_ahead_of(s, i: int) -> Value:
        """Return how many pages others can have while site i waits."""
        return tabulated(most_ahead, s.scanned[i], len(s.sites), s.pages)

    # What can happen

    @sometimes(when=lambda s: len(s.sites) == 2 and s.can_wait)
    def the_longest_wait(s) -> Value:
        """A site can wait as long as the bound allows."""
        return some(
            every(
                s.is_choosing(),
                s.has_page(i),
                s.scanned[i] == s.sample,
                s.spent() == s.longest_wait,
            )
            for i in s.sites
        )

    @sometimes(when=lambda s: s.can_wait and s.can_be_ahead)
    def an_empty_site_is_visited_again(s) -> Value:
        """A site without links can be chosen while one with links has pages left."""
        return some(
            every(s.is_choosing(), s.chosen(i), s.found[i] == 0, s.has_page(j), s.found[j] > 0)
            for i in s.sites
            for j in s.sites
            if i != j
        )

    @sometimes(when=lambda s: s.leaves_a_rest)
    def no_links_yet(s) -> Value:
        """A contest can begin before any link was found."""
        return every(s.is_choosing(), s.largest == 0)
