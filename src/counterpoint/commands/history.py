"""``counterpoint history``: recorded histories of transactions."""

from __future__ import annotations

import json
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from counterpoint import show
from counterpoint.commands import recording
from counterpoint.console import FELL, OK, UNKNOWN, must_be_page, printing, seconds, shown
from counterpoint.models.limits import Limits

if TYPE_CHECKING:
    from counterpoint.histories.report import Report, Result

COLOURS = {"holds": "green", "violated": "red", "unknown": "yellow"}


@click.group()
def history() -> None:
    r"""Record and judge histories of transactions.

    \b
    counterpoint history record sqlite --out history.jsonl
    counterpoint history check history.jsonl
    counterpoint history survey ghc-stm
    """


for _command in (recording.record, recording.subjects, recording.survey):
    history.add_command(_command)


def _criteria(context: click.Context, parameter: click.Parameter, given: tuple[str, ...]) -> Any:
    from counterpoint.histories.report import BY_NAME

    for name in given:
        if name not in BY_NAME:
            raise click.BadParameter(f"{name!r} is none of {', '.join(BY_NAME)}")
    return given


@history.command("check")
@click.argument("file", type=click.File("rb"), metavar="FILE")
@click.option("--criterion", "criteria", multiple=True, callback=_criteria, metavar="NAME",
              help="Judge only this criterion; repeatable. Weakest to strongest: read-committed, "
                   "read-atomic, causal, snapshot-isolation, serializability, "
                   "strict-serializability, virtual-world-consistency, opacity, tms2.",
              )  # fmt: skip
@click.option("--sessions", is_flag=True,
              help="The order of each process counts for the criteria below strict "
                   "serializability, too.")  # fmt: skip
@click.option("--input", "form_in", default="auto", show_default=True, metavar="FORMAT",
              type=click.Choice(["auto", "events", "jepsen-json", "jepsen-edn"]),
              help="The format of FILE: events (our JSON Lines), jepsen-json or jepsen-edn.",
              )  # fmt: skip
@click.option("--time-limit", type=float, callback=seconds, metavar="SECONDS",
              help="Time limit for versions whose order is open; what is not decided then is "
                   "unknown.")  # fmt: skip
@click.option("--kernel", default="auto", show_default=True,
              type=click.Choice(["auto", "c", "python"]),
              help="What judges large files: c (compiled at first use) or python. The answers are "
                   "the same.")  # fmt: skip
@click.option("--html", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="Write a page with a picture of the first violation.")  # fmt: skip
@click.option("--format", "form", type=click.Choice(["text", "json", "github"]), default="text",
              show_default=True, help="Output format.")  # fmt: skip
def check(
    file: Any,
    criteria: tuple[str, ...],
    sessions: bool,
    form_in: str,
    time_limit: float | None,
    kernel: str,
    html: Path | None,
    form: str,
) -> int:
    r"""Say which criteria the history in FILE satisfies.

    FILE has the events of transactions, one a line, or is a history of Jepsen (list-append or
    rw-register). The weakest criterion that is violated is explained by a short cycle of
    transactions, each of which must stand before the next one.

    Exit code 0: all criteria hold that are judged; 1: one is violated; 2: the command or the file
    is wrong; 3: nothing is violated, but a criterion is undecided.

    \b
    counterpoint history check history.jsonl
    counterpoint history check history.jsonl --criterion opacity
    counterpoint history check jepsen/history.edn --criterion snapshot-isolation --sessions
    counterpoint history check history.jsonl --html violation.html
    """
    from counterpoint.histories.history import HistoryError
    from counterpoint.histories.large.judging import check_file
    from counterpoint.models.explore.compiled.compiler import NoCompiler

    if html is not None:
        must_be_page(html)
    try:
        report = check_file(file, form_in, criteria, sessions=sessions,
                            limits=Limits(time_limit), kernel=kernel)  # fmt: skip
    except HistoryError as error:
        raise click.UsageError(f"{file.name}: {error}") from None
    except NoCompiler as error:
        raise click.UsageError(f"--kernel c: {error}") from None
    if not report.sources.history.counted().transactions:
        raise click.UsageError(f"{file.name}: it has no transaction, so there is nothing to judge")
    with printing():
        _print(file.name, report, form)
    if html is not None:
        _write_page(html, file.name, report)
    answers = {one.answer for one in report.results}
    if "violated" in answers:
        return FELL
    return UNKNOWN if "unknown" in answers else OK


def _print(name: str, report: Report, form: str) -> None:
    from counterpoint.histories.showing.formats import as_json, warnings

    if form == "json":
        found = {"file": name, **as_json(report), "warnings": warnings(report)}
        click.echo(json.dumps(found, indent=2, ensure_ascii=False))
    elif form == "github":
        _annotate(name, report)
    else:
        _print_text(name, report)


def _print_text(name: str, report: Report) -> None:
    from counterpoint.histories.showing.anomalies import summary
    from counterpoint.histories.showing.formats import warnings

    click.echo(textwrap.fill(shown(f"{name}: {summary(report.sources.history)}"), show.width()))
    explained = report.first_violated()
    for one in report.results:
        head = click.style(f"{one.answer:<9}", fg=COLOURS[one.answer])
        click.echo(f"{head} {one.criterion.name}{_remark(one)}")
        if one is explained:
            for line in _why(report, one):
                click.echo(textwrap.fill(shown(line), show.width(), initial_indent=" " * 10,
                                         subsequent_indent=" " * 12))  # fmt: skip
    strongest = report.strongest()
    if strongest and len(report.results) > 1:
        click.echo(f"The strongest that holds: {' and '.join(strongest)}.")
    for warning in warnings(report):
        click.secho(show.wrapped(warning, indent=0), fg="yellow")


def _remark(one: Result) -> str:
    from counterpoint.histories.showing.anomalies import anomaly

    found = one.judgement
    if one.answer == "violated":
        return f": {anomaly(found)}{_open(one)}"
    if one.answer == "unknown":
        return f": {found.reason}{_open(one)}"
    return f"  (since {one.implied_by} holds)" if one.implied_by else _open(one)


def _open(one: Result) -> str:
    found = one.judgement
    if not found.opened:
        return ""
    pairs = "pair" if found.opened == 1 else "pairs"
    return f"  ({found.opened:,} {pairs} of versions in an open order, {found.forced:,} forced)"


def _why(report: Report, one: Result) -> list[str]:
    from counterpoint.histories.showing.anomalies import steps

    found = one.judgement
    if found.finding is not None:
        return [f"{found.finding.text} (line {found.finding.place:,})"]
    lines = [f"{line}." for line in steps(report.sources, found.cycle)]
    for (early, late), cycle in found.reasons.items():
        first, second = report.sources.name(early), report.sources.name(late)
        lines.append(f"{first} wrote before {second}: the other order closes another cycle:")
        lines += [f"  {line}." for line in steps(report.sources, cycle)]
    return lines


def _annotate(name: str, report: Report) -> None:
    from counterpoint.histories.showing.anomalies import anomaly

    for one in report.results:
        if one.answer == "violated":
            text = shown(" ".join(_why(report, one)))
            click.echo(f"::error file={name},title={one.criterion.name}::{anomaly(one.judgement)}: "
                       f"{text}")  # fmt: skip


def _write_page(html: Path, name: str, report: Report) -> None:
    from counterpoint.files.outputs import replacing
    from counterpoint.histories.showing.picture import page

    with replacing(html) as out:
        out.write_text(page(name, report), encoding="utf-8")
