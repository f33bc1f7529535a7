"""Searches and components, compared with networkx, brute force, planted webs and measures."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from typing import NamedTuple

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterpoint.graph.csr import Both, Csr, both, csr
from counterpoint.graph.errors import GraphError
from counterpoint.graph.ranking.hits import hits
from counterpoint.graph.ranking.pagerank import pagerank
from counterpoint.graph.search.bfs import bfs
from counterpoint.graph.search.bowtie import DISCONNECTED, IN, OUT, SCC, TENDRILS, TUBES, bowtie
from counterpoint.graph.search.distances import distances
from counterpoint.graph.search.scc import Components, scc
from counterpoint.graph.search.wcc import wcc
from counterpoint.graph.storage.packed import Packed, pack
from counterpoint.sim_web import measure, profile
from counterpoint.sim_web.generator import Web
from tests.graph.forms import Pairs, digraph, forms, graph, graphs, rows
from tests.graph.tarjan import strong_components

Drawn = tuple[int, list[tuple[int, int]]]


def partition(found: Components) -> list[list[int]]:
    """Return the pages of each component, in the order of their numbers."""
    return [np.flatnonzero(found.labels == k).tolist() for k in range(found.number)]


@pytest.mark.long
@given(graphs())
@settings(max_examples=300)
def test_strong_components(drawn: Drawn) -> None:
    """Two components joined, one divided, or numbers that depend on the representation."""
    pages, links = drawn
    parts = sorted(sorted(part) for part in nx.strongly_connected_components(digraph(*drawn)))
    for form in forms(pages, links):
        found = scc(form)
        assert partition(found) == parts
        assert found.sizes.tolist() == [len(part) for part in parts]


def same_partition(found: Components, rows: Csr) -> bool:
    """Return whether components are those of Tarjan's algorithm, with any numbers."""
    label, number = strong_components(rows.offsets.astype(np.int64), rows.targets.astype(np.int32))
    pairs = np.unique(np.stack((found.labels, label)), axis=1)
    return found.number == number == pairs.shape[1]


@given(graphs(most=40))
@settings(max_examples=200)
def test_strong_components_are_those_of_tarjan(drawn: Drawn) -> None:
    """An error that only this search has."""
    links = rows(*drawn)
    assert same_partition(scc(both(links)), links)


def test_strong_components_of_a_planted_web_are_those_of_tarjan() -> None:
    """An error that occurs only in large graphs."""
    explicit = Web(profile.load("broder-1999"), 100_000, 3).explicit()
    links = csr(explicit.offsets, explicit.targets)
    assert same_partition(scc(both(links)), links)


@given(graphs())
@settings(max_examples=300)
def test_weak_components(drawn: Drawn) -> None:
    """A link that is skipped because both ends were assumed to be in the giant component."""
    parts = sorted(sorted(part) for part in nx.weakly_connected_components(digraph(*drawn)))
    for form in forms(*drawn):
        assert partition(wcc(form)) == parts


@given(graphs(), st.sampled_from(["forward", "backward", "undirected"]), st.data())
@settings(max_examples=300)
def test_levels(drawn: Drawn, direction: str, data: st.DataObject) -> None:
    """A level that is not the least number of links, or links followed backward."""
    pages, links = drawn
    starts = data.draw(st.lists(st.integers(0, pages - 1), min_size=1, max_size=4))
    web = digraph(*drawn)
    turned: nx.Graph = {
        "forward": web, "backward": web.reverse(), "undirected": web.to_undirected(),
    }[direction]  # fmt: skip
    far = nx.multi_source_dijkstra_path_length(turned, set(starts))
    for form in forms(pages, links):
        found = bfs(form, starts, direction)
        assert found.level.tolist() == [far.get(page, -1) for page in range(pages)]
        sizes = [list(far.values()).count(k) for k in range(max(far.values()) + 1)]
        assert found.sizes.tolist() == sizes
        assert found.reached == len(far)


def naive_bowtie(pages: int, links: Pairs) -> list[int]:
    """Compute the bow-tie from its definition with networkx."""
    web = digraph(pages, links)
    parts = sorted(map(sorted, nx.strongly_connected_components(web)))
    core = set(max(parts, key=lambda part: (len(part), -part[0])))
    page = next(iter(core))
    before, after = nx.ancestors(web, page) - core, nx.descendants(web, page) - core
    weak = nx.node_connected_component(web.to_undirected(), page)
    from_before = set().union(*(nx.descendants(web, p) for p in before))
    to_after = set().union(*(nx.ancestors(web, p) for p in after))

    def one(p: int) -> int:
        if p in core:
            return SCC
        if p in before or p in after:
            return IN if p in before else OUT
        if p not in weak:
            return DISCONNECTED
        return TUBES if p in from_before and p in to_after else TENDRILS

    return [one(p) for p in range(pages)]


