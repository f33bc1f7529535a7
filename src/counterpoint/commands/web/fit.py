"""``counterpoint web fit``: a profile of the synthetic web, fitted to a captured web."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from counterpoint import show
from counterpoint.console import must_be_writable, printing, progress
from counterpoint.crawler.errors import CrawlError
from counterpoint.files.outputs import replacing

if TYPE_CHECKING:  # numba is loaded where a web is measured
    from counterpoint.studies.captured.settings import CapturedSource
    from counterpoint.studies.fitting.distance import Row
    from counterpoint.studies.fitting.fit import Fit
    from counterpoint.studies.fitting.measuring.measures import Measures

Tell = Callable[[str], None]


@click.command()
@click.argument("captures", nargs=-1, required=True, metavar="CAPTURE...",
                type=click.Path(exists=True, path_type=Path))  # fmt: skip
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="Write the profile to FILE; by default it is printed.")  # fmt: skip
@click.option("--report", is_flag=True,
              help="Compare the synthetic web of the profile with the captured one.")  # fmt: skip
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True,
              help="Seed of the synthetic web that is compared.")  # fmt: skip
@click.option("--index", type=click.Path(file_okay=False, path_type=Path), metavar="FOLDER",
              help="The folder of the indexes.  [beside the files]")  # fmt: skip
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text",
              show_default=True, help="Output format.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Short for --format json.")
def fit(
    captures: tuple[Path, ...], out: Path | None, report: bool, seed: int, index: Path | None,
    form: str, as_json: bool,
) -> None:  # fmt: skip
    r"""Fit a profile of the synthetic web to a captured web.

    CAPTURE is a WARC file, a folder of them, or the TOML file of a captured web. Each key that the
    capture determines is set; the others keep their defaults. A comment says what each rests on.

    With --report, the synthetic web of the profile is generated with as many pages, written as a
    capture, measured in the same way, and compared. Measures to which no key was fitted are a test
    of the profile.

    \b
    counterpoint web fit captures/ > mine.toml
    counterpoint web fit crawl.warc.gz --out mine.toml --report
    counterpoint web fit captured.toml --report --seed 3 --json
    """
    must_be_writable("--out", out)
    source = _source(captures, index)
    from counterpoint.studies.fitting.distance import compared
    from counterpoint.studies.fitting.fit import fitted
    from counterpoint.studies.fitting.measuring.measures import measured
    from counterpoint.studies.fitting.writing import to_toml

    with progress("fit") as tell:
        found = measured(source, tell)
        made = fitted(found, source.name if out is None else out.stem, _FIT_SEED, tell)
        rows = compared(found, made, seed, tell) if report else []
    for place in found.contents.damages:
        click.echo(f"counterpoint: {place}", err=True)
    text = to_toml(made, ", ".join(path.name for path in captures))
    if out is not None:
        _write(out, text)
    with printing():
        if as_json or form == "json":
            click.echo(
                json.dumps(_json(found, made, text, rows, seed), indent=2, ensure_ascii=False)
            )
        else:
            if out is None:
                click.echo(text, nl=False)
            _show(rows, seed, to_stderr=out is None)


_FIT_SEED = 1_000_003
"""The seed of the webs of the search, far from the seeds that are compared."""


def _source(captures: tuple[Path, ...], index: Path | None) -> CapturedSource:
    from counterpoint.studies.captured.settings import CapturedSource, source_of

    if any(path.suffix == ".toml" for path in captures):
        if len(captures) > 1:
            raise CrawlError("a captured web in TOML names its files itself: give it alone")
        if index is not None:
            raise CrawlError('--index: the TOML file names the folder, as index = "..."')
        found = source_of(captures[0])
        if found is None:
            raise CrawlError(f"{captures[0]}: has no table [captured]")
        if found.graph is not None:
            raise CrawlError(f"{captures[0]}: names a graph; web fit needs WARC files, as files")
        return found
    name = captures[0].name or "capture"
    folder = None if index is None else str(index)
    return CapturedSource(name.partition(".")[0] or name, tuple(map(str, captures)), folder)


def _write(out: Path, text: str) -> None:
    try:
        with replacing(out) as written:
            written.write_text(text, encoding="utf-8")
    except OSError as error:
        raise CrawlError(f"{out}: {error.strerror or error}") from None
    click.echo(f"{out} contains the profile", err=True)


def _json(found: Measures, made: Fit, text: str, rows: list[Row], seed: int) -> dict[str, Any]:
    compared = [{**row._asdict(), "difference": row.difference} for row in rows]
    return {
        "pages": found.structure.pages,
        "hosts": len(found.structure.starts),
        "profile": text,
        "keys": [
            {"section": one.section, "key": one.key, "value": one.value, "fitted": one.fitted,
             "rests_on": one.rests_on}
            for one in made.settings
        ],
        **({"seed": seed, "compared": compared} if rows else {}),
    }  # fmt: skip


def _show(rows: list[Row], seed: int, to_stderr: bool) -> None:
    """Print the comparison; on standard error where the profile is on standard output."""
    if not rows:
        return

    def line(text: str) -> None:
        click.echo(text, err=to_stderr)

    line("")
    group = ""
    for row in rows:
        if row.group != group:
            group = row.group
            head = "".join(f"{name:>13}" for name in ("captured", "synthetic", "difference"))
            line(click.style(f"{group:28}{head}", bold=True))
        cells = "".join(f"{_cell(value, row.share):>13}" for value in row[2:4])
        apart = _cell(row.difference, row.share, signed=True)
        line(f"  {row.name:26}{cells}{apart:>13}  {'fitted' if row.fitted else 'test'}")
    line("")
    line(show.wrapped(
        f"The synthetic web has the seed {seed}. fitted: a key of the profile was set to this "
        "measure; test: none was, so that the difference says how good the profile is."
    ))  # fmt: skip


def _cell(value: float | None, share: bool, signed: bool = False) -> str:
    if value is None:
        return "none"
    sign = "+" if signed else ""
    if share:
        return f"{100 * value:{sign}.2f}%"
    return (
        f"{value:{sign},.0f}" if abs(value) >= 1000 or value == int(value) else f"{value:{sign}.2f}"
    )
