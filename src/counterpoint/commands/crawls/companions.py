"""``counterpoint links companions``: the companion set of the sites of a store."""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from counterpoint.console import OK, printing, progress, shown

from .link_pictures import check_picture, draw_companions, picture_option
from .reporting import counted

if TYPE_CHECKING:  # SQLAlchemy is loaded where a store is opened
    from counterpoint.crawler.store.companions import Companion, CompanionSet


@click.command("companions")
@click.option("--db", "where", required=True, metavar="STORE",
              help="A file, or postgresql://user:password@host/database.")  # fmt: skip
@click.option("--by", type=click.Choice(["host", "domain"]), default="host", show_default=True,
              help="What counts as one companion.")  # fmt: skip
@click.option("--top", type=click.IntRange(1, 10_000), default=20, show_default=True, metavar="N",
              help="How many of the strongest companions to list (text, json, picture).",
              )  # fmt: skip
@click.option("--format", "form", type=click.Choice(["text", "json", "csv"]), default="text",
              show_default=True)  # fmt: skip
@picture_option
def companions(where: str, by: str, top: int, form: str, picture: Path | None) -> int:
    r"""Show the sites outside the crawled ones to which links lead.

    The sites of the store are the target set. The sites to which their external links lead are its
    companion set, which is divided by connectivity: a part is the companions with links from the
    same number of target sites. The components are target sites that have companions in common,
    directly or over others. Deleted links do not count, nor do links on pages of other sites. By
    domain, the registered domains of the target sites are no companions.

    CSV has all companions, one a line, with the numbers of the target sites. Exit code 0: shown; 2:
    the command is wrong, or there is no such store.

    \b
    counterpoint links companions --db crawl.db
    counterpoint links companions --db crawl.db --by domain --picture companions.svg
    counterpoint links companions --db crawl.db --format csv > companions.csv
    counterpoint links companions --db postgresql://me@host/crawl --format json
    """
    check_picture(picture, where)
    from counterpoint.crawler.store.companions import companion_set
    from counterpoint.crawler.store.exporting import harmless
    from counterpoint.crawler.store.opening import open_store

    lines = csv.writer(sys.stdout, lineterminator="\n")
    with open_store(where, reads=True) as store, printing(), progress("companions") as tell:
        if form == "csv":
            lines.writerow([by, "target_sites", "links", "from"])
        seen = 0

        def each(one: Companion) -> None:
            nonlocal seen
            seen += 1
            if tell is not None and seen % 1000 == 0:
                tell(f"{seen:,}")
            if form == "csv":
                numbers = " ".join(map(str, sorted(one.links)))
                lines.writerow([harmless(one.name), len(one.links), one.total, numbers])

        found = companion_set(store, by, top, each)
    with printing():
        if form == "json":
            click.echo(json.dumps(_as_json(found, by), indent=2, ensure_ascii=False))
        elif form == "text":
            _print(found)
    if picture is not None:
        draw_companions(found, picture)
    return OK


def _as_json(found: CompanionSet, by: str) -> dict[str, Any]:
    return {
        "by": by,
        "target_sites": found.target_sites,
        "companions": found.companions,
        "links": found.links,
        "links_within": [
            {"from": number, "to": site, "links": links}
            for (number, site), links in sorted(found.within.items())
        ],
        "parts": [vars(part) for part in found.parts],
        "components": [vars(one) for one in found.components],
        "strongest": [
            {"name": one.name, "target_sites": sorted(one.links), "links": one.total}
            for one in found.strongest
        ],
    }


def _print(found: CompanionSet) -> None:
    within = sum(found.within.values())
    click.echo(f"{counted(len(found.target_sites), 'target site')}, "
               f"{counted(found.companions, 'companion')} with {counted(found.links, 'link')}; "
               f"{counted(within, 'link')} within the target set")  # fmt: skip
    if not found.parts:
        return
    click.echo("\nlinks from            companions            links")
    for part in found.parts:
        name = counted(part.target_sites, "target site")
        click.echo(f"  {name:<18} {part.companions:>9,} {part.companions / found.companions:6.1%} "
                   f"{part.links:>9,} {part.links / found.links:6.1%}")  # fmt: skip
    click.echo("\ncomponents: target sites with companions in common")
    for one in found.components[:10]:
        numbers = ", ".join(map(str, one.target_sites[:12]))
        more = ", ..." if len(one.target_sites) > 12 else ""
        click.echo(f"  {counted(len(one.target_sites), 'target site')} ({numbers}{more}), "
                   f"{counted(one.companions, 'companion')}")  # fmt: skip
    if len(found.components) > 10:
        click.echo(f"  and {len(found.components) - 10:,} further")
    click.echo("\nstrongest companions")
    for companion in found.strongest:
        sites = counted(len(companion.links), "target site")
        click.echo(f"  {shown(companion.name):<40} {sites:>16}, "
                   f"{counted(companion.total, 'link')}")  # fmt: skip
