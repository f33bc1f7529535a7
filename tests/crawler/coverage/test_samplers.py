"""Samplers compared with plain definitions on small random webs."""

from __future__ import annotations

from ipaddress import ip_address

import networkx as nx
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from counterpoint.crawler.coverage.blocks import Address, Blocks
from counterpoint.crawler.coverage.samplers import (
    Front,
    Kind,
    Probed,
    around,
    breadth_first,
    expanded,
    probed,
    whole_sites,
)
from counterpoint.crawler.policy.protocol import Pages


class Small:
    """A web of a few pages, which records the fetched pages."""

    def __init__(self, rows: list[list[int]], sites: int) -> None:
        self.rows = [list(dict.fromkeys(row)) for row in rows]
        self.sites, self.fetched = sites, list[int]()

    def links(self, page: int) -> Pages:
        """Return the links of some pages."""
        self.fetched.append(page)
        return np.array(self.rows[page], dtype=np.int64)

    def host(self, pages: Pages) -> Pages:
        """Return the sites of some pages."""
        return pages % self.sites

    def graph(self) -> nx.DiGraph:
        """Return the links as a graph of networkx."""
        found = nx.DiGraph()
        found.add_nodes_from(range(len(self.rows)))
        found.add_edges_from((a, b) for a, row in enumerate(self.rows) for b in row)
        return found


@st.composite
def smalls(draw: st.DrawFn) -> Small:
    """Return a web of up to 12 pages on up to 4 sites."""
    pages = draw(st.integers(1, 12))
    row = st.lists(st.integers(0, pages - 1), max_size=5)
    return Small(draw(st.lists(row, min_size=pages, max_size=pages)), draw(st.integers(1, 4)))


def even(pages: Pages) -> np.ndarray:
    """Return which pages are even."""
    return pages % 2 == 0


@given(smalls(), st.data())
def test_breadth_first(web: Small, data: st.DataObject) -> None:
    """A level out of order, a page twice, one too many, or a page fetched needlessly."""
    start = data.draw(st.integers(0, len(web.rows) - 1))
    size = data.draw(st.integers(1, 14))
    found = breadth_first(web, start, size)
    levels = nx.single_source_shortest_path_length(web.graph(), start)
    assert len(found.pages) == min(size, len(levels)) == len(set(found.pages.tolist()))
    depths = [levels[page] for page in found.pages.tolist()]
    assert depths == sorted(levels.values())[: len(depths)]
    assert web.fetched == found.pages.tolist()
    assert found.fetched == len(web.fetched)
    web.fetched.clear()
    queued = breadth_first(web, start, size, counted="found")
    assert queued.pages.tolist()[: len(found.pages)] == found.pages.tolist()[: len(queued.pages)]
    assert len(queued.pages) == min(size, len(levels))
    assert queued.fetched == len(web.fetched) <= found.fetched


@given(smalls(), st.data())
def test_breadth_first_from_several_pages(web: Small, data: st.DataObject) -> None:
    """A start page that waits for the pages of another, or a page charged to a farther one."""
    pages = st.integers(0, len(web.rows) - 1)
    starts = data.draw(st.lists(pages, unique=True, min_size=1, max_size=4))
    size = data.draw(st.integers(1, 14))
    found = breadth_first(web, starts, size)
    assert found.pages.tolist()[: len(starts)] == starts[:size]
    near = [nx.single_source_shortest_path_length(web.graph(), start) for start in starts]
    levels = {page: min(one.get(page, 99) for one in near) for one in near for page in one}
    assert len(found.pages) == min(size, len(levels))
    depths = [levels[page] for page in found.pages.tolist()]
    assert depths == sorted(levels.values())[: len(depths)]
    for page, lump in zip(found.pages.tolist(), found.lumps.tolist(), strict=True):
        assert near[lump].get(page) == levels[page]
    assert breadth_first(web, [], 5).pages.size == 0


