"""``counterpoint sites``: the sites of a link store, added, listed, removed, tried again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from counterpoint.commands.damages import name_damages
from counterpoint.console import OK, printing, shown

if TYPE_CHECKING:  # SQLAlchemy is loaded where a store is opened
    from counterpoint.crawler.store.opening import Store


@click.group()
@click.option("--db", "where", metavar="STORE",
              help="A file, or postgresql://user:password@host/database.  [required]",
              )  # fmt: skip
@click.pass_context
def sites(context: click.Context, where: str | None) -> None:
    r"""Show and change the sites of a link store, also while it is crawled.

    Exit code 0: done; 2: the command is wrong, and nothing was changed.

    \b
    counterpoint sites --db crawl.db add http://example.org/ --name "An example"
    counterpoint sites --db crawl.db import sites.txt
    counterpoint sites --db crawl.db import captures/
    counterpoint sites --db crawl.db list
    counterpoint sites --db crawl.db retry 3
    counterpoint sites --db crawl.db remove 3
    """
    context.obj = where


def _open(where: str | None, create: bool = False, reads: bool = False) -> Store:
    from counterpoint.crawler.store.opening import open_store

    return open_store(_named(where), create=create, reads=reads)


def _named(where: str | None) -> str:
    """Return the store of ``--db``; it is required here, so that subcommands show their help.

    Raises
    ------
    UsageError
        If the option is missing.
    """
    if where is None:
        raise click.UsageError(
            "Missing option '--db': it stands before the subcommand, as in "
            "counterpoint sites --db crawl.db list"
        )
    return where


@sites.command("list")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text",
              show_default=True)  # fmt: skip
@click.pass_obj
def list_(where: str | None, form: str) -> int:
    """List the sites: number, standing, pages fetched and known, links found."""
    from counterpoint.crawler.store.seeds import listed

    with _open(where, reads=True) as store:
        found = listed(store)
    with printing():
        if form == "json":
            click.echo(json.dumps([site._asdict() for site in found], indent=2, ensure_ascii=False))
            return OK
        for site in found:
            click.echo(f"{site.number:>5}  {site.start}  {shown(site.full_name)}".rstrip())
            why = f" ({shown(site.reason)})" if site.reason else ""
            click.echo(f"       {site.standing}{why}; {site.fetched:,} of {site.known:,} pages; "
                       f"{site.external:,} external, {site.internal:,} internal, {site.bad:,} bad "
                       "links")  # fmt: skip
    return OK


@sites.command()
@click.argument("start", metavar="URL")
@click.option("--name", "full_name", default="", help="Its full name.")
@click.option("--short", "short_name", default="", help="Its short name.")
@click.option("--level", type=int, help="Its maximal level.")
@click.option("--cap", type=int, help="How many of its pages may be known.")
@click.pass_obj
def add(where: str | None, /, start: str, **about: Any) -> int:
    """Add the site that starts at URL; the store is made if there is none."""
    from counterpoint.crawler.store.lists import Seed, checked
    from counterpoint.crawler.store.seeds import add as added

    checked(Seed(start, **about))
    with _open(where, create=True) as store:
        click.echo(f"site {added(store, start, **about)}")
    return OK


@sites.command("import")
@click.argument("file", type=click.Path(path_type=Path))
@click.pass_obj
def import_(where: str | None, file: Path) -> int:
    """Add the sites of FILE, all or none: one address a line, or CSV, or WARC.

    CSV has the columns number, full name, short name, start, or those of its header; they are
    separated by semicolons, commas or tabs. Of a WARC file, or a folder of them, each host with an
    HTML page is a site that starts at its first one. Sites that are there already stay as they are.
    """
    from counterpoint.crawler.archives.fetcher import is_archive
    from counterpoint.crawler.store import lists
    from counterpoint.crawler.store.seeds import take_in

    text = _homes(file) if is_archive(file) else lists.text_of(file)
    lists.read(text, str(file))
    with _open(where, create=True) as store:
        count = take_in(store, text, str(file))
    click.echo(f"{count:,} site{'' if count == 1 else 's'} added")
    return OK


def _homes(path: Path) -> str:
    """Return the first page of each host of WARC files, a line each."""
    from counterpoint.crawler.archives.captured import CapturedWeb
    from counterpoint.crawler.errors import CrawlError

    with CapturedWeb([path]) as web:
        name_damages(web.index.damages)
        homes = list(web.index.homes())
    if not homes:
        raise CrawlError(f"{path}: has no HTML page, so it names no sites")
    return "".join(f"{home}\n" for home in homes)


@sites.command()
@click.argument("number", type=int)
@click.pass_obj
def remove(where: str | None, number: int) -> int:
    """Remove the site of this NUMBER with its pages, the links on them and their visits."""
    from counterpoint.crawler.store.seeds import remove as removed

    with _open(where) as store:
        removed(store, number)
    click.echo(f"site {number} was removed")
    return OK


@sites.command()
@click.argument("number", type=int)
@click.pass_obj
def retry(where: str | None, number: int) -> int:
    """Let the site of this NUMBER, which could not be loaded, be tried again."""
    from counterpoint.crawler.store.seeds import retry as retried

    with _open(where) as store:
        retried(store, number)
    click.echo(f"site {number} will be tried again")
    return OK
