"""Reads the TOML file of a captured web on which policies are compared.

[captured]
files = ["crawl-2024/", "extra.warc.gz"]   # relative to this file
index = "indexes"                          # where the indexes are; by default beside the files
hosts = ["docs.example.org"]               # by default all hosts with a captured page
starts = ["http://docs.example.org/"]      # by default seeds draw them
sites = "folders"                          # by default "hosts"

Or a graph in the place of files::

[captured]
graph = "links.graph"                      # a store that `graph build` made
nodes = "pages"                            # or "hosts": each node is a host
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from counterpoint.crawler.documents.addresses import normalized, site
from counterpoint.crawler.errors import CrawlError
from counterpoint.sim_web import toml

_KEYS = ("files", "index", "hosts", "starts", "sites", "graph", "nodes")
_OF_FILES = ("files", "index", "hosts", "sites")
PAGES, HOSTS, FOLDERS = "pages", "hosts", "folders"
"""What the nodes of a graph are, and what the sites of a captured web are."""
_LONGEST = 1 << 24


@dataclass(frozen=True)
class CapturedSource:
    """A captured web as its TOML file describes it.

    Attributes
    ----------
    name : str
        The name of the file, without ``.toml``.
    files : tuple of str
        WARC files and folders of them, as paths.
    index : str or None
        The folder of the indexes; None: they are beside the files.
    hosts : tuple of str
        The hosts to which links are followed; empty: all that have a captured page.
    starts : tuple of str
        Normalized start addresses, or the names of nodes of a graph, as they are written; empty:
        seeds draw them.
    graph : str or None
        The store of a graph, in the place of files.
    nodes : str
        Whether the nodes of the graph are ``pages``, or ``hosts`` of which each has one page.
    sites : str
        Whether a site is one of the ``hosts``, or one of their first-level ``folders``.
    """

    name: str
    files: tuple[str, ...]
    index: str | None = None
    hosts: tuple[str, ...] = ()
    starts: tuple[str, ...] = ()
    graph: str | None = None
    nodes: str = PAGES
    sites: str = HOSTS

    def site_of(self, address: str) -> str:
        """Return the site of an address: its host, or its host and first-level folder.

        A page above all folders is on the site of its host.
        """
        host = site(address)
        if self.sites == HOSTS:
            return host
        path = address.split("/", 3)[3].partition("?")[0]
        folder, inside, _ = path.partition("/")
        return f"{host}/{folder}" if inside and folder else host


def source_of(path: Path) -> CapturedSource | None:
    """Return the captured web of a TOML file; None if the file has no table ``[captured]``.

    Raises
    ------
    CrawlError
        If the table is wrong; the message says what. A file that cannot be read at all is none of a
        captured web: its other readers say why.
    """
    try:
        with path.open("rb") as file:
            text = file.read(_LONGEST).decode()
        tables = toml.tables(text)
    except (OSError, ValueError, RecursionError):
        return None
    return _source(path, tables) if "captured" in tables else None


def _source(path: Path, tables: dict[str, Any]) -> CapturedSource:
    place, table = f"{path}: [captured]", tables["captured"]
    others = sorted(set(tables) - {"captured"})
    if others:
        raise CrawlError(f"{path}: besides [captured] there can be nothing else: {others[0]}")
    if not isinstance(table, dict):
        raise CrawlError(f"{place} must be a table")
    unknown = sorted(set(table) - set(_KEYS))
    if unknown:
        raise CrawlError(f"{place}: '{unknown[0]}' is unknown; there are {', '.join(_KEYS)}")
    return (_graph if "graph" in table else _files)(path, place, table)


def _files(path: Path, place: str, table: dict[str, Any]) -> CapturedSource:
    if "nodes" in table:
        raise CrawlError(f"{place}: nodes says what the nodes of a graph are, and there is none")
    files = _texts(table, "files", place)
    if not files:
        raise CrawlError(f"{place}: files = [...] must name a WARC file or a folder, or graph = "
                         "\"...\" a graph")  # fmt: skip
    index = table.get("index")
    if index is not None and not isinstance(index, str):
        raise CrawlError(f"{place}: index must be the name of a folder")
    hosts = tuple(text.lower() for text in _texts(table, "hosts", place))
    starts = tuple(_start(text, place) for text in _texts(table, "starts", place))
    outside = [start for start in starts if hosts and site(start) not in hosts]
    if outside:
        raise CrawlError(f"{place}: the start {outside[0]} is on none of the hosts")
    sites = table.get("sites", HOSTS)
    if sites not in (HOSTS, FOLDERS):
        raise CrawlError(f'{place}: sites must be "{HOSTS}" or "{FOLDERS}"')
    below = path.parent
    paths = tuple(os.fspath(below / file) for file in files)
    folder = None if index is None else os.fspath(below / index)
    return CapturedSource(path.stem, paths, folder, hosts, starts, sites=sites)


def _graph(path: Path, place: str, table: dict[str, Any]) -> CapturedSource:
    graph, nodes = table["graph"], table.get("nodes", PAGES)
    for name in _OF_FILES:
        if name in table:
            raise CrawlError(f"{place}: {name} is for files, and there is a graph")
    if not isinstance(graph, str) or not graph:
        raise CrawlError(f"{place}: graph must be the name of a graph store")
    if nodes not in (PAGES, HOSTS):
        raise CrawlError(f'{place}: nodes must be "{PAGES}" or "{HOSTS}"')
    return CapturedSource(path.stem, (), starts=tuple(_texts(table, "starts", place)),
                          graph=os.fspath(path.parent / graph), nodes=nodes)  # fmt: skip


def _texts(table: dict[str, Any], name: str, place: str) -> list[str]:
    found = table.get(name, [])
    if not isinstance(found, list) or not all(isinstance(one, str) and one for one in found):
        raise CrawlError(f"{place}: {name} must be a list of texts")
    return found


def _start(text: str, place: str) -> str:
    address = normalized(text)
    if address is None:
        raise CrawlError(f"{place}: the start '{text}' is no address such as http://example.org/")
    return address
