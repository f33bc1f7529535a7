"""Names the damaged places of WARC files, of which a command uses what is left."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:  # loaded where WARC files are read
    from counterpoint.crawler.archives.warc_records import Damage

SHOWN = 10
"""So many damaged places are printed."""


def name_damages(damages: Iterable[Damage]) -> None:
    """Print damaged places on standard error."""
    found = list(damages)
    for one in found[:SHOWN]:
        click.echo(f"counterpoint: {one.path}: at byte {one.at:,}: {one.reason}", err=True)
    if len(found) > SHOWN:
        click.echo(f"counterpoint: and {len(found) - SHOWN:,} further damaged places", err=True)


def name_damages_of(paths: Iterable[Path], folder: Path | None = None) -> None:
    """Print the damaged places of WARC files, and of folders of them, which have indexes."""
    from counterpoint.crawler.archives.index import CaptureIndex

    index = CaptureIndex(paths, folder)
    try:
        name_damages(index.damages)
    finally:
        index.close()
