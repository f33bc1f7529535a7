"""Mutants of equal quanta."""

from __future__ import annotations

from counterpoint.spec.crawl.equal_quanta import EqualQuanta
from counterpoint.spec.notation import Value, action, mutant, some


@mutant(killed={"exhausted-sites-leave": 3, "no-deadlock": 3})
class WaitsForTheExhausted(EqualQuanta):
    """A site without further pages is not skipped."""

    def chosen(s, i: int) -> Value:
        """Take the site whose turn it is."""
        return s.turn == i


@mutant(killed={"nobody-is-a-quantum-behind": 3})
class TurnNeverPasses(EqualQuanta):
    """Pages of a quantum are not counted, so a turn lasts as long as its site."""

    @action
    def scan(s, i: int, x: int, new: int) -> None:
        """Start a new quantum with each page."""
        super().scan(i, x, new)
        if s.turn == i:
            s.used = 0


@mutant(killed={"nobody-is-a-quantum-behind": 3})
class QuantumIsOneLonger(EqualQuanta):
    """A turn ends one page too late."""

    def is_a_quantum(s, pages: Value) -> Value:
        """Count one more."""
        return pages == s.quantum + 1


@mutant(killed={"spends-all-it-can": 6})
class StopsOneEarly(EqualQuanta):
    """The budget counts as spent when one page is left of it."""

    def is_over(s) -> Value:
        """Stop at N - 1."""
        return some(super().is_over(), s.spent() == s.budget - 1)


@mutant(killed={"one-page-a-step": 1, "nobody-is-a-quantum-behind": 4})
class CountsOnlyPagesWithLinks(EqualQuanta):
    """A page without external links is not recorded as scanned."""

    @action
    def scan(s, i: int, x: int, new: int) -> None:
        """Scan it, and leave it in the queue."""
        super().scan(i, x, new)
        if x == 0:
            s.scanned[i] = s.scanned[i] - 1


@mutant(killed={"nothing-unknown-is-scanned": 2})
class ExpectsOnePageMore(EqualQuanta):
    """A site is assumed to have one page more than is known."""

    def has_page(s, i: int) -> Value:
        """Compare with <=."""
        return s.scanned[i] <= s.known[i]


@mutant(readings={"quantum": 5}, killed={"one-by-one": 2})
class PassesOnEachPage(EqualQuanta):
    """The turn ends with each page although sites should be scanned one after the other."""

    def is_a_quantum(s, pages: Value) -> Value:
        """Take one for all."""
        return pages == 1
