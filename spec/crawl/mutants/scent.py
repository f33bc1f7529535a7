"""Mutants of S.C.E.N.T."""

from __future__ import annotations

from counterpoint.spec.crawl.scent import Scent
from counterpoint.spec.notation import Value, ite, mutant


@mutant(killed={"the-strongest-is-next": 1, "scent-is-bounded": 6, "visited-within-the-gap": 8})
class WeakestFirst(Scent):
    """The weakest scent is preferred."""

    def is_stronger(s, q: int, p: int) -> Value:
        """Compare the other way round."""
        return s.scent[q] <= s.scent[p] if q < p else s.scent[q] < s.scent[p]


@mutant(killed={"the-strongest-is-next": 0, "scent-is-bounded": 6, "visited-within-the-gap": 8})
class ShortList(Scent):
    """The list of pages is cut before it is ordered: the last page is never visited."""

    def comes_before(s, q: int, p: int) -> Value:
        """Prefer any other page to the last."""
        last = len(s.pages) - 1
        return p == last if q != last else False


@mutant(killed={"halved-and-then-harvested": 1, "visited-within-the-gap": 8})
class OnlyTheVisitedGain(Scent):
    """After an iteration only the pages that were visited gain."""

    def gained(s, p: int) -> Value:
        """Give nothing to the others."""
        return ite(s.visited[p], s.delta_s, 0)


@mutant(killed={"halved-and-then-harvested": 1, "scent-is-bounded": 6, "visited-within-the-gap": 8})
class HalvedOnlyIfChanged(Scent):
    """A page that has not changed keeps its scent."""

    def smell(s, p: int, harvest: Value) -> None:
        """Halve it where there is a harvest."""
        s.scent[p] = ite(harvest > 0, s.scent[p] // 2 + harvest, s.scent[p])


@mutant(
    killed={
        "halved-and-then-harvested": 1,
        "scent-is-bounded": 3,
        "visited-within-the-gap": 8,
        "ranges": 9,
    }
)
class NeverHalved(Scent):
    """A visit adds the harvest, and the scent is never halved."""

    def smell(s, p: int, harvest: Value) -> None:
        """Only add."""
        s.scent[p] = s.scent[p] + harvest


@mutant(killed={"halved-and-then-harvested": 1, "waits-longer-than-a-round": None})
class HarvestIsHalvedToo(Scent):
    """A visit adds the harvest before it halves."""

    def smell(s, p: int, harvest: Value) -> None:
        """Add, then halve."""
        s.scent[p] = (s.scent[p] + harvest) // 2


@mutant(readings={"delta-s": 0}, killed={"unchanged-is-left": 7})
class UnchangedBringsSomething(Scent):
    """A page that has not changed brings as much as the smallest change."""

    def harvest(s, change: int) -> int:
        """Take ln(difference + 2)."""
        return max(change, 1)


@mutant(killed={"exactly-a-batch": 1, "scent-is-bounded": 5}, at={"batch": 2, "iterations": 6})
class EndsTooEarly(Scent):
    """An iteration ends after its first visit."""

    def is_complete(s) -> Value:
        """Do not count up to the batch."""
        return s.number_visited() > 0


@mutant(killed={"no-deadlock": 3}, at={"batch": 2, "iterations": 4})
class VisitsTheSameTwice(Scent):
    """Within an iteration the strongest page is taken again and again."""

    def comes_before(s, q: int, p: int) -> Value:
        """Look at all pages."""
        return s.is_stronger(q, p)


@mutant(killed={"exactly-a-batch": 1, "no-deadlock": 3, "waits-longer-than-a-round": None})
class FlagsAreNeverCleared(Scent):
    """A visited page counts as visited in all later iterations."""

    def gain(s) -> None:
        """Keep the flags."""
        visited = [s.visited[p] for p in s.pages]
        super().gain()
        for p in s.pages:
            s.visited[p] = visited[p]


@mutant(killed={"the-strongest-is-next": 0})
class TiesGoToTheLast(Scent):
    """Of pages with equal scents the one given last is preferred."""

    def is_stronger(s, q: int, p: int) -> Value:
        """Let the later one win."""
        return s.scent[q] > s.scent[p] if q < p else s.scent[q] >= s.scent[p]
