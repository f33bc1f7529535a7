"""Mutants of S.C.E.N.T. with a budget of time."""

from __future__ import annotations

from counterpoint.spec.crawl.scent_time import ScentInTime
from counterpoint.spec.notation import Value, every, mutant, no, some


@mutant(killed={"time-is-never-overspent": 5, "a-stronger-page-is-passed-over": None})
class StopsWhenTheTimeIsUp(ScentInTime):
    """A check begins while any time is left."""

    def fits(s, p: int) -> Value:
        """Do not ask what the check takes."""
        return s.spent < s.time


@mutant(killed={"what-is-spent-is-the-cost": 3, "time-is-never-overspent": 4})
class SizesCostNothing(ScentInTime):
    """A check is counted as B."""

    def charged(s, p: int) -> Value:
        """Leave A out."""
        return s.per_visit


@mutant(killed={"what-is-spent-is-the-cost": 1, "time-is-never-overspent": 4})
class ConnectionsCostNothing(ScentInTime):
    """A check is counted as A x size."""

    def charged(s, p: int) -> Value:
        """Leave B out."""
        return s.cost(p) - s.per_visit


@mutant(killed={"no-time-is-wasted": 4, "a-stronger-page-is-passed-over": None})
class EndsAtTheFirstThatDoesNotFit(ScentInTime):
    """An iteration ends when the strongest page that is left does not fit."""

    def is_complete(s) -> Value:
        """Look at the strongest only."""
        return no(
            every(
                no(s.visited[p]),
                s.fits(p),
                no(every(no(s.visited[q]), s.is_stronger(q, p)) for q in s.pages if q != p),
            )
            for p in s.pages
        )


@mutant(killed={"no-time-is-wasted": 1, "a-stronger-page-is-passed-over": None})
class OnePageAnIteration(ScentInTime):
    """An iteration ends after its first check."""

    def is_complete(s) -> Value:
        """Do not look for another page."""
        return some(s.visited[p] for p in s.pages)


@mutant(
    killed={
        "what-is-spent-is-the-cost": 2,
        "no-deadlock": 2,
        "a-stronger-page-is-passed-over": None,
    }
)
class TimeIsNotRenewed(ScentInTime):
    """An iteration begins with what the one before has left."""

    def begin(s) -> None:
        """Keep what was spent."""


@mutant(killed={"the-strongest-is-next": 2, "scent-is-bounded": 12, "visited-within-the-gap": 16})
class CheapestFirst(ScentInTime):
    """Of the pages that fit the cheapest is preferred."""

    def is_stronger(s, q: int, p: int) -> Value:
        """Compare costs, then places."""
        return (s.cost(q), q) < (s.cost(p), p)


@mutant(
    killed={
        "the-strongest-is-next": 1,
        "no-time-is-wasted": 1,
        "scent-is-bounded": 6,
        "visited-within-the-gap": 8,
    }
)
class OnlyHalfTheTime(ScentInTime):
    """A check may take no more than half of the time."""

    def fits(s, p: int) -> Value:
        """Refuse dear pages."""
        return every(2 * s.cost(p) <= s.time, s.spent + s.cost(p) <= s.time)


@mutant(killed={"time-is-never-overspent": 3, "out-of-reach-is-never-visited": 3}, at={"time": 2})
class TheFirstAlwaysFits(ScentInTime):
    """An iteration may begin with a page that takes more than its time."""

    def fits(s, p: int) -> Value:
        """Allow any page while nothing is spent."""
        return some(s.spent == 0, s.spent + s.cost(p) <= s.time)
