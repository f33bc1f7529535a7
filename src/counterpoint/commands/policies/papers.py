"""``counterpoint papers``: repeats the measurements of papers."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from counterpoint.console import FELL, OK, must_be_writable, printing, processes_option, progress
from counterpoint.files.outputs import replacing

if TYPE_CHECKING:  # they load numba
    from counterpoint.studies.papers.overview import Row
    from counterpoint.studies.papers.papers import Paper
    from counterpoint.studies.papers.report import Report

Tell = Callable[[str], None] | None


@click.command()
@click.argument("names", nargs=-1, metavar="[STUDY...]")
@click.option("--seeds", type=click.IntRange(2, 100_000), default=30, show_default=True,
              metavar="K", help="Repeat each random experiment with K seeds.")  # fmt: skip
@processes_option
@click.option("--on", "address", metavar="ADDRESS",
              help="Run on the Dask cluster of the scheduler at tcp://host:port.")  # fmt: skip
@click.option("--keep", type=click.Path(path_type=Path), metavar="DIR",
              help="Save the result of each finished study in DIR, and take from there what the "
              "same version has finished.")  # fmt: skip
@click.option("--html", type=click.Path(path_type=Path), metavar="DIR",
              help="Write an HTML page with plots for each study into DIR, and an index.",
              )  # fmt: skip
@click.option("--table", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="Write the table of all claims as Markdown.")  # fmt: skip
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text",
              show_default=True, help="Output format.")  # fmt: skip
def papers(
    names: tuple[str, ...], seeds: int, processes: int, address: str | None, keep: Path | None,
    html: Path | None, table: Path | None, form: str,
) -> int:  # fmt: skip
    r"""Repeat the measurements of papers, and show which results are reproduced and which not.

    A STUDY is beebot, hits, scent, regret, stm, cs2, coverage or freshness; all of them if it is
    "all", or without STUDY.

    Exit code 0: the studies were done, whatever they measured; 1: a claim that stm checks does not
    hold; 2: the command is wrong. What is missing on this machine is said, and is no error.

    \b
    counterpoint papers beebot                       Table 2: R1, R2 and R3
    counterpoint papers stm --html report            the window protocol, down to running code
    counterpoint papers beebot scent --seeds 10 --html report
    counterpoint papers all --keep results --html report
    counterpoint papers --format json
    """
    from counterpoint.studies.papers import overview
    from counterpoint.studies.papers.papers import named

    wanted = named(names)
    for option, folder in (("--html", html), ("--keep", keep)):
        _must_be_folder(option, folder)
    must_be_writable("--table", table)
    with progress("papers") as tell, _machines(address):
        done = _done(wanted, seeds, processes, keep, tell)
    reports = [report for report, _ in done.values()]
    claims = overview.rows(reports)
    if html is not None:
        _write_pages(html, reports, claims)
    if table is not None:
        command = " ".join(["counterpoint papers", *(names or ["all"]), f"--seeds {seeds}"])
        with replacing(table) as unfinished:
            unfinished.write_text(overview.markdown(claims, command), "utf-8", newline="\n")
    with printing():
        if form == "json":
            found = {name: figures for name, (_, figures) in done.items()}
            click.echo(json.dumps(found, indent=2, ensure_ascii=False, allow_nan=False))
        else:
            from counterpoint.studies.papers.report import text

            click.echo("\n\n".join(text(report).rstrip() for report in reports))
            if len(reports) > 1:
                click.echo(f"\n\n{overview.text(claims)}", nl=False)
    return FELL if any(report.fell for report in reports) else OK


def _machines(address: str | None) -> AbstractContextManager[None]:
    """Return a context in which studies run on a cluster, or on this machine."""
    if address is None:
        return nullcontext()
    from counterpoint.studies.papers.study import on_cluster

    return on_cluster(address)


def _done(
    wanted: list[Paper], seeds: int, processes: int, keep: Path | None, tell: Tell
) -> dict[str, tuple[Report, dict[str, Any]]]:
    """Return the report and the figures of each study: kept ones, or those of a new run.

    All kept results are read, and the version of the program is determined, before the first study
    begins.
    """
    from counterpoint.studies.papers import kept

    found: dict[str, tuple[Report, dict[str, Any]] | None] = {}
    if keep is not None:
        kept.version()
        found = {paper.name: kept.load(keep, paper.name, seeds) for paper in wanted}
    done = {}
    saved: list[str] = []
    for paper in wanted:
        result = found.get(paper.name)
        if keep is not None and result is not None:
            click.echo(f"{paper.name}: from {kept.path_of(keep, paper.name, seeds)}", err=True)
        with _naming(saved, keep):
            done[paper.name] = result or _run(paper, seeds, processes, tell)
            if keep is not None and result is None:
                kept.save(keep, paper.name, seeds, *done[paper.name])
                saved.append(paper.name)
    return done


@contextmanager
def _naming(saved: list[str], keep: Path | None) -> Iterator[None]:
    """Let an interruption say which results were saved before it."""
    try:
        yield
    except KeyboardInterrupt:
        said = f"{keep} has the results of {', '.join(saved)}" if saved else ""
        raise KeyboardInterrupt(said) from None


def _run(
    paper: Paper, seeds: int, processes: int, tell: Tell
) -> tuple[Report, dict[str, Any]]:  # fmt: skip
    """Return the report and the figures of a study."""
    line = None if tell is None else lambda text: tell(f"{paper.name}: {text}")
    study = paper.study(range(seeds), processes, line)
    return paper.report(study), study.to_json()


def _write_pages(folder: Path, reports: list[Report], claims: list[Row]) -> None:
    from counterpoint.studies.papers.overview import write_index
    from counterpoint.studies.papers.page import write

    folder.mkdir(exist_ok=True)
    for report in reports:
        click.echo(f"{write(folder, report)} contains the report with plots", err=True)
    click.echo(f"{write_index(folder, claims, reports)} contains all claims", err=True)


def _must_be_folder(option: str, path: Path | None) -> None:
    """Refuse a folder in which nothing can be written, before long work begins."""
    if path is None:
        return
    if path.exists() and not path.is_dir():
        raise click.UsageError(f"{option}: {path} is no folder")
    place = path if path.is_dir() else path.absolute().parent
    if not place.is_dir():
        raise click.UsageError(f"{option}: there is no folder {place}")
    if not os.access(place, os.W_OK):
        raise click.UsageError(f"{option}: nothing can be written in {place}")
