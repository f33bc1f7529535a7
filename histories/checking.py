"""Judges a history by criteria, the strongest first, and says which ones hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from counterpoint.models.limits import Limits

from .anomalies import anomaly, steps
from .history import History
from .judging import Judgement
from .ladder import LADDER, Criterion, Question
from .sources import Sources, sources_of

BY_NAME = {one.name: one for one in LADDER}


@dataclass(frozen=True)
class Result:
    """The answer about one criterion.

    Attributes
    ----------
    criterion : Criterion
    judgement : Judgement
    implied_by : str or None
        The stronger criterion that holds, if that is why this one does.
    """

    criterion: Criterion
    judgement: Judgement
    implied_by: str | None = None

    @property
    def answer(self) -> str:
        """``holds``, ``violated`` or ``unknown``."""
        return {True: "holds", False: "violated", None: "unknown"}[self.judgement.fits]


@dataclass(frozen=True)
class Report:
    """What holds of a history.

    Attributes
    ----------
    sources : Sources
    results : list of Result
        Weakest to strongest.
    """

    sources: Sources
    results: list[Result]

    def strongest(self) -> list[str]:
        """Return the criteria that hold while no stronger one that was judged does."""
        holding = [one.criterion for one in self.results if one.answer == "holds"]
        weaker = {name for one in holding for name in all_implied(one)}
        return [one.name for one in holding if one.name not in weaker]

    def first_violated(self) -> Result | None:
        """Return the weakest criterion that is violated."""
        return next((one for one in self.results if one.answer == "violated"), None)

    def to_json(self) -> dict[str, Any]:
        """Return the report for ``--format json``."""
        history = self.sources.history
        return {
            "transactions": len(history),
            "strongest": self.strongest(),
            "criteria": [self._one(result) for result in self.results],
        }

    def _one(self, result: Result) -> dict[str, Any]:
        found = result.judgement
        entry: dict[str, Any] = {"criterion": result.criterion.name, "answer": result.answer}
        if result.implied_by:
            entry["implied_by"] = result.implied_by
        if found.opened:
            entry["open_orders"] = found.opened
            entry["forced_orders"] = found.forced
        if found.reason:
            entry["reason"] = found.reason
        if result.answer == "violated":
            entry["anomaly"] = anomaly(found)
            if found.finding is not None:
                entry["line"], entry["why"] = found.finding.place, [found.finding.text]
            else:
                entry["why"] = steps(self.sources, found.cycle)
                entry["cycle"] = [
                    {"from": self.sources.name(e.source), "to": self.sources.name(e.target),
                     "kind": e.kind.value if e.kind else "", "object": e.object}
                    for e in found.cycle
                ]  # fmt: skip
        return entry


def all_implied(criterion: Criterion) -> set[str]:
    """Return the names of all criteria that are weaker than one."""
    found: set[str] = set()
    todo = list(criterion.implies)
    while todo:
        name = todo.pop()
        found.add(name)
        todo += BY_NAME[name].implies
    return found


def check(
    history: History,
    criteria: Sequence[str] = (),
    *,
    sessions: bool = False,
    limits: Limits | None = None,
) -> Report:
    """Judge a history.

    Parameters
    ----------
    history : History
    criteria : sequence of str
        Names of criteria; all by default.
    sessions : bool
        Whether the order of each process counts for the criteria below strict serializability.
    limits : Limits, optional
        Of time and memory, for orders of versions that are open.

    Raises
    ------
    HistoryError
        If the history does not say from whom a transaction read.
    """
    question = Question(sources_of(history), sessions, limits or Limits())
    wanted = [one for one in LADDER if not criteria or one.name in criteria]
    found: dict[str, Result] = {}
    implied: dict[str, str] = {}
    for criterion in reversed(wanted):
        if criterion.name in implied:
            by = implied[criterion.name]
            found[criterion.name] = Result(criterion, Judgement(True), by)
            continue
        judgement = criterion.judge(question)
        found[criterion.name] = Result(criterion, judgement)
        if judgement.fits:
            for name in all_implied(criterion):
                implied.setdefault(name, criterion.name)
    return Report(question.sources, [found[one.name] for one in wanted])
