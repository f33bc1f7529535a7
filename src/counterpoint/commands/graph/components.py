"""``counterpoint graph bowtie``, ``wcc`` and ``scc``: which pages belong together."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from counterpoint.commands.graph.opening import (
    format_option,
    graph_argument,
    heading,
    held_option,
    must_fit,
    opened,
    picture_option,
    row,
    save_option,
    saved,
    told,
    written,
)
from counterpoint.console import OK, progress

if TYPE_CHECKING:
    from counterpoint.graph.search.bowtie import Bowtie
    from counterpoint.graph.search.scc import Components

LARGEST = 10
"""Components that are printed one by one."""


@click.command()
@graph_argument
@held_option
@picture_option
@save_option
@format_option
def bowtie(path: Path, held: str, picture: Path | None, save: Path | None, form: str) -> int:
    r"""Take GRAPH apart: SCC, IN, OUT, TENDRILS, TUBES, DISCONNECTED.

    SCC is the largest strong component. Tendrils are pages that IN reaches, that reach OUT, or
    that hang on such pages; a page that IN reaches and that reaches OUT, past SCC, is in TUBES.

    \b
    counterpoint graph bowtie crawl.graph --picture bowtie.svg
    counterpoint graph bowtie web.npz --format json --save components.npy
    """
    must_fit(path, save, picture)
    with progress("bow-tie") as tell:
        graph = opened(path, held, tell).graph
        from counterpoint.graph.search.bowtie import bowtie as taken_apart

        if tell:
            tell(f"{graph.nodes:,} pages, {graph.links:,} links")
        found = taken_apart(graph)
        saved(save, found.components)
        if picture is not None and graph.nodes:
            _draw(found, graph.links, path.name, picture)
    about = {
        "pages": graph.nodes, "links": graph.links, "counts": found.counts,
        "shares": found.shares, "weak_share": found.weak_share,
        "tendrils": {"from_in": found.from_in, "to_out": found.to_out},
        "searched": found.searched,
    }  # fmt: skip
    told(form, about, lambda: _bowtie(found, graph.links))
    written(picture, "shows the bow-tie")
    written(save, "holds the component of each page: 0 SCC, 1 IN, 2 OUT, 3 TENDRILS, 4 TUBES, "
                  "5 DISCONNECTED")  # fmt: skip
    return OK


def _draw(found: Bowtie, links: int, name: str, picture: Path) -> None:
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
    click.echo(f"  of the tendrils IN reaches {found.from_in:,}, {found.to_out:,} reach OUT, "
               f"{rest:,} hang on those")  # fmt: skip
    row("weak component", "", f"{found.weak_share:.2%}")
    row("links", f"{links:,}")


def _partition(kind: str, path: Path, held: str, save: Path | None, form: str) -> int:
    must_fit(path, save)
    with progress(f"{kind} components") as tell:
        graph = opened(path, held, tell).graph
        from counterpoint.graph.search.scc import scc
        from counterpoint.graph.search.wcc import wcc

        if tell:
            tell(f"{graph.nodes:,} pages, {graph.links:,} links")
        found = (scc if kind == "strong" else wcc)(graph)
        saved(save, found.labels)
    about = _sizes(found, graph.nodes)
    told(form, {"kind": kind, "pages": graph.nodes, "links": graph.links, **about},
         lambda: _components(kind, graph.nodes, about))  # fmt: skip
    written(save, "holds the number of each page's component, numbered by their first pages")
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
@held_option
@save_option
@format_option
def wcc(path: Path, held: str, save: Path | None, form: str) -> int:
    r"""Find the weak components of GRAPH: pages connected by links followed either way.

    \b
    counterpoint graph wcc crawl.graph
    """
    return _partition("weak", path, held, save, form)


@click.command()
@graph_argument
@held_option
@save_option
@format_option
def scc(path: Path, held: str, save: Path | None, form: str) -> int:
    r"""Find the strong components of GRAPH: pages that reach one another.

    \b
    counterpoint graph scc crawl.graph --save strong.npy
    """
    return _partition("strong", path, held, save, form)
