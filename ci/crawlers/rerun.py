"""Runs all crawlers and compares them with their baselines; or saves new baselines."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from pathlib import Path

from counterpoint.models.checking.processes import temporary_folder
from counterpoint.studies.subjects import running

from ..baseline_files import files
from . import baseline
from .baseline import CrawlBaseline
from .cases import CrawlerCase
from .judging import judge_runs
from .result import CrawlerResult

FOLDER = "crawlers"
"""The folder of the baselines of crawlers in the folder of all baselines."""

Tell = Callable[[str], None]


def path_of(folder: Path, name: str) -> Path:
    """Return the file of a crawler's baseline.

    Parameters
    ----------
    folder : Path
        The folder of all baselines.
    name : str
        The crawler.
    """
    return folder / FOLDER / f"{name}.json"


def run(
    cases: Sequence[CrawlerCase], folder: Path, processes: int = 1, tell: Tell | None = None,
    logs: Path | None = None,
) -> list[CrawlerResult]:  # fmt: skip
    """Run crawlers, and compare them with their conditions and baselines.

    Parameters
    ----------
    cases : sequence of CrawlerCase
    folder : Path
        The folder of all baselines.
    processes : int
        How many crawlers run at the same time.
    tell : callable, optional
        Shows the progress.
    logs : Path, optional
        Logs and outputs of the runs are written here, in ``NAME/seed-S-REPEAT``; by default they
        are removed at the end.

    Raises
    ------
    CrawlError, WebError
        If a case is wrong, or a file is no baseline. No crawler has run then.
    """
    subjects = [case.subject() for case in cases]
    before = baselines(cases, folder)
    with nullcontext(logs) if logs else temporary_folder() as place:
        runs = running.run(subjects, place, processes, tell)
    return [
        judge_runs(case, subject, made, old)
        for case, subject, made, old in zip(cases, subjects, runs, before, strict=True)
    ]


def baselines(cases: Iterable[CrawlerCase], folder: Path) -> list[CrawlBaseline | None]:
    """Return the baseline of each crawler, None if there is none.

    Raises
    ------
    CrawlError
        If a file is no baseline.
    """
    return [baseline.load(path_of(folder, case.name)) for case in cases]


def accept(results: Iterable[CrawlerResult], folder: Path, failures: bool = False) -> list[str]:
    """Save the results as new baselines, and return a line for each file that changed.

    A crawler whose runs failed, or were ended by the time limit, has nothing to save: its line
    says why, and its file stays. One that breaks a condition is saved only if ``failures`` says so.
    """
    lines = []
    for one in results:
        path = path_of(folder, one.case.name)
        shown = path.relative_to(folder)
        if one.now is None:
            lines.append(f"{shown}: not written, because {one.findings[0]}")
        elif one.broken and one.now != one.before and not failures:
            why = "; ".join(one.broken)
            lines.append(f"{shown}: not written, because {why}; --force writes it")
        elif one.now != one.before:
            baseline.save(path, one.now)
            why = "; ".join(one.fell) if one.before is not None else "new"
            lines.append(f"{shown}: {why or 'written again'}")
    return lines


def unused(cases: Iterable[CrawlerCase], folder: Path) -> list[tuple[Path, str]]:
    """Return the file of each baseline that belongs to no case, with the crawler."""
    known = {path_of(folder, case.name) for case in cases}
    others = sorted(set((folder / FOLDER).glob("*.json")) - known)
    ours = {"schema", "values"}  # other files must not be removed
    return [(path, path.stem) for path in others if ours <= set(files.content(path))]
