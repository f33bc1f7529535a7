"""``counterpoint coverage sample``: random addresses, and samples of a synthetic web."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from counterpoint.console import printing
from counterpoint.crawler.errors import CrawlError

if TYPE_CHECKING:  # numba is loaded where a web is made
    from counterpoint.studies.coverage.sampling import Row, SyntheticWeb

_form = click.option("--format", "form", type=click.Choice(["text", "json"]), default="text",
                     show_default=True)  # fmt: skip
_profile = click.option("--profile", "name", metavar="NAME",
                        help="One of `web profiles`, or a TOML file.")  # fmt: skip
_pages = click.option("--pages", type=int, metavar="N", help="Pages of the web.  [the profile's]")
_web_seed = click.option("--web-seed", type=click.IntRange(0), default=0, show_default=True,
                         help="Of the web.")  # fmt: skip
_seed = click.option("--seed", type=click.IntRange(0), default=0, show_default=True,
                     help="Of what is drawn.")  # fmt: skip
_weights = click.option("--weights", "signal",
                        type=click.Choice(["pagerank", "in-degree", "hub", "authority"]),
                        help="Weigh pages by the links within the sample.")  # fmt: skip


@click.group()
def sample() -> None:
    r"""Draw samples: random addresses, or pages in breadth-first order.

    \b
    counterpoint coverage sample addresses --blocks delegated.txt --draw 1000 --seed 7
    counterpoint coverage sample addresses --profile broder-1999 --draw 1000 --expand 1
    counterpoint coverage sample breadth-first --profile broder-1999 --size 1000 --weights pagerank
    """


@sample.command()
@click.option("--block", "given", multiple=True, metavar="CIDR", help="Allocated; repeatable.")
@click.option("--blocks", "file", type=click.Path(path_type=Path), metavar="FILE",
              help="Allocated blocks, one a line.")  # fmt: skip
@click.option("--merge", is_flag=True, help="Merge blocks that overlap instead of refusing them.")
@click.option("--draw", type=click.IntRange(1), required=True, metavar="N",
              help="How many addresses.")  # fmt: skip
@click.option("--repeating", is_flag=True, help="An address may be drawn twice.")
@_seed
@_profile
@_pages
@_web_seed
@click.option("--expand", type=click.IntRange(0, 10), default=0, show_default=True, metavar="TIMES",
              help="Let the links of the pages join.")  # fmt: skip
@click.option("--whole-sites", is_flag=True, help="Let all pages of their sites join.")
@_weights
@_form
def addresses(
    given: tuple[str, ...],
    file: Path | None,
    merge: bool,
    draw: int,
    repeating: bool,
    seed: int,
    name: str | None,
    pages: int | None,
    web_seed: int,
    expand: int,
    whole_sites: bool,
    signal: str | None,
    form: str,
) -> None:
    r"""Draw addresses with equal chances from allocated blocks.

    With --block or --blocks they are printed, for a tool of yours to ask them. With --profile they
    are those of a synthetic web, which answers: printed are the pages that come, what joins them
    by --expand or --whole-sites, and (on standard error) how many addresses served.

    \b
    counterpoint coverage sample addresses --block 192.0.2.0/24 --block 2001:db8::/64 --draw 5
    counterpoint coverage sample addresses --profile broder-1999 --draw 2000 --expand 1
    """
    if name is None:
        if whole_sites or expand or signal or pages is not None:
            raise click.UsageError("--expand, --whole-sites, --weights and --pages need --profile")
        _print_drawn(given, file, merge, draw, seed, not repeating, form)
        return
    if given or file or merge or repeating:
        raise click.UsageError("the blocks of a synthetic web are its own; addresses are distinct")
    if whole_sites and expand:
        raise click.UsageError("--expand or --whole-sites, not both")
    web = _web(name, pages, web_seed)
    asked, found, requests = web.addresses(draw, seed, expand, whole_sites)
    serving = sum(one.answer != "empty" for one in asked)
    defaults = sum(one.answer == "default" for one in asked)
    rows = web.rows(found, signal)
    click.echo(f"{len(asked):,} of {web.domain.blocks.size:,} addresses: {serving:,} serve, "
               f"{defaults:,} of them a default page; {len(rows):,} pages, {requests:,} requests",
               err=True)  # fmt: skip
    told = {"addresses": [one._asdict() for one in asked], "requests": requests}
    _print_rows(rows, form, told)


@sample.command("breadth-first")
@_profile
@_pages
@_web_seed
@click.option("--start", metavar="URL", help="[a page that many link to]")
@click.option("--size", type=click.IntRange(1), required=True, metavar="N",
              help="How many pages.")  # fmt: skip
@click.option("--counted", type=click.Choice(["fetched", "found"]), default="fetched",
              show_default=True, help="Which pages are the sample.")  # fmt: skip
@_seed
@_weights
@_form
def breadth_first(
    name: str | None,
    pages: int | None,
    web_seed: int,
    start: str | None,
    size: int,
    counted: str,
    seed: int,
    signal: str | None,
    form: str,
) -> None:
    r"""Take pages of a synthetic web in strict breadth-first order.

    \b
    counterpoint coverage sample breadth-first --profile broder-1999 --pages 20000 --size 1000
    """
    if name is None:
        raise click.UsageError("Missing option '--profile'.")
    web = _web(name, pages, web_seed)
    found, requests = web.search(start, size, seed, counted)
    rows = web.rows(found, signal)
    click.echo(f"{len(rows):,} pages, {requests:,} requests", err=True)
    _print_rows(rows, form, {"requests": requests})


def _web(name: str, pages: int | None, seed: int) -> SyntheticWeb:
    from counterpoint.sim_web import profile
    from counterpoint.studies.coverage.sampling import SyntheticWeb

    return SyntheticWeb(profile.load(name), pages, seed)


def _print_drawn(
    given: tuple[str, ...], file: Path | None, merge: bool, draw: int, seed: int, distinct: bool,
    form: str,
) -> None:  # fmt: skip
    from counterpoint.crawler.coverage.blocks import Blocks

    if bool(given) == bool(file):
        raise click.UsageError("give --block, --blocks or --profile")
    name, lines = "--block", list(given)
    if file is not None:
        name, lines = str(file), _read(file).splitlines()
    blocks = Blocks.read(lines, "merge" if merge else "refuse", name)
    drawn = blocks.draw(draw, seed, distinct)
    with printing():
        if form == "json":
            told = {"allocated": blocks.size, "addresses": [str(one) for one in drawn]}
            click.echo(json.dumps(told, indent=2))
            return
        for one in drawn:
            click.echo(str(one))


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise CrawlError(f"{file}: is no text in UTF-8") from None


def _print_rows(rows: list[Row], form: str, told: dict[str, Any]) -> None:
    with printing():
        if form == "json":
            held = [{key: value for key, value in row._asdict().items() if value is not None}
                    for row in rows]  # fmt: skip
            click.echo(json.dumps({**told, "pages": held}, indent=2))
            return
        for row in rows:
            click.echo(row.address if row.weight is None else f"{row.address}\t{row.weight:.17g}")