@given(graphs())
@settings(max_examples=500)
def test_the_bowtie_is_that_of_the_definition(drawn: Drawn) -> None:
    """A page in the wrong component, or a core other than the largest strong component."""
    expected = naive_bowtie(*drawn)
    for form in forms(*drawn):
        assert bowtie(form).components.tolist() == expected


@pytest.mark.parametrize(("search", "most"), [
    (lambda web: bfs(web, [0]), 8.1), (bowtie, 7.1), (lambda web: pagerank(web, most=2), 28.5),
    (lambda web: hits(web, most=2), 24.5), (lambda web: distances(web, 64), 36.5),
])  # fmt: skip
def test_memory_is_what_docstrings_say(search: Callable[[Both], object], most: float) -> None:
    """A copy of a vector that needs more memory than the docstring says."""
    pages = 300_000
    targets = np.random.default_rng(1).integers(0, pages, 2 * pages)
    web = both(csr(np.arange(0, 2 * pages + 1, 2), targets))
    search(graph(3, [(0, 1), (1, 2)]))  # compiled
    tracemalloc.start()
    try:
        search(web)
        assert tracemalloc.get_traced_memory()[1] <= most * pages
    finally:
        tracemalloc.stop()


def test_every_component_of_a_small_bowtie() -> None:
    """Exchanged numbers of components, or tendrils counted on the wrong side."""
    into, out, tube, off_in, off_out, beyond, island = 3, 4, 5, 6, 7, 8, 9
    links = [(0, 1), (1, 2), (2, 0), (into, 0), (1, out), (into, tube), (tube, out),
             (into, off_in), (off_out, out), (off_out, beyond), (island, 10)]  # fmt: skip
    for form in forms(11, links):
        found = bowtie(form)
        assert found.components.tolist() == [
            SCC, SCC, SCC, IN, OUT, TUBES, TENDRILS, TENDRILS, TENDRILS, DISCONNECTED, DISCONNECTED,
        ]  # fmt: skip
        assert found.counts == dict(scc=3, out=1, tendrils=3, tubes=1, disconnected=2, **{"in": 1})
        assert (found.from_in, found.to_out) == (1, 1)
        assert found.weak_share == pytest.approx(9 / 11)


def test_a_larger_strong_component_is_found_beside_the_first_page() -> None:
    """A bow-tie around the page with most links, in whatever component that is.

    Page 0 has most links in both directions, and is in a strong component of two pages; the ring of
    seven pages is placed in each of the components where it can lie.
    """
    busy = [(0, 1), (1, 0)] * 5
    ring = [(k, 2 + (k - 1) % 7) for k in range(2, 9)]
    joints: dict[str, Pairs] = {
        "in": [(2, 0)], "out": [(0, 2)], "disconnected": [], "tendrils": [(9, 0), (9, 2)],
        "tubes": [(9, 0), (0, 10), (9, 2), (3, 10)],
    }  # fmt: skip
    for links in joints.values():
        for form in forms(11, [*busy, *ring, *links]):
            found = bowtie(form)
            assert found.components.tolist() == naive_bowtie(11, [*busy, *ring, *links])
            assert found.counts["scc"] == 7
            assert found.searched >= 7


def test_of_equal_strong_components_the_one_with_the_lowest_page() -> None:
    """A choice that depends on where the search starts."""
    two_rings = [(3, 4), (4, 3), (1, 2), (2, 1), (2, 3), (3, 4), (4, 3)]
    for form in forms(5, two_rings):
        assert bowtie(form).components.tolist() == [DISCONNECTED, SCC, SCC, OUT, OUT]


@pytest.mark.parametrize("backward", [False, True])
def test_a_long_chain_is_no_deep_recursion(backward: bool) -> None:
    """A recursive search, or one whose time grows with the square of the depth."""
    pages = 300_000
    chain = np.arange(pages) - 1 if backward else np.arange(1, pages + 1)
    chain[0 if backward else -1] = 0 if backward else pages - 1
    line = both(csr(np.arange(pages + 1), chain))
    assert scc(line).number == pages
    assert wcc(line).number == 1
    found = bfs(line, [pages - 1 if backward else 0])
    assert found.sizes.tolist() == [1] * pages
    assert bowtie(line).counts["scc"] == 1


def test_a_zigzag_of_tendrils_takes_no_square_of_time() -> None:
    """Tendrils followed forward and backward in turn, each time from the start."""
    pages = 200_001
    links: list[tuple[int, int]] = []
    for page in range(1, pages - 1):
        links.append((page, page + 1) if page % 2 else (page + 1, page))
    web = graph(pages, [(0, 1), (1, 0), *links])
    assert bowtie(web).counts["disconnected"] == 0


@pytest.mark.parametrize("pages", [20_000, 100_000])
def test_the_planted_bowtie(pages: int) -> None:
    """A page of `broder-1999` that is not found in its planted component."""
    web = Web(profile.load("broder-1999"), pages, 3)
    written = web.explicit()
    found = bowtie(both(csr(written.offsets, written.targets)))
    assert (found.components == web.components()).all()
    assert (found.components == measure.bowtie(written.offsets, written.targets)).all()


