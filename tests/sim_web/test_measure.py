"""Measurements compared with networkx, brute force and samples of known distributions."""

from __future__ import annotations

import itertools
import random

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterpoint.sim_web.measure import (
    MeasuredGraph,
    bowtie,
    decompose,
    distances,
    levels,
    sampled,
    tail,
)
from counterpoint.sim_web.measure.bowtie import DISCONNECTED, IN, OUT, SCC, TENDRILS, TUBES

Links = list[tuple[int, int]]


def rows(pages: int, links: Links) -> tuple[np.ndarray, np.ndarray]:
    """Return links in compressed rows, those of each page in the given order."""
    out: list[list[int]] = [[] for _ in range(pages)]
    for source, target in links:
        out[source].append(target)
    offsets = np.cumsum([0, *map(len, out)])
    return offsets, np.array(list(itertools.chain(*out)), dtype=np.uint32)


def graph(pages: int, links: Links) -> MeasuredGraph:
    """Return the graph of some links."""
    return MeasuredGraph(*rows(pages, links))


@st.composite
def graphs(draw: st.DrawFn) -> tuple[int, Links]:
    """Draw a graph of at most 14 pages, often a sparse one, with repeated links and loops."""
    pages = draw(st.integers(1, 14))
    page = st.integers(0, pages - 1)
    links = draw(st.lists(st.tuples(page, page), max_size=draw(st.sampled_from([4, 12, 30]))))
    return pages, links


def naive_bowtie(pages: int, links: Links) -> list[int]:
    """Compute the bow-tie from its definition with networkx."""
    web = nx.DiGraph()
    web.add_nodes_from(range(pages))
    web.add_edges_from(links)
    parts = sorted(map(sorted, nx.strongly_connected_components(web)))
    core = set(max(parts, key=lambda part: (len(part), -part[0])))
    page = next(iter(core))
    before = nx.ancestors(web, page) - core
    after = nx.descendants(web, page) - core
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
@settings(max_examples=400, deadline=None)  # the first example compiles
def test_the_bowtie_is_that_of_the_definition(drawn: tuple[int, Links]) -> None:
    """A page in the wrong component, or another choice among equally large strong components."""
    pages, links = drawn
    assert bowtie(*rows(pages, links)).tolist() == naive_bowtie(pages, links)


def test_every_component_of_a_small_bowtie() -> None:
    """Exchanged numbers of components, or tubes taken for tendrils."""
    ring, into, out, tube, off_in, off_out, beyond, island = [0, 1, 2], 3, 4, 5, 6, 7, 8, 9
    links = [(0, 1), (1, 2), (2, 0), (into, 0), (1, out), (into, tube), (tube, out),
             (into, off_in), (off_out, out), (off_out, beyond), (island, 10)]  # fmt: skip
    found = decompose(graph(11, links))
    assert found.components.tolist() == [
        *[SCC for _ in ring], IN, OUT, TUBES, TENDRILS, TENDRILS, TENDRILS, DISCONNECTED,
        DISCONNECTED,
    ]  # fmt: skip
    assert found.counts == dict(scc=3, out=1, tendrils=3, tubes=1, disconnected=2, **{"in": 1})
    assert found.hanging_off_in == pytest.approx(1 / 3)
    assert found.weak_share == pytest.approx(9 / 11)


def test_of_equal_strong_components_the_one_with_the_lowest_page() -> None:
    """A choice that depends on the order of links."""
    two_rings = [(3, 4), (4, 3), (1, 2), (2, 1), (2, 3)]
    assert bowtie(*rows(5, two_rings)).tolist() == [DISCONNECTED, SCC, SCC, OUT, OUT]
    assert bowtie(*rows(3, [])).tolist() == [SCC, DISCONNECTED, DISCONNECTED]


def test_a_chain_of_a_million_pages_is_no_deep_recursion() -> None:
    """A recursive search, or one whose time grows with the square of the length."""
    pages = 1_000_000
    ring = MeasuredGraph(np.arange(pages + 1), np.roll(np.arange(pages), -1))
    assert decompose(ring).counts["scc"] == pages


