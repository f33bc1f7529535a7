"""Mutants of S.C.E.N.T."""

from __future__ import annotations

from spec.crawl.scent import Scent
from spec.notation import Value, ite, mutant


@mutant(killed={"scent-is-bounded": 12, "visited-within-the-gap": 16})
class WeakestFirst(Scent):
    """The weakest scent is preferred."""

    def is_stronger(s, q: int, p: int) -> Value:
        """Compare the other way round."""
        return s.scent[q] <= s.scent[p] if q < p else s.scent[q] < s.scent[p]


@mutant(killed={"scent-is-bounded": 12, "visited-within-the-gap": 16})
class ShortList(Scent):
    """The list of pages is cut before it is ordered: the last page is never visited."""

    def comes_before(s, q: int, p: int) -> Value:
        """Prefer any other page to the last."""
        last = len(s.pages) - 1
        return p == last if q != last else False


@mutant(killed={"visited-within-the-gap": 16})
class OnlyTheVisitedGain(Scent):
    """After an iteration only the pages that were visited gain."""

    def gained(s, p: int) -> Value:
        """Give nothing to the others."""
        return ite(s.visited[p], s.delta_s, 0)


@mutant(killed={"scent-is-bounded": 12, "visited-within-the-gap": 16})
class HalvedOnlyIfChanged(Scent):
    """A page that has not changed keeps its scent."""

    def smell(s, p: int, harvest: Value) -> None:
        """Halve it where there is a harvest."""
        s.scent[p] = ite(harvest > 0, s.scent[p] // 2 + harvest, s.scent[p])


@mutant(killed={"scent-is-bounded": 6, "visited-within-the-gap": 16, "ranges": 17})
class NeverHalved(Scent):
    """A visit adds the harvest, and the scent is never halved."""

    def smell(s, p: int, harvest: Value) -> None:
        """Only add."""
        s.scent[p] = s.scent[p] + harvest


@mutant(killed={"waits-longer-than-a-round": None})
class HarvestIsHalvedToo(Scent):
    """A visit adds the harvest before it halves."""

    def smell(s, p: int, harvest: Value) -> None:
        """Add, then halve."""
        s.scent[p] = (s.scent[p] + harvest) // 2


@mutant(killed={"waits-longer-than-a-round": None})
class UnchangedBringsSomething(Scent):
    """A page that has not changed brings as much as the smallest change."""

    def harvest(s, change: int) -> int:
        """Take ln(difference + 2)."""
        return max(change, 1)


@mutant(killed={"exactly-a-batch": 1, "scent-is-bounded": 6, "visited-within-the-gap": 8})
class EndsTooEarly(Scent):
    """An iteration may end before the batch is visited."""

    def is_complete(s) -> Value:
        """Do not count."""
        return True


@mutant(killed={"no-deadlock": 4}, at={"batch": 2, "iterations": 4})
class VisitsTheSameTwice(Scent):
    """Within an iteration the strongest page is taken again and again."""

    def comes_before(s, q: int, p: int) -> Value:
        """Look at all pages."""
        return s.is_stronger(q, p)
