"""``counterpoint web judge``: how well a crawler did, from the log and the truth alone."""

from __future__ import annotations

import json
from pathlib import Path

import click

from counterpoint.console import must_be_page, printing, progress, seconds


@click.command("judge")
@click.argument("log", type=click.Path(path_type=Path))
@click.option("--profile", default="", metavar="NAME|FILE",
              help="Refuse a log of a web of another profile.")  # fmt: skip
@click.option("--pages", type=click.IntRange(1), metavar="N", help="Or of another size.")
@click.option("--seed", type=int, metavar="S", help="Or of another seed.")
@click.option("--until", type=float, callback=seconds, metavar="SECONDS",
              help="Only what began so long after the first request, in virtual time.")  # fmt: skip
@click.option("--agent", default="", metavar="NAME",
              help="Only requests whose User-Agent contains NAME.")  # fmt: skip
@click.option("--client", default="", metavar="ADDRESS", help="Only requests from ADDRESS.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text",
              show_default=True)  # fmt: skip
@click.option("--html", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="Write a page with plots.")  # fmt: skip
def judge_(
    log: Path,
    profile: str,
    pages: int | None,
    seed: int | None,
    until: float | None,
    agent: str,
    client: str,
    form: str,
    html: Path | None,
) -> None:
    r"""Judge a crawler by LOG, the access log of `web serve`, and by the web's truth.

    The log says which web it is of. A log that breaks off in the middle of a line, since the
    server was killed, is judged up to there. LOG may be - for standard input.
    Exit code 0: judged; 2: the log is none, or of another web than asked for.

    \b
    counterpoint web judge access.jsonl
    counterpoint web judge access.jsonl --html judgment.html
    counterpoint web judge access.jsonl --agent Scrapy --until 600 --format json
    counterpoint web judge access.jsonl --profile broder-1999 --pages 100000 --seed 7
    """
    from counterpoint.sim_web.referee import (
        text,  # numpy and the generator only where they are wanted
    )
    from counterpoint.sim_web.referee.known import truth
    from counterpoint.sim_web.referee.opening import Wanted, judged
    from counterpoint.sim_web.referee.page import write

    must_be_page(html)
    with progress(f"judging {log}") as tell:
        found = judged(log, Wanted(profile, pages, seed, until, agent, client), truth, tell)
    with printing():
        if form == "json":
            click.echo(json.dumps(found.to_json(), indent=2, ensure_ascii=False))
        else:
            click.echo(text.text(found), nl=False)
    if html is not None:
        try:
            write(html, found)
        except OSError as error:  # it would name a temporary file
            raise click.UsageError(f"--html: {html}: {error.strerror}") from error
        click.echo(f"{html} shows it with plots", err=True)