@pytest.mark.parametrize(
    ("offsets", "targets"),
    [([0], []), ([0, 2], [0]), ([1, 1], [0]), ([0, 2, 1], [0]), ([0, 1], [1]), ([0, 1], [-1])],
)
def test_what_is_no_graph_is_refused(offsets: list[int], targets: list[int]) -> None:
    """Compiled loops that read beyond the end of their arrays."""
    with pytest.raises(ValueError):
        MeasuredGraph(np.array(offsets), np.array(targets, dtype=np.int64))


@given(graphs(), st.booleans())
@settings(max_examples=200, deadline=None)
def test_distances_from_all_pages_are_exact(drawn: tuple[int, Links], undirected: bool) -> None:
    """A pair that is missed or counted twice, or a page counted as its own neighbour."""
    pages, links = drawn
    web: nx.Graph = nx.Graph() if undirected else nx.DiGraph()
    web.add_nodes_from(range(pages))
    web.add_edges_from(links)
    far = [d for _, to in nx.all_pairs_shortest_path_length(web) for d in to.values() if d]
    one = graph(pages, links)
    everything = sampled(bowtie(one.offsets, one.targets), pages, 0)
    found = distances(one, everything, seed=0, undirected=undirected)
    assert found.sources == pages
    assert found.connected == pytest.approx(len(far) / max(1, pages * (pages - 1)))
    assert found.greatest == max(far, default=0)
    if far:
        assert found.mean == pytest.approx(sum(far) / len(far))
        assert found.interval == pytest.approx((found.mean, found.mean))
    else:
        assert (found.mean, found.interval) == (None, None)


def random_links(pages: int, links: int, seed: int) -> Links:
    """Return links between random pages."""
    rng = random.Random(seed)
    return [(rng.randrange(pages), rng.randrange(pages)) for _ in range(links)]


def test_more_sources_than_one_search_has_bits() -> None:
    """A second search that writes into the sums of the first, or interfering threads."""
    one = graph(300, random_links(300, 500, 3))
    everything = sampled(np.zeros(300, np.uint8), 300, 0)
    exact = distances(one, everything, seed=0)
    web = nx.DiGraph()
    web.add_edges_from(random_links(300, 500, 3))
    far = [d for _, to in nx.all_pairs_shortest_path_length(web) for d in to.values() if d]
    assert exact.mean == pytest.approx(sum(far) / len(far))
    assert distances(one, everything, seed=0, threads=3) == exact


def test_the_interval_holds_the_average_as_often_as_it_says() -> None:
    """An interval that is too narrow, or a biased estimate."""
    pages = 400
    one = graph(pages, random_links(pages, 560, 5))
    strata = bowtie(one.offsets, one.targets)
    exact = distances(one, sampled(strata, pages, 0), seed=0)
    assert exact.mean is not None
    held = connected = 0
    for seed in range(100):
        found = distances(one, sampled(strata, 60, seed), seed=seed)
        assert found.interval is not None
        held += found.interval[0] <= exact.mean <= found.interval[1]
        connected += found.connected_interval[0] <= exact.connected <= found.connected_interval[1]
    assert held >= 85
    assert connected >= 85


@given(st.lists(st.integers(0, 5), min_size=1, max_size=60), st.integers(1, 70), st.integers(0, 9))
def test_samples_stand_for_all_pages(strata: list[int], number: int, seed: int) -> None:
    """A stratum without a page, a page drawn twice, or weights that do not sum to all pages."""
    kinds = np.array(strata, np.uint8)
    drawn = sampled(kinds, number, seed)
    assert len(set(drawn.pages.tolist())) == len(drawn.pages)
    assert (kinds[drawn.pages] == drawn.stratum).all()
    for kind in set(strata):
        assert drawn.weight[drawn.stratum == kind].sum() == pytest.approx(strata.count(kind))
    again = sampled(kinds, number, seed)
    assert drawn.pages.tolist() == again.pages.tolist()
    if number >= len(strata):
        assert len(drawn.pages) == len(strata)


