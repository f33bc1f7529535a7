"""Equal quanta: a fixed number of pages of each site in turn ([BeeBot], without adaptation).

If the quantum is at least the size of all sites, sites are scanned one after the other.
"""

from __future__ import annotations

from counterpoint.spec.notation import (
    Integer,
    Number,
    Value,
    action,
    every,
    implies,
    invariant,
    ite,
    lemma,
    no,
    some,
    sometimes,
)

from .sites import Sites


class EqualQuanta(Sites):
    """Some pages of each site in turn; a site without further pages is skipped."""

    name = "equal-quanta"

    budget = Number(7, at_least=1, help="N, how many pages may be scanned in all")
    pages = Number(5, at_least=1, help="the most pages that a site has")
    links = Number(1, at_most=16, help="the most external links that a page has")
    quantum = Number(
        2, at_least=1, help="pages of a site in turn; with `pages`, one site after the other"
    )

    turn = Integer(0, lambda s: len(s.sites) - 1)
    used = Integer(0, lambda s: s.quantum)

    def chosen(s, i: int) -> Value:
        """Return whether the site is the first with a page, from the one whose turn it is."""
        return every(
            s.has_page(i),
            some(every(s.turn == k, no(s.has_page(j) for j in s.from_to(k, i))) for k in s.sites),
        )

    def from_to(s, first: int, last: int) -> list[int]:
        """Return the sites from one to another, cyclically and without the last."""
        size = len(s.sites)
        return [(first + step) % size for step in range((last - first) % size)]

    def is_a_quantum(s, pages: Value) -> Value:
        """Return whether so many pages end a turn."""
        return pages == s.quantum

    @action
    def scan(s, i: int, x: int, new: int) -> None:
        """Scan the site's next page; the turn ends after a quantum or with the last page."""
        super().scan(i, x, new)
        ends = some(s.is_a_quantum(s.used + 1), no(s.has_page(i)))
        s.turn = ite(ends, (i + 1) % len(s.sites), i)
        s.used = ite(ends, 0, s.used + 1)

    @invariant
    def nobody_is_a_quantum_behind(s) -> Value:
        """The scanned pages of two sites with pages left differ by at most a quantum."""
        return every(
            implies(every(s.has_page(i), s.has_page(j)), s.scanned[i] - s.scanned[j] <= s.quantum)
            for i in s.sites
            for j in s.sites
            if i != j
        )

    @lemma
    def rounds_are_equal(s) -> Value:
        """After each round, sites with pages left have equally many scanned pages."""
        after = [
            s.scanned[i] - ite(s.turn == i, s.used, 0) + ite(i < s.turn, 0, s.quantum)
            for i in s.sites
        ]
        pairs = [(i, j) for i in s.sites for j in s.sites if i < j]
        return every(
            s.used < s.quantum,
            every(implies(s.turn == i, some(s.used == 0, s.has_page(i))) for i in s.sites),
            every(
                implies(every(s.has_page(i), s.has_page(j)), after[i] == after[j]) for i, j in pairs
            ),
        )

    @invariant(when=lambda s: s.quantum >= s.pages)
    def one_by_one(s) -> Value:
        """A site is started only when all sites before it are exhausted."""
        return no(every(s.scanned[j] > 0, s.has_page(i)) for i in s.sites for j in s.sites if i < j)

    @sometimes(when=lambda s: 1 < len(s.sites) <= s.budget - s.quantum and s.quantum < s.pages)
    def a_site_has_another_turn(s) -> Value:
        """A site can have another turn after other sites had theirs."""
        return some(
            every(s.scanned[i] > s.quantum, s.scanned[j] > 0)
            for i in s.sites
            for j in s.sites
            if i < j
        )
