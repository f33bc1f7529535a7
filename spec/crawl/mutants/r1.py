"""Mutants of R1."""

from __future__ import annotations

from counterpoint.spec.crawl.r1 import R1
from counterpoint.spec.notation import Value, every, mutant, no, some


@mutant(killed={"the-best-is-chosen": 3, "stays-with-its-choice": 4})
class FewestLinksWin(R1):
    """The comparison is the wrong way round."""

    def prefers(s, i: int, j: int) -> Value:
        """Prefer the site with fewer links."""
        return s.better(j, i)


@mutant(killed={"ties-go-to-the-first": 3})
class TiesGoToTheLast(R1):
    """Of sites with equal sums the one given last is taken."""

    def is_before(s, i: int, j: int) -> Value:
        """Let the earlier site win only if it is better."""
        return s.prefers(i, j) if i < j else no(s.prefers(j, i))


@mutant(
    killed={
        "samples-are-right": 2,
        "a-later-site-wins": None,
        "there-is-a-tie": None,
        "another-has-the-rest-of-the-rest": None,
    }
)
class ShareIsOneTooLarge(R1):
    """Every site gets a page more than its share before the contest begins."""

    def is_due(s, i: int) -> Value:
        """Take the share for one of pages that may be there already."""
        return every(s.takes_part(i), s.scanned[i] <= s.sample)


@mutant(killed={"spends-all-it-can": 4, "another-has-the-rest-of-the-rest": None})
class StopsWhereTheBestEnds(R1):
    """The crawl ends when the best site is exhausted, whatever is left of the budget."""

    def is_over(s) -> Value:
        """Stop also when a site is exhausted that has had more than its share."""
        ended = some(every(no(s.has_page(i)), s.scanned[i] > s.sample) for i in s.sites)
        return some(super().is_over(), ended)


@mutant(
    killed={
        "one-choice": 2,
        "the-web-is-too-small": None,
        "samples-are-right": 2,
        "a-later-site-wins": None,
        "no-deadlock": 2,
    }
)
class ListOfSitesIsCut(R1):
    """The last site is missing from the list of sites."""

    def takes_part(s, i: int) -> Value:
        """Consider all but the last."""
        return super().takes_part(i) if i + 1 < len(s.sites) else False


@mutant(killed={"the-best-is-chosen": 4, "ties-go-to-the-first": 4, "stays-with-its-choice": 4})
class MeanDecidesOnTheRest(R1):
    """The second phase compares links per page instead of links."""

    def prefers(s, i: int, j: int) -> Value:
        """Compare what R2 compares."""
        return s.found[i] * s.scanned[j] > s.found[j] * s.scanned[i]
