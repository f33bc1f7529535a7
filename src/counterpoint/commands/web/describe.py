"""``counterpoint web describe``: what was planted beside what is measured."""

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
              help="One of `counterpoint web profiles`, or a TOML file.")  # fmt: skip
@click.option("--pages", type=int, metavar="N", help="Pages of the web.  [the profile's]")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True)
@click.option("--sources", type=click.IntRange(1, 1_000_000), default=128, show_default=True,
              metavar="K", help="Pages from which distances are searched.")  # fmt: skip
@click.option("--picture", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="Draw the measured bow-tie: FILE.svg or FILE.png.")  # fmt: skip
@click.option("--save", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="Keep the links as arrays (NumPy's .npz).")  # fmt: skip
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text",
              show_default=True)  # fmt: skip
def describe(
    name: str,
    pages: int | None,
    seed: int,
    sources: int,
    picture: Path | None,
    save: Path | None,
    form: str,
) -> int:
    r"""Plant a web, write its links out, and measure them as if nothing were known of it.

    Exit code 0: every page is in the component in which it was planted; 1: one is not.

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
    for path, what in ((picture, "shows the bow-tie"), (save, "holds the links")):
        if path is not None:
            click.echo(f"{path} {what}", err=True)
    return FELL if found.misplaced else OK


def _measured(
    name: str,
    pages: int | None,
    seed: int,
    sources: int,
    save: Path | None,
    tell: Callable[[str], None] | None,
) -> Description:
    told = profile.load(name)
    from counterpoint.sim_web.describe.description import describe as measured
    from counterpoint.sim_web.describe.memory import must_fit
    from counterpoint.sim_web.generator import Web

    must_fit(told, int(told.pages) if pages is None else pages)
    web = Web(told, pages, seed)
    written = None
    if tell:
        say = tell

        def written(done: int) -> None:
            say(f"{done:,} of {web.pages:,} pages have their links")

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
