"""``counterpoint graph bfs`` and ``distances``: the distances between pages."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from counterpoint import show
from counterpoint.commands.graph.opening import (
    check_outputs,
    format_option,
    graph_argument,
    heading,
    open_graph,
    print_result,
    row,
    save_array,
    save_option,
    unpacking_option,
    written,
)
from counterpoint.console import OK, progress

if TYPE_CHECKING:
    from counterpoint.graph.search.distances import Distances

LEVELS = 30
"""How many levels are printed one by one."""

DIRECTIONS = ("forward", "backward", "undirected")


@click.command()
@graph_argument
@click.option("--start", "starts", multiple=True, required=True, metavar="PAGE",
              help="Start at this page, a number or an address; repeatable.")  # fmt: skip
@click.option("--direction", type=click.Choice(DIRECTIONS), default="forward", show_default=True,
              help="Follow links forward, backward, or in both directions.")  # fmt: skip
@unpacking_option
@save_option
@format_option
def bfs(
    path: Path,
    starts: tuple[str, ...],
    direction: str,
    unpacking: str,
    save: Path | None,
    form: str,
) -> int:
    r"""Search GRAPH breadth-first: count the pages at each distance from the start pages.

    \b
    counterpoint graph bfs crawl.graph --start https://example.org/
    counterpoint graph bfs web.npz --start 0 --start 77 --direction backward
    """
    check_outputs(path, save)
    with progress("breadth-first search") as tell:
        opened = open_graph(path, unpacking, tell)
        from counterpoint.graph.search.bfs import bfs as searched

        if tell:
            tell(direction)
        found = searched(opened.graph, [opened.page(start) for start in starts], direction)
        save_array(save, found.level)
    pages = opened.graph.nodes
    about = {"pages": pages, "direction": direction, "reached": found.reached,
             "share": found.reached / pages, "levels": found.sizes.tolist()}  # fmt: skip
    print_result(form, about, lambda: _levels(about))
    written(save, "contains the level of each page, -1 if it is not reached")
    return OK


def _levels(about: dict[str, Any]) -> None:
    heading(f"{about['reached']:,} of {about['pages']:,} pages are reached", "pages")
    sizes = about["levels"]
    for level, pages in enumerate(sizes[:LEVELS]):
        row(f"{level} links", f"{pages:,}")
    if len(sizes) > LEVELS:
        row(f"{LEVELS} to {len(sizes) - 1:,} links", f"{sum(sizes[LEVELS:]):,}")


@click.command()
@graph_argument
@click.option("--sources", type=click.IntRange(1, 1_000_000), default=128, show_default=True,
              metavar="K", help="Search from K randomly drawn pages.")  # fmt: skip
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True,
              help="Seed of the random draw.")  # fmt: skip
@unpacking_option
@format_option
def distances(path: Path, sources: int, seed: int, unpacking: str, form: str) -> int:
    r"""Estimate the average distance in GRAPH, directed and undirected, with 95% intervals.

    \b
    counterpoint graph distances crawl.graph --sources 512
    """
    with progress("distances") as tell:
        graph = open_graph(path, unpacking, tell).graph
        from counterpoint.graph.search.distances import distances as estimated

        directed = estimated(graph, sources, seed=seed, tell=tell)
        undirected = estimated(graph, sources, direction="undirected", seed=seed, tell=tell)
    about = {"pages": graph.nodes, "seed": seed, "directed": vars(directed),
             "undirected": vars(undirected)}  # fmt: skip
    print_result(form, about, lambda: _distances(directed, undirected))
    return OK


def _distances(directed: Distances, undirected: Distances) -> None:
    heading(f"from {directed.sources:,} pages", "average", "95%", "connected pairs", "95%")
    for name, found in (("directed", directed), ("undirected", undirected)):
        row(name, "no path" if found.mean is None else f"{found.mean:.3f}",
            _between(found.interval, "{:.3f}"), f"{found.connected:.2%}",
            _between(found.connected_interval, "{:.1%}"))  # fmt: skip
    click.echo(show.wrapped(
        f"  the longest shortest paths found have {directed.longest:,} and "
        f"{undirected.longest:,} links; other pages may be farther apart"
    ))  # fmt: skip


def _between(interval: tuple[float, float] | None, form: str) -> str:
    return "unknown" if interval is None else "–".join(form.format(end) for end in interval)
