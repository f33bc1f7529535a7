"""Exports a stored graph to other tools: networkx, SciPy, GraphML, Parquet."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any
from xml.sax.saxutils import escape

import numpy as np

from counterpoint.files.outputs import named
from counterpoint.graph.csr import Csr, pairs
from counterpoint.graph.errors import GraphError

from .pages import Tell
from .store import GraphStore

ROWS = 1 << 20
"""How many pages are written to Parquet at a time."""


def to_networkx(store: GraphStore) -> Any:
    """Return a `networkx.DiGraph` of page ids, with the attribute ``address`` if it is known."""
    try:
        import networkx
    except ImportError:
        raise GraphError("networkx is not installed: pip install networkx") from None
    graph = networkx.DiGraph()
    graph.add_nodes_from(range(store.nodes))
    for first, rows in store.out.chunks():
        sources, targets = pairs(first, rows)
        graph.add_edges_from(zip(sources.tolist(), targets.tolist(), strict=True))
    if store.has_addresses:
        networkx.set_node_attributes(
            graph, {page: store.name(page) for page in range(store.nodes)}, "address"
        )
    return graph


def to_scipy(links: Csr) -> Any:
    """Return links as a `scipy.sparse.csr_array` of ones."""
    from scipy.sparse import csr_array

    kind = np.int32 if links.links < 2**31 and links.nodes < 2**31 else np.int64
    ones = np.ones(links.links, dtype=np.int8)
    arrays = (ones, links.targets.astype(kind), links.offsets.astype(kind))
    return csr_array(arrays, shape=(links.nodes, links.nodes))


@contextmanager
def _replacing(path: Path) -> Iterator[Path]:
    """Yield a temporary name; if the block succeeds, the file is renamed to ``path``."""
    written = path.with_name(path.name + ".part")
    try:
        with named(path):
            yield written
        written.replace(path)
    finally:
        written.unlink(missing_ok=True)


def write_graphml(store: GraphStore, path: Path, tell: Tell = None) -> None:
    """Write a graph as GraphML.

    Parameters
    ----------
    store : GraphStore
        The graph.
    path : Path
        The file; an existing one is replaced when the new one is complete.
    tell : callable, optional
        Gets a line of text on the progress.
    """
    with _replacing(path) as written, written.open("w", encoding="utf-8") as file:
        file.write(
            '<?xml version="1.0" encoding="UTF-8"?>\n'
            '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
            '<key id="address" for="node" attr.name="address" attr.type="string"/>\n'
            '<graph edgedefault="directed">\n'
        )
        _write_nodes(store, file)
        for first, rows in store.out.chunks():
            sources, targets = pairs(first, rows)
            file.writelines(
                f'<edge source="{source}" target="{target}"/>\n'
                for source, target in zip(sources.tolist(), targets.tolist(), strict=True)
            )
            if tell:
                tell(f"links of {first + rows.nodes:,} of {store.nodes:,} pages")
        file.write("</graph>\n</graphml>\n")


def _valid(address: str) -> str:
    """Return an address with a question mark for each byte that is not UTF-8."""
    return address.encode("utf-8", "replace").decode()


_NO_XML = str.maketrans("\ufffe\uffff", "??")


def _write_nodes(store: GraphStore, file: IO[str]) -> None:
    for page in range(store.nodes):
        if store.has_addresses:
            shown = escape(_valid(store.name(page)).translate(_NO_XML))
            file.write(f'<node id="{page}"><data key="address">{shown}</data></node>\n')
        else:
            file.write(f'<node id="{page}"/>\n')


def write_parquet(store: GraphStore, folder: Path, tell: Tell = None) -> None:
    """Write ``pages.parquet`` (id, host, address) and ``links.parquet`` (source, target).

    Hosts are numbers. A store without addresses gives no column ``address``.

    Parameters
    ----------
    store : GraphStore
        The graph.
    folder : Path
        The folder of the files; it is created. Existing files are replaced when the new ones are
        complete.
    tell : callable, optional
        Gets a line of text on the progress.

    Raises
    ------
    GraphError
        If the package pyarrow is not installed.
    """
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise GraphError("Parquet needs pyarrow: pip install 'counterpoint[parquet]'") from None
    folder.mkdir(exist_ok=True)
    fields = [("id", pyarrow.uint32()), ("host", pyarrow.uint32())]
    fields += [("address", pyarrow.string())] if store.has_addresses else []
    schema = pyarrow.schema(fields)
    with (
        _replacing(folder / "pages.parquet") as written,
        parquet.ParquetWriter(written, schema) as file,
    ):
        for first in range(0, store.nodes, ROWS):
            ids = np.arange(first, min(first + ROWS, store.nodes), dtype=np.uint32)
            columns: list[Any] = [ids, store.host_of(ids).astype(np.uint32)]
            if store.has_addresses:
                columns.append([_valid(name) for name in store.names(ids)])
            file.write_table(pyarrow.table(columns, schema=schema))
            if tell:
                tell(f"{first + len(ids):,} of {store.nodes:,} pages")
    schema = pyarrow.schema([("source", pyarrow.uint32()), ("target", pyarrow.uint32())])
    with (
        _replacing(folder / "links.parquet") as written,
        parquet.ParquetWriter(written, schema) as file,
    ):
        for first, rows in store.out.chunks():
            file.write_table(pyarrow.table([*pairs(first, rows)], schema=schema))
            if tell:
                tell(f"links of {first + rows.nodes:,} of {store.nodes:,} pages")
