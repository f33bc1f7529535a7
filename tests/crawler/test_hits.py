"""HITS weights of a graph that grows during the crawl."""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from counterpoint.compiling import Array
from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.policy.protocol import NONE, Pages
from counterpoint.crawler.schedulers.weights import GrowingHits, ranked
from counterpoint.graph.errors import GraphError
from counterpoint.graph.ranking.hits import base_set

Graph = list[tuple[int, list[int]]]
"""Pages in the order of fetching, each with its links."""


@st.composite
def graphs(draw: st.DrawFn, most: int = 12) -> Graph:
    """Return the links of some of a few pages, all drawn from one seed, as in `webs`."""
    numbers = random.Random(draw(st.integers(0, 2**32)))
    count = numbers.randint(1, most)
    fetched = numbers.sample(range(count), numbers.randint(1, count))
    many = numbers.choice([1, 2, 4, count])
    return [(p, numbers.sample(range(count), numbers.randint(0, min(many, count))))
            for p in fetched]  # fmt: skip


def array(pages: list[int]) -> Pages:
    """Return links as a scheduler receives them."""
    return np.array(pages, dtype=np.int64) if pages else NONE


def grown(graph: Graph, hits: GrowingHits) -> GrowingHits:
    """Add the pages of a graph."""
    for page, links in graph:
        hits.add(page, array(links))
    return hits


def matrix(graph: Graph, hits: GrowingHits, count: Callable[[int, int], float]) -> Array:
    """Return the weights of links as a matrix from rows to page numbers."""
    number = {page: i for i, page in enumerate(hits.pages)}
    found = np.zeros((len(graph), len(number)))
    for row, (page, links) in enumerate(graph):
        for link in links:
            found[row, number[link]] = count(page, link)
    return found


def host(page: int) -> int | None:
    """Return the host of a page, one of three, or None for some pages."""
    return None if page % 5 == 4 else page % 3


def counted(graph: Graph, internal: float, divided: bool) -> Callable[[int, int], float]:
    """Return a function that computes the weight of a link from its definition."""

    def whose(page: int) -> object:
        return ("page", page) if host(page) is None else host(page)

    def count(page: int, link: int) -> float:
        share = 1.0
        if divided:
            share /= sum(link in links and whose(p) == whose(page) for p, links in graph)
        return share * (internal if whose(page) == whose(link) else 1.0)

    return count


def is_close(one: Array, other: Array) -> bool:
    """Return whether weights are equal within the error of the iteration."""
    return bool(np.allclose(one, other, rtol=0, atol=1e-7))


KINDS = pytest.mark.parametrize(
    ("internal", "divided"), [(1.0, False), (0.0, False), (0.25, False), (1.0, True), (0.25, True)]
)


@KINDS
@settings(max_examples=150, deadline=None)
@given(graph=graphs())
def test_dominant_singular_vectors(internal: float, divided: bool, graph: Graph) -> None:
    """Weights that are not singular vectors, negative, or not normalized.

    Where the largest singular value has several vectors, or none is above 0, the expected vector is
    the projection of the ones.
    """
    hits = grown(graph, GrowingHits(
        internal=internal, divided=divided, hosts=host, tolerance=1e-12, most=5000))  # fmt: skip
    links = matrix(graph, hits, counted(graph, internal, divided))
    run = hits.weigh(from_ones=True)
    assert hits.hubs.min() >= 0 and hits.authorities.min() >= 0
    left, values, _ = np.linalg.svd(links)
    if values[0] < 1e-9:
        assert not hits.hubs.any() and not hits.authorities.any()
        return
    assert run.converged
    assert hits.hubs @ hits.hubs == pytest.approx(1)
    assert hits.authorities @ hits.authorities == pytest.approx(1)
    dominant = values >= values[0] * (1 - 1e-9)
    next_value = max(values[~dominant], default=0.0) / values[0]
    assume(next_value < 0.995)
    space = left[:, : len(values)][:, dominant]
    hubs = space @ (space.T @ np.ones(len(graph)))
    hubs /= np.linalg.norm(hubs)
    assert is_close(hits.hubs, hubs)
    authorities = links.T @ hubs
    assert is_close(hits.authorities, authorities / np.linalg.norm(authorities))


@settings(max_examples=150, deadline=None)
@given(graph=graphs(), step=st.integers(1, 4))
def test_going_on_from_the_last_weights(graph: Graph, step: int) -> None:
    """A part without weight that never gets any, though it has become the dominant one."""
    warm = GrowingHits(tolerance=1e-12, most=5000)
    for begin in range(0, len(graph), step):
        grown(graph[begin : begin + step], warm)
        warm.weigh()
    anew = grown(graph, GrowingHits(tolerance=1e-12, most=5000))
    anew.weigh(from_ones=True)
    values = np.linalg.svd(matrix(graph, anew, lambda *_: 1.0), compute_uv=False)
    assume(values[0] > 0 and (len(values) < 2 or values[1] < 0.99 * values[0]))
    assert is_close(warm.hubs, anew.hubs)
    assert is_close(warm.authorities, anew.authorities)


