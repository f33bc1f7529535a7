"""``counterpoint replay``: recorded counterexamples, in plain Python."""

from __future__ import annotations

import json
from typing import Any

import click

from counterpoint.console import FELL, OK, printing, user_code
from counterpoint.files.inputs import TooLargeError, whole


@click.command()
@click.argument("file", type=click.File("rb"))
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text",
              show_default=True, help="Output format.")  # fmt: skip
def replay(file: Any, form: str) -> int:
    r"""Replay the traces in FILE, the output of check --format json, in plain Python.

    Exit code 0: each trace has the recorded result; 1: one has another result; 2: the file is
    wrong.

    \b
    counterpoint check window-stm --set fetch-and-increment=old --format json > old.json
    counterpoint replay old.json
    counterpoint check window-stm --format json | counterpoint replay -
    """
    from counterpoint.models.checking.replaying import read_records, replay_record

    try:
        text = whole(file).decode("utf-8-sig")
    except TooLargeError as error:
        raise click.UsageError(f"{file.name} {error}") from None
    except UnicodeDecodeError as error:
        raise click.UsageError(f"{file.name} is no text in UTF-8: {error.reason}") from error
    with user_code():
        results = [replay_record(recorded) for recorded in read_records(text, file.name)]
    with printing():
        if form == "json":
            records = [{"title": r.title, "agrees": r.agrees, "said": r.outcome} for r in results]
            click.echo(json.dumps(records, indent=2, ensure_ascii=False))
            return OK if all(r.agrees for r in results) else FELL
        for result in results:
            colour = "green" if result.agrees else "red"
            click.echo(f"{click.style('agrees' if result.agrees else 'differs', fg=colour)}  "
                       f"{result.title}: {result.outcome}")  # fmt: skip
        if not results:
            click.echo("the file has no trace: nothing was violated and no witness was reached")
    return OK if all(r.agrees for r in results) else FELL
