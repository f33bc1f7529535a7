"""Foreign crawlers beside policies: one table, the same webs, the same budget in pages."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import Any

from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.policy.protocol import Scope
from counterpoint.models.checking.processes import temporary_folder
from counterpoint.studies.comparison.comparison import Comparison, PolicyRuns, Tell
from counterpoint.studies.comparison.plan import ComparisonPlan

from .commands import command_of
from .running import run
from .runs import TIMEOUT, Subject, SubjectRun, check_name

_NAMED = re.compile(r"(?:(?P<name>[^:=]*)=)?cmd:(?P<command>.*)", re.DOTALL)

SHOWN = ("requests", "disallowed", "duplicates", "wasted", "starving-sites")
"""The measures of logs that the table of a comparison shows."""


def is_subject(name: str) -> bool:
    """Return whether an argument of a comparison is a command: ``cmd:…`` or ``NAME=cmd:…``."""
    return _NAMED.fullmatch(name) is not None


@dataclass(frozen=True)
class ComparedCrawlers:
    """The crawlers of a comparison, and their runs.

    Attributes
    ----------
    runs : dict of str to list of SubjectRun
        By name, in the order of seeds.
    """

    runs: dict[str, list[SubjectRun]] = field(default_factory=dict)


def subjects_of(plan: ComparisonPlan, timeout: float = TIMEOUT) -> dict[str, Subject]:
    """Return the crawlers of a plan by the names that the table gives them.

    Parameters
    ----------
    plan : ComparisonPlan
        Its policies are policies, and commands.
    timeout : float
        Seconds of one run.

    Raises
    ------
    CrawlError
        If a command or its name is wrong, or a name is there twice.
    """
    found: dict[str, Subject] = {}
    names = names_of(plan)
    numbers = (f"crawler-{number}" for number in count(1))
    for argument, name in zip(plan.policies, names, strict=True):
        parts = _NAMED.fullmatch(argument)
        if parts is None:
            continue
        if parts["name"] is not None:
            check_name(parts["name"])
        if names.count(name) > 1:
            raise CrawlError(f"'{name}' is named twice")
        label = parts["name"] or next(number for number in numbers if number not in names)
        found[name] = Subject(
            label, command_of(parts["command"]), plan.profile, plan.budget, plan.web_pages,
            tuple(plan.seeds), 1, timeout, cut=True,
        )  # fmt: skip
    return found


def names_of(plan: ComparisonPlan) -> tuple[str, ...]:
    """Return the names in the table: of a command, its own if it has one."""
    found = []
    for argument in plan.policies:
        parts = _NAMED.fullmatch(argument)
        found.append(argument if parts is None or not parts["name"] else parts["name"])
    return tuple(found)


def run_crawlers(
    subjects: dict[str, Subject], processes: int, tell: Tell | None, logs: Path | None = None
) -> ComparedCrawlers:
    """Run the crawlers of a comparison.

    Parameters
    ----------
    subjects : dict of str to Subject
    processes : int
        How many run at the same time.
    tell : callable or None
        Called with a line of text about the progress.
    logs : Path, optional
        A folder for logs and outputs; by default they are removed.
    """
    with nullcontext(logs) if logs else temporary_folder() as folder:
        made = run(list(subjects.values()), folder, processes, tell)
    runs = dict(zip(subjects, made, strict=True))
    return ComparedCrawlers(runs)


def joined(
    plan: ComparisonPlan, policies: Sequence[PolicyRuns], crawlers: ComparedCrawlers
) -> Comparison:
    """Return a comparison of policies and crawlers, in the order of the plan.

    Parameters
    ----------
    plan : ComparisonPlan
        With the names of all.
    policies : sequence of PolicyRuns
    crawlers : ComparedCrawlers
    """
    known = {policy.name: policy for policy in policies}
    for name, runs in crawlers.runs.items():
        known[name] = _as_policy(plan, name, runs)
    return Comparison(plan, tuple(known[name] for name in plan.policies))


def _as_policy(plan: ComparisonPlan, name: str, runs: Sequence[SubjectRun]) -> PolicyRuns:
    crawls = [
        replace(one.crawl, policy=plan.policies.index(name))
        for one in runs
        if one.crawl is not None
    ]
    failed = [one for one in runs if one.findings]
    wrong = min(failed, key=lambda one: one.findings[0].answer, default=None)  # "fell" comes first
    fell = None
    if wrong is not None:
        last = wrong.tail.splitlines()[-1:] if wrong.ended != "not started" else []
        said = f"; its last words: {last[0]}" if last else ""
        fell = f"{name}: seed {wrong.seed}: {wrong.findings[0].text}{said}"
    elif len(crawls) < len(runs):
        fell = f"{name}: it fetched no page"
    return PolicyRuns(
        name, "a crawler, judged by the log of the web", Scope.WEB, fell,
        () if fell else tuple(crawls), wrong is not None and wrong.findings[0].answer == "unknown",
        beyond=bool(plan.profile.sites),
    )  # fmt: skip


def lines(crawlers: ComparedCrawlers) -> Iterator[str]:
    """Yield a table of what policies do not have: requests, refusals, waste."""
    from counterpoint.studies.comparison.table import NAME, named

    whole = {name: runs for name, runs in crawlers.runs.items()
             if not any(one.findings for one in runs)}  # fmt: skip
    if not whole:
        return
    yield ""
    yield f"{'logs of crawlers':{NAME}}" + "".join(f"{name:>{_width(name)}}" for name in SHOWN)
    for name, runs in whole.items():
        values = {one: _mean(runs, one) for one in SHOWN}
        cells = "".join(f"{values[one]:>{_width(one)}}" for one in SHOWN)
        yield from named(name, NAME, cells)


def _width(name: str) -> int:
    return max(8, len(name) + 2)


def _mean(runs: Sequence[SubjectRun], name: str) -> str:
    values = [one.measures[name] for one in runs if name in one.measures]
    return f"{sum(values) / len(values):,.1f}" if values else "-"


def as_json(crawlers: ComparedCrawlers) -> dict[str, Any]:
    """Return the measures of the logs for JSON, by crawler and seed."""
    return {
        name: {
            str(one.seed): {
                "ended": one.ended,
                "exit_code": one.exit_code,
                "findings": [finding.text for finding in one.findings],
                "measures": one.measures,
                "unknown": one.unknown,
            }
            for one in runs
        }
        for name, runs in crawlers.runs.items()
    }
