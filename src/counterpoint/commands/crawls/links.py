"""``counterpoint links``: what a crawl stored, filtered, sorted, printed or exported."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from counterpoint.console import OK, must_be_writable, printing, progress, shown
from counterpoint.crawler.errors import CrawlError

from .broken import broken
from .changes import changes
from .companions import companions
from .placement import placement

if TYPE_CHECKING:  # SQLAlchemy is loaded where a store is opened
    from counterpoint.crawler.store.opening import Store
    from counterpoint.crawler.store.schema import State
    from counterpoint.crawler.store.views import Filter, Kind

FORMATS = ("text", "csv", "jsonl", "graphml", "parquet")
_OPTIONS = {"where": "--db", "kind": "--internal, --external or --bad", "filters": "--filter",
            "form": "--format"}  # fmt: skip
"""How users write the parameters that have another name."""
FILTERS = "site, page, level, host, domain, prefix, state, status, reason, contains"


@click.group("links", invoke_without_command=True, subcommand_metavar="[COMMAND [ARGS]...]")
@click.option("--db", "where", metavar="STORE",
              help="A file, or postgresql://user:password@host/database.  [required]",
              )  # fmt: skip
@click.option("--internal", "kind", flag_value="internal", help="Links within a site.")
@click.option("--external", "kind", flag_value="external", default="external",
              help="Links to other sites.  [default]")  # fmt: skip
@click.option("--bad", "kind", flag_value="bad", help="What stood in an href and is no link.")
@click.option("--filter", "filters", multiple=True, metavar="NAME=VALUE",
              help=f"Only these; repeatable: {FILTERS}.")  # fmt: skip
@click.option("--sort", default="found", show_default=True, metavar="NAME",
              help="found; internal also target; external also address, host, domain; bad also "
                   "reason.")  # fmt: skip
@click.option("--descending", is_flag=True, help="The last first.")
@click.option("--limit", type=click.IntRange(1), metavar="N",
              help="How many at most.  [text: 50; otherwise all]")  # fmt: skip
@click.option("--format", "form", type=click.Choice(FORMATS), default="text", show_default=True)
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="Write to a file instead of printing.")  # fmt: skip
@click.pass_context
def links_(
    context: click.Context,
    where: str | None,
    kind: str,
    filters: tuple[str, ...],
    sort: str,
    descending: bool,
    limit: int | None,
    form: str,
    out: Path | None,
) -> int:
    r"""List the links that a crawl stored, also while it runs.

    `links companions` says whither external links lead, `links placement` where they stand, `links
    broken` which lead to pages that do not come, and `links changes` what has changed since an
    earlier crawl.

    \b
    counterpoint links --db crawl.db
    counterpoint links --db crawl.db --filter domain=example.org --sort address
    counterpoint links --db crawl.db --internal --filter site=3 --filter status=404
    counterpoint links --db crawl.db --internal --filter state=queued --limit 1000
    counterpoint links --db crawl.db --bad --filter reason=script --format csv --out bad.csv
    counterpoint links --db crawl.db --filter contains=library --format jsonl | head
    counterpoint links --db postgresql://me@host/crawl --format graphml --out hosts.graphml
    counterpoint links companions --db crawl.db --picture companions.svg

    \b
    site      number of the site found on     page    address of the page found on
    level     of the page found on            prefix  how the address begins
    host      external: whither               domain  external: its registered domain
    state     internal: queued, issued, done, dropped, beyond     status  internal: 200, 404, ...
    reason    bad: why                        contains  text in address, anchor or bad link

    In CSV, a cell that a spreadsheet would take for a formula begins with an apostrophe. GraphML is
    the graph of pages (internal) or of sites and hosts (external). Exit code 0: listed; 2: the
    command is wrong, or there is no such store.
    """
    if context.invoked_subcommand is not None:
        return _subcommand(context, context.invoked_subcommand)
    if where is None:
        raise click.UsageError("Missing option '--db'.")
    _check_output(form, out)
    from counterpoint.crawler.store.opening import open_store
    from counterpoint.crawler.store.views import Kind

    wanted = _filter(filters)
    with open_store(where, reads=True) as store:
        if form == "text":
            _print(store, Kind(kind), wanted, sort, descending, 50 if limit is None else limit)
            return OK
        from counterpoint.crawler.store.exporting import export

        pieces = export(store, Kind(kind), wanted, form, sort, descending=descending, most=limit)
        if out is None:
            with printing():
                for piece in pieces:
                    sys.stdout.buffer.write(piece)
                sys.stdout.flush()
        else:
            _write(out, pieces)
    return OK


def _subcommand(context: click.Context, name: str) -> int:
    """Refuse options before a subcommand: they would have no effect."""
    for option in context.params:
        if context.get_parameter_source(option) is ParameterSource.COMMANDLINE:
            given = _OPTIONS.get(option, f"--{option}")
            raise click.UsageError(f"{given}: the options of {name} stand after it")
    return OK


def _check_output(form: str, out: Path | None) -> None:
    """Refuse a file that does not fit the format, or cannot be written."""
    if out is not None and form == "text":
        raise click.UsageError("--out: a file is of --format csv, jsonl, graphml or parquet")
    if out is None and form == "parquet":
        raise click.UsageError("--format parquet: needs --out FILE")
    must_be_writable("--out", out)


def _filter(texts: Iterable[str]) -> Filter:
    """Return the filter that options make."""
    from counterpoint.crawler.store.views import Filter

    names = {field.name: str(field.type) for field in fields(Filter)}
    values: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if name not in names or not equals:
            raise click.UsageError(f"--filter: '{text}' is no NAME=VALUE; names are {FILTERS}")
        if name in values:
            raise click.UsageError(f"--filter: {name} is given twice")
        if name == "state":
            values[name] = _state(value)
        elif names[name].startswith("int"):
            if not (value.isascii() and value.isdigit() and len(value) < 10):
                raise click.UsageError(f"--filter: {name}: '{value}' is no number")
            values[name] = int(value)
        else:
            values[name] = value
    return Filter(**values)


def _state(text: str) -> State:
    """Return the state of a name, or of its number, which earlier versions exported."""
    from counterpoint.crawler.store.schema import State

    for state in State:
        if text.lower() == state.name.lower() or text == str(int(state)):
            return state
    names = ", ".join(State.__members__).lower()
    raise click.UsageError(f"--filter: state: {text} is none of {names}")


def _print(
    store: Store, kind: Kind, wanted: Filter, sort: str, descending: bool, limit: int
) -> None:
    """Print at most ``limit`` links of a kind that pass the filter, in the order of ``sort``."""
    from counterpoint.crawler.store.browsing import total
    from counterpoint.crawler.store.exporting import links

    count = 0
    with printing():
        batches = links(store, kind, wanted, sort, descending=descending, most=limit)
        for link in (link for batch in batches for link in batch):
            count += 1
            click.echo(_line(link))
        with store.reading() as connection:
            whole = total(connection, kind, wanted)
        number = max(whole.number, count)
        of = f"{number:,}" if whole.exact else f"more than {number - 1:,}"
        click.echo(f"{count:,} of {of} {kind} links" if number != 1 else f"1 {kind} link")


def _line(link: Any) -> str:
    """Return a link in two lines, without characters that would move a terminal's cursor."""
    where = f"    on {link.found_on} (level {link.level})"
    if hasattr(link, "reason"):
        return f"{shown(link.text)}\n{where}: {link.reason}"
    if hasattr(link, "anchor"):
        return f"{shown(link.address)}\n{where}: {shown(link.anchor)}".removesuffix(": ")
    from counterpoint.crawler.store.schema import State

    status = "" if link.status is None else f" {link.status}"
    problem = f", {shown(link.problem)}" if link.problem else ""
    return f"{shown(link.address)}\n{where}: {State(link.state).name.lower()}{status}{problem}"


def _write(path: Path, pieces: Iterator[bytes]) -> None:
    """Write a file wholly, or not at all."""
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    size = 0
    try:
        with progress(f"writing {path}") as tell, unfinished.open("wb") as file:
            for piece in pieces:
                file.write(piece)
                size += len(piece)
                if tell is not None:
                    tell(f"{size / 2**20:,.1f} MB")
        os.replace(unfinished, path)
    except CrawlError:
        raise
    except OSError as error:  # it would name the unfinished file
        raise click.UsageError(f"--out: {path}: {error.strerror}") from error
    finally:
        unfinished.unlink(missing_ok=True)


links_.add_command(broken)
links_.add_command(changes)
links_.add_command(companions)
links_.add_command(placement)
