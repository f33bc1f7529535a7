"""Judges a history by criteria, the strongest first."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from counterpoint.models.limits import Limits

from .deciding.judging import Judgement
from .history import History
from .ladder import LADDER, Criterion, Question
from .report import Report, Result, all_implied
from .resolving import sources_of


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
    return Report(question.sources, results_of(lambda one: one.judge(question), criteria))


def results_of(
    judge: Callable[[Criterion], Judgement], criteria: Sequence[str] = ()
) -> list[Result]:
    """Return the answers about criteria, weakest to strongest; what is implied is not judged.

    Parameters
    ----------
    judge : callable
    criteria : sequence of str
        Names of criteria; all by default.
    """
    wanted = [one for one in LADDER if not criteria or one.name in criteria]
    found: dict[str, Result] = {}
    implied: dict[str, str] = {}
    for criterion in reversed(wanted):
        if criterion.name in implied:
            by = implied[criterion.name]
            found[criterion.name] = Result(criterion, Judgement(True), by)
            continue
        judgement = judge(criterion)
        found[criterion.name] = Result(criterion, judgement)
        if judgement.fits:
            for name in all_implied(criterion):
                implied.setdefault(name, criterion.name)
    return [found[one.name] for one in wanted]