@settings(max_examples=100, deadline=None)
@given(graph=graphs(), key=st.integers(0, 2**32))
def test_renumbered(graph: Graph, key: int) -> None:
    """A weight that depends on the number of a page or its position in the crawl."""
    chance = random.Random(key)
    name = chance.sample(range(10**6), 20)
    other = [(name[p], [name[q] for q in links]) for p, links in graph]
    chance.shuffle(other)
    one, two = grown(graph, GrowingHits()), grown(other, GrowingHits())
    assert one.weigh(from_ones=True).iterations == two.weigh(from_ones=True).iterations
    authorities = dict(zip(two.pages, two.authorities, strict=True))
    assert is_close(one.authorities, np.array([authorities.get(name[p], 0) for p in one.pages]))
    row = {page: row for row, (page, _) in enumerate(other)}
    assert is_close(one.hubs, np.array([two.hubs[row[name[p]]] for p, _ in graph]))


def test_twenty_iterations_by_hand() -> None:
    """An operation left out, in the wrong order, or without scaling."""
    graph = [(0, [1, 2, 3]), (3, [2]), (1, [0, 2]), (5, [6])]
    hits = grown(graph, GrowingHits(tolerance=0))
    links = matrix(graph, hits, lambda *_: 1.0)
    assert hits.weigh(from_ones=True).iterations == 20
    hubs = np.ones(4)
    for _ in range(20):
        authorities = links.T @ hubs
        authorities /= np.linalg.norm(authorities)
        hubs = links @ authorities
        hubs /= np.linalg.norm(hubs)
    assert hits.authorities == pytest.approx(authorities, abs=1e-14)
    assert hits.hubs == pytest.approx(hubs, abs=1e-14)


def test_parts_that_tie_share() -> None:
    """One of two equal parts without weight, or the smaller part with some."""
    graph = [(0, [1]), (2, [3]), (4, []), (5, [6, 7]), (8, [9, 10])]
    hits = grown(graph, GrowingHits(tolerance=1e-12))
    hits.weigh(from_ones=True)
    half = 0.5**0.5
    assert hits.hubs == pytest.approx([0, 0, 0, half, half], abs=1e-5)
    assert dict(zip(hits.pages, hits.authorities.round(5), strict=True)) == pytest.approx(
        {0: 0, 1: 0, 2: 0, 3: 0, 4: 0, 5: 0, 6: 0.5, 7: 0.5, 8: 0, 9: 0.5, 10: 0.5}, abs=1e-5
    )


def test_the_residual_is_told() -> None:
    """Convergence reported too early, or iterations after it."""
    graph = [(0, [1, 2, 3]), (3, [2]), (1, [0, 2])]
    hits = grown(graph, GrowingHits(tolerance=1e-3, most=4))
    run = hits.weigh(from_ones=True)
    assert run.converged == (run.residual <= 1e-3)
    assert all(one > 1e-3 for one in run.residuals[:-1])
    before = hits.authorities
    again = hits.weigh()
    assert again.iterations <= run.iterations
    assert np.linalg.norm(hits.authorities - before) < 0.01


def test_links_by_relevance() -> None:
    """A weight given to another link, or to links added before it was known."""
    hits = GrowingHits(tolerance=1e-12, most=500, internal=0.5, hosts=lambda page: page % 2)
    hits.add(0, array([1, 2]))
    hits.add(1, array([3, 4]), np.array([1.0, 0.25]))
    hits.add(2, array([1, 4]), np.array([0.75, 1.0]))
    hits.weigh(from_ones=True)
    #                   0, 1, 2, 3, 4
    links = np.array([[0, 1, 0.5, 0, 0], [0, 0, 0, 0.5, 0.25], [0, 0.75, 0, 0, 0.5]])
    left, _, right = np.linalg.svd(links)
    assert hits.hubs == pytest.approx(abs(left[:, 0]), abs=1e-7)
    assert hits.authorities == pytest.approx(abs(right[0]), abs=1e-7)


@pytest.mark.parametrize("wrong", [{"internal": 1.5}, {"most": 0}, {"tolerance": -1.0}])
def test_wrong_settings(wrong: dict[str, float]) -> None:
    """Weights computed with meaningless settings."""
    with pytest.raises((CrawlError, GraphError)):
        GrowingHits(**wrong)  # type: ignore[arg-type]


def test_a_collection_is_ranked() -> None:
    """Pages that were not fetched, the greatest last, or equal ones in the wrong order."""
    links = {7: array([8, 9, 10, 11]), 8: array([10, 9]), 9: array([10]), 10: array([7])}
    assert ranked(links, [7, 8, 9, 10, 12]) == [10, 9, 8, 7, 12]
    assert ranked({}, [3, 1, 2]) == [3, 1, 2]
    assert ranked(links, [7, 8, 9, 10], internal=0, hosts=lambda _: 0) == [7, 8, 9, 10]


@settings(max_examples=100, deadline=None)
@given(graph=graphs())
def test_by_number(graph: Graph) -> None:
    """A link lost or reversed when rows become numbers, or a base set from other links."""
    hits = grown(graph, GrowingHits())
    whole = hits.by_number()
    assert whole.nodes == len(hits.pages)
    rows = dict(graph)
    for number, page in enumerate(hits.pages):
        found = whole.out.targets[whole.out.offsets[number] : whole.out.offsets[number + 1]]
        assert [hits.pages[q] for q in found] == rows.get(page, [])
    roots = graph[0][1][:1]
    base = base_set(whole, np.array(hits.meet(roots), np.int64), most_into=99)
    near = {page for page, links in graph if roots and roots[0] in links}
    assert {hits.pages[q] for q in base} == {
        *roots, *(link for page in roots for link in rows.get(page, [])), *near
    }  # fmt: skip
