"""``counterpoint web judge``: measures a crawler by the server's log and the web's truth."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from counterpoint.ci.outcome import exit_code
from counterpoint.commands.baselines import (
    FORMATS,
    as_json,
    baseline_options,
    check_options,
    print_findings,
    print_outcomes,
)
from counterpoint.console import above_zero, must_be_page, must_be_writable, printing, progress
from counterpoint.files.outputs import is_forced

if TYPE_CHECKING:  # NumPy and the generator are loaded only where they are wanted
    from counterpoint.ci.outcome import Outcome
    from counterpoint.sim_web.referee import Judgment


def _measures(context: click.Context, parameter: click.Parameter, value: bool) -> None:
    """List the measures of logs, and end the command."""
    if not value or context.resilient_parsing:
        return
    from counterpoint.show import entry
    from counterpoint.studies.subjects import MEASURES

    with printing():
        for one in MEASURES.values():
            entry(one.name, one.about + (" (a share)" if one.share else ""))
    context.exit()


@click.command("judge")
@click.argument("log", type=click.Path(path_type=Path))
@click.option("--profile", default="", metavar="NAME|FILE",
              help="Refuse the log if its web has another profile.")  # fmt: skip
@click.option("--pages", type=click.IntRange(1), metavar="N",
              help="Refuse the log if its web has another number of pages.")  # fmt: skip
@click.option("--seed", type=int, metavar="S",
              help="Refuse the log if its web has another seed.")  # fmt: skip
@click.option("--until", type=float, callback=above_zero, metavar="SECONDS",
              help="Judge only the requests in the first SECONDS of virtual time.")  # fmt: skip
@click.option("--agent", default="", metavar="NAME",
              help="Judge only requests whose User-Agent contains NAME.")  # fmt: skip
@click.option("--client", default="", metavar="ADDRESS",
              help="Judge only requests from ADDRESS.")  # fmt: skip
@click.option("--must", multiple=True, metavar="CONDITION",
              help="Fail if the condition does not hold, such as 'disallowed == 0'; repeatable.",
              )  # fmt: skip
@baseline_options
@click.option("--measures", is_flag=True, is_eager=True, expose_value=False, callback=_measures,
              help="List the measures for --must and --band.")  # fmt: skip
@click.option("--format", "form", type=click.Choice(FORMATS), default="text",
              show_default=True, help="Output format.")  # fmt: skip
@click.option("--html", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="Write an HTML page with plots.")  # fmt: skip
def judge_(
    log: Path,
    profile: str,
    pages: int | None,
    seed: int | None,
    until: float | None,
    agent: str,
    client: str,
    must: tuple[str, ...],
    baseline: Path | None,
    bands: tuple[str, ...],
    accept: bool,
    form: str,
    html: Path | None,
) -> int:
    r"""Judge a crawler by LOG, the access log of `web serve`, and by the web's truth.

    The log contains profile, size and seed of its web. If the server was killed while it wrote a
    line, the log is judged without that line. LOG may be - for standard input.

    Exit code 0: judged, and all conditions hold; 1: a condition does not hold, or a measure left
    the band around its baseline; 2: LOG is no access log, belongs to another web than --profile,
    --pages and --seed say, or the command is wrong; 3: a measure with a condition is unknown.

    \b
    counterpoint web judge access.jsonl
    counterpoint web judge access.jsonl --must 'disallowed == 0' --must 'coverage >= 20%'
    counterpoint web judge access.jsonl --baseline crawler.json --accept
    counterpoint web judge access.jsonl --html judgment.html
    counterpoint web judge access.jsonl --agent Scrapy --until 600 --format json
    counterpoint web judge access.jsonl --profile broder-1999 --pages 100000 --seed 7
    """
    # NumPy and the generator are loaded only here.
    from counterpoint.sim_web.referee.known import truth
    from counterpoint.sim_web.referee.opening import Selection, judge_file
    from counterpoint.sim_web.referee.page import write

    must_be_page(html)
    check_options(baseline, bands, accept)
    demanded = bool(must) or baseline is not None
    if demanded and str(log) == "-":
        raise click.UsageError("--must and --baseline need a log in a file")
    demands = _Demands(log, must, baseline, bands, accept) if demanded else None
    selection = Selection(profile, pages, seed, until, agent, client)
    with progress(f"judging {log}") as report:
        found = judge_file(log, selection, truth, report)
        whole = until is None and not agent and not client
        outcomes = demands.outcomes(found, whole) if demands is not None else []
    with printing():
        _print(found, outcomes, form)
    if html is not None:
        try:
            write(html, found)
        except OSError as error:  # its message names a temporary file
            raise click.UsageError(f"--html: {html}: {error.strerror}") from error
        click.echo(f"{html} contains the report with plots", err=True)
    return exit_code(outcomes)


class _Demands:
    """What the options ask of a log."""

    def __init__(
        self, log: Path, must: tuple[str, ...], baseline: Path | None, bands: tuple[str, ...],
        accept: bool,
    ) -> None:  # fmt: skip
        from counterpoint.ci.crawlers.bands import pairs_of
        from counterpoint.ci.crawlers.baseline import load
        from counterpoint.ci.crawlers.logs import LogDemands

        must_be_writable("--baseline", baseline if accept else None, replaces=False)
        before = None if baseline is None else load(baseline)  # refuses to replace other files
        self._asked = LogDemands(
            must, pairs_of(bands), None if accept else before, not accept and baseline is not None
        )
        self._log, self._path, self._accept = log, baseline, accept
        self._again = _again()

    def outcomes(self, found: Judgment, whole: bool) -> list[Outcome]:
        """Return what a log came to; write the baseline if that was asked for."""
        from counterpoint.ci.crawlers.baseline import save
        from counterpoint.ci.crawlers.logs import as_outcome, judge_log

        accept = f"{self._again} --accept"
        result = judge_log(self._log, found, whole, self._asked, accept)
        if self._accept and self._path is not None and result.now is not None:
            if result.fell and not is_forced():
                click.echo(f"{self._path}: not written, because a condition does not hold; "
                           "--force writes it", err=True)  # fmt: skip
            else:
                save(self._path, result.now)
                click.echo(f"{self._path} is the baseline now", err=True)
        return [as_outcome(result, self._log, self._again)]


_NOT_REPEATED = ("accept", "force", "form", "html")
"""The options that say what is done with the result."""


def _again() -> str:
    """Return the command that judges the same once more, without what it does with the result."""
    context = click.get_current_context()
    words = ["counterpoint", "web", "judge", str(context.params["log"])]
    for option in context.command.params:
        name = option.name or ""
        given = context.get_parameter_source(name) is ParameterSource.COMMANDLINE
        if given and isinstance(option, click.Option) and name not in _NOT_REPEATED:
            value = context.params[name]
            for one in value if option.multiple else (value,):
                words += [option.opts[0], str(one).removesuffix(".0")]
    return shlex.join(words)


def _print(found: Judgment, outcomes: Sequence[Outcome], form: str) -> None:
    from counterpoint.sim_web.referee import text

    if form in ("junit", "github"):
        print_outcomes(outcomes, form)
    elif form == "json":
        document = found.to_json()
        if outcomes:
            document["outcomes"] = as_json(outcomes)
        click.echo(json.dumps(document, indent=2, ensure_ascii=False))
    else:
        click.echo(text.text(found), nl=False)
        if outcomes:
            click.echo()
            print_findings(outcomes)
