"""``counterpoint graph bfs`` and ``distances``: how far pages are from one another."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from counterpoint import show
from counterpoint.commands.graph.opening import (
    format_option,
    graph_argument,
    heading,
    held_option,
    must_fit,
    opened,
    row,
    save_option,
    saved,
    told,
    written,
)
from counterpoint.console import OK, progress

if TYPE_CHECKING:
    from counterpoint.graph.search.distances import Distances

LEVELS = 30
"""Levels that are printed one by one."""

DIRECTIONS = ("forward", "backward", "undirected")


@click.command()
@graph_argument
@click.option("--start", "starts", multiple=True, required=True, metavar="PAGE",
              help="A number or an address; repeatable.")  # fmt: skip
@click.option("--direction", type=click.Choice(DIRECTIONS), default="forward", show_default=True,
              help="Whether links are followed as they lead, against, or either way.")  # fmt: skip
@held_option
@save_option
@format_option
def bfs(
    path: Path, starts: tuple[str, ...], direction: str, held: str, save: Path | None, form: str
) -> int:
    r"""Search GRAPH breadth first: the fewest links from the start pages to every page.

    \b
    counterpoint graph bfs crawl.graph --start https://example.org/
    counterpoint graph bfs web.npz --start 0 --start 77 --direction backward
    """
    must_fit(path, save)
    with progress("breadth-first search") as tell:
        held_graph = opened(path, held, tell)
        from counterpoint.graph.search.bfs import bfs as searched

        if tell:
            tell(direction)
        found = searched(held_graph.graph, [held_graph.page(start) for start in starts], direction)
        saved(save, found.level)
    pages = held_graph.graph.nodes
    about = {"pages": pages, "direction": direction, "reached": found.reached,
             "share": found.reached / pages, "levels": found.sizes.tolist()}  # fmt: skip
    told(form, about, lambda: _levels(about))
    written(save, "holds the level of each page, -1 where no links lead")
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
              metavar="K", help="Pages from which is searched.")  # fmt: skip
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True,
              help="Of the draw of these pages.")  # fmt: skip
@held_option
@format_option
def distances(path: Path, sources: int, seed: int, held: str, form: str) -> int:
    r"""Estimate the average distance in GRAPH, directed and undirected, with intervals.

    \b
    counterpoint graph distances crawl.graph --sources 512
    """
    with progress("distances") as tell:
        graph = opened(path, held, tell).graph
        from counterpoint.graph.search.distances import distances as estimated

        directed = estimated(graph, sources, seed=seed, tell=tell)
        undirected = estimated(graph, sources, direction="undirected", seed=seed, tell=tell)
    about = {"pages": graph.nodes, "seed": seed, "directed": vars(directed),
             "undirected": vars(undirected)}  # fmt: skip
    told(form, about, lambda: _distances(directed, undirected))
    return OK


def _distances(directed: Distances, undirected: Distances) -> None:
    heading(f"from {directed.sources:,} pages", "average", "95%", "connected pairs", "95%")
    for name, found in (("directed", directed), ("undirected", undirected)):
        row(name, "no path" if found.mean is None else f"{found.mean:.3f}",
            _between(found.interval, "{:.3f}"), f"{found.connected:.2%}",
            _between(found.connected_interval, "{:.1%}"))  # fmt: skip
    click.echo(show.wrapped(
        f"  longest shortest paths that were met: {directed.longest:,} and {undirected.longest:,} "
        "links; the greatest may be longer"
    ))  # fmt: skip


def _between(interval: tuple[float, float] | None, form: str) -> str:
    return "unknown" if interval is None else "–".join(form.format(end) for end in interval)
