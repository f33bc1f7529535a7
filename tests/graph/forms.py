"""Small random graphs, in every representation that the algorithms accept."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import networkx as nx
import numpy as np
from hypothesis import strategies as st

from counterpoint.graph.csr import Both, Csr, Graph, both, csr

Pairs = Sequence[tuple[int, int]]


class Pieces(NamedTuple):
    """Links that are not a `Csr` and can be read only in small parts."""

    rows: Csr

    @property
    def nodes(self) -> int:
        return self.rows.nodes

    @property
    def links(self) -> int:
        return self.rows.links

    def chunks(self) -> Iterator[tuple[int, Csr]]:
        for first in range(0, self.nodes, 3):
            last = min(first + 3, self.nodes)
            yield first, self.rows.lists(np.arange(first, last, dtype=np.uint32))

    def lists(self, pages: np.ndarray) -> Csr:
        return self.rows.lists(pages)

    def expanded(self) -> Csr:
        return self.rows


class InPieces(NamedTuple):
    """A graph whose links are `Pieces`."""

    out: Pieces
    into: Pieces

    @property
    def nodes(self) -> int:
        return self.out.nodes

    @property
    def links(self) -> int:
        return self.out.links


def rows(pages: int, links: Pairs) -> Csr:
    """Return links in compressed rows, each page's in the order given."""
    out: list[list[int]] = [[] for _ in range(pages)]
    for source, target in links:
        out[source].append(target)
    targets = np.array(list(itertools.chain(*out)), dtype=np.int64)
    return csr(np.cumsum([0, *map(len, out)]), targets)


def graph(pages: int, links: Pairs) -> Both:
    """Return a graph in compressed rows."""
    return both(rows(pages, links))


def forms(pages: int, links: Pairs) -> list[Graph]:
    """Return a graph in every representation."""
    plain = graph(pages, links)
    return [plain, InPieces(Pieces(plain.out), Pieces(plain.into))]


def digraph(pages: int, links: Pairs) -> nx.DiGraph:
    """Return a graph as one of networkx."""
    web = nx.DiGraph()
    web.add_nodes_from(range(pages))
    web.add_edges_from(links)
    return web


@st.composite
def graphs(draw: st.DrawFn, most: int = 14) -> tuple[int, list[tuple[int, int]]]:
    """Draw a graph, often a sparse one, with repeated links and links of pages to themselves."""
    pages = draw(st.integers(1, most))
    page = st.integers(0, pages - 1)
    links = draw(st.lists(st.tuples(page, page), max_size=draw(st.sampled_from([4, 12, 30]))))
    return pages, links
