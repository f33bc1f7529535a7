"""Mutants of the focused crawler."""

from __future__ import annotations

from counterpoint.spec.crawl.focused import FocusedHits, Phase
from counterpoint.spec.crawl.pages import Place
from counterpoint.spec.notation import Value, action, count, every, ite, mutant, no, require, some


@mutant(killed={"the-greatest-hubs-first": 16})
class LeastHubFirst(FocusedHits):
    """The least hub weight is preferred."""

    def is_better_hub(s, q: int, p: int) -> Value:
        """Compare the other way round."""
        return s.hub[q] <= s.hub[p] if q < p else s.hub[q] < s.hub[p]


@mutant(killed={"the-greatest-hubs-first": 16, "indexed-before-it-is-expanded": None})
class ExpandsByAuthority(FocusedHits):
    """The greatest authority weight is preferred."""

    def is_better_hub(s, q: int, p: int) -> Value:
        """Compare the other weights."""
        return s.authority[q] >= s.authority[p] if q < p else s.authority[q] > s.authority[p]


@mutant(killed={"the-greatest-hubs-first": 16})
class TiesGoToTheLast(FocusedHits):
    """Of equal hubs the one discovered last is preferred."""

    def is_better_hub(s, q: int, p: int) -> Value:
        """Let the later one win."""
        return s.hub[q] > s.hub[p] if q < p else s.hub[q] >= s.hub[p]


@mutant(
    killed={
        "at-most-c-a-step": 16,
        "found-first-expanded-last": None,
        "indexed-before-it-is-expanded": None,
    }
)
class ExpandsOneMoreThanC(FocusedHits):
    """A step expands c hubs and one more."""

    def is_expanded_next(s, p: int) -> Value:
        """Count from 0."""
        better = count(every(s.waits(q), s.is_better_hub(q, p)) for q in s.pages if q != p)
        return every(s.waits(p), better <= s.c, no(s.is_last_step()))


@mutant(killed={"each-step-expands": 9, "ranges": 18})
class ExpandedPagesStay(FocusedHits):
    """A page is expanded again, and again."""

    def waits(s, p: int) -> Value:
        """Do not ask whether it was expanded."""
        return s.was_fetched(p)


@mutant(killed={"only-what-chosen-hubs-lead-to": 17}, at={"pages": 4})
class FollowsAllThatWait(FocusedHits):
    """The links of all fetched pages are queued, not only those of chosen hubs."""

    def follow(s, hubs: list[Value]) -> None:
        """Do not look at who was chosen."""
        super().follow([s.was_fetched(p) for p in s.pages])


@mutant(
    killed={
        "only-what-chosen-hubs-lead-to": 2,
        "the-frontier-grows-by-c-hubs": 2,
        "all-is-weighed-before-it-is-chosen": 2,
        "found-first-expanded-last": None,
        "indexed-before-it-is-expanded": None,
    }
)
class FollowsAtOnce(FocusedHits):
    """A page is expanded as soon as it is fetched, before it has a weight."""

    def is_followed_at_once(s) -> bool:
        """Do what the standard crawler does."""
        return True


@mutant(killed={"the-greatest-authorities-first": 12})
class LeastAuthorityFirst(FocusedHits):
    """The least authorities go to the index."""

    def is_better_authority(s, q: int, p: int) -> Value:
        """Compare the other way round."""
        return s.authority[q] <= s.authority[p] if q < p else s.authority[q] < s.authority[p]


@mutant(killed={"the-greatest-authorities-first": 12})
class HubsGoToTheIndex(FocusedHits):
    """Pages with the greatest hub weight go to the index."""

    def is_better_authority(s, q: int, p: int) -> Value:
        """Compare the other weights."""
        return s.is_better_hub(q, p)


@mutant(killed={"the-index-holds-only-fetched-pages": 5})
class IndexedUnfetched(FocusedHits):
    """An authority is indexed before it is fetched, because of its links alone."""

    def is_good(s, p: int) -> Value:
        """Do not ask whether it was fetched."""
        return every(s.authority[p] > 0, s.entries[p] == 0)


@mutant(killed={"the-index-holds-only-fetched-pages": 5, "hubs-were-fetched": 4})
class FailedPagesAreFetched(FocusedHits):
    """A page that failed counts as one that was fetched."""

    def was_fetched(s, p: int) -> Value:
        """Return whether there was an answer, good or bad."""
        return s.place[p] == Place.DONE


@mutant(killed={"at-most-c-a-step": 12, "indexed-at-most-once": 12})
class IndexedAgain(FocusedHits):
    """A good authority goes to the index in every step."""

    def goes_to_the_index(s, p: int) -> Value:
        """Do not look into the index."""
        return every(s.was_fetched(p), s.entries[p] < 2)


@mutant(killed={"at-most-c-a-step": 12})
class IndexesTooMany(FocusedHits):
    """Every good authority goes to the index, not the best c of them."""

    def goes_to_the_index(s, p: int) -> Value:
        """Do not count the better ones."""
        return s.is_good(p)


@mutant(killed={"nothing-leaves-the-index": 12})
class MakesTheIndexAnew(FocusedHits):
    """Each step's best authorities replace those of the steps before."""

    @action
    def choose(s) -> None:
        """Begin with an empty index."""
        require(s.phase == Phase.WEIGHING, s.weighed == s.known())
        taken = [s.goes_to_the_index(p) for p in s.pages]
        best = [s.is_expanded_next(p) for p in s.pages]
        for p in s.pages:
            s.entries[p] = ite(taken[p], 1, 0)
            s.expanded[p] = some(s.expanded[p], best[p])
        s.follow(best)
        s.phase = Phase.FETCHING


@mutant(killed={"all-is-weighed-before-it-is-chosen": 5})
class ChoosesTooEarly(FocusedHits):
    """A step chooses as soon as one page is weighed."""

    @action
    def choose(s) -> None:
        """Do not wait for the others."""
        require(s.phase == Phase.WEIGHING, s.weighed > 0)
        taken = [s.goes_to_the_index(p) for p in s.pages]
        best = [s.is_expanded_next(p) for p in s.pages]
        for p in s.pages:
            s.entries[p] = s.entries[p] + ite(taken[p], 1, 0)
            s.expanded[p] = some(s.expanded[p], best[p])
        s.follow(best)
        s.phase = Phase.FETCHING


@mutant(killed={"each-step-expands": 6, "ranges": 18})
class GoesOnForNothing(FocusedHits):
    """The crawl never ends: it weighs again when no page is left to expand."""

    def is_over(s) -> Value:
        """Believe that there is always a next step."""
        return False


@mutant(
    killed={
        "only-what-chosen-hubs-lead-to": 2,
        "the-frontier-grows-by-c-hubs": 2,
        "it-gets-on": 2,
    }
)
class AsksAgainForEver(FocusedHits):
    """A page that failed is requested again without a limit."""

    @action
    def failed(s, p: int) -> None:
        """Put it back."""
        require(s.place[p] == Place.IN_FLIGHT)
        s.place[p] = Place.QUEUED


@mutant(readings={"crawler": "standard"}, killed={"weighed-at-the-end": 2})
class WeighsInBetween(FocusedHits):
    """The standard crawler weighs pages before all are fetched."""

    def all_has_come(s) -> Value:
        """Return whether all requested pages have been answered."""
        return s.in_flight() == 0
