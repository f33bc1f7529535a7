"""Mutants of the frontier."""

from __future__ import annotations

from counterpoint.spec.crawl.frontier import Frontier
from counterpoint.spec.crawl.pages import Place
from counterpoint.spec.notation import Value, action, ite, mutant, require, some


@mutant(
    killed={
        "done-is-fetched-or-given-up": 2,
        "never-twice": 5,
        "done-stays-done": 5,
        "the-count-is-right": 7,
        "ranges": 8,
    }
)
class QueuedTwice(Frontier):
    """A link to a page in flight, or done, queues it again."""

    def is_new(s, p: int) -> Value:
        """Look through what waits alone."""
        return some(super().is_new(p), s.place[p] >= Place.IN_FLIGHT)


@mutant(killed={"nothing-is-lost": 2})
class LostOnRestart(Frontier):
    """Pages in flight are lost when the crawl is interrupted."""

    @action
    def restart(s) -> None:
        """Queue nothing again."""
        flying = [s.place[p] == Place.IN_FLIGHT for p in s.pages]
        super().restart()
        for p in s.pages:
            s.place[p] = ite(flying[p], Place.UNKNOWN, s.place[p])


@mutant(killed={"the-count-is-right": 2, "no-deadlock": 7})
class RestartKeepsTheCount(Frontier):
    """After a restart the crawler still counts the requests from before it."""

    @action
    def restart(s) -> None:
        """Keep the count."""
        still = s.open
        super().restart()
        s.open = still


@mutant(killed={"the-count-is-right": 2, "no-deadlock": 8})
class FailureIsNotCountedDown(Frontier):
    """A request that failed is counted as in flight for ever."""

    @action
    def failed(s, p: int) -> None:
        """Keep the count."""
        still = s.open
        super().failed(p)
        s.open = still


@mutant(killed={"no-more-in-flight-than-allowed": 8, "the-count-is-right": 8, "ranges": 11})
class OneTooMany(Frontier):
    """One request more than allowed is in flight."""

    @action
    def request(s, p: int) -> None:
        """Compare with <=."""
        require(s.place[p] == Place.QUEUED, s.in_flight() <= s.concurrency)
        s.open = ite(s.open < s.concurrency, s.open + 1, s.open)
        s.place[p] = Place.IN_FLIGHT


@mutant(killed={"a-page-is-given-up": None, "a-failed-page-is-fetched": None})
class TriesForEver(Frontier):
    """Failures are not counted, so no page is ever given up."""

    @action
    def failed(s, p: int) -> None:
        """Try again."""
        super().failed(p)
        s.failures[p] = 0
        s.place[p] = Place.QUEUED


@mutant(killed={"done-is-fetched-or-given-up": 2, "a-failed-page-is-fetched": None})
class GivesUpAtOnce(Frontier):
    """A page is given up at its first failure."""

    @action
    def failed(s, p: int) -> None:
        """Do not try again."""
        super().failed(p)
        s.place[p] = Place.DONE


@mutant(killed={"no-deadlock": 3, "everything-is-fetched": None})
class LastPageStarves(Frontier):
    """The last page is never queued."""

    @action
    def enqueue(s, p: int) -> None:
        """Pass over it."""
        require(p < len(s.pages) - 1)
        super().enqueue(p)


@mutant(killed={"nothing-before-it-was-discovered": 3})
class QueuesUnlinkedPages(Frontier):
    """A page is queued though nothing links to it."""

    @action
    def enqueue(s, p: int) -> None:
        """Queue it as soon as any page is done."""
        require(some(s.place[q] == Place.DONE for q in s.pages))
        require(s.place[p] < Place.QUEUED)
        s.place[p] = Place.QUEUED


@mutant(killed={"nothing-is-lost": 2, "several-in-flight": None})
class ReadsOneLinkOnly(Frontier):
    """Of the links on a page only the first is followed."""

    @action
    def fetched(s, p: int, links: int) -> None:
        """Drop the others: they stay unknown although the page links to them."""
        super().fetched(p, links & -links)
        for q in s.pages:
            if links >> q & 1:
                s.offered[q] = True
