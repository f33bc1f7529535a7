"""``counterpoint graph build``, ``info`` and ``export``: graph stores."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from counterpoint.commands.damages import name_damages_of
from counterpoint.commands.graph.opening import (
    format_option,
    heading,
    must_be_apart,
    print_result,
    row,
)
from counterpoint.console import OK, must_be_writable, processes_option, progress

if TYPE_CHECKING:
    from counterpoint.graph.storage.pages import Source
    from counterpoint.graph.storage.store import GraphStore

KINDS = ("auto", "edges", "addresses", "adjacency", "bvgraph", "crawl", "warc")

store_argument = click.argument("path", metavar="STORE", type=click.Path(path_type=Path))


@click.command()
@click.argument("names", nargs=-1, required=True, metavar="[SOURCE] STORE")
@click.option("--as", "kind", type=click.Choice(KINDS), default="auto", show_default=True,
              help="The format of SOURCE.")  # fmt: skip
@click.option("--linked", type=click.IntRange(0), metavar="N", show_default="5 for a crawl",
              help="Include a page that was not crawled if N crawled pages link to it.",
              )  # fmt: skip
@click.option("--names", "named", type=click.Path(exists=True, dir_okay=False, path_type=Path),
              metavar="FILE",
              help="A name for each node of SOURCE, one per line: an address, or a number and a "
                   "host as Common Crawl publishes them.")  # fmt: skip
@click.option("--web", "profile", default="", metavar="NAME",
              help="Instead of SOURCE, store a synthetic web: a name of `web profiles`, or a TOML "
                   "file.")  # fmt: skip
@click.option("--pages", type=int, metavar="N",
              help="With --web: number of pages.  [the profile's]")  # fmt: skip
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True,
              help="With --web: seed of the web.")  # fmt: skip
@click.option("--no-addresses", is_flag=True,
              help="With --web: store only links, no addresses.")  # fmt: skip
@processes_option
def build(
    names: tuple[str, ...], kind: str, linked: int | None, named: Path | None, profile: str,
    pages: int | None, seed: int, no_addresses: bool, processes: int,
) -> int:  # fmt: skip
    r"""Build STORE, which contains all links of SOURCE in both directions, and the addresses.

    SOURCE is the link store of a crawl; a list of links between numbers or addresses, one per
    line; WebGraph-style text; a BVGraph of WebGraph; or a WARC file or a folder of them, which
    get an index beside them. To resume an interrupted build, run the
    same command again; only the build from a link store starts from the beginning, because its
    crawl may have stored more links. An older STORE is replaced when the new one is complete.

    \b
    counterpoint graph build crawl.db crawl.graph --linked 5
    counterpoint graph build links.txt.gz links.graph
    counterpoint graph build edges.txt.gz --names vertices.txt.gz hosts.graph
    counterpoint graph build crawl.warc.gz captured.graph
    counterpoint graph build --web broder-1999 --pages 1000000 web.graph
    """
    if len(names) != 2 - bool(profile):
        raise click.UsageError("give either SOURCE or --web, and one STORE")
    if profile and (kind != "auto" or linked is not None or named is not None):
        raise click.UsageError("--as, --linked and --names need SOURCE")
    if not profile and (pages is not None or seed or no_addresses):
        raise click.UsageError("--pages, --seed and --no-addresses need --web")
    store = Path(names[-1])
    must_be_writable("STORE", store, replaces=False)
    with progress(f"building {store}") as tell:
        from counterpoint.graph.storage.build import BuildSettings
        from counterpoint.graph.storage.build import build as built

        chosen = _web(profile, pages, seed, not no_addresses) if profile else None
        if chosen is None:
            chosen = _chosen(names[0], kind, linked, named, tell)
        built(chosen, store, BuildSettings(threads=processes), tell, _announce)
    click.echo(f"{store} contains the graph", err=True)
    return OK


def _announce(size: str) -> None:
    click.echo(f"counterpoint: {size}", err=True)


def _web(profile: str, pages: int | None, seed: int, addressed: bool) -> Source:
    """Return the web of a profile as a source of links; ``addressed``: with addresses."""
    from counterpoint.sim_web.generator import Web
    from counterpoint.sim_web.profile import load
    from counterpoint.studies.connectivity.webs import WebSource

    return WebSource(Web(load(profile), pages, seed), addressed)


def _is_captured(name: str, kind: str) -> bool:
    """Return whether a name is that of WARC files."""
    path = Path(name)
    named = path.is_dir() or path.name.endswith((".warc", ".warc.gz", ".warc.zst", ".wat.gz"))
    return kind == "warc" or (kind == "auto" and named)


def _captured(name: str, linked: int | None, tell: Callable[[str], None] | None) -> Source:
    """Return the web in WARC files as a source."""
    path = Path(name)
    from counterpoint.studies.captured.graph import LEAST, graph_of
    from counterpoint.studies.captured.settings import CapturedSource

    source = CapturedSource(path.name, (name,))
    found = graph_of(source, LEAST if linked is None else linked, tell)
    name_damages_of([path])
    return found


def _chosen(
    name: str, kind: str, linked: int | None, named: Path | None, tell: Callable[[str], None] | None
) -> Source:
    """Return the source of a name, with the names of its nodes."""
    if not _is_captured(name, kind):
        return _source(name, kind, linked, named)
    if named is not None:
        raise click.UsageError("--names does not apply to WARC files, whose pages have addresses")
    return _captured(name, linked, tell)


def _source(name: str, kind: str, linked: int | None, named: Path | None) -> Source:
    if name.endswith(".npz") and kind == "auto" and linked is None and named is None:
        from counterpoint.graph.storage.arrays import Arrays
        from counterpoint.sim_web.generator import Explicit

        web = Explicit.load(name)
        return Arrays(web.offsets, web.targets)
    from counterpoint.commands.graph.sources import source_of
    from counterpoint.graph.sources.numbered import AdjacencyText

    found = source_of(name, kind, linked, named)
    if kind == "auto" and isinstance(found, AdjacencyText):  # or a list of numbers, by mistake
        _announce(f"{name} is read as WebGraph-style text, since it begins with one number")
    return found


@click.command()
@store_argument
@click.option("--verify", is_flag=True, help="Check every byte against its checksum.")
@format_option
def info(path: Path, verify: bool, form: str) -> int:
    r"""Show how many pages, links and hosts STORE has, and how many bytes it takes.

    \b
    counterpoint graph info crawl.graph --verify
    """
    from counterpoint.graph.storage.store import GraphStore

    store = GraphStore(path)
    if verify:
        with progress(f"checking {path}") as tell:
            store.verify(tell)
    found = described(store)
    print_result(form, {**found, "verified": verify}, lambda: _show(found, verify))
    return OK


def described(store: GraphStore) -> dict[str, Any]:
    """Return the numbers of pages, links and hosts of a store, and the bytes that it takes."""
    sizes = store.sizes
    return {
        "pages": store.nodes,
        "links": store.links,
        "hosts": store.hosts_count,
        "addresses": store.has_addresses,
        "bytes": sum(sizes),
        "bytes of out-links": sizes.out,
        "bytes of in-links": sizes.into,
        "bytes of addresses": sizes.addresses,
        "bytes a link": (sizes.out + sizes.into) / store.links if store.links else None,
        "bytes an address": sizes.addresses / store.nodes if store.nodes else None,
    }


def _show(found: dict[str, Any], verified: bool) -> None:
    heading("Store", "")
    for name in ("pages", "links", "hosts", "bytes"):
        row(name, f"{found[name]:,}")
    for name, shown in (("bytes a link", "bytes a link, both ways"), ("bytes an address", "")):
        is_there = found[name] is not None and (found["addresses"] or shown)
        row(shown or name, f"{found[name]:.2f}" if is_there else "none")
    if verified:
        click.echo("  all bytes are correct")


@click.command()
@store_argument
@click.argument("goal", type=click.Path(path_type=Path))
@click.option("--to", "form", type=click.Choice(["graphml", "parquet"]), required=True,
              help="The format of GOAL.")  # fmt: skip
def export(path: Path, goal: Path, form: str) -> int:
    r"""Export the graph in STORE to GOAL: a GraphML file, or a folder of Parquet files.

    The folder contains pages.parquet (id, host, address) and links.parquet (source, target).

    \b
    counterpoint graph export crawl.graph crawl.graphml --to graphml
    counterpoint graph export crawl.graph crawl-tables --to parquet
    """
    must_be_apart("GOAL", goal, path)
    from counterpoint.graph.storage import exports
    from counterpoint.graph.storage.store import GraphStore

    store = GraphStore(path)
    write = exports.write_graphml if form == "graphml" else exports.write_parquet
    with progress(f"writing {goal}") as tell:
        write(store, goal, tell)
    click.echo(f"{goal} contains {store.nodes:,} pages and {store.links:,} links", err=True)
    return OK
