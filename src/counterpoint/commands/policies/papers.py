"""``counterpoint papers``: repeats the measurements of papers."""

from __future__ import annotations

import json
import os
from pathlib import Path

import click

from counterpoint.console import OK, printing, processes_option, progress


@click.command()
@click.argument("names", nargs=-1, metavar="[STUDY...]")
@click.option("--seeds", type=click.IntRange(2, 100_000), default=30, show_default=True,
              metavar="K", help="Repeat each random experiment with K seeds.")  # fmt: skip
@processes_option
@click.option("--html", type=click.Path(path_type=Path), metavar="DIR",
              help="Write an HTML page with plots for each study into DIR.")  # fmt: skip
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text",
              show_default=True, help="Output format.")  # fmt: skip
def papers(names: tuple[str, ...], seeds: int, processes: int, html: Path | None, form: str) -> int:
    r"""Repeat the measurements of papers, and show which results are reproduced and which not.

    A STUDY is beebot, hits, scent, regret, cs2, coverage or freshness; without STUDY, all are done.

    Exit code 0: the studies were done, whatever the results are; 2: the command is wrong.

    \b
    counterpoint papers beebot                       Table 2: R1, R2 and R3
    counterpoint papers beebot scent --seeds 10 --html report
    counterpoint papers --format json
    """
    from counterpoint.studies.papers.papers import named

    wanted = named(names)
    _must_be_folder(html)
    studies = {}
    with progress("papers") as tell:
        for paper in wanted:
            line = None if tell is None else lambda text, p=paper, t=tell: t(f"{p.name}: {text}")
            studies[paper.name] = paper.study(range(seeds), processes, line)
    reports = [paper.report(studies[paper.name]) for paper in wanted]
    if html is not None:
        from counterpoint.studies.papers.page import write

        html.mkdir(exist_ok=True)
        for report in reports:
            click.echo(f"{write(html, report)} contains the report with plots", err=True)
    with printing():
        if form == "json":
            found = {name: study.to_json() for name, study in studies.items()}
            click.echo(json.dumps(found, indent=2, ensure_ascii=False, allow_nan=False))
        else:
            from counterpoint.studies.papers.report import text

            click.echo("\n\n".join(text(report).rstrip() for report in reports))
    return OK


def _must_be_folder(path: Path | None) -> None:
    """Refuse a folder in which nothing can be written, before long work begins."""
    if path is None:
        return
    if path.exists() and not path.is_dir():
        raise click.UsageError(f"--html: {path} is no folder")
    place = path if path.is_dir() else path.absolute().parent
    if not place.is_dir():
        raise click.UsageError(f"--html: there is no folder {place}")
    if not os.access(place, os.W_OK):
        raise click.UsageError(f"--html: nothing can be written in {place}")
