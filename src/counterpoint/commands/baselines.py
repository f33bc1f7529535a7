"""Options of commands that compare measures with a baseline, and their outcomes as text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from counterpoint.ci.baseline_files.accepting import is_ci
from counterpoint.files.outputs import is_forced

if TYPE_CHECKING:  # numba is loaded where a web is made
    from counterpoint.ci.outcome import Outcome

FORMATS = ["text", "json", "junit", "github"]


def baseline_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options ``--baseline``, ``--band`` and ``--accept`` to a command."""
    for option in (
        click.option("--accept", is_flag=True,
                     help="Write the measures to the file of --baseline. Refused where CI is set, "
                          "unless --force is given."),
        click.option("--band", "bands", multiple=True, metavar="[MEASURE=]BAND",
                     help="How far a measure may move from the baseline: a number, or a share of "
                          "the baseline; without a measure, for all others; repeatable.  [2%]"),
        click.option("--baseline", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
                     help="Fail if a measure differs from this file by more than its band."),
    ):  # fmt: skip
        command = option(command)
    return command


def check_options(baseline: Path | None, bands: Sequence[str], accept: bool) -> None:
    """Refuse options that have no meaning together, and ``--accept`` in a run of CI."""
    for name, given in (("--band", bands), ("--accept", accept)):
        if given and baseline is None:
            raise click.UsageError(f"{name}: only with --baseline")
    if accept:
        must_not_be_ci("accept a change", is_forced())


def must_not_be_ci(what: str, force: bool) -> None:
    """Raise UsageError in a run of CI: nobody would review what a machine saves."""
    if is_ci() and not force:
        raise click.UsageError(f"CI is set: a machine should not {what}; --force allows it")


def print_outcomes(outcomes: Sequence[Outcome], form: str) -> None:
    """Print outcomes as JUnit XML or as annotations of GitHub."""
    from counterpoint.ci.reports.github import github
    from counterpoint.ci.reports.junit import junit

    command = click.get_current_context().info_name or ""
    click.echo(junit(outcomes) if form == "junit" else github(outcomes, command=command))


def print_findings(outcomes: Sequence[Outcome]) -> None:
    """Print what is not as expected, and warnings, for a terminal."""
    from counterpoint.show import GATE_COLOURS, wrapped

    for one in outcomes:
        answer = click.style(one.answer, fg=GATE_COLOURS[one.answer])
        click.echo(f"{answer}: {one.name}")
        for finding in one.findings:
            warned = "warning: " if finding.level == "warning" else ""
            first, *rest = f"{warned}{finding.text}".splitlines()
            click.echo(wrapped(first, indent=2))
            click.echo("".join(f"  {line}\n" for line in rest), nl=False)


def as_json(outcomes: Sequence[Outcome]) -> list[dict[str, Any]]:
    """Return outcomes ready for JSON."""
    return [
        {
            "name": one.name,
            "answer": one.answer,
            "again": one.again,
            "findings": [{"level": each.level, "text": each.text} for each in one.findings],
        }
        for one in outcomes
    ]