@pytest.mark.parametrize("exponent", [2.09, 2.72])
def test_the_exponent_of_a_pure_power_law(exponent: float) -> None:
    """A wrong likelihood, an error that is too small, or a threshold that is too high."""
    found = [tail(np.random.default_rng(seed).zipf(exponent, 50_000)) for seed in range(12)]
    deviations = []
    for fit in found:
        assert fit is not None
        assert fit.exponent == pytest.approx(exponent, abs=0.05)
        assert fit.points >= 500
        deviations.append((fit.exponent - exponent) / fit.error)
    assert 0.4 < np.sqrt(np.mean(np.square(deviations))) < 2.0


@pytest.mark.parametrize(("exponent", "begins"), [(2.09, 12), (2.72, 8)])
def test_a_flat_body_is_no_part_of_the_tail(exponent: float, begins: int) -> None:
    """A fit to all values, which a flat body distorts."""
    rng = np.random.default_rng(4)
    many = rng.zipf(exponent, 2_000_000)
    values = np.concatenate([many[many >= begins], rng.integers(0, begins, 100_000)])
    fit = tail(values)
    assert fit is not None
    assert fit.exponent == pytest.approx(exponent, abs=0.06)
    # The body's last number may fit the power law.
    assert begins - 1 <= fit.least <= 4 * begins
    assert fit.points == (values >= fit.least).sum()


def test_a_tail_is_the_best_of_all_beginnings() -> None:
    """A likelihood or a distance that differs from Clauset, Shalizi and Newman's."""
    values = np.random.default_rng(2).zipf(2.4, 400)
    fit = tail(values)
    assert fit is not None
    everything = np.arange(1, 400_000)
    for least in range(1, 8):
        part = values[values >= least]
        if len(part) < 50 or len(set(part.tolist())) < 2:
            continue
        support = everything[everything >= least]
        exponents = np.arange(1.5, 4, 0.01)
        likelihood = [-len(part) * np.log((support**-a).sum()) - a * np.log(part).sum()
                      for a in exponents]  # fmt: skip
        a = exponents[int(np.argmax(likelihood))]
        law = np.cumsum(support**-a) / (support**-a).sum()
        seen = np.searchsorted(np.sort(part), support, side="right") / len(part)
        distance = np.abs(law - seen).max()
        assert fit.distance <= distance + 0.003
        if least == fit.least:
            assert fit.exponent == pytest.approx(a, abs=0.02)
            assert fit.distance == pytest.approx(distance, abs=0.003)


@pytest.mark.parametrize("values", [[], [0, 0, 0], [3] * 1000, [1, 2] * 10])
def test_no_tail_where_there_is_none(values: list[int]) -> None:
    """An exponent for no values, one value, or too few values."""
    assert tail(np.array(values, dtype=np.int64)) is None


def test_levels_follow_links_within_a_host_only() -> None:
    """A level reached through another host, or a wrong count of internal links."""
    links = [(0, 1), (1, 2), (0, 4), (4, 3), (5, 6), (3, 5), (4, 6), (0, 1)]
    found, within = levels(graph(7, links), np.array([0, 4]))
    assert found.tolist() == [0, 1, 2, -1, 0, -1, 1]
    assert within == 5


def test_parts_of_a_graph() -> None:
    """A missing or repeated backward link, or degrees of the wrong direction."""
    one = graph(4, [(0, 2), (1, 2), (2, 0), (1, 2), (3, 3)])
    offsets, sources = one.backward
    assert offsets.tolist() == [0, 1, 1, 4, 5]
    assert sources.tolist() == [2, 0, 1, 1, 3]
    assert (one.in_degrees.tolist(), one.out_degrees.tolist()) == ([1, 0, 3, 1], [1, 2, 1, 1])
    assert one.links == 5
