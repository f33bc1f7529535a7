"""The rule of Gittins: always a page of the site with the highest index.

[BeeBot] names the index, but what its R2 computes is a sample mean. Here it is the index itself
(`gittins_index`), for one of two rewards: the links of a page (Poisson, with a Gamma prior), or 1
for a page with links (Bernoulli, with a Beta prior). For independent sites, endless and with a
discount, no rule finds more in expectation (Gittins 1979). A crawl has an end and its sites run
dry, so that theorem does not hold for it; the rule is right if it always follows the index.

An index depends on the site's own counts alone, and there is no first sample: a site without
scanned pages has the index of the prior. In the spec an index is represented by its place among
all indices that the bounds allow. No bound on a wait follows: a site whose first page is empty may
never be visited again, as `a_site_is_left_for_ever` shows.
"""

from __future__ import annotations

from functools import cache
from typing import Self

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
    tabulated,
    transition,
)

from .gittins_index import of_counts, of_pages
from .rule import Rule


@cache
def index(
    by_pages: int, shape: int, rate: int, percent: int, horizon: int, reward: int, pages: int
) -> float:
    """Return the index of a site.

    Parameters
    ----------
    by_pages : int
        1: the reward is the number of pages with links; 0: the number of links.
    shape, rate : int
        The prior: Gamma(shape, rate) for links, Beta(shape, rate) for pages with links.
    percent, horizon : int
        See `gittins_index`; the discount in percent.
    reward, pages : int
        The reward so far, and the pages scanned.
    """
    if by_pages:
        return of_pages(shape + reward, rate + pages - reward, percent / 100, horizon)
    return of_counts(shape + reward, rate + pages, percent / 100, horizon)


@cache
def places(
    by_pages: int, shape: int, rate: int, percent: int, horizon: int, most: int, pages: int
) -> dict[tuple[int, int], int]:
    """Return the place of the index of every (reward, t), from the lowest; equal ones share one.

    Parameters
    ----------
    most, pages : int
        t is at most ``pages``, and the reward at most ``most * t``.
    by_pages, shape, rate, percent, horizon : int
        See `index`.
    """
    found = {
        (reward, t): index(by_pages, shape, rate, percent, horizon, reward, t)
        for t in range(pages + 1)
        for reward in range(most * t + 1)
    }
    ranks = {value: place for place, value in enumerate(sorted(set(found.values())))}
    return {pair: ranks[value] for pair, value in found.items()}


def index_place(
    by_pages: int, shape: int, rate: int, percent: int, horizon: int, most: int, pages: int,
    t: int, reward: int,
) -> int:  # fmt: skip
    """Return the place of a site's index; a reward beyond all that t pages have counts as that."""
    table = places(by_pages, shape, rate, percent, horizon, most, pages)
    return table[min(reward, most * t), t]


