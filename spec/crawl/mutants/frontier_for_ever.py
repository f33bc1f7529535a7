"""Mutants of a crawl without an end of interruptions."""

from __future__ import annotations

from counterpoint.spec.crawl.frontier_for_ever import FrontierForEver
from counterpoint.spec.crawl.pages import Place
from counterpoint.spec.notation import action, ite, mutant


@mutant(
    readings={"fairness": "weak"},
    killed={"the-crawl-ends": 2, "what-is-discovered-is-done": 5},
)
class AnswersOnlyInPeace(FrontierForEver):
    """A request is answered only if it is not interrupted."""


@mutant(killed={"the-crawl-ends": 2, "what-is-discovered-is-done": 4})
class RestartsEmptyTheQueue(FrontierForEver):
    """A restart takes all pages out of the queue; they are discovered still."""

    @action
    def restart(s) -> None:
        """Queue nothing again."""
        super().restart()
        for p in s.pages:
            s.place[p] = ite(s.place[p] == Place.QUEUED, Place.DISCOVERED, s.place[p])
