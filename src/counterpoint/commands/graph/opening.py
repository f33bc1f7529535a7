"""What every command on a graph shares: opening it, pages by address, and what is written."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from counterpoint.console import must_be_writable, printing
from counterpoint.crawler.errors import CrawlError

if TYPE_CHECKING:  # they load numba
    from counterpoint.compiling import Array
    from counterpoint.graph.csr import Graph
    from counterpoint.graph.storage.store import GraphStore

Tell = Callable[[str], None] | None

PICTURES = (".png", ".svg")

SHARE = 0.5
"""Links are written out in memory if that takes no more of what is free."""

graph_argument = click.argument("path", metavar="GRAPH", type=click.Path(path_type=Path))

held_option = click.option(
    "--held", type=click.Choice(["auto", "packed", "expanded"]), default="auto",
    show_default="expanded if that takes no more than half of the free memory",
    help="The links of a store: unpacked as they are needed, or all at the beginning.",
)  # fmt: skip

format_option = click.option("--format", "form", type=click.Choice(["text", "json"]),
                             default="text", show_default=True)  # fmt: skip

save_option = click.option(
    "--save", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
    help="Keep what each page got as an array, in the order of pages (NumPy's .npy).",
)  # fmt: skip

picture_option = click.option("--picture", type=click.Path(dir_okay=False, path_type=Path),
                              metavar="FILE", help="Draw it: FILE.svg or FILE.png.")  # fmt: skip


@dataclass(frozen=True)
class Opened:
    """A graph, and what its pages are called.

    Attributes
    ----------
    graph : Graph
    store : GraphStore or None
        None: pages have numbers only.
    """

    graph: Graph
    store: GraphStore | None

    def names(self, pages: Sequence[int]) -> list[str] | None:
        """Return the addresses of pages, if they have any."""
        if self.store is None or not self.store.has_addresses:
            return None
        return self.store.names(pages)

    def page(self, text: str) -> int:
        """Return the page of a number or an address."""
        if (number := number_of(text)) is not None:
            return number
        if self.store is None or not self.store.has_addresses:
            raise CrawlError(f"{text}: pages of this graph have numbers only")
        page = self.store.id_of(text)
        if page is None:
            raise CrawlError(f"{text}: no page has this address")
        return page


def number_of(text: str) -> int | None:
    """Return a number that was written in digits; None: it is something else."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 100 else None


def opened(path: Path, held: str, tell: Tell = None) -> Opened:
    """Open a graph.

    Raises
    ------
    CrawlError
        If it is none.
    """
    if path.suffix == ".npz":
        return _written_out(path, tell)
    from counterpoint.graph.csr import Both
    from counterpoint.graph.storage.store import GraphStore
    from counterpoint.sim_web.describe.memory import available

    store = GraphStore(path)
    need = 8 * store.links + 16 * (store.nodes + 1)
    if held == "packed" or (held == "auto" and need > SHARE * available()):
        return Opened(store, store)
    if tell:
        tell("unpacking the links")
    return Opened(Both(store.out.expanded(), store.into.expanded()), store)


def _written_out(path: Path, tell: Tell) -> Opened:
    from counterpoint.graph.csr import both, csr
    from counterpoint.sim_web.generator import Explicit

    web = Explicit.load(path)
    if tell:
        tell("turning the links round")
    return Opened(both(csr(web.offsets, web.targets)), None)


def must_be_apart(option: str, path: Path | None, graph: Path) -> None:
    """Refuse a file that cannot be written, or is the graph itself, before any work."""
    must_be_writable(option, path)
    if path is not None and path.exists() and graph.exists() and path.samefile(graph):
        raise click.UsageError(f"{option}: {path} is the graph itself")


def must_fit(graph: Path, save: Path | None = None, picture: Path | None = None) -> None:
    """Refuse files that cannot be written, before any work."""
    must_be_apart("--save", save, graph)
    must_be_apart("--picture", picture, graph)
    if picture is not None and picture.suffix.lower() not in PICTURES:
        raise CrawlError(f"--picture: {picture} ends neither in {' nor in '.join(PICTURES)}")


def saved(path: Path | None, values: Array) -> None:
    """Write an array; a file of that name is replaced when all is written."""
    if path is None:
        return
    import numpy as np

    written = path.with_name(path.name + ".part")
    try:
        with written.open("wb") as file:
            np.save(file, values)
        written.replace(path)
    finally:
        written.unlink(missing_ok=True)


def told(form: str, found: dict[str, Any], text: Callable[[], None]) -> None:
    """Print what was found, as JSON or by a function that prints it."""
    with printing():
        if form == "json":
            click.echo(json.dumps(found, indent=2, ensure_ascii=False))
        else:
            text()


def heading(text: str, *cells: str) -> None:
    """Print a line in bold: a name and columns."""
    click.echo(click.style(_line(text, 0, cells), bold=True))


def row(name: str, *cells: str) -> None:
    """Print a line: a name and columns."""
    click.echo(_line(name, 2, cells))


def _line(name: str, indent: int, cells: Sequence[str]) -> str:
    return (" " * indent + f"{name:{28 - indent}}" + "".join(f"{c:>16}" for c in cells)).rstrip()


def written(path: Path | None, what: str) -> None:
    """Say which file holds what, once it is written."""
    if path is not None:
        click.echo(f"{path} {what}", err=True)