@pytest.mark.slow
def test_a_hundred_thousand_pages_by_networkx() -> None:
    """A component that agrees with the planted one and not with the definition."""
    written = Web(profile.load("broder-1999"), 100_000, 7).explicit()
    rows = csr(written.offsets, written.targets)
    web = nx.DiGraph()
    web.add_nodes_from(range(rows.nodes))
    sources = np.repeat(np.arange(rows.nodes), np.diff(written.offsets))
    web.add_edges_from(zip(sources.tolist(), rows.targets.tolist(), strict=True))
    core = max(nx.strongly_connected_components(web), key=len)
    page = min(core)
    before, after = nx.ancestors(web, page) - core, nx.descendants(web, page) - core
    weak = nx.node_connected_component(web.to_undirected(as_view=True), page)
    web.add_edges_from(("first", one) for one in before)
    web.add_edges_from((one, "last") for one in after)
    tubes = nx.descendants(web, "first") & nx.ancestors(web, "last")
    expected = np.full(rows.nodes, DISCONNECTED)
    for pages, number in ((weak, TENDRILS), (tubes, TUBES), (before, IN), (after, OUT),
                          (core, SCC)):  # fmt: skip
        expected[[one for one in pages if one not in ("first", "last")]] = number
    assert (bowtie(both(rows)).components == expected).all()


@pytest.mark.slow
@pytest.mark.parametrize("pages", [1_000_000, 5_000_000])
def test_the_planted_bowtie_of_a_large_web(pages: int) -> None:
    """Overflowing numbers, or a page lost between two parts of a search."""
    web = Web(profile.load("broder-1999"), pages, 7)
    written = web.explicit()
    back = csr(written.offsets, written.targets).reversed()
    rows = back.reversed()  # each row rises
    planted = web.components()
    graph = Both(rows, back)
    assert (bowtie(graph).components == planted).all()
    starts = [web.pages_of(host).start for host in range(web.hosts)]
    hosts = np.array([*starts, pages], np.uint32)
    held = Packs(pack(*rows, hosts), pack(*back, hosts))
    assert (bowtie(held).components == planted).all()
    for algorithm in (scc, wcc):
        assert (algorithm(held).labels == algorithm(graph).labels).all()
    assert (bfs(held, [0]).level == bfs(graph, [0]).level).all()


class Packs(NamedTuple):
    """A graph whose links are packed in both directions."""

    out: Packed
    into: Packed

    @property
    def nodes(self) -> int:
        return self.out.nodes

    @property
    def links(self) -> int:
        return self.out.links


@pytest.mark.parametrize(
    ("offsets", "targets", "message"),
    [
        ([], [], "must be one-dimensional"),
        ([0, 2], [0], "offsets must rise"),
        ([1, 1], [0], "offsets must rise"),
        ([0, 2, 1], [0], "offsets must rise"),
        ([0, 1], [1], "leads to page 1, and there are 1 pages"),
        ([0, 1], [-1], "leads to page -1"),
        ([0, 1], [0.5], "arrays of integers"),
        ([[0, 1]], [0], "must be one-dimensional"),
    ],
)
def test_what_is_no_graph_is_refused(offsets: list[int], targets: list[int], message: str) -> None:
    """Compiled loops that read beyond the end of their arrays."""
    with pytest.raises(GraphError, match=message):
        csr(offsets, targets)


@given(graphs())
def test_links_backward_are_the_same_links(drawn: Drawn) -> None:
    """A backward link that is missing, or in the row of another page."""
    plain = rows(*drawn)
    back = plain.reversed()
    pairs = [(int(s), int(t)) for s in range(plain.nodes) for t in _row(plain, s)]
    assert sorted((int(s), t) for t in range(back.nodes) for s in _row(back, t)) == sorted(pairs)
    assert all(_row(back, t) == sorted(_row(back, t)) for t in range(back.nodes))


def _row(one: Csr, page: int) -> list[int]:
    return one.targets[int(one.offsets[page]) : int(one.offsets[page + 1])].tolist()


def test_graphs_without_pages() -> None:
    """A loop or a share that needs at least one page."""
    for form in forms(0, []):
        assert scc(form).number == wcc(form).number == 0
        assert set(bowtie(form).counts.values()) == {0}
        with pytest.raises(GraphError, match="the graph has 0 pages"):
            bfs(form, [0])


@pytest.mark.parametrize(
    ("starts", "direction", "message"),
    [([], "forward", "at least one start page"), ([3], "forward", "no page 3"),
     ([-1], "forward", "page -1"), ([0], "sideways", "sideways")],
)  # fmt: skip
def test_a_search_that_makes_no_sense(starts: list[int], direction: str, message: str) -> None:
    """A search from a page that does not exist, which would write outside of an array."""
    with pytest.raises(GraphError, match=message):
        bfs(graph(3, [(0, 1)]), starts, direction)
