"""The table of studies, by name."""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import ModuleType

from counterpoint.crawler.errors import CrawlError

from .report import Report
from .study import Study, Tell


@dataclass(frozen=True)
class Paper:
    """A paper whose measurements a study repeats.

    Attributes
    ----------
    name : str
        Its name on the command line. The module of this name measures, and the module with
        ``_report`` appended makes the report.
    paper : str
        The paper's short name in the bibliography.
    about : str
        A description in one line.
    """

    name: str
    paper: str
    about: str

    def study(self, seeds: range, processes: int = 1, tell: Tell | None = None) -> Study:
        """Repeat the measurements of the paper.

        Parameters
        ----------
        seeds : range
            At least two, or there are no intervals.
        processes : int
            How many processes run at the same time; the result does not depend on it.
        tell : callable, optional
            Shows the progress.
        """
        module = _module(self.name)
        made: Callable[[range, int, Tell | None], Study] = module.study
        return made(seeds, processes, tell)

    def report(self, study: Study) -> Report:
        """Return the report on a study of this paper."""
        made: Callable[[Study], Report] = _module(f"{self.name}_report").report
        return made(study)


def _module(name: str) -> ModuleType:
    return importlib.import_module(f"counterpoint.studies.papers.{name}")  # loads numba


PAPERS = {
    paper.name: paper
    for paper in (
        Paper(
            "beebot",
            "[BeeBot]",
            "Table 2 of BeeBot: links found by R1, R2 and R3 on three sets of sites",
        ),
        Paper(
            "hits", "[HITS]", "Blekanov and Bondarenko: the focused crawler and the standard one"
        ),
        Paper(
            "scent",
            "[SCENT]",
            "S.C.E.N.T.: Q by DeltaS and harvest, and how near the limit it comes",
        ),
        Paper("regret", "[BeeBot]", "regret of R3 against the theory of UCB1, and on webs"),
        Paper(
            "stm",
            "[STM]",
            "the window protocol: the old and the new clock value, as specs, proofs and code",
        ),
        Paper(
            "cs2",
            "[WEB]",
            "the Connectivity Server 2: bytes of addresses and links, queries, searches",
        ),
        Paper(
            "coverage",
            "[COV]",
            "Tianwang's evaluation of coverage: estimators applied to its tables",
        ),
        Paper(
            "freshness",
            "Cho and Garcia-Molina",
            "Cho and Garcia-Molina's five pages, and revisits of a web",
        ),
    )
}


ALL = "all"
"""The name of all studies together."""


def named(names: Sequence[str]) -> list[Paper]:
    """Return the studies with the given names, each once; without names, and for "all", all.

    Raises
    ------
    CrawlError
        If there is no such study.
    """
    if ALL in names:
        names = [*PAPERS, *(name for name in names if name != ALL)]
    for name in names:
        if name not in PAPERS:
            near = difflib.get_close_matches(name.lower(), PAPERS, 1)
            hint = f"did you mean {near[0]}?" if near else f"there are: {', '.join(PAPERS)}"
            raise CrawlError(f"there is no study '{name}'; {hint}")
    return [PAPERS[name] for name in dict.fromkeys(names or PAPERS)]
