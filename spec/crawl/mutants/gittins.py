"""Mutants of the rule of Gittins."""

from __future__ import annotations

from counterpoint.spec.crawl.gittins import Gittins
from counterpoint.spec.notation import Choice, Value, action, every, ite, minimum, mutant, no


@mutant(killed={"the-best-is-chosen": 1, "more-on-fewer-pages-wins": 1})
class LowestIndexWins(Gittins):
    """The comparison is the wrong way round."""

    def prefers(s, i: int, j: int) -> Value:
        """Prefer the lower index."""
        return s.better(j, i)


@mutant(killed={"ties-go-to-the-first": 0})
class TiesGoToTheLast(Gittins):
    """Of sites with equal indices the one given last is taken."""

    def is_before(s, i: int, j: int) -> Value:
        """Let the earlier site win only if it is better."""
        return s.prefers(i, j) if i < j else no(s.prefers(j, i))


@mutant(killed={"the-best-is-chosen": 1, "a-lower-mean-wins": None})
class NeverExplores(Gittins):
    """The highest expected yield of the next page wins."""

    def prefers(s, i: int, j: int) -> Value:
        """Compare the means of the posterior."""
        one = (s.shape + s.found[i]) * (s.rate + s.scanned[j])
        return one > (s.shape + s.found[j]) * (s.rate + s.scanned[i])


@mutant(killed={"the-best-is-chosen": 2, "more-on-fewer-pages-wins": 3})
class ForgetsPages(Gittins):
    """The index is that of one page with all the links."""

    def prefers(s, i: int, j: int) -> Value:
        """Compare indices of at most one page."""
        one, other = (s.index_place(minimum(1, s.scanned[k]), s.reward(k)) for k in (i, j))
        return one > other


@mutant(killed={"the-best-is-chosen": 1, "more-on-fewer-pages-wins": 1, "a-later-site-wins": None})
class UnknownSitesComeLast(Gittins):
    """A site without scanned pages is not worth what the prior says."""

    def prefers(s, i: int, j: int) -> Value:
        """Prefer sites with scanned pages."""
        if_known = every(s.scanned[i] > 0, s.scanned[j] > 0)
        return ite(if_known, s.better(i, j), s.scanned[i] > s.scanned[j])


@mutant(
    killed={
        "the-best-is-chosen": 1,
        "more-on-fewer-pages-wins": 2,
        "winners-stay": 1,
        "a-site-is-left-for-ever": None,
    }
)
class WinnersAreLeft(Gittins):
    """The site with the fewest pages wins."""

    rewards = Choice("pages", "counts", help="as in the spec; pages with links first")

    def prefers(s, i: int, j: int) -> Value:
        """Compare the numbers of pages."""
        return s.scanned[i] < s.scanned[j]


@mutant(killed={"rewards-are-counted": 1, "ranges": 4})
class CountsLinksForPages(Gittins):
    """A page with two links counts as two pages with links."""

    rewards = Choice("pages", "counts", help="as in the spec; pages with links first")

    @action
    def scan(s, i: int, x: int, new: int) -> None:
        """Add the links."""
        fruitful = s.fruitful[i]
        super().scan(i, x, new)
        s.fruitful[i] = minimum(s.pages, fruitful + x)


@mutant(killed={"exhausted-sites-leave": 1, "no-deadlock": 1})
class ExhaustedStayInTheContest(Gittins):
    """A site without a page may win the contest."""

    def is_best(s, i: int) -> Value:
        """Compare all sites, with and without pages."""
        return every(s.is_before(i, j) for j in s.sites if j != i)
