"""``counterpoint gate``: what ``counterpoint.toml`` asks for, with one report and one exit code."""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from counterpoint import show
from counterpoint.ci import configuration as configurations
from counterpoint.ci import reports
from counterpoint.ci.configuration import Configuration
from counterpoint.ci.outcome import Outcome, exit_code
from counterpoint.ci.plan import KINDS, GatePlan, plan
from counterpoint.ci.run import Settings, accept, prune, run
from counterpoint.console import FELL, OK, printing, progress, seconds, user_code
from counterpoint.models.checking.processes import temporary_folder

from .baselines import must_not_be_ci

_SPARED = re.compile("not written|no baseline was written")
"""A line about a baseline that --accept could not make."""

FORMATS = ("text", "json", "junit", "github", "sarif")


@dataclass(frozen=True)
class _Given:
    """The options of the command line that take the place of settings."""

    budget: float | None
    step_limit: float | None
    report: Path | None
    processes: int | None

    def settings(self, configuration: Configuration) -> Settings:
        table = configuration.document.gate
        report = configuration.folder / table.report if self.report is None else self.report
        return Settings(
            budget=self.budget or table.budget,
            step_limit=self.step_limit or table.step_limit,
            report=report.absolute(),
            baselines=Path(table.baselines),
            processes=self.processes or table.processes or os.cpu_count() or 1,
        )


@click.command()
@click.argument("names", nargs=-1, metavar="[NAME ...]")
@click.option("--config", type=click.Path(path_type=Path, exists=True, dir_okay=False),
              metavar="FILE",
              help="The configuration; by default the nearest counterpoint.toml, or pyproject.toml "
                   "with a section [tool.counterpoint], here or above.")  # fmt: skip
@click.option("--list", "listing", is_flag=True, help="Name the entries, and run nothing.")
@click.option("--schema", is_flag=True,
              help="Print the JSON schema of counterpoint.toml, for editors.")  # fmt: skip
@click.option("--only", type=click.Choice(list(KINDS)), help="Run only entries of this kind.")
@click.option("--budget", type=float, callback=seconds, metavar="SECONDS",
              help="Time limit for all checks of specs together; checks that are not decided "
                   "then are unknown.")  # fmt: skip
@click.option("--step-limit", type=float, callback=seconds, metavar="SECONDS",
              help="Processor time that a policy may use for one step.")  # fmt: skip
@click.option("--report", type=click.Path(path_type=Path), metavar="FOLDER",
              help="Write the report into this folder.")  # fmt: skip
@click.option("--accept", "accepting", is_flag=True,
              help="Crawl with the policies and the crawlers, and save the results as the new "
                   "baselines. Refused where the variable CI is set.")  # fmt: skip
@click.option("--prune", "pruning", is_flag=True,
              help="Remove the baselines that nothing in the configuration uses.")  # fmt: skip
@click.option("--force", is_flag=True,
              help="Allow --accept and --prune where CI is set, and let --accept save that a "
                   "policy fails, and what a crawler that breaks a condition does.")  # fmt: skip
@click.option("--processes", type=click.IntRange(1, 64), metavar="N",
              help="Use N processes at the same time; all cores by default.")  # fmt: skip
@click.option("--format", "form", type=click.Choice(FORMATS), default="text", show_default=True,
              help="Output format.")  # fmt: skip
def gate(
    names: tuple[str, ...], config: Path | None, listing: bool, only: str | None, accepting: bool,
    pruning: bool, force: bool, form: str, schema: bool, **given: Any,
) -> int:  # fmt: skip
    r"""Check specs, scenarios, policies and crawlers as counterpoint.toml says; write one report.

    NAME is a spec, a file, a policy, a web or a crawler of the configuration, or a pattern such as
    'window*'. Without names, everything is run.

    The configuration names, for each check, the properties that must be violated; all others must
    hold. Every policy must visit pages in the same order as its baseline, and its measures must
    stay near those of the baseline; so must those of a crawler, which must also keep its
    conditions.

    Exit code 0: everything is as expected; 1: an entry fell (its result is not as expected); 2: the
    command or the configuration is wrong; 3: nothing fell, but an entry is undecided.

    \b
    counterpoint gate
    counterpoint gate --list
    counterpoint gate specs/buffer.py spider
    counterpoint gate --only policies --accept
    counterpoint gate --budget 600 --report build/report
    counterpoint gate --format github
    """
    if schema:
        click.echo(json.dumps(configurations.json_schema(), indent=2))
        return OK
    configuration = _configuration(config)
    _must_fit_together(accepting, pruning, listing, force)
    settings = _Given(**given).settings(configuration)
    start = Path.cwd()
    with configuration.entered():
        with user_code():
            chosen = plan(configuration, names, KINDS[only] if only else None, start)
        if listing:
            return _list(chosen)
        if not chosen.entries and not pruning:
            what = f" of the kind {only}" if only else ""
            raise click.UsageError(f"{configuration.path.name} has no entry{what}")
        if accepting or pruning:
            return _change(chosen, settings, accepting, force)
        return _run(chosen, settings, form, start)


