"""Mutants of recall and precision."""

from __future__ import annotations

from counterpoint.spec.crawl.measures import Retrieval
from counterpoint.spec.notation import Value, mutant


@mutant(killed={"all-found-is-full-recall": 0, "half-precise-and-all-recalled": None})
class RecallOfTheCollection(Retrieval):
    """Recall divides by the number of all pages, not of the relevant ones."""

    def recall(s) -> tuple[Value, Value]:
        """Divide by the number of pages."""
        return s.number(found=True, relevant=True), len(s.pages)


@mutant(
    killed={
        "all-found-is-full-recall": 0,
        "recall-never-falls": 2,
        "half-precise-and-all-recalled": None,
    }
)
class RecallIsPrecision(Retrieval):
    """Recall and precision are confused."""

    def recall(s) -> tuple[Value, Value]:
        """Return the other."""
        return s.precision()


@mutant(killed={"no-fault-is-full-precision": 1, "precision-follows-relevance": 2})
class CountsWhatIsMissed(Retrieval):
    """The measure b counts pages that were not found."""

    def precision(s) -> tuple[Value, Value]:
        """Divide by what was found and is relevant, and what was not and is not."""
        a = s.number(found=True, relevant=True)
        return a, a + s.number(found=False, relevant=False)
