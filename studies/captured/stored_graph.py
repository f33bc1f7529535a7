"""A graph store as a world: its pages and links, without contents, versions or times.

A graph does not say in which order the links stand on a page: here they are in the order of their
targets in the store. Nothing is known to be missing, so no visit is outside of the capture.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from counterpoint.crawler.documents.addresses import normalized
from counterpoint.crawler.errors import CrawlError
from counterpoint.graph.errors import GraphError
from counterpoint.graph.storage.store import GraphStore

from .arrays import CapturedArrays, Names
from .settings import HOSTS, CapturedSource


def arrays_of_graph(source: CapturedSource) -> CapturedArrays:
    """Return the arrays of a graph store.

    Parameters
    ----------
    source : CapturedSource
        Its ``graph`` names the store.

    Raises
    ------
    CrawlError
        If the file is no store of a graph, or the graph is empty.
    """
    assert source.graph is not None
    try:
        store = GraphStore(source.graph)
        pages = store.nodes
        if not pages:
            raise CrawlError(f"{source.graph}: the graph has no pages")
        host = np.arange(pages) if source.nodes == HOSTS else store.hosts.astype(np.int64)
        rows = store.out_lists(np.arange(pages))
    except GraphError as error:
        raise CrawlError(str(error)) from None
    offsets, targets = rows.offsets.astype(np.int64), rows.targets.astype(np.int64)
    leaves = host[targets] != np.repeat(host, np.diff(offsets))
    before = np.concatenate([[0], np.cumsum(leaves)])
    nothing, each = np.zeros(pages), np.arange(pages + 1)
    name = store.name if store.has_addresses else str
    hosts = Names(pages, name) if source.nodes == HOSTS else _hosts(store)
    return CapturedArrays(
        offsets, targets, host.astype(np.int32), before[offsets[1:]] - before[offsets[:-1]],
        np.full(pages, 200, dtype=np.int16), np.ones(pages, dtype=np.bool_),
        nothing, nothing, np.full(pages, np.inf),
        each, nothing, np.zeros(pages, dtype=np.int64),
        np.zeros(pages + 1, dtype=np.int64), np.zeros(0, dtype=np.uint64),
        np.zeros(0, dtype=np.int64), hosts, Names(pages, name),
    )  # fmt: skip


def _hosts(store: GraphStore) -> Names:
    if store.has_addresses:
        return Names(store.hosts_count, store.host_name)
    return Names(store.hosts_count, lambda host: Path(store.path).stem)


def pages_of_starts(source: CapturedSource) -> list[int]:
    """Return the pages of a graph at which a crawl begins.

    A node has the name that its source gave it, which need not be a normalized address.

    Raises
    ------
    CrawlError
        If there is no such node.
    """
    store = GraphStore(source.graph or "")
    if not store.has_addresses:
        raise CrawlError(f"{source.name}: starts: the graph has no addresses")
    pages = []
    for start in source.starts:
        page = store.id_of(start)
        if page is None:
            page = store.id_of(normalized(start) or start)
        if page is None:
            raise CrawlError(f"{source.name}: no node of the graph is called {start}")
        pages.append(page)
    return pages
