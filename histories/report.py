"""The answers about a history."""

from __future__ import annotations

from dataclasses import dataclass

from .deciding.judging import Judgement
from .ladder import LADDER, Criterion
from .sources import Sources

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


def all_implied(criterion: Criterion) -> set[str]:
    """Return the names of all criteria that are weaker than one."""
    found: set[str] = set()
    todo = list(criterion.implies)
    while todo:
        name = todo.pop()
        found.add(name)
        todo += BY_NAME[name].implies
    return found
