"""``counterpoint gate``: the main job."""

from __future__ import annotations

import json
import time
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from counterpoint import show
from counterpoint.ci import gate as gates
from counterpoint.ci import report as reports
from counterpoint.ci.gate import DEFAULT_BUDGET, Outcome
from counterpoint.ci.registry import JOBS
from counterpoint.console import FELL, OK, printing, processes_option, progress, seconds

if TYPE_CHECKING:  # numba is loaded where webs are made
    from counterpoint.ci.regression.judging import Judged


@click.command()
@click.option("--budget", type=float, callback=seconds, default=DEFAULT_BUDGET,
              show_default=True, metavar="SECONDS",
              help="For all checks of specs together.")  # fmt: skip
@click.option("--report", type=click.Path(path_type=Path), default=Path("report"),
              show_default=True, metavar="FOLDER", help="Where the report goes.")  # fmt: skip
@click.option("--only", type=click.Choice(["specs", "policies"]), help="Leave out the rest.")
@click.option("--accept", is_flag=True,
              help="Crawl with all policies, and commit what comes out as the baselines.",
              )  # fmt: skip
@processes_option
@click.option("--format", "form", type=click.Choice(["text", "json", "junit", "github"]),
              default="text", show_default=True)  # fmt: skip
def gate(
    budget: float, report: Path, only: str | None, accept: bool, processes: int, form: str
) -> int:
    r"""Check every registered spec, crawl with every policy, and write one report.

    What should hold must hold, and what should be violated must be violated, after as many steps.
    Every policy must visit pages in the order of its baseline (ci/baselines), and its measures must
    stay in their bands. Exit code 0: all as expected; 1: something fell; 2: the command is wrong;
    3: unknown.

    \b
    counterpoint gate
    counterpoint gate --budget 600 --report build/report
    counterpoint gate --only policies
    counterpoint gate --accept
    counterpoint gate --format github
    """
    if accept:
        return _accept(processes)
    reports.refuse_foreign(report)
    begun = time.monotonic()
    outcomes: list[Outcome] = []
    if only != "specs":
        _report()  # what is missing is said before the specs are checked
    if only != "policies":
        with progress("gate") as tell:
            outcomes = gates.run(budget, processes=processes, tell=tell)
    policies = _crawled(processes) if only != "specs" else []
    taken = time.monotonic() - begun
    reports.write(report, outcomes, taken, policies)
    with printing():
        _print(outcomes, policies, form, taken, budget)
        if form == "text":
            click.echo(f"The report is {report / 'index.html'}")
    return FELL if any(one.changes for one in policies) else gates.exit_code(outcomes)


def _crawled(processes: int) -> list[Judged]:
    from counterpoint.ci.regression import rerun

    with progress("gate: policies") as tell:
        return rerun.run(processes=processes, tell=tell)


def _accept(processes: int) -> int:
    context = click.get_current_context()
    for name in ("budget", "report", "only", "form"):
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            option = "--format" if name == "form" else f"--{name}"
            raise click.UsageError(f"--accept crawls with all policies, and takes no {option}")
    from counterpoint.ci.regression import rerun

    lines = rerun.accept(_crawled(processes))
    for line in lines:
        click.echo(line)
    click.echo(f"{len(lines)} baselines changed" if lines else "nothing changed")
    return OK


def _report() -> ModuleType:
    """Return the module that reports policies; it needs NumPy."""
    from counterpoint.ci.regression import report

    return report


def _print(
    outcomes: list[Outcome], policies: list[Judged], form: str, taken: float, budget: float
) -> None:
    if form == "json":
        checks = [v.to_json() for o in outcomes for v in o.verdicts]
        found = {"checks": checks, "policies": _report().as_json(policies) if policies else []}
        click.echo(json.dumps(found, indent=2, ensure_ascii=False))
    elif form == "junit":
        click.echo(reports.junit(outcomes, policies))
    elif form == "github":
        more = _report().github(policies) if policies else ""
        click.echo(f"{reports.github(outcomes)}\n{more}".rstrip("\n"))
    else:
        if outcomes:
            show.gate(outcomes, reports.totals(outcomes), taken)
        if policies:
            show.policies(policies, _report().total(policies))
        needed = [j.least_budget for j in JOBS if j.least_budget > budget]
        if outcomes and needed:
            click.echo(f"{len(needed)} more are run with --budget {max(needed):g}")
