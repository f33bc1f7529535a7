"""Mutants of R3."""

from __future__ import annotations

from counterpoint.spec.crawl.r3 import R3, index_place
from counterpoint.spec.notation import Value, action, every, maximum, minimum, mutant, no, tabulated


@mutant(
    killed={
        "the-best-is-chosen": 2,
        "more-links-on-fewer-pages-win": 3,
        "who-waits-is-owed": 6,
        "nobody-waits-too-long": 7,
    }
)
class LowestIndexWins(R3):
    """The comparison is the wrong way round."""

    def prefers(s, i: int, j: int) -> Value:
        """Prefer the lower index."""
        return s.better(j, i)


@mutant(killed={"ties-go-to-the-first": 2})
class TiesGoToTheLast(R3):
    """Of sites with equal indices the one given last is taken."""

    def is_before(s, i: int, j: int) -> Value:
        """Let the earlier site win only if it is better."""
        return s.prefers(i, j) if i < j else no(s.prefers(j, i))


@mutant(
    killed={
        "the-best-is-chosen": 3,
        "more-links-on-fewer-pages-win": 3,
        "who-waits-is-owed": 6,
        "nobody-waits-too-long": 7,
        "an-empty-site-is-visited-again": None,
    }
)
class NeverExplores(R3):
    """Without the root, the highest mean wins."""

    def prefers(s, i: int, j: int) -> Value:
        """Compare means."""
        return s.found[i] * s.scanned[j] > s.found[j] * s.scanned[i]


@mutant(killed={"the-best-is-chosen": 2, "the-longest-wait": None})
class OnlyExplores(R3):
    """Without the mean, the site with the fewest pages wins."""

    def prefers(s, i: int, j: int) -> Value:
        """Compare counts."""
        return s.scanned[i] < s.scanned[j]


@mutant(killed={"the-best-is-chosen": 2, "the-longest-wait": None})
class IndexHasPagesForLinks(R3):
    """The mean is t/t instead of s/t."""

    def prefers(s, i: int, j: int) -> Value:
        """Compare indices in which pages stand for links."""
        one, other = (
            tabulated(
                index_place, len(s.sites), s.pages, s.budget,
                s.largest, s.scanned[k], s.scanned[k], s.spent(),
            )
            for k in (i, j)
        )  # fmt: skip
        return one > other


@mutant(killed={"the-best-is-chosen": 3})
class LogarithmOfTheBudget(R3):
    """The root is taken of 2 ln N / t, not of 2 ln n / t."""

    def prefers(s, i: int, j: int) -> Value:
        """Compare indices as they are at the end."""
        one, other = (
            tabulated(
                index_place, len(s.sites), s.pages, s.budget,
                s.largest, s.scanned[k], s.found[k], s.budget,
            )
            for k in (i, j)
        )  # fmt: skip
        return one > other


@mutant(killed={"the-best-is-chosen": 2})
class MeansAreNotScaled(R3):
    """Means are not divided by Xmax."""

    def prefers(s, i: int, j: int) -> Value:
        """Compare indices with an Xmax of 1; what such a mean exceeds it by is lost."""
        one, other = (
            tabulated(
                index_place, len(s.sites), s.pages, s.budget,
                minimum(1, s.largest), s.scanned[k], s.found[k], s.spent(),
            )
            for k in (i, j)
        )  # fmt: skip
        return one > other


@mutant(killed={"largest-is-the-most-seen": 2})
class LargestIsTheLast(R3):
    """Xmax is what the last page had."""

    @action
    def scan(s, i: int, x: int, new: int) -> None:
        """Forget the pages before."""
        super().scan(i, x, new)
        s.largest = x


@mutant(killed={"largest-is-the-most-seen": 3})
class LargestIsOfTheSample(R3):
    """Xmax is not updated once the contest has begun."""

    @action
    def scan(s, i: int, x: int, new: int) -> None:
        """Keep what the first pages had."""
        largest, sampling = s.largest, s.is_sampling()
        super().scan(i, x, new)
        if no(sampling):
            s.largest = largest


@mutant(killed={"exhausted-sites-leave": 2, "no-deadlock": 2})
class ExhaustedStayInTheContest(R3):
    """A site without a page may win the contest."""

    def is_best(s, i: int) -> Value:
        """Compare all sites, with and without pages."""
        return every(s.is_before(i, j) for j in s.sites if j != i)


@mutant(
    killed={"one-choice": 3, "the-best-is-chosen": 3, "the-longest-wait": None, "no-deadlock": 3}
)
class MoreThanHalfIsTooMuch(R3):
    """A site is passed over if it has more pages than all others together."""

    def takes_part(s, i: int) -> Value:
        """Leave out who had more than half of all."""
        return every(super().takes_part(i), 2 * s.scanned[i] <= maximum(2, s.spent()))
