"""The kinds of sources of graphs, and the recognition of a source's kind."""

from __future__ import annotations

import codecs
from collections.abc import Callable
from pathlib import Path

from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.store.linking import CrawlStore
from counterpoint.graph.sources.addressed import AddressList
from counterpoint.graph.sources.bvgraph import ENDINGS, BVGraph, base_of
from counterpoint.graph.sources.named import NamedGraph, NumberedSource
from counterpoint.graph.sources.numbered import AdjacencyText, EdgeList, konect, opened
from counterpoint.graph.storage.pages import Source

KINDS = ("edges", "addresses", "adjacency", "bvgraph", "crawl")
"""Links between numbers, links between addresses, WebGraph-style text, WebGraph's BVGraph, and the
link store of a crawl."""

LEAST = 5
"""A page that was not crawled is in the graph if so many crawled pages link to it ([WEB])."""


def source_of(
    name: str, kind: str = "auto", least: int | None = None, names: Path | None = None
) -> Source:
    """Return the source of links that a name refers to.

    Parameters
    ----------
    name : str
        A file, or the address of a database.
    kind : str
        One of `KINDS`, or "auto": recognized by the file's content.
    least : int, optional
        How many crawled pages must link to a page that was not crawled, so that it is in the graph.
        By default `LEAST` for a crawl; of other sources, all pages are in the graph.
    names : Path, optional
        The file with the names of nodes that are numbers.

    Raises
    ------
    CrawlError
        If there is no such file, or ``least`` or ``names`` does not apply to the kind.
    """
    path = Path(name)
    chosen = _kind(name, path) if kind == "auto" else kind
    if least is not None and chosen not in ("addresses", "crawl"):
        raise CrawlError(f"{name}: --linked does not apply to {chosen}: all pages count as crawled")
    if names is not None and chosen in ("addresses", "crawl"):
        raise CrawlError(f"{name}: --names does not apply to {chosen}, whose pages have names")
    if chosen == "crawl":
        return CrawlStore(name, LEAST if least is None else least)
    if chosen == "addresses":
        return AddressList(path, 1 if least is None else least)
    found = _NUMBERED[chosen](path)
    return found if names is None else NamedGraph(found, names)


_NUMBERED: dict[str, Callable[[Path], NumberedSource]] = {
    "edges": EdgeList, "adjacency": AdjacencyText, "bvgraph": BVGraph,
}  # fmt: skip


def _kind(name: str, path: Path) -> str:
    if "://" in name:
        return "crawl"
    named = path.suffix in ENDINGS or not path.exists()
    if named and Path(f"{base_of(path)}.properties").exists():
        return "bvgraph"
    with opened(path) as file:
        head = file.read(1 << 16).removeprefix(codecs.BOM_UTF8)
    if head.startswith(b"SQLite format 3\0"):
        return "crawl"
    if konect(path):
        return "edges"
    lines = (line.split() for line in head.split(b"\n") if line[:1] not in (b"#", b"%"))
    first = next((line for line in lines if line), [])
    if len(first) == 1 and first[0].isdigit():
        return "adjacency"
    numbers = b" ".join(first).replace(b",", b" ").replace(b";", b" ").split()
    return "edges" if all(map(bytes.isdigit, numbers)) else "addresses"
