"""Mutants of the visits of a breadth-first crawl."""

from __future__ import annotations

from counterpoint.spec.crawl.breadth_first_visits import BreadthFirstVisits
from counterpoint.spec.notation import Value, mutant


@mutant(killed={"levels-never-fall": 5})
class DepthFirst(BreadthFirstVisits):
    """The page that was found last is next."""

    def comes_before(s, q: int, p: int) -> Value:
        """Compare the other way round."""
        return s.found[q] > s.found[p]


@mutant(killed={"a-visited-page-was-found": 1, "levels-never-fall": 3})
class VisitsUnknownPages(BreadthFirstVisits):
    """A page is visited before a link to it was found."""

    def waits(s, p: int) -> Value:
        """Do not look whether it was found."""
        return s.visited[p] == 0


@mutant(killed={"places-differ": 1, "levels-never-fall": 4})
class DoesNotCount(BreadthFirstVisits):
    """All pages get the place of the one that was found last."""

    def place_after(s, last: Value) -> Value:
        """Do not count."""
        return last
