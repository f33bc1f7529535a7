"""``counterpoint graph``: store, search and rank the graph of links between pages."""

from __future__ import annotations

import click

from counterpoint.commands.graph.components import bowtie, scc, wcc
from counterpoint.commands.graph.degrees import degrees
from counterpoint.commands.graph.listing import links
from counterpoint.commands.graph.ranking import rank
from counterpoint.commands.graph.searching import bfs, distances
from counterpoint.commands.graph.storing import build, export, info


@click.group()
def graph() -> None:
    r"""Build, search and rank the link graph of a crawl or of a synthetic web.

    GRAPH is a graph store that `build` wrote, or a file .npz that `web describe --save` wrote.

    Exit code of each command 0: done; 2: the command or a file is wrong.

    \b
    counterpoint graph build crawl.db crawl.graph
    counterpoint graph bowtie crawl.graph --picture bowtie.svg
    counterpoint graph rank crawl.graph --top 20
    counterpoint graph bfs crawl.graph --start https://example.org/ --direction backward
    """


for _command in (build, info, links, export, bowtie, wcc, scc, bfs, distances, degrees, rank):
    graph.add_command(_command)
