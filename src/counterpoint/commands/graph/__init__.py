"""``counterpoint graph``: who links to whom, and what follows from it."""

from __future__ import annotations

import click

from counterpoint.commands.graph.asking import links
from counterpoint.commands.graph.components import bowtie, scc, wcc
from counterpoint.commands.graph.ranking import rank
from counterpoint.commands.graph.searching import bfs, distances
from counterpoint.commands.graph.storing import build, export, info
from counterpoint.commands.graph.tails import degrees


@click.group()
def graph() -> None:
    r"""Search, take apart and rank the graph of a crawl or of a synthetic web.

    GRAPH is a store that `build` wrote, or the links that `web describe --save` wrote (.npz).

    \b
    counterpoint graph build crawl.db crawl.graph
    counterpoint graph bowtie crawl.graph --picture bowtie.svg
    counterpoint graph rank crawl.graph --top 20
    counterpoint graph bfs crawl.graph --start https://example.org/ --direction backward
    """


for _command in (build, info, links, export, bowtie, wcc, scc, bfs, distances, degrees, rank):
    graph.add_command(_command)
