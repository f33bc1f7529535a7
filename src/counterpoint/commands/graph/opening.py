"""What all commands on graphs share: opening a graph, finding pages, options and output."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from counterpoint.console import must_be_writable, printing
from counterpoint.crawler.errors import CrawlError
from counterpoint.files.outputs import replacing

if TYPE_CHECKING:  # they load numba
    from counterpoint.compiling import Array
    from counterpoint.graph.csr import Graph
    from counterpoint.graph.storage.store import GraphStore

Tell = Callable[[str], None] | None

PICTURES = (".png", ".svg")

SHARE = 0.5
"""Share of the free memory that unpacked links may take at most."""

graph_argument = click.argument("path", metavar="GRAPH", type=click.Path(path_type=Path))

unpacking_option = click.option(
    "--held", "unpacking", type=click.Choice(["auto", "packed", "expanded"]), default="auto",
    show_default="expanded if that takes no more than half of the free memory",
    help="Unpack the links of a store when they are needed (packed), or all at the start "
         "(expanded).",
)  # fmt: skip

format_option = click.option("--format", "form", type=click.Choice(["text", "json"]),
                             default="text", show_default=True, help="Output format.",
                             )  # fmt: skip

save_option = click.option(
    "--save", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
    help="Save the result of each page as an array, in the order of pages (NumPy's .npy).",
)  # fmt: skip

picture_option = click.option("--picture", type=click.Path(dir_okay=False, path_type=Path),
                              metavar="FILE",
                              help="Draw the result: FILE.svg or FILE.png.")  # fmt: skip


@dataclass(frozen=True)
class OpenGraph:
    """A graph, with the addresses of its pages if they have any.

    Attributes
    ----------
    graph : Graph
    store : GraphStore or None
        The store that has the addresses; None if pages have only numbers.
    """

    graph: Graph
    store: GraphStore | None

    def names(self, pages: Sequence[int]) -> list[str] | None:
        """Return the addresses of pages, if they have any."""
        if self.store is None or not self.store.has_addresses:
            return None
        return self.store.names(pages)

    def page(self, text: str) -> int:
        """Return the page of a number or an address.

        Raises
        ------
        CrawlError
            If there is no such page.
        """
        if (number := number_of(text)) is not None:
            return number
        if self.store is None or not self.store.has_addresses:
            raise CrawlError(f"{text}: pages of this graph have numbers only")
        page = self.store.id_of(text)
        if page is None:
            raise CrawlError(f"{text}: no page has this address")
        return page


def number_of(text: str) -> int | None:
    """Return the number that a text of digits means; None if the text is something else."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 100 else None


def open_graph(path: Path, unpacking: str, tell: Tell = None) -> OpenGraph:
    """Open a graph store or a file of links.

    Parameters
    ----------
    path : Path
    unpacking : str
        ``packed``, ``expanded`` or ``auto``, as in the option ``--held``.
    tell : callable, optional
        Shows the progress.

    Raises
    ------
    CrawlError
        If the file is no graph.
    """
    if path.suffix == ".npz":
        return _open_arrays(path, tell)
    from counterpoint.graph.csr import Both
    from counterpoint.graph.storage.store import GraphStore
    from counterpoint.sim_web.describe.memory import available

    store = GraphStore(path)
    need = 8 * store.links + 16 * (store.nodes + 1)
    if unpacking == "packed" or (unpacking == "auto" and need > SHARE * available()):
        return OpenGraph(store, store)
    if tell:
        tell("unpacking the links")
    return OpenGraph(Both(store.out.expanded(), store.into.expanded()), store)


def _open_arrays(path: Path, tell: Tell) -> OpenGraph:
    from counterpoint.graph.csr import both, csr
    from counterpoint.sim_web.generator import Explicit

    web = Explicit.load(path)
    if tell:
        tell("reversing the links")
    return OpenGraph(both(csr(web.offsets, web.targets)), None)


def must_be_apart(option: str, path: Path | None, graph: Path) -> None:
    """Refuse an output file that cannot be written or is the graph itself, before any work.

    Parameters
    ----------
    option : str
        The option that names the file, for the error message.
    path : Path or None
        The output file; None if the option was not given.
    graph : Path
        The graph that is read.

    Raises
    ------
    UsageError
        If the file cannot be written, or is the graph.
    """
    if path is not None and path.exists() and graph.exists() and path.samefile(graph):
        raise click.UsageError(f"{option}: {path} is the graph itself")
    must_be_writable(option, path)


def check_outputs(graph: Path, save: Path | None = None, picture: Path | None = None) -> None:
    """Refuse the files of ``--save`` and ``--picture`` if they cannot be written, before any work.

    Parameters
    ----------
    graph : Path
        The graph that is read; no output may replace it.
    save, picture : Path, optional
        The output files.

    Raises
    ------
    UsageError, CrawlError
        If a file cannot be written, or a picture has an unknown format.
    """
    must_be_apart("--save", save, graph)
    must_be_apart("--picture", picture, graph)
    if picture is not None and picture.suffix.lower() not in PICTURES:
        raise CrawlError(f"--picture: {picture} ends neither in {' nor in '.join(PICTURES)}")


def save_array(path: Path | None, values: Array) -> None:
    """Write an array, if a file is given; an older file is replaced when all is written."""
    if path is None:
        return
    import numpy as np

    rows = np.ascontiguousarray(values)
    with replacing(path) as written, written.open("wb") as file:
        np.lib.format.write_array_header_1_0(file, np.lib.format.header_data_from_array_1_0(rows))
        file.write(rows.data)  # np.save would not say that the disk is full


def print_result(form: str, found: dict[str, Any], text: Callable[[], None]) -> None:
    """Print a result.

    Parameters
    ----------
    form : str
        ``json`` or ``text``.
    found : dict
        The result, ready for JSON.
    text : callable
        Prints the result as text.
    """
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


def written(path: Path | None, contents: str) -> None:
    """Report on standard error that a file was written, if there is one."""
    if path is not None:
        click.echo(f"{path} {contents}", err=True)
