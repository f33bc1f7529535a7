"""Breadth first: pages come in the order of a queue; how far concurrent requests deviate."""

from __future__ import annotations

from collections import deque

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterpoint.models.explore import exhaustive
from counterpoint.spec.crawl.breadth_first import BreadthFirst
from counterpoint.spec.notation import Model, Spec, SpecError, Step


def fallen(spec: Spec) -> dict[str, int | None]:
    """Return the violated properties with the number of steps."""
    found = exhaustive.check(Model(spec))
    return {v.claim.name: v.depth for v in found if v.answer == "violated"}


@pytest.mark.parametrize("pages", [2, 5])
@pytest.mark.parametrize("concurrency", [1, 2, 4])
@pytest.mark.parametrize(
    "reading", [{}, {"answers": "in-order"}, {"next_level": "after-the-level"}]
)
def test_levels_come_in_order(pages: int, concurrency: int, reading: dict[str, str]) -> None:
    """A bound that is true only for the registered sizes."""
    assert fallen(BreadthFirst(pages=pages, concurrency=concurrency, **reading)) == {}


@pytest.mark.long
@pytest.mark.parametrize("pages", [6])
def test_the_bounds_are_reached(pages: int) -> None:
    """Bounds that are wider than needed."""

    class Nearer(BreadthFirst):
        """A bound on how far a request falls behind that is one level tighter."""

        def most_fallen(s) -> int:
            """Return a bound that is one less."""
            return super().most_fallen() - 1

    class Shallower(BreadthFirst):
        """A bound on how much too deep a level is that is one tighter."""

        def most_too_deep(s) -> int:
            """Return a bound that is one less."""
            return super().most_too_deep() - 1

    assert set(fallen(Nearer(pages=pages))) == {"order-by-level"}
    assert set(fallen(Shallower(pages=pages))) == {"levels-are-distances"}


webs = st.integers(1, 7).flatmap(
    lambda n: st.lists(
        st.lists(st.integers(0, n - 1), max_size=4), min_size=n, max_size=n
    )
)  # fmt: skip


def textbook(links: list[list[int]]) -> list[int]:
    """Return the pages in the order of a simple queue."""
    seen, queue, order = {0}, deque([0]), []
    while queue:
        page = queue.popleft()
        order.append(page)
        for other in links[page]:
            if other not in seen:
                seen.add(other)
                queue.append(other)
    return order


@given(links=webs)
@settings(deadline=None, max_examples=60)
def test_on_any_web_it_is_the_textbook(links: list[list[int]]) -> None:
    """A spec that satisfies its properties and is not breadth first."""
    model = Model(BreadthFirst(pages=len(links), concurrency=1))
    values = next(model.initial_states())
    named, order = [0], []
    while not model.may_end(values):
        (request,) = (s for s in model.steps if s.action == "request" and model.take(values, s))
        (p,) = request.binding
        values = model.take(values, request) or pytest.fail("not possible")
        new = [q for q in dict.fromkeys(links[named[p]]) if q not in named]
        values = model.take(values, Step("fetched", (p, len(new)))) or pytest.fail("not possible")
        order.append(named[p])
        named += new
    assert order == textbook(links)
    graph = nx.DiGraph((a, b) for a, others in enumerate(links) for b in others)
    graph.add_node(0)
    distances = nx.single_source_shortest_path_length(graph, 0)
    state = model.at(values)
    assert [state.level[p] for p in range(len(named))] == [distances[q] for q in named]  # type: ignore[attr-defined]


def test_news_follow_from_pages() -> None:
    """A page that discovers more pages than exist."""
    with pytest.raises(SpecError, match="news follows from pages: it is 3, not 2"):
        BreadthFirst(pages=3, news=2)
