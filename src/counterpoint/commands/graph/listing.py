"""``counterpoint graph links``: the links of pages, between hosts, and from host to host."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from counterpoint.commands.graph.opening import OpenGraph, format_option, number_of, print_result
from counterpoint.commands.graph.storing import store_argument
from counterpoint.console import OK
from counterpoint.crawler.errors import CrawlError

if TYPE_CHECKING:
    from counterpoint.graph.storage.store import GraphStore


@click.command()
@store_argument
@click.argument("pages", nargs=-1, metavar="PAGE...")
@click.option("--in", "backward", is_flag=True,
              help="Print the in-links: the pages that link to PAGE.")  # fmt: skip
@click.option("--remote", is_flag=True, help="With --in: only in-links from other hosts.")
@click.option("--between", nargs=2, metavar="HOST HOST",
              help="Instead, print the links from the first host to the second.")  # fmt: skip
@click.option("--hosts", is_flag=True,
              help="Instead, print the links between hosts: from, to, how many.")  # fmt: skip
@format_option
def links(
    path: Path, pages: tuple[str, ...], backward: bool, remote: bool,
    between: tuple[str, str] | None, hosts: bool, form: str,
) -> int:  # fmt: skip
    r"""Print the links of pages of STORE.

    Each PAGE is a number or an address.

    \b
    counterpoint graph links crawl.graph https://example.org/
    counterpoint graph links crawl.graph 17 --in --remote
    counterpoint graph links crawl.graph --between example.org other.example
    counterpoint graph links crawl.graph --hosts
    """
    if remote and not backward:
        raise click.UsageError("--remote needs --in")
    if bool(pages) + bool(between) + hosts != 1:
        raise click.UsageError("give either PAGE..., or --between, or --hosts")
    from counterpoint.graph.storage.store import GraphStore

    store = GraphStore(path)
    if hosts:
        found = _hosts(store)
    elif between:
        found = _between(store, *between)
    else:
        found = _links(store, pages, backward, remote)
    print_result(form, {"links": found}, lambda: _show(found))
    return OK


def _show(found: list[dict[str, Any]]) -> None:
    for one in found:
        click.echo("\t".join(str(value) for value in one.values()))


def _names(store: GraphStore, pages: list[int]) -> list[Any]:
    return [*store.names(pages)] if store.has_addresses else [*pages]


def _links(
    store: GraphStore, pages: tuple[str, ...], backward: bool, remote: bool
) -> list[dict[str, Any]]:
    """Return the links of pages; ``backward``: to them; ``remote``: only between hosts."""
    opened, found = OpenGraph(store, store), []
    for text in pages:
        page = opened.page(text)
        ends = store.in_links(page, remote) if backward else store.out_links(page)
        (own,) = _names(store, [page])
        others = _names(store, ends.tolist())
        found += [
            {"from": other, "to": own} if backward else {"from": own, "to": other}
            for other in others
        ]
    return found


def _host(store: GraphStore, text: str) -> int:
    found = store.host_named(text) if store.has_addresses else None
    found = number_of(text) if found is None else found
    if found is None:
        raise CrawlError(f"{text}: no host has this name")
    return found


def _between(store: GraphStore, host: str, other: str) -> list[dict[str, Any]]:
    sources, targets = store.between(_host(store, host), _host(store, other))
    names = zip(_names(store, sources.tolist()), _names(store, targets.tolist()), strict=True)
    return [{"from": source, "to": target} for source, target in names]


def _hosts(store: GraphStore) -> list[dict[str, Any]]:
    from counterpoint.graph.csr import pairs

    graph, counts = store.host_graph()
    sources, targets = (ends.tolist() for ends in pairs(0, graph))

    def name(host: int) -> Any:
        return store.host_name(host) if store.has_addresses else host

    return [
        {"from": name(source), "to": name(target), "links": many}
        for source, target, many in zip(sources, targets, counts.tolist(), strict=True)
    ]
