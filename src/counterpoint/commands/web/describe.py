"""``counterpoint web describe``: the planted structure of a web, compared with measurements."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from counterpoint.console import FELL, OK, must_be_writable, printing, progress
from counterpoint.sim_web import profile
from counterpoint.sim_web.errors import WebError

if TYPE_CHECKING:  # numba and matplotlib are loaded where a web is made
    from counterpoint.sim_web.describe.description import Description

FORMATS = (".png", ".svg")


@click.command()
@click.option("--profile", "name", required=True, metavar="NAME",
              help="The kind of web: a name of `web profiles`, or a TOML file.")  # fmt: skip
@click.option("--pages", type=int, metavar="N",
              help="Number of pages of the web.  [the profile's]")  # fmt: skip
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True,
              help="Seed of the web.")  # fmt: skip
@click.option("--sources", type=click.IntRange(1, 1_000_000), default=128, show_default=True,
              metavar="K", help="Measure distances from K randomly drawn pages.")  # fmt: skip
@click.option("--picture", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="Draw the measured bow-tie: FILE.svg or FILE.png.")  # fmt: skip
@click.option("--save", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="Save the links as arrays (NumPy's .npz), for `counterpoint graph`.",
              )  # fmt: skip
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text",
              show_default=True, help="Output format.")  # fmt: skip
def describe(
    name: str,
    pages: int | None,
    seed: int,
    sources: int,
    picture: Path | None,
    save: Path | None,
    form: str,
) -> int:
    r"""Generate a web, and compare its planted structure with measurements.

    The measurements use only the links: components, degrees, distances, levels.

    Exit code 0: every page is in the component in which it was planted; 1: a page is in another
    component; 2: the command or a file is wrong.

    \b
    counterpoint web describe --profile broder-1999
    counterpoint web describe --profile broder-1999 --pages 1000000 --seed 7
    counterpoint web describe --profile mine.toml --picture bowtie.svg --format json
    """
    _must_be_drawable(picture)
    must_be_writable("--save", save)
    with progress("web") as tell:
        found = _measured(name, pages, seed, sources, save, tell)
        if picture is not None:
            from counterpoint.sim_web.describe.picture import draw

            if tell:
                tell("drawing")
            draw(found, picture)
    with printing():
        if form == "json":
            click.echo(json.dumps(found.to_json(), indent=2, ensure_ascii=False))
        else:
            from counterpoint.commands.web.description import report

            report(found, name)
    for path, contents in ((picture, "shows the bow-tie"), (save, "contains the links")):
        if path is not None:
            click.echo(f"{path} {contents}", err=True)
    return FELL if found.misplaced else OK


def _measured(
    name: str,
    pages: int | None,
    seed: int,
    sources: int,
    save: Path | None,
    tell: Callable[[str], None] | None,
) -> Description:
    """Generate a web and return its description.

    Parameters
    ----------
    name : str
        The name or the path of the profile.
    pages : int, optional
        The number of pages; by default that of the profile.
    seed : int
    sources : int
        The number of pages from which distances are measured.
    save : Path, optional
        The file to which the links are written.
    tell : callable, optional
        Called with lines of progress.
    """
    kind = profile.load(name)
    from counterpoint.sim_web.describe.description import describe as measured
    from counterpoint.sim_web.describe.memory import must_fit
    from counterpoint.sim_web.generator import Web

    must_fit(kind, int(kind.pages) if pages is None else pages)
    web = Web(kind, pages, seed)
    written = None
    if tell:
        show_line = tell

        def written(done: int) -> None:
            show_line(f"{done:,} of {web.pages:,} pages have their links")

    links = web.explicit(written)
    if save is not None:
        if tell:
            tell(f"writing {save}")
        links.save(save)
    return measured(web, links, sources, tell)


def _must_be_drawable(picture: Path | None) -> None:
    must_be_writable("--picture", picture)
    if picture is not None and picture.suffix.lower() not in FORMATS:
        raise WebError(f"--picture: {picture} ends neither in {' nor in '.join(FORMATS)}")
