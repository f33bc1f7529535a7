"""``counterpoint graph build``, ``info`` and ``export``: stores, written and passed on."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from counterpoint.commands.graph.opening import format_option, heading, must_be_apart, row, told
from counterpoint.console import OK, must_be_writable, processes_option, progress

if TYPE_CHECKING:
    from counterpoint.graph.storage.pages import Source
    from counterpoint.graph.storage.store import GraphStore

KINDS = ("auto", "edges", "addresses", "adjacency", "bvgraph", "crawl")

store_argument = click.argument("path", metavar="STORE", type=click.Path(path_type=Path))


@click.command()
@click.argument("names", nargs=-1, required=True, metavar="[SOURCE] STORE")
@click.option("--as", "kind", type=click.Choice(KINDS), default="auto", show_default=True,
              help="What SOURCE is.")  # fmt: skip
@click.option("--linked", type=click.IntRange(0), metavar="N", show_default="5 for a crawl",
              help="A page that was not crawled counts if N crawled pages link to it.")  # fmt: skip
@click.option("--web", "profile", default="", metavar="NAME", help="A synthetic web instead.")
@click.option("--pages", type=int, metavar="N", help="Pages of the synthetic web.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True,
              help="Of the synthetic web.")  # fmt: skip
@click.option("--no-addresses", is_flag=True, help="Of a synthetic web, links only.")
@processes_option
def build(
    names: tuple[str, ...], kind: str, linked: int | None, profile: str, pages: int | None,
    seed: int, no_addresses: bool, processes: int,
) -> int:  # fmt: skip
    r"""Build STORE, which holds all links of SOURCE in both directions, and its addresses.

    SOURCE is a crawl's link store, or text: a list of links between numbers or addresses, a line
    each; WebGraph-style text; a BVGraph of WebGraph. A build that is interrupted goes on when it is
    started again, but that of a link store begins anew, for its crawl may have gone on. An older
    STORE stays as it is until the new one is whole.

    \b
    counterpoint graph build crawl.db crawl.graph --linked 5
    counterpoint graph build links.txt.gz links.graph
    counterpoint graph build --web broder-1999 --pages 1000000 web.graph
    """
    if len(names) != 2 - bool(profile):
        raise click.UsageError("either SOURCE or --web, and one STORE")
    if profile and (kind != "auto" or linked is not None):
        raise click.UsageError("--as and --linked go with SOURCE")
    if not profile and (pages is not None or seed or no_addresses):
        raise click.UsageError("--pages, --seed and --no-addresses go with --web")
    store = Path(names[-1])
    must_be_writable("STORE", store)
    with progress(f"building {store}") as tell:
        from counterpoint.graph.storage.build import Settings
        from counterpoint.graph.storage.build import build as built

        chosen = _web(profile, pages, seed, not no_addresses) if profile else None
        if chosen is None:
            chosen = _source(names[0], kind, linked)
        built(chosen, store, Settings(threads=processes), tell)
    click.echo(f"{store} holds the graph", err=True)
    return OK


def _web(profile: str, pages: int | None, seed: int, addressed: bool) -> Source:
    from counterpoint.commands.graph.webs import WebSource
    from counterpoint.sim_web.generator import Web
    from counterpoint.sim_web.profile import load

    return WebSource(Web(load(profile), pages, seed), addressed)


def _source(name: str, kind: str, linked: int | None) -> Source:
    if name.endswith(".npz") and kind == "auto" and linked is None:
        from counterpoint.graph.storage.arrays import Arrays
        from counterpoint.sim_web.generator import Explicit

        web = Explicit.load(name)
        return Arrays(web.offsets, web.targets)
    from counterpoint.commands.graph.sources import source_of

    return source_of(name, kind, linked)


@click.command()
@store_argument
@click.option("--verify", is_flag=True, help="Check every byte.")
@format_option
def info(path: Path, verify: bool, form: str) -> int:
    r"""Say what STORE holds and what it takes.

    \b
    counterpoint graph info crawl.graph --verify
    """
    from counterpoint.graph.storage.store import GraphStore

    store = GraphStore(path)
    if verify:
        with progress(f"checking {path}") as tell:
            store.verify(tell)
    found = described(store)
    told(form, {**found, "verified": verify}, lambda: _show(found, verify))
    return OK


def described(store: GraphStore) -> dict[str, Any]:
    """Return what a store holds, and the bytes that it takes."""
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
        "bytes a link": (sizes.out + sizes.into) / max(1, store.links),
        "bytes an address": sizes.addresses / max(1, store.nodes),
    }


def _show(found: dict[str, Any], verified: bool) -> None:
    heading("Store", "")
    for name in ("pages", "links", "hosts", "bytes"):
        row(name, f"{found[name]:,}")
    row("bytes a link, both ways", f"{found['bytes a link']:.2f}")
    row("bytes an address", f"{found['bytes an address']:.2f}" if found["addresses"] else "none")
    if verified:
        click.echo("  every byte is as it was written")


@click.command()
@store_argument
@click.argument("goal", type=click.Path(path_type=Path))
@click.option("--to", "form", type=click.Choice(["graphml", "parquet"]), required=True)
def export(path: Path, goal: Path, form: str) -> int:
    r"""Write the graph in STORE for other tools: GraphML, or a folder of Parquet files.

    The folder gets pages.parquet (id, host, address) and links.parquet (source, target).

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
    click.echo(f"{goal} holds {store.nodes:,} pages and {store.links:,} links", err=True)
    return OK
