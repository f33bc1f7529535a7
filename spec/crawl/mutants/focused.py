"""Mutants of the focused crawler."""

from __future__ import annotations

from spec.crawl.focused import FocusedHits, Phase
from spec.crawl.pages import Place
from spec.notation import Value, action, every, ite, mutant, require


@mutant(killed={"the-greatest-hub-first": 10})
class LeastHubFirst(FocusedHits):
    """The least hub weight is preferred."""

    def is_better(s, q: int, p: int) -> Value:
        """Compare the other way round."""
        return s.hub[q] <= s.hub[p] if q < p else s.hub[q] < s.hub[p]


@mutant(killed={"the-greatest-hub-first": 10})
class ExpandsByAuthority(FocusedHits):
    """The greatest authority weight is preferred."""

    def is_better(s, q: int, p: int) -> Value:
        """Compare the other weights."""
        return s.authority[q] >= s.authority[p] if q < p else s.authority[q] > s.authority[p]


@mutant(killed={"the-greatest-hub-first": 10})
class TiesGoToTheLast(FocusedHits):
    """Of equal pages the one discovered last is preferred."""

    def is_better(s, q: int, p: int) -> Value:
        """Let the later one win."""
        return s.hub[q] > s.hub[p] if q < p else s.hub[q] >= s.hub[p]


@mutant(
    killed={
        "the-greatest-hub-first": 10,
        "no-deadlock": 15,
        "found-first-expanded-last": None,
        "everything-is-indexed": None,
    }
)
class ShortList(FocusedHits):
    """Only the two pages discovered first are candidates."""

    def is_candidate(s, p: int) -> Value:
        """Cut the list before it is ordered."""
        return every(p < 2, super().is_candidate(p))


@mutant(killed={"indexed-at-most-once": 7})
class IndexedAgain(FocusedHits):
    """A good authority goes to the index in every step."""

    def goes_to_the_index(s, p: int) -> Value:
        """Do not look into the index."""
        return every(p < s.weighed, s.authority[p] >= s.good, s.entries[p] < 2)


@mutant(killed={"good-authorities-are-in-the-index": 2, "only-good-authorities": 2})
class HubsGoToTheIndex(FocusedHits):
    """Pages with a good hub weight go to the index."""

    def goes_to_the_index(s, p: int) -> Value:
        """Look at the other weight."""
        return every(p < s.weighed, s.hub[p] >= s.good, s.entries[p] == 0)


@mutant(killed={"done-stays-done": 8, "never-twice": 9, "ranges": 14})
class ExpandedPagesStay(FocusedHits):
    """A page stays a candidate when it was expanded."""

    def is_candidate(s, p: int) -> Value:
        """Take what is done as well."""
        return every(s.place[p] != Place.UNKNOWN, s.place[p] != Place.IN_FLIGHT, p < s.weighed)


@mutant(killed={"only-what-this-step-weighed": 7, "no-deadlock": 7})
class RanksTooEarly(FocusedHits):
    """Pages are ranked as soon as one is weighed."""

    @action
    def rank(s) -> None:
        """Do not wait for the others."""
        require(s.phase == Phase.WEIGHING, s.weighed > 0)
        for p in s.pages:
            s.entries[p] = s.entries[p] + ite(s.goes_to_the_index(p), 1, 0)
        s.phase = Phase.EXPANDING


@mutant(
    killed={"only-what-this-step-weighed": 5, "found-first-expanded-last": None},
    at={"concurrency": 2},
)
class NewPagesAreExpandedAtOnce(FocusedHits):
    """What an expansion finds may be expanded in the same step, before it has a weight."""

    def is_candidate(s, p: int) -> Value:
        """Do not ask whether it was weighed."""
        return s.place[p] == Place.QUEUED


@mutant(readings={"crawler": "standard"}, killed={"weighed-at-the-end": 1, "no-deadlock": 2})
class WeighsInBetween(FocusedHits):
    """The standard crawler weighs what it has before all is fetched."""

    @action
    def weigh(s, p: int, hub: int, authority: int) -> None:
        """Do not wait for the end."""
        require(s.phase == Phase.WEIGHING, s.weighed == p, p < s.known())
        s.hub[p] = hub
        s.authority[p] = authority
        s.weighed = p + 1
