"""Runs what is planned: checks, scenarios, policies and crawlers, also against baselines."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from counterpoint.models.checking.processes import interrupts_held
from counterpoint.spec.notation import SpecError

from . import converting, gate, scenarios
from .outcome import Outcome
from .plan import GatePlan

Tell = Callable[[str], None]


@dataclass(frozen=True)
class Settings:
    """How the gate runs.

    Attributes
    ----------
    budget : float
        Seconds for all checks of specs together.
    step_limit : float
        Seconds of processor time that a policy may use for one step.
    report : Path
        The folder of the report.
    baselines : Path
        The folder of the baselines.
    processes : int
        How many processes run at the same time.
    """

    budget: float
    step_limit: float
    report: Path
    baselines: Path
    processes: int


def run(
    chosen: GatePlan, settings: Settings, tell: Tell | None = None, logs: Path | None = None
) -> list[Outcome]:
    """Return the outcome of each chosen entry, and of each unused baseline if all are chosen.

    Parameters
    ----------
    chosen : GatePlan
    settings : Settings
    tell : callable, optional
        Called with a line whenever an entry has ended.
    logs : Path, optional
        A folder for the logs and outputs of crawlers; by default they are removed.

    Raises
    ------
    CrawlError
        If a file of the baselines is none. Nothing was run then.
    """
    _must_have_baselines(chosen, settings)
    found = [
        converting.of_check(one)
        for one in gate.run(settings.budget, chosen.jobs, settings.processes, tell)
    ]
    found += map(scenarios.run, chosen.scenarios)
    found += _of_policies(chosen, settings, tell)
    found += _of_crawlers(chosen, settings, tell, logs)
    if chosen.is_whole:
        found += [converting.of_unused(path, name) for path, name in _unused(chosen, settings)]
    return found


def _of_policies(chosen: GatePlan, settings: Settings, tell: Tell | None) -> Iterator[Outcome]:
    if cases := chosen.cases:
        from .regression import rerun

        for result in rerun.run(
            cases, settings.baselines, settings.processes, tell, settings.step_limit
        ):
            yield converting.of_policy(result, chosen.place("policy", result.name))


def _of_crawlers(
    chosen: GatePlan, settings: Settings, tell: Tell | None, logs: Path | None
) -> Iterator[Outcome]:
    if cases := chosen.crawlers:
        from . import crawlers

        for result in crawlers.run(cases, settings.baselines, settings.processes, tell, logs):
            yield converting.of_crawler(result, chosen.place("crawler", result.case.name))


def accept(
    chosen: GatePlan, settings: Settings, tell: Tell | None = None, failures: bool = False
) -> list[str]:
    """Save the results of the chosen policies and crawlers as new baselines.

    Parameters
    ----------
    chosen : GatePlan
    settings : Settings
    tell : callable, optional
        Called with a line whenever an entry has ended.
    failures : bool
        Whether to save that a policy fails, or the measures of a crawler that breaks a condition.

    Returns
    -------
    list of str
        A line for each file that was written, and for each that was not.

    Raises
    ------
    SpecError
        If neither a policy nor a crawler is chosen.
    CrawlError
        If a file of the baselines is none. Nothing was run then.
    """
    if not chosen.cases and not chosen.crawlers:
        raise SpecError("--accept: no policy and no crawler is chosen; checks have no baselines")
    _must_have_baselines(chosen, settings)
    saving: list[Callable[[], list[str]]] = []
    if chosen.cases:
        from .regression import rerun

        results = rerun.run(
            chosen.cases, settings.baselines, settings.processes, tell, settings.step_limit
        )
        saving.append(partial(rerun.accept, results, settings.baselines, failures))
    if chosen.crawlers:
        from . import crawlers

        judged = crawlers.run(chosen.crawlers, settings.baselines, settings.processes, tell)
        saving.append(partial(crawlers.accept, judged, settings.baselines, failures))
    lines: list[str] = []
    try:
        with interrupts_held():  # all files are written, or none
            lines = [line for save in saving for line in save()]
    except KeyboardInterrupt:
        raise KeyboardInterrupt("all baselines were written" if lines else "") from None
    return lines


def _must_have_baselines(chosen: GatePlan, settings: Settings) -> None:
    """Raise CrawlError if the file of a baseline cannot be read, before anything is run."""
    if chosen.cases:
        from .regression import rerun

        rerun.baselines(chosen.cases, settings.baselines)
    if chosen.crawlers:
        from . import crawlers

        crawlers.baselines(chosen.crawlers, settings.baselines)


def prune(chosen: GatePlan, settings: Settings) -> list[str]:
    """Remove the baselines that nothing in the configuration uses; return a line for each."""
    lines = []
    for path, name in _unused(chosen, settings):
        path.unlink()
        lines.append(f"{path}: removed, the baseline of {name}")
        with suppress(OSError):  # the folder has other files
            path.parent.rmdir()
    return lines


def _unused(chosen: GatePlan, settings: Settings) -> list[tuple[Path, str]]:
    """Return the files in the folder of baselines that no entry uses, and whose they are."""
    if not settings.baselines.is_dir():
        return []
    from . import crawlers
    from .regression import rerun

    return [
        *rerun.unused(chosen.all_cases, settings.baselines),
        *crawlers.unused(chosen.all_crawlers, settings.baselines),
    ]
