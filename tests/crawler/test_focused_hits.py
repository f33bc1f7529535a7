"""The focused crawler that expands the best hubs according to HITS."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterpoint.crawler.policy.protocol import Outcome, Scope, Setting
from counterpoint.crawler.schedulers.finding import find
from counterpoint.crawler.schedulers.hits import FocusedHits
from counterpoint.crawler.schedulers.weights import GrowingHits

from .test_hits import array, grown, host
from .webs import Web, World, fly, run, webs

# The crawler


def test_the_better_hub_is_expanded_first() -> None:
    """The order of breadth-first: page 2 is found after 1 and is the better hub."""
    links = ((1, 2), (3,), (4, 5, 0), (), (5,), ())
    web = Web(1, (0,) * 6, links, (0,) * 6, frozenset())
    assert run("hits,c=1", web, 6)[0] == [0, 1, 2, 4, 5, 3]


def test_the_index_has_the_authorities() -> None:
    """An index without the authority that all link to, or with a page not fetched."""
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
    """A violated invariant, with failures and answers in any order.

    The violations: a page in the index that was not fetched, is there twice, or left it; more than
    c new pages in a step; a page expanded before it was found, twice, or without being chosen; a
    frontier that grows by more than c times the largest out-degree.
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
    """An index that is not in the order of the weights, or that left out a better page.

    Of equal pages the one discovered first comes first, whichever was indexed first.
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
    """A limit of steps that is ignored, or not mentioned at the end."""
    order, ended = run("hits,c=1,steps=5", chain(30), 30)
    assert ended.why == "5 steps are done"
    assert len(order) == 5


def test_it_ends_when_the_index_is_settled() -> None:
    """A crawl that continues although its best pages are stable, or ends although they change.

    Each step finds one page more; the best two are found by the second step.
    """
    order, ended = run("hits,c=1,best=2,same=3", chain(30), 30)
    assert ended.why == "the best pages of the index were the same for 3 steps"
    assert len(order) == 5
    assert run("hits,c=1,best=40,same=3", chain(30), 31)[1].why == "every page found was fetched"


def test_equal_pages_of_the_index_are_in_the_order_of_discovery() -> None:
    """Page 1 before 0, which has the same weight and was discovered first but indexed later."""
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
    """A parameter that has no effect on the weights."""
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
        hits.weigh(from_ones=True)
        found.append(hits.authorities.tolist())
    assert found[0] == found[1] != found[2]


def test_the_answers_order_changes_nothing_without_ties() -> None:
    """A step that begins before all answers of the last one: it expands 1 or 3.

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
    """Parameters without effect: 3 is the best hub by links to other hosts."""
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