class Gittins(Rule):
    """A page of the site with the highest index of Gittins."""

    name = "gittins"

    budget = Number(7, at_least=1, help="N, how many pages may be scanned in all")
    pages = Number(6, at_least=1, help="the most pages that a site has")
    rewards = Choice("counts", "pages", help="the links of a page, or 1 for a page with links")
    discount = Number(90, at_most=99, help="the weight of a page, in percent of the one before it")
    horizon = Number(10, at_least=1, at_most=200, help="the pages within which a stay is decided")
    shape = Number(1, at_least=1, help="the first parameter of the prior (Gamma, or Beta)")
    rate = Number(1, at_least=1, help="the second parameter of the prior")

    fruitful = Array(Rule.sites, Integer(0, lambda s: s.pages if s.rewards == "pages" else 0))
    """Pages with links, where these are the reward."""

    @property
    def sample(s) -> int:
        """There is no sample: the prior says what an unknown site is worth."""
        return 0

    @property
    def leaves_a_rest(s) -> bool:
        """Whether each site can be visited, and have a page left."""
        return len(s.sites) <= s.budget and s.pages > 1 < s.budget

    @property
    def has_usual_prior(s) -> bool:
        """Whether links are counted, with a prior and a discount for which lower means win."""
        usual = (s.shape, s.rate) == (1, 1) and s.discount >= 90 and s.horizon >= 10
        return s.rewards == "counts" and usual

    def reward(s, i: int) -> Value:
        """Return the reward of the site so far."""
        return s.fruitful[i] if s.rewards == "pages" else s.found[i]

    def better(s, i: int, j: int) -> Value:
        """Return whether the index of site i is higher."""
        return s.index_place(s.scanned[i], s.reward(i)) > s.index_place(s.scanned[j], s.reward(j))

    def index_place(s, t: Value, reward: Value) -> Value:
        """Return the place of an index among all that there can be."""
        by_pages = s.rewards == "pages"
        return tabulated(
            index_place, int(by_pages), s.shape, s.rate, s.discount, s.horizon,
            min(1, s.links) if by_pages else s.links, s.pages, t, reward,
        )  # fmt: skip

    @action
    def scan(s, i: int, x: int, new: int) -> None:
        """Scan the site's next page, and count it if it has links."""
        super().scan(i, x, new)
        if s.rewards == "pages":
            s.fruitful[i] = s.fruitful[i] + ite(x > 0, 1, 0)

    # What must hold

    @invariant
    def more_on_fewer_pages_wins(s) -> Value:
        """No site is chosen while one has as much on fewer pages, or more on as few."""
        return no(
            every(
                s.is_choosing(), s.chosen(i), s.has_page(j),
                s.reward(j) >= s.reward(i), s.scanned[j] <= s.scanned[i],
                some(s.reward(j) > s.reward(i), s.scanned[j] < s.scanned[i]),
            )
            for i in s.sites
            for j in s.sites
            if i != j
        )  # fmt: skip

    @transition
    def winners_stay(s, after: Self) -> Value:
        """Where the reward is a page with links, a site stays the best while its pages have some.

        A success raises the index (Bellman 1956).
        """
        if s.rewards != "pages":
            return True
        return every(
            implies(
                every(after.fruitful[i] > s.fruitful[i], after.has_page(i), no(after.is_over())),
                after.chosen(i),
            )
            for i in s.sites
        )

    @invariant
    def rewards_are_counted(s) -> Value:
        """A site has pages with links exactly if it has links, and no more than links."""
        if s.rewards != "pages":
            return True
        return every(
            every(
                s.fruitful[i] <= s.found[i], s.fruitful[i] <= s.scanned[i],
                (s.fruitful[i] > 0) == (s.found[i] > 0),
            )
            for i in s.sites
        )  # fmt: skip

    # What can happen

    @property
    def can_leave(s) -> bool:
        """Whether the others can use the rest of the budget after one page of a site."""
        fits = s.budget <= (len(s.sites) - 1) * s.pages + 1
        return len(s.sites) > 1 < s.budget and s.pages > 1 and s.links > 0 and fits

    @sometimes(when=lambda s: s.can_leave)
    def a_site_is_left_for_ever(s) -> Value:
        """A site whose first page is empty can be left until the budget is spent."""
        return every(
            s.is_over(),
            s.spent() >= s.budget,
            some(every(s.has_page(i), s.found[i] == 0, s.scanned[i] == 1) for i in s.sites),
        )

    @sometimes(
        when=lambda s: (
            s.has_usual_prior and len(s.sites) > 1 < s.links and min(s.budget, s.pages) > 2
        )
    )
    def a_lower_mean_wins(s) -> Value:
        """A site can be chosen for what is not known of it: its expected yield is the lower one."""
        return some(
            every(
                s.is_choosing(), s.chosen(i), s.has_page(j),
                (s.shape + s.found[i]) * (s.rate + s.scanned[j])
                < (s.shape + s.found[j]) * (s.rate + s.scanned[i]),
            )
            for i in s.sites
            for j in s.sites
            if i != j
        )  # fmt: skip
