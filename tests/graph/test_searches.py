"""Searches and components, against networkx, brute force, planted truth and another measurer."""

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

Drawn = tuple[int, list[tuple[int, int]]]


def partition(found: Components) -> list[list[int]]:
    """Return the pages of each component, in the order of their numbers."""
    return [np.flatnonzero(found.labels == k).tolist() for k in range(found.number)]


@given(graphs())
@settings(max_examples=300)
def test_strong_components(drawn: Drawn) -> None:
    """Two components taken for one, one for two, or numbers that depend on the form."""
    pages, links = drawn
    parts = sorted(sorted(part) for part in nx.strongly_connected_components(digraph(*drawn)))
    for form in forms(pages, links):
        found = scc(form)
        assert partition(found) == parts
        assert found.sizes.tolist() == [len(part) for part in parts]


@given(graphs())
@settings(max_examples=300)
def test_weak_components(drawn: Drawn) -> None:
    """A link that is not looked at because both ends were thought to be in the giant component."""
    parts = sorted(sorted(part) for part in nx.weakly_connected_components(digraph(*drawn)))
    for form in forms(*drawn):
        assert partition(wcc(form)) == parts


@given(graphs(), st.sampled_from(["forward", "backward", "undirected"]), st.data())
@settings(max_examples=300)
def test_levels(drawn: Drawn, direction: str, data: st.DataObject) -> None:
    """A level that is not the fewest links; links followed the wrong way."""
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
    """Take a graph apart as the definition says, with networkx."""
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
    """A page in the wrong component; a first page outside the largest strong component."""
    expected = naive_bowtie(*drawn)
    for form in forms(*drawn):
        assert bowtie(form).components.tolist() == expected


@pytest.mark.parametrize(("search", "most"), [
    (lambda web: bfs(web, [0]), 8.1), (bowtie, 7.1), (lambda web: pagerank(web, most=2), 28.5),
    (lambda web: hits(web, most=2), 24.5), (lambda web: distances(web, 64), 36.5),
])  # fmt: skip
def test_memory_is_what_docstrings_say(search: Callable[[Both], object], most: float) -> None:
    """Would catch a copy of a vector that is larger than all that is needed."""
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
    """Numbers of components that changed places; tendrils counted on the wrong side."""
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
    """A bow-tie around the page with most links, whatever component that is in.

    Page 0 has most links in both directions, and is in a strong component of two pages; the ring of
    seven is met in each of the places where it can lie.
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
    """A choice that depends on where the search begins."""
    two_rings = [(3, 4), (4, 3), (1, 2), (2, 1), (2, 3), (3, 4), (4, 3)]
    for form in forms(5, two_rings):
        assert bowtie(form).components.tolist() == [DISCONNECTED, SCC, SCC, OUT, OUT]


@pytest.mark.parametrize("backward", [False, True])
def test_a_long_chain_is_no_deep_recursion(backward: bool) -> None:
    """A search that calls itself, or whose time grows as the square of the depth."""
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
    """Tendrils followed forward and backward by turns, from the beginning at each turn."""
    pages = 200_001
    links: list[tuple[int, int]] = []
    for page in range(1, pages - 1):
        links.append((page, page + 1) if page % 2 else (page + 1, page))
    web = graph(pages, [(0, 1), (1, 0), *links])
    assert bowtie(web).counts["disconnected"] == 0


@pytest.mark.parametrize("pages", [20_000, 100_000])
def test_the_planted_bowtie(pages: int) -> None:
    """A page of `broder-1999` that is not found where it was planted."""
    web = Web(profile.load("broder-1999"), pages, 3)
    written = web.explicit()
    found = bowtie(both(csr(written.offsets, written.targets)))
    assert (found.components == web.components()).all()
    assert (found.components == measure.bowtie(written.offsets, written.targets)).all()


@pytest.mark.slow
def test_a_hundred_thousand_pages_by_networkx() -> None:
    """A component that comes out right where it is planted, and wrong by its definition."""
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
    """Numbers that overflow, or searches in parts that lose a page between two of them."""
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
    """A graph of which both directions are packed."""

    out: Packed
    into: Packed

    @property
    def nodes(self) -> int:
        return self.out.nodes

    @property
    def links(self) -> int:
        return self.out.links


@pytest.mark.parametrize(
    ("offsets", "targets", "said"),
    [
        ([], [], "a row of offsets"),
        ([0, 2], [0], "offsets must rise"),
        ([1, 1], [0], "offsets must rise"),
        ([0, 2, 1], [0], "offsets must rise"),
        ([0, 1], [1], "leads to page 1, and there are 1 pages"),
        ([0, 1], [-1], "leads to page -1"),
        ([0, 1], [0.5], "whole numbers"),
        ([[0, 1]], [0], "a row of offsets"),
    ],
)
def test_what_is_no_graph_is_refused(offsets: list[int], targets: list[int], said: str) -> None:
    """Compiled loops that read beyond their arrays."""
    with pytest.raises(GraphError, match=said):
        csr(offsets, targets)


@given(graphs())
def test_links_backward_are_the_same_links(drawn: Drawn) -> None:
    """A backward link that is missed, or in the row of another page."""
    plain = rows(*drawn)
    back = plain.reversed()
    pairs = [(int(s), int(t)) for s in range(plain.nodes) for t in _row(plain, s)]
    assert sorted((int(s), t) for t in range(back.nodes) for s in _row(back, t)) == sorted(pairs)
    assert all(_row(back, t) == sorted(_row(back, t)) for t in range(back.nodes))


def _row(one: Csr, page: int) -> list[int]:
    return one.targets[int(one.offsets[page]) : int(one.offsets[page + 1])].tolist()


def test_graphs_without_pages() -> None:
    """A loop or a share that expects a page."""
    for form in forms(0, []):
        assert scc(form).number == wcc(form).number == 0
        assert set(bowtie(form).counts.values()) == {0}
        with pytest.raises(GraphError, match="none of the 0 pages"):
            bfs(form, [0])


@pytest.mark.parametrize(
    ("starts", "direction", "said"),
    [([], "forward", "begins"), ([3], "forward", "page 3"), ([-1], "forward", "page -1"),
     ([0], "sideways", "sideways")],
)  # fmt: skip
def test_a_search_that_makes_no_sense(starts: list[int], direction: str, said: str) -> None:
    """A search from a page that is not there, which would write beyond an array."""
    with pytest.raises(GraphError, match=said):
        bfs(graph(3, [(0, 1)]), starts, direction)
