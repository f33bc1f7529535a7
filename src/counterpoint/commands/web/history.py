"""``counterpoint web history``: how captured pages have changed."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from counterpoint.console import printing, progress, shown
from counterpoint.crawler.errors import CrawlError

if TYPE_CHECKING:  # numba is loaded where a capture is read
    from counterpoint.studies.captured.history import PageHistory, Version


@click.command()
@click.argument("captures", nargs=-1, required=True, metavar="CAPTURE...",
                type=click.Path(exists=True, path_type=Path))  # fmt: skip
@click.option("--page", metavar="URL", help="List the captures of this page.")
@click.option("--top", type=click.IntRange(1), default=20, show_default=True, metavar="N",
              help="How many of the pages that changed most are listed (text).")  # fmt: skip
@click.option("--index", type=click.Path(file_okay=False, path_type=Path), metavar="FOLDER",
              help="The folder of the indexes.  [beside the files]")  # fmt: skip
@click.option("--format", "form", type=click.Choice(["text", "json", "csv"]), default="text",
              show_default=True, help="Output format.")  # fmt: skip
def history(
    captures: tuple[Path, ...], page: str | None, top: int, index: Path | None, form: str
) -> None:
    r"""Show how the pages of a capture have changed.

    CAPTURE is a WARC file, or a folder of them. Two captures of a page differ if the status or the
    body does; one that is not whole shows nothing. Changes a day are estimated from what the
    captures show, with little bias also where a page changed each time.

    Exit code 0: it is shown; 2: the command is wrong, or a file cannot be read.

    \b
    counterpoint web history captures/
    counterpoint web history 2024.warc.gz 2025.warc.gz --format csv > history.csv
    counterpoint web history captures/ --page http://a.test/news.html
    """
    from counterpoint.crawler.archives.captured import CapturedWeb
    from counterpoint.crawler.documents.addresses import normalized
    from counterpoint.studies.captured.history import histories, versions

    with progress("history") as tell, CapturedWeb(list(captures), index, tell=tell) as web:
        if page is None:
            found = list(histories(web))
            written = _PAGES[form](found, top)
        else:
            address = normalized(page) or normalized(f"http://{page}")
            seen = [] if address is None else versions(web, address)
            if not seen:
                raise CrawlError(f"--page {page}: was not captured")
            written = _VERSIONS[form](seen, address or page)
    with printing():
        click.echo(written, nl=False)


def _summary(found: list[PageHistory]) -> dict[str, int]:
    compared = [one for one in found if one.comparisons]
    return {"pages": len(found), "captures": sum(one.captures for one in found),
            "compared": len(compared),
            "changed": sum(one.changes > 0 for one in compared)}  # fmt: skip


def _text(found: list[PageHistory], top: int) -> str:
    counts = _summary(found)
    lines = [f"{counts['pages']:,} pages, {counts['captures']:,} captures",
             f"{counts['compared']:,} pages could be compared; {counts['changed']:,} of them "
             "changed"]  # fmt: skip
    most = sorted((one for one in found if one.changes), key=lambda one: -one.changes)[:top]
    if most:
        lines += ["", "captures  changes  a day   last  page"]
    for one in most:
        often = "-" if one.per_day is None else f"{one.per_day:.3g}"
        lines.append(f"{one.captures:>8,}  {one.changes:>7,}  {often:>5}  {one.status:>5}  "
                     f"{shown(one.address)}")  # fmt: skip
    return "\n".join(lines) + "\n"


def _json(found: list[PageHistory], top: int) -> str:
    said = _summary(found) | {"histories": [one._asdict() for one in found]}
    return json.dumps(said, indent=2, ensure_ascii=False) + "\n"


def _csv(found: list[PageHistory], top: int) -> str:
    return _table(("address", "captures", "comparisons", "changes", "first", "last", "status",
                   "per_day"), [list(one) for one in found])  # fmt: skip


def _page_text(found: list[Version], address: str) -> str:
    from counterpoint.crawler.fetching.politeness import day_and_time

    words = {None: "", True: "changed", False: "the same"}
    lines = [shown(address)]
    lines += [f"  {day_and_time(one.time)}  {one.status}  {one.size:>9,} bytes  "
              f"{words[one.changed]}".rstrip() for one in found]  # fmt: skip
    return "\n".join(lines) + "\n"


def _page_json(found: list[Version], address: str) -> str:
    said = {"address": address, "versions": [one._asdict() for one in found]}
    return json.dumps(said, indent=2, ensure_ascii=False) + "\n"


def _page_csv(found: list[Version], address: str) -> str:
    return _table(("time", "status", "size", "changed"), [list(one) for one in found])


def _table(head: tuple[str, ...], rows: list[list[object]]) -> str:
    from counterpoint.crawler.store.exporting import harmless

    text = io.StringIO()
    lines = csv.writer(text, lineterminator="\n")
    lines.writerow(head)
    lines.writerows([harmless("" if cell is None else str(cell)) for cell in row] for row in rows)
    return text.getvalue()


_PAGES = {"text": _text, "json": _json, "csv": _csv}
_VERSIONS = {"text": _page_text, "json": _page_json, "csv": _page_csv}