@given(smalls(), st.data())
def test_breadth_first_stays_inside(web: Small, data: st.DataObject) -> None:
    """A page outside of the domain in the sample, or a path through one."""
    start = 2 * data.draw(st.integers(0, (len(web.rows) - 1) // 2))
    found = breadth_first(web, start, 99, inside=even)
    inside = web.graph().subgraph(range(0, len(web.rows), 2))
    assert set(found.pages.tolist()) == {start} | nx.descendants(inside, start)


@given(smalls(), st.integers(0, 3), st.booleans(), st.data())
def test_expansion(web: Small, times: int, within: bool, data: st.DataObject) -> None:
    """An expansion too many, or a page charged to a seed that does not reach it in time."""
    seeds = data.draw(st.lists(st.integers(0, len(web.rows) - 1), unique=True, max_size=4))
    found = expanded(web, seeds, times, even if within else None)
    graph, kept = web.graph(), [s for s in seeds if not within or s % 2 == 0]
    if within:
        graph = graph.subgraph(range(0, len(web.rows), 2)).copy()
    near = {s: nx.single_source_shortest_path_length(graph, s, cutoff=times) for s in kept}
    assert set(found.pages.tolist()) == {page for one in near.values() for page in one}
    assert len(found.pages) == len(set(found.pages.tolist()))
    for page, lump in zip(found.pages.tolist(), found.lumps.tolist(), strict=True):
        best = min(one[page] for one in near.values() if page in one)
        assert near[seeds[lump]].get(page) == best
    earlier = {p for one in near.values() for p, level in one.items() if 0 < level < times}
    assert found.fetched == len(earlier - set(kept))


@given(smalls(), st.data())
def test_whole_sites(web: Small, data: st.DataObject) -> None:
    """A page of another site, a missing page of the site, or a site that counts twice."""
    seeds = data.draw(st.lists(st.integers(0, len(web.rows) - 1), unique=True, max_size=4))
    found = whole_sites(web, seeds, web.host)
    graph, wanted, sites = web.graph(), dict[int, int](), set[int]()
    for lump, seed in enumerate(seeds):
        site = graph.subgraph(range(seed % web.sites, len(web.rows), web.sites))
        if seed % web.sites not in sites:
            wanted |= dict.fromkeys({seed} | nx.descendants(site, seed), lump)
        sites.add(seed % web.sites)
    got = dict(zip(found.pages.tolist(), found.lumps.tolist(), strict=True))
    assert got == wanted
    assert found.fetched == len(wanted) - len(sites)


@given(smalls(), st.data())
def test_around_an_answer(web: Small, data: st.DataObject) -> None:
    """Pages two links away, or links followed in one direction only."""
    answer = data.draw(st.lists(st.integers(0, len(web.rows) - 1), unique=True, max_size=4))
    graph = web.graph()
    backward = Small([list(graph.predecessors(page)) for page in range(len(web.rows))], 1)
    found = around(web, backward, answer)
    near = {
        link for page in answer for link in (*graph.successors(page), *graph.predecessors(page))
    }
    assert sorted(found.pages.tolist()) == sorted(near | set(answer))
    assert found.fetched == len(found.pages)
    assert set(found.lumps.tolist()) <= set(range(len(answer)))


def test_what_serves() -> None:
    """A default page that counts as a site, an address that costs nothing, or a page twice."""

    class Served:
        def front(self, address: Address) -> Front:
            last = int(address) % 4
            return (
                Front(Kind.EMPTY), Front(Kind.DEFAULT), Front(Kind.SITE, 7), Front(Kind.SITE, 9),
            )[last]  # fmt: skip

    blocks = Blocks.read(["192.0.2.0/29"])
    found = probed(Served(), blocks.draw(8, 1))
    assert (found.drawn, found.defaults, sorted(found.pages)) == (8, 2, [7, 9])
    assert found.serving == 4
    assert probed(Served(), [ip_address("192.0.2.0")]) == Probed(1, 0, [])
