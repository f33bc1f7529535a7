"""``counterpoint links changes``: what has changed from one crawl to a later one."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from counterpoint.console import FELL, OK, must_be_writable, printing, shown

from .reporting import counted

if TYPE_CHECKING:  # SQLAlchemy and Jinja2 are loaded where they are used
    from jinja2 import Environment

    from counterpoint.crawler.store.changes import BrokenLink, Change, Changes

PRINTED = 20
"""The most pages and links of each kind that the text shows."""


@click.command("changes")
@click.argument("old", metavar="OLD")
@click.argument("new", metavar="NEW")
@click.option("--format", "form", type=click.Choice(["text", "json", "csv", "html"]),
              default="text", show_default=True)  # fmt: skip
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="Write to a file instead of printing.")  # fmt: skip
@click.option("--all", "every", is_flag=True,
              help="List all pages and links, and not the first 1,000 of each kind.")  # fmt: skip
def changes(old: str, new: str, form: str, out: Path | None, every: bool) -> int:
    r"""Compare a crawl with a later one of the same sites: pages, and broken links.

    OLD and NEW are stores of crawls. A link is broken if the page to which it leads was asked for
    and did not come: 404, another error of 400 or more, redirects that lead nowhere, or no answer.
    Pages that were not asked for are unknown, as are those that robots.txt or a rule of scope
    forbids. A broken link of which the earlier crawl knew nothing counts as new.

    Exit code 0: no link is broken that was not broken before; 1: there are new broken links; 2: the
    command is wrong, or there is no such store.

    \b
    counterpoint links changes last-week.db today.db
    counterpoint links changes last-week.db today.db --format html --out changes.html
    counterpoint links changes last-week.db today.db --format csv --all > changes.csv
    """
    must_be_writable("--out", out)
    from counterpoint.crawler.store.changes import SHOWN
    from counterpoint.crawler.store.changes import changes as changes_of
    from counterpoint.crawler.store.opening import open_store
    from counterpoint.files.outputs import replacing

    with open_store(old, reads=True) as before, open_store(new, reads=True) as after:
        found = changes_of(before, after, None if every else SHOWN)
    written = _WRITERS[form](found, old, new)
    if out is None:
        with printing():
            click.echo(written, nl=False)
    else:
        with replacing(out) as unfinished:
            unfinished.write_text(written, encoding="utf-8", newline="")
    return FELL if found.new else OK


def _json(found: Changes, old: str, new: str) -> str:
    said: dict[str, Any] = {
        "old": old, "new": new, "same": found.same, "pages": dict(found.pages),
        "broken": found.broken, "new_broken": found.new, "mended": found.mended,
        "unasked": found.unasked,
        "links": [one._asdict() for one in found.links],
        "changes": [one._asdict() for one in found.listed],
    }  # fmt: skip
    return json.dumps(said, indent=2, ensure_ascii=False) + "\n"


def _csv(found: Changes, old: str, new: str) -> str:
    from counterpoint.crawler.store.changes import rows_of
    from counterpoint.crawler.store.exporting import harmless

    text = io.StringIO()
    lines = csv.writer(text, lineterminator="\n")
    lines.writerows([harmless(str(cell)) for cell in row] for row in rows_of(found))
    return text.getvalue()


def templates() -> Environment:
    """Return the templates of the reports on links."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"), autoescape=True,
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip


def _html(found: Changes, old: str, new: str) -> str:
    return (
        templates()
        .get_template("changes.html.j2")
        .render(found=found, old=old, new=new, counts=_counts(found), links=_links(found))
    )


def _counts(found: Changes) -> list[tuple[str, int]]:
    """Return the counts with their words."""
    words = {
        "gained": "pages that came and did not come before",
        "lost": "pages that came before and were asked for in vain",
        "unlinked": "pages that came before and were not asked for now",
        "resized": "pages with another size",
        "moved": "pages that came before and redirect elsewhere now",
    }
    return [
        ("new broken links", found.new),
        ("broken links that were broken before", found.broken - found.new),
        *((words[str(change)], count) for change, count in found.pages.items()),
        ("pages with the same size", found.same),
        ("known pages that the later crawl did not ask for", found.unasked),
    ]


def _links(found: Changes) -> list[tuple[str, list[BrokenLink]]]:
    new = [one for one in found.links if one.new]
    return [("New broken links", new), ("Broken before", [o for o in found.links if not o.new])]


def _text(found: Changes, old: str, new: str) -> str:
    lines = [f"from {old} to {new}"]
    lines += [f"  {count:>9,}  {words}" for words, count in _counts(found)]
    for title, links in _links(found):
        lines += ["", title.lower()] * bool(links)
        for one in links[:PRINTED]:
            why = f" ({one.why})" * bool(one.why)
            lines += [f"  {one.status or '---'}  {shown(one.target)}{why}", f"       on {one.page}"]
        lines += _more(found.new if title == "New broken links" else found.broken - found.new)
    for change in found.pages:
        lines += _pages(found, change)
    return "\n".join(lines) + "\n"


def _pages(found: Changes, change: Change) -> list[str]:
    pages = [one for one in found.listed if one.change == change]
    if not pages:
        return []
    lines = [
        f"  {one.after or '---'}  {shown(one.address)}"
        + f"  {one.size_before:,} to {one.size_after:,} bytes" * (change == "resized")
        for one in pages[:PRINTED]
    ]
    return ["", f"{change} pages", *lines, *_more(found.pages[change])]


def _more(count: int) -> list[str]:
    more = count - PRINTED
    return [f"  ... {counted(more, 'further', '')}: --format csv --all"] if more > 0 else []


_WRITERS = {"text": _text, "json": _json, "csv": _csv, "html": _html}
