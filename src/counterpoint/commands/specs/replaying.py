"""``counterpoint replay``: recorded counterexamples and scenarios, in plain Python."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import click

from counterpoint import show
from counterpoint.console import FELL, OK, printing, user_code
from counterpoint.files.inputs import TooLargeError, whole


@dataclass(frozen=True)
class _Row:
    """What came of one trace or scenario.

    Attributes
    ----------
    title, outcome : str
        What it is, and the result in words.
    agrees : bool
    details : tuple of str
        The lines below a result that differs.
    chart : tuple of str
        The run; empty for a trace of JSON.
    """

    title: str
    agrees: bool
    outcome: str
    details: tuple[str, ...] = ()
    chart: tuple[str, ...] = ()


@click.command()
@click.argument("files", type=click.File("rb"), nargs=-1, required=True, metavar="FILE...")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text",
              show_default=True, help="Output format.")  # fmt: skip
@click.option("-v", "--verbose", is_flag=True, help="Print the run of each scenario as a chart.")
def replay(files: tuple[Any, ...], form: str, verbose: bool) -> int:
    r"""Replay the traces and the scenarios in each FILE, in plain Python.

    FILE is an output of check --format json, or a text with scenarios: steps, and what must be true
    after them.

    Exit code 0: each trace has the recorded result, and each scenario is met; 1: one has another
    result; 2: a file is wrong.

    \b
    counterpoint check window-stm --set fetch-and-increment=old --format json > old.json
    counterpoint replay old.json
    counterpoint check window-stm --format json | counterpoint replay -
    counterpoint replay -v scenarios/*.scenario
    """
    with user_code():
        rows = [row for file in files for row in _rows(_text(file), file.name)]
    with printing():
        if form == "json":
            records = [{"title": r.title, "agrees": r.agrees, "said": r.outcome} for r in rows]
            click.echo(json.dumps(records, indent=2, ensure_ascii=False))
        else:
            _print(rows, verbose)
    return OK if all(row.agrees for row in rows) else FELL


def _text(file: Any) -> str:
    try:
        return whole(file).decode("utf-8-sig")
    except TooLargeError as error:
        raise click.UsageError(f"{file.name} {error}") from None
    except UnicodeDecodeError as error:
        raise click.UsageError(f"{file.name} is no text in UTF-8: {error.reason}") from error


def _rows(text: str, name: str) -> list[_Row]:
    from counterpoint.models.checking.replaying import read_records, replay_record
    from counterpoint.models.scenarios import is_scenario, play, read_scenarios
    from counterpoint.spec.notation import SpecError

    if not is_scenario(text):
        records = read_records(text, name)
        try:
            results = [replay_record(recorded) for recorded in records]
        except SpecError as error:
            raise SpecError(f"{name}: {error}") from error
        return [_Row(one.title, one.agrees, one.outcome) for one in results]
    played = [play(one) for one in read_scenarios(text, name)]
    width = show.width()
    return [
        _Row(one.title, one.failure is None, one.outcome, tuple(one.details(width - 2)),
             tuple(one.chart(width - 2)))
        for one in played
    ]  # fmt: skip


def _print(rows: list[_Row], verbose: bool) -> None:
    for row in rows:
        colour = "green" if row.agrees else "red"
        head = click.style("agrees" if row.agrees else "differs", fg=colour)
        if row.details:
            click.echo(f"{head}  {row.title}")
            click.echo(show.wrapped(row.outcome, indent=2))
        else:
            click.echo(f"{head}  {row.title}: {row.outcome}")
        for line in (*row.details, *(("", *row.chart, "") if verbose and row.chart else ())):
            click.echo(f"  {line}".rstrip())
    if not rows:
        click.echo("the file has no trace: nothing was violated and no witness was reached")
