"""``counterpoint coverage sample``: random addresses, and samples of a synthetic web."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from counterpoint.console import printing
from counterpoint.crawler.errors import CrawlError
from counterpoint.files.inputs import TooLargeError, whole

if TYPE_CHECKING:  # numba is loaded where a web is made
    from counterpoint.studies.coverage.sampling import SampleRow, SyntheticWeb

_form = click.option("--format", "form", type=click.Choice(["text", "json"]), default="text",
                     show_default=True, help="Output format.")  # fmt: skip
_profile = click.option("--profile", "name", metavar="NAME",
                        help="Sample a synthetic web: a name of `web profiles`, or a TOML file.",
                        )  # fmt: skip
_pages = click.option("--pages", type=int, metavar="N",
                      help="Number of pages of the web.  [the profile's]")  # fmt: skip
_web_seed = click.option("--web-seed", type=click.IntRange(0), default=0, show_default=True,
                         help="Seed of the web.")  # fmt: skip
_seed = click.option("--seed", type=click.IntRange(0), default=0, show_default=True,
                     help="Seed of the random draws.")  # fmt: skip
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
@click.option("--block", "given", multiple=True, metavar="CIDR",
              help="Draw from this allocated block; repeatable.")  # fmt: skip
@click.option("--blocks", "file", type=click.Path(path_type=Path), metavar="FILE",
              help="Read the allocated blocks from FILE, one per line.")  # fmt: skip
@click.option("--merge", is_flag=True, help="Merge blocks that overlap instead of refusing them.")
@click.option("--draw", type=click.IntRange(1), required=True, metavar="N",
              help="Draw N addresses.")  # fmt: skip
@click.option("--repeating", is_flag=True,
              help="Draw with replacement: an address may occur twice.")  # fmt: skip
@_seed
@_profile
@_pages
@_web_seed
@click.option("--expand", type=click.IntRange(0, 10), default=0, show_default=True, metavar="TIMES",
              help="Add the pages that the sampled pages link to, and repeat this TIMES times.",
              )  # fmt: skip
@click.option("--whole-sites", is_flag=True,
              help="Add all pages of the sites of the sampled pages.")  # fmt: skip
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
    r"""Draw random IP addresses from allocated blocks, each with the same probability.

    With --block or --blocks, the command only prints the addresses; you request them with a tool
    of your own. With --profile, the addresses belong to a synthetic web, which answers: the
    command prints the pages that come, the pages that --expand or --whole-sites add, and (on
    standard error) how many addresses have a server.

    Exit code 0: the sample was printed; 2: the command or a file is wrong.

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
        raise click.UsageError("--block, --blocks, --merge and --repeating cannot be combined "
                               "with --profile")  # fmt: skip
    if whole_sites and expand:
        raise click.UsageError("--expand and --whole-sites cannot be combined")
    web = _web(name, pages, web_seed)
    drawn, found, requests = web.addresses(draw, seed, expand, whole_sites)
    serving = sum(one.answer != "empty" for one in drawn)
    defaults = sum(one.answer == "default" for one in drawn)
    rows = web.rows(found, signal)
    click.echo(f"{len(drawn):,} of {web.domain.blocks.size:,} addresses: {serving:,} serve, "
               f"{defaults:,} of them a default page; {len(rows):,} pages, {requests:,} requests",
               err=True)  # fmt: skip
    _print_rows(rows, form, {"addresses": [one._asdict() for one in drawn], "requests": requests})


@sample.command("breadth-first")
@_profile
@_pages
@_web_seed
@click.option("--start", metavar="URL",
              help="Start at this page.  [a page with many in-links]")  # fmt: skip
@click.option("--size", type=click.IntRange(1), required=True, metavar="N",
              help="Number of pages of the sample.")  # fmt: skip
@click.option("--counted", type=click.Choice(["fetched", "found"]), default="fetched",
              show_default=True,
              help="The sample has the fetched pages, or all pages that were found.")  # fmt: skip
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
    r"""Sample pages of a synthetic web in strict breadth-first order.

    Exit code 0: the sample was printed; 2: the command is wrong.

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
    """Print addresses drawn from blocks.

    Parameters
    ----------
    given : tuple of str
        The blocks of the command line.
    file : Path, optional
        A file with blocks.
    merge : bool
        Whether overlapping blocks are merged rather than rejected.
    draw, seed : int
        The number of addresses, and the seed of the draw.
    distinct : bool
        Whether no address is drawn twice.
    form : str
        The output format.
    """
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
            found = {"allocated": blocks.size, "addresses": [str(one) for one in drawn]}
            click.echo(json.dumps(found, indent=2))
            return
        for one in drawn:
            click.echo(str(one))


def _read(file: Path) -> str:
    try:
        with file.open("rb") as opened:
            return whole(opened).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise CrawlError(f"{file}: is no text in UTF-8") from None
    except TooLargeError as error:
        raise CrawlError(f"{file}: {error}") from None


def _print_rows(rows: list[SampleRow], form: str, about: dict[str, Any]) -> None:
    """Print the sampled pages; JSON begins with the entries of ``about``."""
    with printing():
        if form == "json":
            pages = [{key: value for key, value in row._asdict().items() if value is not None}
                     for row in rows]  # fmt: skip
            click.echo(json.dumps({**about, "pages": pages}, indent=2))
            return
        for row in rows:
            click.echo(row.address if row.weight is None else f"{row.address}\t{row.weight:.17g}")
