"""``counterpoint graph bowtie``, ``wcc`` and ``scc``: the components of a graph."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from counterpoint.commands.graph.opening import (
    check_outputs,
    format_option,
    graph_argument,
    heading,
    open_graph,
    picture_option,
    print_result,
    row,
    save_array,
    save_option,
    unpacking_option,
    written,
)
from counterpoint.console import OK, progress

if TYPE_CHECKING:
    from counterpoint.graph.search.bowtie import Bowtie
    from counterpoint.graph.search.scc import Components

LARGEST = 10
"""How many of the largest components are printed one by one."""


@click.command()
@graph_argument
@unpacking_option
@picture_option
@save_option
@format_option
def bowtie(path: Path, unpacking: str, picture: Path | None, save: Path | None, form: str) -> int:
    r"""Divide GRAPH into the parts of the bow-tie.

    SCC is the largest strong component. Pages of IN reach it, and pages of OUT are reached from
    it. A page that IN reaches and that reaches OUT without SCC is in TUBES. TENDRILS are the other
    pages of the same weak component, and DISCONNECTED is the rest.

    \b
    counterpoint graph bowtie crawl.graph --picture bowtie.svg
    counterpoint graph bowtie web.npz --format json --save components.npy
    """
    check_outputs(path, save, picture)
    with progress("bow-tie") as tell:
        graph = open_graph(path, unpacking, tell).graph
        from counterpoint.graph.search.bowtie import bowtie as divided

        if tell:
            tell(f"{graph.nodes:,} pages, {graph.links:,} links")
        found = divided(graph)
        save_array(save, found.components)
        if picture is not None and graph.nodes:
            _draw(found, graph.links, path.name, picture)
    about = {
        "pages": graph.nodes, "links": graph.links, "counts": found.counts,
        "shares": found.shares, "weak_share": found.weak_share,
        "tendrils": {"from_in": found.from_in, "to_out": found.to_out},
        "searched": found.searched,
    }  # fmt: skip
    print_result(form, about, lambda: _bowtie(found, graph.links))
    written(picture, "shows the bow-tie")
    written(save, "contains the component of each page: 0 SCC, 1 IN, 2 OUT, 3 TENDRILS, 4 TUBES, "
                  "5 DISCONNECTED")  # fmt: skip
    return OK


def _draw(found: Bowtie, links: int, name: str, picture: Path) -> None:
    """Draw the bow-tie of a graph with a name to the file ``picture``."""
    from counterpoint.sim_web.describe.picture import draw_shares

    tendrils = found.counts["tendrils"]
    hanging = found.from_in / tendrils if tendrils else 0.5
    title = f"{name}: {len(found.components):,} pages, {links:,} links"
    draw_shares(found.shares, picture, title, hanging)


def _bowtie(found: Bowtie, links: int) -> None:
    heading(f"{len(found.components):,} pages", "pages", "share")
    for name, pages in found.counts.items():
        row(name.upper(), f"{pages:,}", f"{found.shares[name]:.2%}")
    rest = found.counts["tendrils"] - found.from_in - found.to_out
    click.echo(f"  of the tendrils, IN reaches {found.from_in:,}, {found.to_out:,} reach OUT, and "
               f"{rest:,} neither")  # fmt: skip
    row("weak component", "", f"{found.weak_share:.2%}")
    row("links", f"{links:,}")


def _partition(kind: str, path: Path, unpacking: str, save: Path | None, form: str) -> int:
    """Print the components of a kind, ``strong`` or ``weak``; return the exit code."""
    check_outputs(path, save)
    with progress(f"{kind} components") as tell:
        graph = open_graph(path, unpacking, tell).graph
        from counterpoint.graph.search.scc import scc
        from counterpoint.graph.search.wcc import wcc

        if tell:
            tell(f"{graph.nodes:,} pages, {graph.links:,} links")
        found = (scc if kind == "strong" else wcc)(graph)
        save_array(save, found.labels)
    about = _sizes(found, graph.nodes)
    print_result(form, {"kind": kind, "pages": graph.nodes, "links": graph.links, **about},
         lambda: _components(kind, graph.nodes, about))  # fmt: skip
    written(save, "contains the number of each page's component, in the order of their first pages")
    return OK


def _sizes(found: Components, pages: int) -> dict[str, Any]:
    import numpy as np

    sizes, times = np.unique(found.sizes, return_counts=True)
    largest = np.sort(found.sizes)[::-1][:LARGEST].tolist()
    return {
        "components": found.number,
        "largest": largest,
        "largest_share": largest[0] / pages if largest else 0.0,
        "sizes": [[int(size), int(n)] for size, n in zip(sizes, times, strict=True)],
    }


def _components(kind: str, pages: int, about: dict[str, Any]) -> None:
    heading(f"{pages:,} pages, {about['components']:,} {kind} components", "pages", "share")
    for place, size in enumerate(about["largest"], 1):
        row(f"{place}.", f"{size:,}", f"{size / pages:.2%}")
    alone = dict(about["sizes"]).get(1, 0)
    row("alone", f"{alone:,}", f"{alone / max(1, pages):.2%}")


@click.command()
@graph_argument
@unpacking_option
@save_option
@format_option
def wcc(path: Path, unpacking: str, save: Path | None, form: str) -> int:
    r"""Find the weak components of GRAPH: pages connected by links in any direction.

    \b
    counterpoint graph wcc crawl.graph
    """
    return _partition("weak", path, unpacking, save, form)


@click.command()
@graph_argument
@unpacking_option
@save_option
@format_option
def scc(path: Path, unpacking: str, save: Path | None, form: str) -> int:
    r"""Find the strong components of GRAPH: sets of pages that all reach each other.

    \b
    counterpoint graph scc crawl.graph --save strong.npy
    """
    return _partition("strong", path, unpacking, save, form)