def _configuration(path: Path | None) -> Configuration:
    found = path or configurations.find(Path.cwd())
    if found is None:
        raise click.UsageError(configurations.NONE_FOUND)
    return configurations.load(found)


def _must_fit_together(accepting: bool, pruning: bool, listing: bool, force: bool) -> None:
    if sum((accepting, pruning, listing)) > 1:
        raise click.UsageError("--list, --accept and --prune are three commands; give one of them")
    if not (accepting or pruning):
        return
    context = click.get_current_context()
    if pruning and (context.params["names"] or context.params["only"]):
        raise click.UsageError("--prune looks at all baselines, and takes no names and no --only")
    for name in ("budget", "report", "form"):
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            option = "--format" if name == "form" else f"--{name}"
            what = "--accept" if accepting else "--prune"
            raise click.UsageError(f"{what} writes no report, and takes no {option}")
    must_not_be_ci("accept a change" if accepting else "remove a baseline", force)


def _list(chosen: GatePlan) -> int:
    with printing():
        for one in chosen.entries:
            click.echo(show.wrapped(f"{one.kind:8} {one.name}", indent=0))
            if one.why:
                click.echo(show.wrapped(one.why, indent=9))
    return OK


def _run(chosen: GatePlan, settings: Settings, form: str, start: Path) -> int:
    _must_run_something(chosen, settings)
    reports.refuse_foreign(settings.report)
    begun = time.monotonic()
    with temporary_folder() as logs:
        with progress("gate") as tell:
            outcomes = run(chosen, settings, tell, logs)
        taken = time.monotonic() - begun
        with user_code():
            reports.write(settings.report, outcomes, taken, logs=logs)
    reports.append_step_summary(outcomes, taken)
    with printing():
        _print(outcomes, chosen, settings, form, taken, start)
    return exit_code(outcomes)


def _must_run_something(chosen: GatePlan, settings: Settings) -> None:
    """Refuse a gate that would be green because the budget leaves out all checks."""
    least = [job.least_budget for job in chosen.jobs]
    if len(least) == len(chosen.entries) and min(least) > settings.budget:
        raise click.UsageError(
            f"no check has a least-budget of {settings.budget:g} s or less: "
            f"--budget {min(least):g} runs one"
        )


def _change(chosen: GatePlan, settings: Settings, accepting: bool, force: bool) -> int:
    with progress("gate") as tell:
        lines = accept(chosen, settings, tell, force) if accepting else prune(chosen, settings)
    with printing():
        for line in lines:
            click.echo(line)
        what = "changed" if accepting else "removed"
        failed = [line for line in lines if _SPARED.search(line)]
        number = len(lines) - len(failed)
        noun = "baseline" if number == 1 else "baselines"
        click.echo(f"{number} {noun} {what}" if number else f"nothing {what}")
    return FELL if failed else OK


def _print(
    outcomes: Sequence[Outcome], chosen: GatePlan, settings: Settings, form: str, taken: float,
    start: Path,
) -> None:  # fmt: skip
    """Print the results; ``taken`` is the seconds of the gate, and the user stands in ``start``."""
    if form != "text":
        made = {
            "json": reports.as_json, "junit": reports.junit,
            "github": reports.github, "sarif": reports.sarif,
        }[form]  # fmt: skip
        with user_code():
            text = made(outcomes)
        if text:
            click.echo(text)
        return
    show.gate(outcomes, reports.totals(outcomes), taken)
    budgets = [job.least_budget for job in chosen.jobs if job.least_budget > settings.budget]
    if budgets:
        noun = "check" if len(budgets) == 1 else "checks"
        click.echo(f"--budget {max(budgets):g} runs {len(budgets)} more {noun}")
    if start != Path.cwd() and exit_code(outcomes) != OK:
        click.echo(f"Paths and commands above are those of the folder {_near(Path.cwd(), start)}")
    click.echo(f"The report is {_near(settings.report / 'index.html', start)}")
    if (settings.report / reports.CRAWLERS).exists():
        where = _near(settings.report / reports.CRAWLERS, start)
        click.echo(f"Logs and outputs of crawlers are in {where}")


def _near(path: Path, start: Path) -> Path:
    """Return a path as a user in a folder writes it; the current folder is the configuration's."""
    if path.is_relative_to(start):
        return path.relative_to(start)
    both = path.is_relative_to(Path.cwd()) and start.is_relative_to(Path.cwd())
    return Path(os.path.relpath(path, start)) if both else path
