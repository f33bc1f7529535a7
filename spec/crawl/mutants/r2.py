"""Mutants of R2."""

from __future__ import annotations

from counterpoint.spec.crawl.r2 import R2
from counterpoint.spec.notation import Value, action, every, mutant, no, some


@mutant(killed={"the-best-is-chosen": 4, "empty-sites-wait": 4})
class LowestIndexWins(R2):
    """The comparison is the wrong way round."""

    def prefers(s, i: int, j: int) -> Value:
        """Prefer the lower index."""
        return s.better(j, i)


@mutant(killed={"ties-go-to-the-first": 4})
class TiesGoToTheLast(R2):
    """Of sites with equal indices the one given last is taken."""

    def is_before(s, i: int, j: int) -> Value:
        """Let the earlier site win only if it is better."""
        return s.prefers(i, j) if i < j else no(s.prefers(j, i))


@mutant(killed={"the-best-is-chosen": 6, "ties-go-to-the-first": 6, "the-lead-changes": None})
class DividesByTheStep(R2):
    """The index is s/n for ever, as at the start, so it never falls."""

    def prefers(s, i: int, j: int) -> Value:
        """Compare sums."""
        return s.found[i] > s.found[j]


@mutant(killed={"steps-are-whole": 4, "the-last-step-is-cut": None})
class StepIsOneShort(R2):
    """A step after the first ends a page too early."""

    @action
    def scan(s, i: int, x: int, new: int) -> None:
        """Count the page that begins a step twice."""
        begins = s.is_choosing()
        super().scan(i, x, new)
        if begins and s.left > 0:
            s.left = s.left - 1
            if s.left == 0:
                s.current = 0


@mutant(killed={"steps-are-whole": 5, "the-lead-changes": None})
class StepNeverEnds(R2):
    """Pages of a step are not counted down, so it lasts as long as its site."""

    @action
    def scan(s, i: int, x: int, new: int) -> None:
        """Keep what is left of the step."""
        left = s.left
        super().scan(i, x, new)
        if left > 0 and s.has_page(i):
            s.left, s.current = left, i


@mutant(killed={"exhausted-sites-leave": 5, "no-deadlock": 5})
class ExhaustedKeepsItsStep(R2):
    """A site that is exhausted within a step stays the one to scan."""

    @action
    def scan(s, i: int, x: int, new: int) -> None:
        """Count on, though there is no page."""
        begins, left = s.is_choosing(), s.left
        super().scan(i, x, new)
        if begins and s.step > 1:
            s.left, s.current = s.step - 1, i
        elif left > 1:
            s.left, s.current = left - 1, i


@mutant(killed={"the-best-is-chosen": 4, "empty-sites-wait": 4})
class EmptySitesGoFirst(R2):
    """A site without links is chosen before others, as if it had not been scanned."""

    def prefers(s, i: int, j: int) -> Value:
        """Prefer an empty site."""
        empty = every(s.found[i] == 0, s.found[j] > 0)
        return some(empty, every(no(s.found[j] == 0, s.found[i] == 0), s.better(i, j)))
