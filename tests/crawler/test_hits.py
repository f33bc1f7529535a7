"""HITS of a growing graph, and the focused crawler that goes by it."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from counterpoint.compiling import Array
from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.policy.protocol import NONE, Outcome, Pages, Scope, Setting
from counterpoint.crawler.schedulers.finding import find
from counterpoint.crawler.schedulers.hits import FocusedHits
from counterpoint.crawler.schedulers.weights import GrowingHits, ranked
from counterpoint.graph.errors import GraphError
from counterpoint.graph.ranking.hits import base_set

from .webs import Web, World, fly, run, webs

Graph = list[tuple[int, list[int]]]
"""Pages in the order in which they are fetched, with what they link to."""


@st.composite
def graphs(draw: st.DrawFn, most: int = 12) -> Graph:
    """Return the links of some of a few pages; all comes from one seed, as in `webs`."""
    numbers = random.Random(draw(st.integers(0, 2**32)))
    count = numbers.randint(1, most)
    fetched = numbers.sample(range(count), numbers.randint(1, count))
    many = numbers.choice([1, 2, 4, count])
    return [(p, numbers.sample(range(count), numbers.randint(0, min(many, count))))
            for p in fetched]  # fmt: skip


def array(pages: list[int]) -> Pages:
    """Return links as a scheduler is told of them."""
    return np.array(pages, dtype=np.int64) if pages else NONE


def grown(graph: Graph, hits: GrowingHits) -> GrowingHits:
    """Add the pages of a graph."""
    for page, links in graph:
        hits.add(page, array(links))
    return hits


def matrix(graph: Graph, hits: GrowingHits, count: Callable[[int, int], float]) -> Array:
    """Return what each link counts, from rows to numbers."""
    number = {page: i for i, page in enumerate(hits.pages)}
    found = np.zeros((len(graph), len(number)))
    for row, (page, links) in enumerate(graph):
        for link in links:
            found[row, number[link]] = count(page, link)
    return found


def host(page: int) -> int | None:
    """Return the host of a page, one of three; some have none that is known."""
    return None if page % 5 == 4 else page % 3


def counted(graph: Graph, internal: float, divided: bool) -> Callable[[int, int], float]:
    """Return what a link counts, as it is said in words."""

    def whose(page: int) -> object:
        return ("page", page) if host(page) is None else host(page)

    def count(page: int, link: int) -> float:
        share = 1.0
        if divided:
            share /= sum(link in links and whose(p) == whose(page) for p, links in graph)
        return share * (internal if whose(page) == whose(link) else 1.0)

    return count


def is_close(one: Array, other: Array) -> bool:
    """Return whether weights are the same but for what an iteration leaves."""
    return bool(np.allclose(one, other, rtol=0, atol=1e-7))


KINDS = pytest.mark.parametrize(
    ("internal", "divided"), [(1.0, False), (0.0, False), (0.25, False), (1.0, True), (0.25, True)]
)


@KINDS
@settings(max_examples=150, deadline=None)
@given(graph=graphs())
def test_dominant_singular_vectors(internal: float, divided: bool, graph: Graph) -> None:
    """Weights that are no singular vectors, of another matrix, negative or not normalized.

    Where the largest singular value has several vectors, or none is above 0: the projection of the
    ones.
    """
    hits = grown(graph, GrowingHits(
        internal=internal, divided=divided, hosts=host, tolerance=1e-12, most=5000))  # fmt: skip
    links = matrix(graph, hits, counted(graph, internal, divided))
    run = hits.weigh(anew=True)
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
    """A part that had no weight left and never gets one, though it has become the dominant one."""
    warm = GrowingHits(tolerance=1e-12, most=5000)
    for begin in range(0, len(graph), step):
        grown(graph[begin : begin + step], warm)
        warm.weigh()
    anew = grown(graph, GrowingHits(tolerance=1e-12, most=5000))
    anew.weigh(anew=True)
    values = np.linalg.svd(matrix(graph, anew, lambda *_: 1.0), compute_uv=False)
    assume(values[0] > 0 and (len(values) < 2 or values[1] < 0.99 * values[0]))
    assert is_close(warm.hubs, anew.hubs)
    assert is_close(warm.authorities, anew.authorities)


@settings(max_examples=100, deadline=None)
@given(graph=graphs(), key=st.integers(0, 2**32))
def test_renumbered(graph: Graph, key: int) -> None:
    """A weight that depends on the number of a page or its place in the crawl."""
    chance = random.Random(key)
    name = chance.sample(range(10**6), 20)
    other = [(name[p], [name[q] for q in links]) for p, links in graph]
    chance.shuffle(other)
    one, two = grown(graph, GrowingHits()), grown(other, GrowingHits())
    assert one.weigh(anew=True).iterations == two.weigh(anew=True).iterations
    authorities = dict(zip(two.pages, two.authorities, strict=True))
    assert is_close(one.authorities, np.array([authorities.get(name[p], 0) for p in one.pages]))
    row = {page: row for row, (page, _) in enumerate(other)}
    assert is_close(one.hubs, np.array([two.hubs[row[name[p]]] for p, _ in graph]))


def test_twenty_iterations_by_hand() -> None:
    """An operation left out, in the wrong order, or not scaled."""
    graph = [(0, [1, 2, 3]), (3, [2]), (1, [0, 2]), (5, [6])]
    hits = grown(graph, GrowingHits(tolerance=0))
    links = matrix(graph, hits, lambda *_: 1.0)
    assert hits.weigh(anew=True).iterations == 20
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
    hits.weigh(anew=True)
    half = 0.5**0.5
    assert hits.hubs == pytest.approx([0, 0, 0, half, half], abs=1e-5)
    assert dict(zip(hits.pages, hits.authorities.round(5), strict=True)) == pytest.approx(
        {0: 0, 1: 0, 2: 0, 3: 0, 4: 0, 5: 0, 6: 0.5, 7: 0.5, 8: 0, 9: 0.5, 10: 0.5}, abs=1e-5
    )


def test_the_residual_is_told() -> None:
    """An iteration that is said to have converged and has not, or goes on for nothing."""
    graph = [(0, [1, 2, 3]), (3, [2]), (1, [0, 2])]
    hits = grown(graph, GrowingHits(tolerance=1e-3, most=4))
    run = hits.weigh(anew=True)
    assert run.converged == (run.residual <= 1e-3)
    assert all(one > 1e-3 for one in run.residuals[:-1])
    before = hits.authorities
    again = hits.weigh()
    assert again.iterations <= run.iterations
    assert np.linalg.norm(hits.authorities - before) < 0.01


def test_links_by_relevance() -> None:
    """What a link counts given to another link, or to those before there were any."""
    hits = GrowingHits(tolerance=1e-12, most=500, internal=0.5, hosts=lambda page: page % 2)
    hits.add(0, array([1, 2]))
    hits.add(1, array([3, 4]), np.array([1.0, 0.25]))
    hits.add(2, array([1, 4]), np.array([0.75, 1.0]))
    hits.weigh(anew=True)
    #                   0, 1, 2, 3, 4
    links = np.array([[0, 1, 0.5, 0, 0], [0, 0, 0, 0.5, 0.25], [0, 0.75, 0, 0, 0.5]])
    left, _, right = np.linalg.svd(links)
    assert hits.hubs == pytest.approx(abs(left[:, 0]), abs=1e-7)
    assert hits.authorities == pytest.approx(abs(right[0]), abs=1e-7)


@pytest.mark.parametrize("wrong", [{"internal": 1.5}, {"most": 0}, {"tolerance": -1.0}])
def test_wrong_settings(wrong: dict[str, float]) -> None:
    """Weights that mean nothing."""
    with pytest.raises((CrawlError, GraphError)):
        GrowingHits(**wrong)  # type: ignore[arg-type]


def test_a_collection_is_ranked() -> None:
    """Pages that were not fetched, or the greatest last; equal ones in another order."""
    links = {7: array([8, 9, 10, 11]), 8: array([10, 9]), 9: array([10]), 10: array([7])}
    assert ranked(links, [7, 8, 9, 10, 12]) == [10, 9, 8, 7, 12]
    assert ranked({}, [3, 1, 2]) == [3, 1, 2]
    assert ranked(links, [7, 8, 9, 10], internal=0, hosts=lambda _: 0) == [7, 8, 9, 10]


@settings(max_examples=100, deadline=None)
@given(graph=graphs())
def test_by_number(graph: Graph) -> None:
    """A link lost or turned when rows become numbers; the base set of a crawl by other links."""
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


# The crawler


def test_the_better_hub_is_expanded_first() -> None:
    """Breadth first by another name: 2, found after 1, is the better hub."""
    links = ((1, 2), (3,), (4, 5, 0), (), (5,), ())
    web = Web(1, (0,) * 6, links, (0,) * 6, frozenset())
    assert run("hits,c=1", web, 6)[0] == [0, 1, 2, 4, 5, 3]


def test_the_index_has_the_authorities() -> None:
    """An index without the authority that all link to, or with one that was not fetched."""
    fast = FocusedHits(Setting([7], 9, parameters={"c": 2}))
    links = {7: [8, 9, 10], 8: [10, 9], 9: [10], 10: [7]}
    seen = []
    while (request := fast.next()) is not None:
        fast.observe(Outcome(request.page, 200, array(links[request.page])))
        seen.append(fast.index())
    assert seen == [[], [], [], [10, 9, 8, 7]]
    assert fast.expanded[:2] == [7, 8]


@settings(max_examples=150, deadline=None)
@given(web=webs(), budget=st.integers(0, 30), flight=st.integers(1, 6), c=st.integers(1, 4),
       key=st.integers(0, 2**32))  # fmt: skip
def test_what_the_crawler_keeps(web: Web, budget: int, flight: int, c: int, key: int) -> None:
    """Each of what must hold at every step, with failures and answers in any order.

    A page in the index that was not fetched, or twice, or that left it; more than c new ones in a
    step; a page expanded before it was found, twice, or not chosen; a frontier that grows by more
    than c times the largest out-degree.
    """
    world = World(web, Scope.WEB)
    fast = FocusedHits(Setting(world.starts, budget, parameters={"c": c}))
    chance, flying = random.Random(key), list[int]()
    fetched, asked = set[int](), set(world.starts)
    steps, index, expanded = 0, set[int](), 0
    largest = max(len(links) for links in web.links)
    while True:
        request = fast.next() if len(flying) < flight else None
        if request is not None:
            assert request.page in asked
            flying.append(request.page)
            continue
        if not flying:
            break
        page = flying.pop(chance.randrange(len(flying)))
        outcome = world.fetch(page)
        if outcome.status == 200:
            fetched.add(page)
        fast.observe(outcome)
        now = fast.index()
        assert set(now) <= fetched and len(set(now)) == len(now)
        assert set(now) >= index and len(now) - len(index) <= c * (fast.steps - steps)
        new = fast.expanded[expanded:]
        assert set(new) <= fetched and len(new) <= c * (fast.steps - steps)
        links = {link for page in new for link in web.links[page]}
        assert len(links - asked) <= c * largest * (fast.steps - steps)
        asked |= links
        steps, index, expanded = fast.steps, set(now), len(fast.expanded)
    assert len(set(fast.expanded)) == len(fast.expanded)
    assert fast.steps <= len(web.links) + 2
    hits = fast.hits
    assert not hits.rows or fast.hits.authorities @ fast.hits.authorities == pytest.approx(
        1.0 if hits.links else 0.0
    )


@settings(max_examples=60, deadline=None)
@given(web=webs(failures=False), c=st.integers(1, 3), budget=st.integers(1, 30))
def test_authorities_are_taken_in_their_order(web: Web, c: int, budget: int) -> None:
    """An index that is not in the order of the weights, or passed a better page over.

    Of equal pages the one discovered first comes first, whichever was taken first.
    """
    world = World(web, Scope.WEB)
    fast = FocusedHits(Setting(world.starts, budget, parameters={"c": c}))
    before = set[int]()
    while (request := fast.next()) is not None:
        steps = fast.steps
        fast.observe(world.fetch(request.page))
        index = fast.index()
        weight = dict(zip(fast.hits.pages, fast.hits.authorities.tolist(), strict=False))
        places = [(-weight[page], fast.hits.pages.index(page)) for page in index]
        assert places == sorted(places)
        if fast.steps == steps + 1:
            fetched = {fast.hits.pages[int(i)] for i in fast.hits.sources}
            good = sorted((weight[p] for p in fetched - before if weight[p] > 0), reverse=True)
            assert sorted((weight[p] for p in set(index) - before), reverse=True) == good[:c]
        before = set(index)


def chain(pages: int) -> Web:
    """Return a web in which all link to the first two pages and to the one after them."""
    links = tuple((0, 1, p + 1) if p + 1 < pages else (0, 1) for p in range(pages))
    return Web(1, (0,) * pages, links, (0,) * pages, frozenset())


def test_it_ends_after_some_steps() -> None:
    """A number of steps that is not minded, or not told."""
    order, ended = run("hits,c=1,steps=5", chain(30), 30)
    assert ended.why == "5 steps are done"
    assert len(order) == 5


def test_it_ends_when_the_index_is_settled() -> None:
    """A crawl that goes on though the best of the index stay the same, or ends though they do not.

    Each step one page more is found; the best two are found by the second step.
    """
    order, ended = run("hits,c=1,best=2,same=3", chain(30), 30)
    assert ended.why == "the best pages of the index were the same for 3 steps"
    assert len(order) == 5
    assert run("hits,c=1,best=40,same=3", chain(30), 31)[1].why == "every page found was fetched"


def test_equal_pages_of_the_index_are_in_the_order_of_discovery() -> None:
    """1 before 0, which has the same weight and was discovered first, but was indexed later."""
    links = {0: [1, 3], 1: [2, 3], 2: [4, 2], 3: [3, 0], 4: [2]}
    fast = FocusedHits(Setting([0], 9, parameters={"c": 1}))
    seen = []
    while (request := fast.next()) is not None:
        fast.observe(Outcome(request.page, 200, array(links[request.page])))
        seen.append(fast.index())
    assert [3, 2, 0, 1] in seen
    weight = dict(zip(fast.hits.pages, fast.hits.authorities.tolist(), strict=True))
    assert weight[0] == weight[1]


def test_an_empty_index_is_not_settled() -> None:
    """A crawl that ends before anything is found: no link leads to the start page at first."""
    web = Web(1, (0, 0), ((1,), (0,)), (0, 0), frozenset())
    order, ended = run("hits,c=1,same=1", web, 9)
    assert (order, ended.why) == ([0, 1], "every page found was fetched")


@pytest.mark.parametrize(
    ("parameters", "same"),
    [({"residual": 0.2}, {"tolerance": 0.2}), ({"iterations": 2}, {"most": 2}),
     ({"divided": True}, {"divided": True}), ({"internal": 0.25}, {"internal": 0.25})],
)  # fmt: skip
def test_parameters_of_the_weights(parameters: dict[str, Any], same: dict[str, Any]) -> None:
    """A parameter that does not reach the weights."""
    fast = FocusedHits(Setting([0], 9, parameters=parameters, hosts=host))
    links = {0: [1, 2, 3], 1: [2, 3], 2: [3, 4, 1], 3: [5], 4: [3], 5: [1, 3]}
    while (request := fast.next()) is not None:
        fast.observe(Outcome(request.page, 200, array(links[request.page])))
    pages = [fast.hits.pages[number] for number in fast.hits.sources.tolist()]
    graph = [(page, links[page]) for page in pages]
    found = []
    for hits in (fast.hits, GrowingHits(hosts=host, **same), GrowingHits(hosts=host)):
        if hits is not fast.hits:
            hits.meet(fast.hits.pages)
            grown(graph, hits)
        hits.weigh(anew=True)
        found.append(hits.authorities.tolist())
    assert found[0] == found[1] != found[2]


def test_the_answers_order_changes_nothing_without_ties() -> None:
    """A step that begins before all answers of the one before are there: 1 or 3 is then expanded.

    2 is the best hub of the three.
    """
    links = ((1, 2, 3), (4, 5, 6), (5, 6, 0), (6, 0), (), (), (), ())
    web = Web(1, (0,) * 8, links, (0,) * 8, frozenset())
    orders = {
        tuple(fly(find("hits,c=1"), web, 20, 5, random.Random(key), lambda *_: None)[0])
        for key in range(20)
    }
    assert orders == {(0, 1, 2, 3, 5, 6, 4)}


def test_links_inside_a_host_weighed() -> None:
    """Parameters that do not reach the weights: 3 is the best hub by links to other hosts."""
    links = {0: [1, 2, 3], 1: [0, 2, 3, 10], 2: [0, 1, 3, 11], 3: [20, 21, 22], 20: [], 21: [],
             22: [], 10: [], 11: []}  # fmt: skip

    def expanded(**parameters: object) -> list[int]:
        fast = FocusedHits(Setting([0], 99, parameters={"c": 1, **parameters},
                                   hosts=lambda page: page // 10))  # fmt: skip
        while (request := fast.next()) is not None:
            fast.observe(Outcome(request.page, 200, array(links[request.page])))
        return fast.expanded

    assert expanded()[1] != 3
    assert expanded(internal=0.0)[:2] == [0, 3]
