"""``counterpoint coverage viewable``: how much of a crawl can be shown again later."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from counterpoint.console import printing

if TYPE_CHECKING:  # SQLAlchemy is loaded where a store is opened
    from counterpoint.crawler.coverage.viewable import Viewable

PLACES = 20
"""So many damaged places are printed."""


@click.command()
@click.option("--warc", "archives", type=click.Path(path_type=Path), multiple=True, metavar="PATH",
              help="Examine a WARC file, or the WARC files of a folder; repeatable.")  # fmt: skip
@click.option("--db", "where", metavar="STORE",
              help="Look into a link store: a file, or postgresql://user:password@host/database.",
              )  # fmt: skip
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text",
              show_default=True)  # fmt: skip
def viewable(archives: tuple[Path, ...], where: str | None, form: str) -> None:
    r"""Find out which share of the collected pages can be shown again later.

    A page can be shown if its document is whole, can be decoded, and is of a format that browsers
    show, and if the images, style sheets, scripts and frames that it needs are there, too. An
    archive has all of this (`crawl --warc DIR`, or that of another crawler). A link store keeps no
    documents but knows their formats and what was wrong with them: its share is an upper bound.

    Pages are answers with status 200; each other page has one reason, the first that applies.
    Damaged places of an archive are named, and the rest is read: a damaged record counts as a page
    whose end is missing, if its address can be read, and otherwise not at all.

    Exit code 0: the shares were printed; 2: the command or a file is wrong.

    \b
    counterpoint coverage viewable --warc archive/
    counterpoint coverage viewable --db crawl.db
    """
    from counterpoint.crawler.coverage.viewable import of_archive, of_store
    from counterpoint.crawler.store.opening import open_store

    if bool(archives) == (where is not None):
        raise click.UsageError("give either --warc or --db")
    if where is None:
        found = of_archive(archives)
    else:
        with open_store(where, reads=True) as store:
            found = of_store(store)
    with printing():
        if form == "json":
            click.echo(json.dumps(_json(found), indent=2))
        else:
            click.echo("\n".join(_lines(found)))


def _lines(found: Viewable) -> list[str]:
    from counterpoint.crawler.coverage.viewable import SAID

    lines = [f"{found.pages:,} pages collected"]
    if found.needed is None:
        lines += [
            f"  at most {found.shown:,} can be shown again{_share(found.shown, found.pages)}: "
            "a store keeps no documents and does not know their resources"
        ]
    else:
        lines += [
            f"  {found.shown:,} can be shown again with all resources"
            f"{_share(found.shown, found.pages)}",
            f"  {found.alone:,} with or without them{_share(found.alone, found.pages)}",
            f"  {found.kept:,} of {found.needed:,} resources are there"
            f"{_share(found.kept or 0, found.needed)}",
        ]
    if found.reasons:
        lines += ["", "why the others cannot be shown again"]
    lines += [f"  {reason:<10} {count:9,}  {SAID[reason]}"
              for reason, count in found.reasons.items()]  # fmt: skip
    return lines + _damaged(found)


def _damaged(found: Viewable) -> list[str]:
    """Return lines on damaged places; what was lost there is in no number above."""
    if not found.damages:
        return []
    places = f"{len(found.damages):,} damaged place{'s' * (len(found.damages) > 1)}"
    lines = ["", f"{places}; what is lost there is not counted"]
    for damage in found.damages[:PLACES]:
        lines.append(f"  {damage.path.name}, byte {damage.at:,}: {damage.reason}")
    if len(found.damages) > PLACES:
        lines.append(f"  {len(found.damages) - PLACES:,} more: --format json names all")
    return lines


def _share(part: int, whole: int) -> str:
    return f" ({part / whole:.2%})" if whole else ""


def _json(found: Viewable) -> dict[str, object]:
    whole = found.pages or None
    return {
        "pages": found.pages,
        "shown": found.shown,
        "alone": found.alone,
        "share": whole and found.shown / whole,
        "share_alone": whole and found.alone / whole,
        "upper_bound": found.needed is None,
        "resources": None if found.needed is None else {"needed": found.needed, "kept": found.kept},
        "reasons": {reason.value: count for reason, count in found.reasons.items()},
        "damages": [
            {"file": str(path), "byte": at, "reason": reason} for path, at, reason in found.damages
        ],
    }
