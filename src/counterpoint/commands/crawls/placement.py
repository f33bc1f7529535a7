"""``counterpoint links placement``: where on a site its external links stand."""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from counterpoint.console import OK, printing, progress, shown

from .link_pictures import check_picture, draw_placement, picture_option
from .reporting import counted

if TYPE_CHECKING:  # SQLAlchemy is loaded where a store is opened
    from counterpoint.crawler.store.placement import Counts, Placement

COLUMNS = ("site", "start", "by", "value", "pages", "with_links", "links",
           "on_1_percent", "on_10_percent", "gini")  # fmt: skip


@click.command("placement")
@click.option("--db", "where", required=True, metavar="STORE",
              help="A file, or postgresql://user:password@host/database.")  # fmt: skip
@click.option("--top", type=click.IntRange(1, 1_000), default=5, show_default=True, metavar="N",
              help="How many sections of each site to show.")  # fmt: skip
@click.option("--format", "form", type=click.Choice(["text", "json", "csv"]), default="text",
              show_default=True)  # fmt: skip
@picture_option
def placement(where: str, top: int, form: str, picture: Path | None) -> int:
    r"""Show where on each site external links stand.

    For each site, and for all together: pages, pages with external links, and external links, by
    level (0: the start page; 30: and all deeper levels), by tenth of the pages in the order of
    scanning, and by section (the first folder of the address). How unevenly links stand: the share
    on the 1% and the 10% of the pages with most links, and the Gini coefficient (0: each page has
    as many; near 1: one page has all). Pages are those answered with status 200; deleted links do
    not count.

    Exit code 0: shown; 2: the command is wrong, or there is no such store.

    \b
    counterpoint links placement --db crawl.db
    counterpoint links placement --db crawl.db --picture placement.svg
    counterpoint links placement --db crawl.db --format csv > placement.csv
    counterpoint links placement --db postgresql://me@host/crawl --format json --top 20
    """
    check_picture(picture, where)
    from counterpoint.crawler.store.opening import open_store
    from counterpoint.crawler.store.placement import placements, together

    found = []
    with open_store(where, reads=True) as store, progress("sites") as tell:
        for one in placements(store):
            found.append(one)
            if tell is not None:
                tell(f"{len(found):,}")
    if len(found) > 1:
        found.append(together(found))
    with printing():
        _FORMATS[form](found, top)
    if picture is not None:
        draw_placement(found, picture)
    return OK


def _print_json(found: list[Placement], top: int) -> None:
    rows = [_as_json(one, top) for one in found]
    click.echo(json.dumps(rows, indent=2, ensure_ascii=False))


def _print_csv(found: list[Placement], top: int) -> None:
    lines = csv.writer(sys.stdout, lineterminator="\n")
    lines.writerow(COLUMNS)
    for one in found:
        lines.writerows(_rows(one, top))


def _print_text(found: list[Placement], top: int) -> None:
    for number, one in enumerate(found):
        _print(one, top, first=not number)
    if not found:
        click.echo("no page was scanned")


_FORMATS = {"text": _print_text, "json": _print_json, "csv": _print_csv}


def _sections(found: Placement, top: int) -> list[tuple[str, Counts]]:
    return sorted(found.sections.items(), key=lambda one: (-one[1].links, one[0]))[:top]


def _concentration(found: Placement) -> dict[str, float]:
    return {"on_1_percent": found.share_of_top(1), "on_10_percent": found.share_of_top(10),
            "gini": found.gini()}  # fmt: skip


def _as_json(found: Placement, top: int) -> dict[str, Any]:
    return {
        "site": found.number or None,
        "start": found.start,
        **vars(found.counts),
        **_concentration(found),
        "levels": [{"level": k, **vars(one)} for k, one in sorted(found.levels.items())],
        "tenths": [{"tenth": k, **vars(one)} for k, one in enumerate(found.tenths, 1)],
        "sections": [{"section": name, **vars(one)} for name, one in _sections(found, top)],
    }


def _rows(found: Placement, top: int) -> list[list[Any]]:
    from counterpoint.crawler.store.placement import name_of_level

    counts = [("site", "all", found.counts)]
    counts += [("level", name_of_level(k), one) for k, one in sorted(found.levels.items())]
    counts += [("tenth", str(k), one) for k, one in enumerate(found.tenths, 1)]
    counts += [("section", name, one) for name, one in _sections(found, top)]
    rows: list[list[Any]] = [
        [found.number or "", found.start, by, value, one.pages, one.with_links, one.links, "", "",
         ""]
        for by, value, one in counts
    ]  # fmt: skip
    rows[0][-3:] = [f"{value:.4f}" for value in _concentration(found).values()]
    return rows


def _print(found: Placement, top: int, first: bool) -> None:
    from counterpoint.crawler.store.placement import name_of_level

    counts = found.counts
    name = f"{found.number}  {found.start}" if found.number else found.start
    click.echo(("" if first else "\n") + shown(name))
    click.echo(f"  {counted(counts.pages, 'page')}, {counts.with_links:,} with external links "
               f"({counts.with_links / counts.pages:.1%}), {counted(counts.links, 'link')}",
               )  # fmt: skip
    if not counts.links:
        return
    click.echo(f"  on 1% of the pages {found.share_of_top(1):.1%}, on 10% "
               f"{found.share_of_top(10):.1%}; Gini {found.gini():.3f}")  # fmt: skip
    click.echo(f"  {'level':<28} {'pages':>9} {'with links':>12} {'links':>12}")
    for level, one in sorted(found.levels.items()):
        name = name_of_level(level)
        click.echo(f"  {name:<28} {one.pages:>9,} {one.with_links / one.pages:>12.1%} "
                   f"{one.links:>12,} {one.links / counts.links:6.1%}")  # fmt: skip
    if found.sections:
        click.echo("  section")
    for section, one in _sections(found, top):
        click.echo(f"  {shown(section):<28} {one.pages:>9,} {one.with_links / one.pages:>12.1%} "
                   f"{one.links:>12,} {one.links / counts.links:6.1%}")  # fmt: skip
    shares = " ".join(f"{one.links / counts.links:5.1%}" for one in found.tenths)
    click.echo(f"  links by tenth of the pages scanned\n    {shares}")
