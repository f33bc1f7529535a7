"""The base of R1, R2 and R3: a first sample of every site, then a contest between sites.

There are two readings: as printed, and as corrected. The printed rules violate their own statement
in several ways. Each way is a parameter whose last value is the printed one; `reading` sets those
that are not set explicitly.
"""

from __future__ import annotations

from typing import Any

from counterpoint.spec.notation import (
    Choice,
    Value,
    count,
    every,
    implies,
    invariant,
    no,
    some,
    sometimes,
)

from .sites import Sites


class Rule(Sites):
    """Sites are compared by the links found on them; the best site is scanned next."""

    flaws: tuple[str, ...] = ("exhausted",)

    reading = Choice("corrected", "printed", help="the rule as printed, or without its errors")
    exhausted = Choice("leave", "stay", help="sites without pages leave the contest, or stay in it")

    def derive(self, given: dict[str, Any]) -> dict[str, Any]:
        """Derive the flaws that are not given from the reading."""
        found = super().derive(given)
        reading = given.get("reading", self.declared_parameters["reading"].default)
        for name in (flaw.replace("_", "-") for flaw in self.flaws):
            parameter = self.declared_parameters[name]
            assert isinstance(parameter, Choice)
            follows = parameter.values[-1 if reading == "printed" else 0]
            if given.get(name, follows) == follows:
                found[name] = follows
        return found

    # What each rule defines

    @property
    def sample(s) -> int:
        """The number of pages of each site that are scanned first."""
        raise NotImplementedError

    @property
    def passes_over(s) -> bool:
        """Whether exhausted sites leave the contest."""
        return s.exhausted == "leave"

    @property
    def leaves_a_rest(s) -> bool:
        """Whether budget and pages can be left after every site's whole sample."""
        return len(s.sites) * s.sample < s.budget and s.sample < s.pages

    def better(s, i: int, j: int) -> Value:
        """Return whether the paper puts site i before site j."""
        raise NotImplementedError

    # How it decides

    def chosen(s, i: int) -> Value:
        """Return whether the site is next: to be sampled, or the best."""
        sampled = every(s.is_due(i), no(s.is_due(j) for j in s.sites if j < i))
        return some(sampled, every(no(s.is_sampling()), s.is_best(i)))

    def is_due(s, i: int) -> Value:
        """Return whether the site's sample is not complete."""
        return every(s.takes_part(i), s.scanned[i] < s.sample)

    def is_sampling(s) -> Value:
        """Return whether some site's sample is not complete."""
        return some(s.is_due(i) for i in s.sites)

    def takes_part(s, i: int) -> Value:
        """Return whether the site takes part in the contest."""
        return s.has_page(i) if s.passes_over else True

    def is_best(s, i: int) -> Value:
        """Return whether no other site is preferred; of equal sites the first given is best."""
        return every(
            s.takes_part(i),
            every(implies(s.takes_part(j), s.is_before(i, j)) for j in s.sites if j != i),
        )

    def is_before(s, i: int, j: int) -> Value:
        """Return whether site i is preferred to site j."""
        return no(s.prefers(j, i)) if i < j else s.prefers(i, j)

    def prefers(s, i: int, j: int) -> Value:
        """Return whether the rule finds site i better."""
        return s.better(i, j)

    def is_choosing(s) -> Value:
        """Return whether the next scan goes to the winner of a contest."""
        return no(s.is_over(), s.is_sampling())

    # What must hold

    @invariant
    def samples_are_right(s) -> Value:
        """The contest begins when each site has exactly its sample, or is exhausted."""
        return every(
            some(s.is_over(), s.is_sampling(), every(map(s.was_sampled, s.sites))),
            implies(s.is_sampling(), every(s.scanned[i] <= s.sample for i in s.sites)),
        )

    def was_sampled(s, i: int) -> Value:
        """Return whether the site has its sample, or no page is left for it."""
        return some(s.scanned[i] >= s.sample, no(s.has_page(i)))

    @invariant
    def the_best_is_chosen(s) -> Value:
        """No site with a page left is better than the winner of a contest."""
        return no(
            every(s.is_choosing(), s.chosen(i), s.has_page(j), s.better(j, i))
            for i in s.sites
            for j in s.sites
            if i != j
        )

    @invariant
    def ties_go_to_the_first(s) -> Value:
        """Of sites with pages left that are equally good, the one given first wins."""
        return no(
            every(
                s.is_choosing(), s.chosen(i), s.has_page(j), no(s.better(i, j)), no(s.better(j, i))
            )
            for i in s.sites
            for j in s.sites
            if j < i
        )

    # What can happen

    @sometimes(when=lambda s: len(s.sites) > 1 and s.leaves_a_rest and s.links > 0)
    def a_later_site_wins(s) -> Value:
        """A site can win against all that were given before it, all with pages left."""
        last = len(s.sites) - 1
        return every(s.is_choosing(), s.chosen(last), every(map(s.has_page, s.sites)))

    @sometimes(when=lambda s: len(s.sites) > 1 and s.leaves_a_rest)
    def there_is_a_tie(s) -> Value:
        """Two sites with pages left can be equally good in a contest."""
        return every(
            s.is_choosing(),
            count(s.has_page(i) for i in s.sites) > 1,
            no(s.better(i, j) for i in s.sites for j in s.sites if i != j),
        )
