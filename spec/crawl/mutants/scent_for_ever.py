"""Mutants of S.C.E.N.T. that only a run without an end shows."""

from __future__ import annotations

from counterpoint.spec.crawl.scent_for_ever import ScentForEver
from counterpoint.spec.notation import Value, ite, mutant


@mutant(killed={"the-first-page-is-visited-for-ever": 3})
class OnlyTheVisitedGain(ScentForEver):
    """After an iteration only the pages that were visited gain."""

    def gained(s, p: int) -> Value:
        """Give nothing to the others."""
        return ite(s.visited[p], s.delta_s, 0)


@mutant(killed={"the-first-page-is-visited-for-ever": 3})
class StopsToGain(ScentForEver):
    """A page gains only while its scent is below the initial one."""

    def gained(s, p: int) -> Value:
        """Give nothing to a page that is strong enough."""
        return ite(s.scent[p] < s.initial * s.one(), s.delta_s, 0)


@mutant(at={"delta-s": 0, "changing": 1}, killed={"the-first-page-is-left": 8})
class EachVisitHarvests(ScentForEver):
    """A visit without a change has the least harvest."""

    def harvest(s, change: int) -> int:
        """Return at least 1."""
        return max(1, change)


@mutant(
    at={"delta-s": 3},
    killed={"visits-never-differ-by-two": 2, "all-are-visited-equally-often": 13},
)
class TheVisitedGainMore(ScentForEver):
    """After an iteration the pages that were visited gain all, and others a third of it."""

    def gained(s, p: int) -> Value:
        """Give less to the others."""
        return ite(s.visited[p], s.delta_s, max(1, s.delta_s // 3))
