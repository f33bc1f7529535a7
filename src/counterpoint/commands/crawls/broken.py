"""``counterpoint links broken``: the links of a crawl to pages that do not come."""

from __future__ import annotations

import json
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

import click

from counterpoint.console import FELL, OK, must_be_writable, printing, shown

from .changes import templates
from .reporting import counted

if TYPE_CHECKING:  # SQLAlchemy is loaded where a store is opened
    from counterpoint.crawler.store.broken import BrokenReference, BrokenTarget

PRINTED = 50
"""The most pages that the text shows."""
LINKING = 20
"""For each of them, the most pages that link to it."""


@click.command("broken")
@click.option("--db", "where", metavar="STORE", required=True,
              help="A file, or postgresql://user:password@host/database.")  # fmt: skip
@click.option("--since", metavar="TIME",
              help="Only links that broke within this time before the newest answer: 12h, 7d.",
              )  # fmt: skip
@click.option("--format", "form", type=click.Choice(["text", "json", "csv", "html"]),
              default="text", show_default=True)  # fmt: skip
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="Write to a file instead of printing.")  # fmt: skip
def broken(where: str, since: str | None, form: str, out: Path | None) -> int:
    r"""List the links of a crawl to pages that do not come, also while it runs.

    A link is broken if the last visit to its page failed: 404, another error of 400 or more,
    redirects that lead nowhere, or no answer. Pages that were not asked for are unknown, as are
    those that robots.txt or a rule of scope forbids. A crawl with --revisit asks again and again.

    Exit code 0: no link is broken; 1: there are broken links, with --since: that broke since then;
    2: the command is wrong, or there is no such store.

    \b
    counterpoint links broken --db crawl.db
    counterpoint links broken --db crawl.db --since 1d --format html --out broken.html
    counterpoint links broken --db crawl.db --since 7d --format csv > broken.csv
    """
    must_be_writable("--out", out)
    from counterpoint.crawler.beebot.amounts import period
    from counterpoint.crawler.beebot.crawling import last_time
    from counterpoint.crawler.store.broken import broken as broken_of
    from counterpoint.crawler.store.opening import open_store
    from counterpoint.files.outputs import replacing

    past = None if since is None else period(since, "--since")
    with open_store(where, reads=True) as store:
        begin = 0.0 if past is None else last_time(store) - past
        found = list(broken_of(store, begin))
    written = _WRITERS[form](found, where, since)
    if out is None:
        with printing():
            click.echo(written, nl=False)
    else:
        with replacing(out) as unfinished:
            unfinished.write_text(written, encoding="utf-8", newline="")
    return FELL if found else OK


def _by_target(found: list[BrokenReference]) -> list[tuple[BrokenTarget, list[BrokenReference]]]:
    return [(target, list(links)) for target, links in groupby(found, lambda one: one.target)]


def _summary(found: list[BrokenReference], since: str | None) -> str:
    links, pages = counted(len(found), "broken link"), counted(len(_by_target(found)), "page")
    past = f", broken within {since} before the newest answer" if since is not None else ""
    return f"{links} to {pages}{past}" if found else f"no broken link{past}"


def _when(seconds: float) -> str:
    from counterpoint.crawler.fetching.politeness import day_and_time

    return day_and_time(seconds)


def _came(target: BrokenTarget) -> str:
    """Return in words since when a page does not come."""
    visits = counted(target.failures, "visit")
    came = "it never came" if target.came is None else f"it came last at {_when(target.came)}"
    return f"{visits} failed; {came}"


def _text(found: list[BrokenReference], where: str, since: str | None) -> str:
    lines = [f"{where}: {_summary(found, since)}"]
    targets = _by_target(found)
    for target, links in targets[:PRINTED]:
        lines += ["", f"  {target.status or '---'}  {shown(target.address)}",
                  f"       since {_when(target.since)}; {_came(target)}"]  # fmt: skip
        pages = list(dict.fromkeys(link.page for link in links))
        lines += [f"       on {shown(page)}" for page in pages[:LINKING]]
        if len(pages) > LINKING:
            lines.append(f"       and on {counted(len(pages) - LINKING, 'further page')}")
    if len(targets) > PRINTED:
        more = counted(len(targets) - PRINTED, "further page")
        lines += ["", f"  ... {more}: --format csv"]
    return "\n".join(lines) + "\n"


def _json(found: list[BrokenReference], where: str, since: str | None) -> str:
    targets = [
        target._asdict() | {"links": [{"page": one.page, "anchor": one.anchor} for one in links]}
        for target, links in _by_target(found)
    ]  # fmt: skip
    said = {"store": where, "since": since, "broken": len(found), "targets": targets}
    return json.dumps(said, indent=2, ensure_ascii=False) + "\n"


def _csv(found: list[BrokenReference], where: str, since: str | None) -> str:
    from counterpoint.crawler.store.broken import as_csv

    return "".join(as_csv(found))


def _html(found: list[BrokenReference], where: str, since: str | None) -> str:
    return templates().get_template("broken.html.j2").render(
        store=where, summary=_summary(found, since), targets=_by_target(found), when=_when,
        came=_came,
    )  # fmt: skip


_WRITERS = {"text": _text, "json": _json, "csv": _csv, "html": _html}
