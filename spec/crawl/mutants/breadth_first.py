"""Mutants of breadth first."""

from __future__ import annotations

from counterpoint.spec.crawl.breadth_first import BreadthFirst
from counterpoint.spec.crawl.pages import Place
from counterpoint.spec.notation import Value, every, implies, mutant


@mutant(readings={"order": "lifo"}, killed={"order-by-level": 8})
class LastInFirstOut(BreadthFirst):
    """The queue is a stack."""


@mutant(killed={"no-deadlock": 6, "two-levels-in-flight": None, "all-on-one-path": None})
class ShortQueue(BreadthFirst):
    """Only the first three discovered pages are considered."""

    def is_next(s, p: int) -> Value:
        """Cut the list before it is ordered."""
        return every(p < 3, super().is_next(p))


@mutant(killed={"one-level-down": 7})
class LevelOfTheDeepest(BreadthFirst):
    """A discovered page is put below the deepest level so far."""

    def level_below(s, p: int) -> Value:
        """Count from there."""
        return s.deepest + 1


@mutant(
    killed={
        "one-level-down": 2,
        "only-the-start-is-on-level-0": 2,
        "two-levels-in-flight": None,
        "all-on-one-path": None,
    }
)
class LevelNeverCounted(BreadthFirst):
    """A discovered page gets the level of the page that discovered it."""

    def level_below(s, p: int) -> Value:
        """Do not count."""
        return s.level[p]


@mutant(
    readings={"next-level": "after-the-level"},
    killed={"levels-are-distances": 8, "order-by-level": 11},
)
class WaitsForDeeperLevels(BreadthFirst):
    """A page waits for the levels after its own instead of those before it."""

    def level_is_done(s, p: int) -> Value:
        """Compare the other way round."""
        return every(
            implies(s.place[q] == Place.IN_FLIGHT, s.level[q] <= s.level[p]) for q in s.pages
        )


@mutant(readings={"answers": "in-order"}, killed={"levels-are-distances": 8, "order-by-level": 10})
class TakesAnyAnswer(BreadthFirst):
    """Answers are taken in any order although they should be taken in the order of requests."""

    def is_oldest(s, p: int) -> Value:
        """Do not look."""
        return True
