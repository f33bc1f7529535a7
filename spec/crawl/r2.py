"""R2 of [BeeBot], after Gittins: repeatedly n pages of the site with most links per page.

As printed: scan n pages of each site (n << N); Ind(i) := s(i)/n; repeat: scan n pages of the site
with the largest Ind, Ind(i) := s(i)/t(i), while the sum of t(i) <= N. The last n pages are started
with up to N spent, so up to n pages too many are scanned. The formula for s(i) begins each sum with
the last page of the step before, which then counts twice.

A site without links in its sample has Ind = 0 and is not visited again while a site with links has
a page, whatever its further pages contain; `a_site_is_starved` shows that. The crawl is the same
for any content of those pages, since they are never scanned.
"""

from __future__ import annotations

from counterpoint.spec.notation import (
    Array,
    Choice,
    Integer,
    Number,
    Value,
    action,
    every,
    implies,
    invariant,
    ite,
    no,
    some,
    sometimes,
)

from .rule import Rule


class R2(Rule):
    """Some pages at a time, of the site with most links per page."""

    name = "r2"
    flaws = ("stops", "exhausted")

    budget = Number(7, at_least=1, help="N, how many pages may be scanned in all")
    pages = Number(6, at_least=1, help="the most pages that a site has")
    step = Number(2, at_least=1, help="n, the pages of each site first, and of the best in turn")
    stops = Choice(
        "at-the-budget", "after-a-step", help="after N pages, or when a step ends with more than N"
    )
    sums = Choice(
        "pages-once", "last-page-twice",
        help="s(i): each page counts once, or a step adds the last page before it again; not a "
        "part of reading=printed",
    )  # fmt: skip

    current = Integer(0, lambda s: len(s.sites) - 1)
    left = Integer(0, lambda s: s.step - 1)
    latest = Array(Rule.sites, Integer(0, lambda s: s.links if s.counts_twice else 0))
    again = Array(Rule.sites, Integer(0, lambda s: s.pages * s.links if s.counts_twice else 0))

    @property
    def counts_twice(s) -> bool:
        """Whether a page counts twice in s(i)."""
        return s.sums == "last-page-twice"

    @property
    def sample(s) -> int:
        """The pages of a step."""
        return s.step

    def chosen(s, i: int) -> Value:
        """Return whether the site is next: within a step, the one that won the contest."""
        return ite(s.left > 0, s.current == i, super().chosen(i))

    def is_over(s) -> Value:
        """Return whether the budget is spent; as printed, it is checked between steps only."""
        if s.stops == "at-the-budget":
            spent = s.spent() >= s.budget
        else:
            spent = every(s.spent() > s.budget, s.left == 0)
        return some(spent, s.all_exhausted()) if s.passes_over else spent

    def is_choosing(s) -> Value:
        """Return whether a step begins."""
        return every(super().is_choosing(), s.left == 0)

    def better(s, i: int, j: int) -> Value:
        """Return whether site i has more links per page."""
        return s.found[i] * s.scanned[j] > s.found[j] * s.scanned[i]

    def prefers(s, i: int, j: int) -> Value:
        """Return whether the index of site i is higher, by the sums that the rule has."""
        if not s.counts_twice:
            return s.better(i, j)
        return (s.found[i] + s.again[i]) * s.scanned[j] > (s.found[j] + s.again[j]) * s.scanned[i]

    @action
    def scan(s, i: int, x: int, new: int) -> None:
        """Scan the site's next page; a step ends after n pages, or with the last page."""
        if s.counts_twice:
            s.again[i] = s.again[i] + ite(s.is_choosing(), s.latest[i], 0)
            s.latest[i] = x
        left = ite(s.is_choosing(), s.step - 1, ite(s.left > 0, s.left - 1, 0))
        super().scan(i, x, new)
        goes_on = every(left > 0, s.takes_part(i))
        s.left = ite(goes_on, left, 0)
        s.current = ite(goes_on, i, 0)

    @invariant
    def steps_are_whole(s) -> Value:
        """Each site with a page left was scanned in whole steps, except for the current one."""
        present = [ite(s.current == i, s.left, 0) for i in s.sites]
        return every(
            implies(
                every(no(s.is_over(), s.is_sampling()), s.has_page(i)),
                (s.scanned[i] + present[i]) % s.step == 0,
            )
            for i in s.sites
        )

    @invariant
    def empty_sites_wait(s) -> Value:
        """A site without links is not chosen while one with links has a page left."""
        return no(
            every(s.is_choosing(), s.chosen(i), s.found[i] == 0, s.has_page(j), s.found[j] > 0)
            for i in s.sites
            for j in s.sites
            if i != j
        )

    @property
    def can_starve(s) -> bool:
        """Whether one site can be left after its sample, and others use the rest of the budget."""
        fits = s.budget <= (len(s.sites) - 1) * s.pages + s.step
        return len(s.sites) > 1 and s.links > 0 and s.leaves_a_rest and fits

    @sometimes(when=lambda s: s.can_starve)
    def a_site_is_starved(s) -> Value:
        """A site never visited after an empty sample can have more links than were found in all."""
        total = sum(s.found[i] for i in s.sites)
        return every(
            s.is_over(),
            s.spent() >= s.budget,
            some(
                every(
                    s.has_page(i),
                    s.found[i] == 0,
                    s.scanned[i] == s.step,
                    total > 0,
                    (s.pages - s.scanned[i]) * s.links > total,
                )
                for i in s.sites
            ),
        )

    @sometimes(when=lambda s: s.stops == "at-the-budget" and s.can_starve and s.budget % s.step)
    def the_last_step_is_cut(s) -> Value:
        """The budget can end within a step."""
        return every(s.is_over(), s.left > 0)

    @sometimes(when=lambda s: s.can_starve and (len(s.sites) + 1) * s.step < s.budget)
    def the_lead_changes(s) -> Value:
        """Two successive steps can go to different sites."""
        return every(
            s.is_choosing(),
            some(
                every(s.chosen(i), s.scanned[j] > s.step, s.has_page(j))
                for i in s.sites
                for j in s.sites
                if i != j
            ),
        )
