"""Sites that share a budget of pages: the base of the rules of [BeeBot].

Pechnikov and Chernobrovkin, an adaptive crawler for external hyperlinks (2011/12): at most N pages
of K sites may be scanned, and as many external links as possible are to be found. Within a site
pages come breadth first, so a rule only decides between sites, by its counts so far.

The web is the environment. The numbers of external links of a page, and of pages that it is the
first to link to, are chosen when the page is scanned. No rule can see more, so a verdict covers
every web of that size. A page that could not be fetched counts as one without links. A rule sees
whether a site has a page left, not how many: `reveals` = 1 allows all that can be seen.

The pages of a site are a queue: those scanned are its first, those known and not scanned the rest.
No page is scanned twice exactly if each scan moves one count by one, and none before it was found
exactly if no site has more pages scanned than known.
"""

from __future__ import annotations

from typing import Any, Self

from counterpoint.spec.notation import (
    Array,
    Index,
    Integer,
    Number,
    Spec,
    SpecError,
    Value,
    action,
    count,
    every,
    finished,
    implies,
    invariant,
    lemma,
    no,
    require,
    some,
    sometimes,
    transition,
)


class Sites(Spec):
    """K sites and a budget; a rule decides which site is next, and when the crawl is over."""

    sites = Index(2, names="i", labels="S", at_most=8, help="K, how many sites")
    budget = Number(5, at_least=1, help="N, how many pages may be scanned in all")
    pages = Number(4, at_least=1, help="the most pages that a site has")
    links = Number(2, at_most=16, help="the most external links that a page has")
    reveals = Number(
        1, at_least=1, at_most=16, help="the most pages that a page is the first to link to"
    )
    amounts = Index(3, names="x", at_most=17, help="one more than links; follows from it")
    discoveries = Index(2, names="new", at_most=17, help="one more than reveals; follows from it")

    scanned = Array(sites, Integer(0, lambda s: s.pages))
    known = Array(sites, Integer(1, lambda s: s.pages))
    found = Array(sites, Integer(0, lambda s: s.pages * s.links))

    def derive(self, given: dict[str, Any]) -> dict[str, Any]:
        """Derive the sizes of two indices from the numbers of links and new pages."""
        sizes = {}
        for index, number in (("amounts", "links"), ("discoveries", "reveals")):
            sizes[index] = given.get(number, self.declared_parameters[number].default) + 1
            if given.get(index, sizes[index]) != sizes[index]:
                raise SpecError(f"{index} is one more than {number}: {sizes[index]}")
        return sizes

    # The rule

    @property
    def passes_over(s) -> bool:
        """Whether the rule skips exhausted sites."""
        return True

    def chosen(s, i: int) -> Value:
        """Return whether the rule scans site i next."""
        raise NotImplementedError

    def is_over(s) -> Value:
        """Return whether the rule stops here."""
        return some(s.spent() >= s.budget, s.all_exhausted())

    # The crawl

    @action
    def scan(s, i: int, x: int, new: int) -> None:
        """Scan the site's next page: it has x external links, and `new` pages become known."""
        require(no(s.is_over()), s.chosen(i), s.has_page(i), s.known[i] + new <= s.pages)
        s.scanned[i] = s.scanned[i] + 1
        s.known[i] = s.known[i] + new
        s.found[i] = s.found[i] + x

    @finished
    def over(s) -> Value:
        """The rule has stopped."""
        return s.is_over()

    def has_page(s, i: int) -> Value:
        """Return whether the site has a known page that was not scanned."""
        return s.scanned[i] < s.known[i]

    def spent(s) -> Value:
        """Return how many pages were scanned in all."""
        return sum(s.scanned[i] for i in s.sites)

    def all_exhausted(s) -> Value:
        """Return whether no site has a page left."""
        return no(s.has_page(i) for i in s.sites)

    # What must hold

    @invariant
    def never_overspends(s) -> Value:
        """No more than N pages are scanned."""
        return s.spent() <= s.budget

    @invariant
    def spends_all_it_can(s) -> Value:
        """The rule stops only when N pages are scanned, or no site has a page left."""
        return implies(s.is_over(), some(s.spent() >= s.budget, s.all_exhausted()))

    @invariant
    def nothing_unknown_is_scanned(s) -> Value:
        """No page is scanned before it was discovered."""
        return every(s.scanned[i] <= s.known[i] for i in s.sites)

    @invariant
    def exhausted_sites_leave(s) -> Value:
        """No site is chosen that has no page left."""
        return every(implies(every(no(s.is_over()), s.chosen(i)), s.has_page(i)) for i in s.sites)

    @invariant
    def one_choice(s) -> Value:
        """While the crawl continues, the counts decide: exactly one site is next."""
        return some(s.is_over(), count(s.chosen(i) for i in s.sites) == 1)

    @transition
    def one_page_a_step(s, after: Self) -> Value:
        """A step scans one page that was not scanned before; only its site finds links."""
        return every(
            after.spent() == s.spent() + 1,
            every(after.scanned[i] >= s.scanned[i] for i in s.sites),
            every(after.known[i] >= s.known[i] for i in s.sites),
            every(after.found[i] >= s.found[i] for i in s.sites),
            every(
                some(after.scanned[i] > s.scanned[i], after.found[i] == s.found[i]) for i in s.sites
            ),
        )

    @lemma
    def counts_fit_together(s) -> Value:
        """Scanned pages were known, and no page has more links than allowed."""
        return every(
            every(s.scanned[i] <= s.known[i], s.found[i] <= s.links * s.scanned[i]) for i in s.sites
        )

    # What can happen

    @sometimes(when=lambda s: s.budget > len(s.sites) and s.passes_over)
    def the_web_is_too_small(s) -> Value:
        """All sites can be exhausted before the budget is spent."""
        return every(s.all_exhausted(), s.spent() < s.budget)

    @sometimes(when=lambda s: s.budget < len(s.sites) * s.pages)
    def the_budget_is_too_small(s) -> Value:
        """The crawl can be over while a site has pages left."""
        return every(s.is_over(), some(s.has_page(i) for i in s.sites))

    @sometimes(when=lambda s: len(s.sites) > 1 < s.budget)
    def a_site_is_exhausted_early(s) -> Value:
        """A site can be exhausted while the crawl continues."""
        return every(
            no(s.is_over()),
            some(every(no(s.has_page(i)), s.scanned[i] > 0) for i in s.sites),
        )
