"""The rules that every policy must keep, whatever it decides."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterpoint.crawler.policy.protocol import Scope
from counterpoint.crawler.schedulers.finding import POLICIES, find

from .webs import Web, World, fly, run, webs

EVERY = pytest.mark.parametrize("name", POLICIES)
ZERO = "R3-printed: step"
"""The error of a division by Xmax = 0."""


def may_divide(name: str, why: str) -> bool:
    """Return whether a run ended with the division by zero that R3 as printed is known for."""
    return name == "R3-printed" and "ZeroDivisionError: Xmax is 0" in why


@EVERY
@settings(max_examples=60, deadline=None)
@given(web=webs(), budget=st.integers(0, 40))
def test_spends_its_budget_or_fetches_everything(name: str, web: Web, budget: int) -> None:
    """A page left out or budgeted twice, an early or late end, or an end without a reason."""
    policy = POLICIES[name]
    order, ended = run(name, web, budget)
    if policy.overspends:
        assert len(order) <= (web.sites + 2) * (budget + 1)
        assert not ended.failed or may_divide(name, ended.why), ended
        return
    assert not ended.failed, ended
    can = len(web.reachable(policy.scope))
    assert len(order) == (budget if policy.scope is Scope.KNOWN else min(budget, can))
    assert ended.why
    if policy.scope is not Scope.KNOWN:
        assert len(set(order)) == len(order)
        spent = len(order) == budget
        assert spent == (ended.why == "the budget is spent")


@EVERY
@settings(max_examples=25, deadline=None)
@given(web=webs(), budget=st.integers(0, 30), seed=st.integers(0, 5))
def test_the_same_seed_is_the_same_run(name: str, web: Web, budget: int, seed: int) -> None:
    """Randomness that ignores the seed, or state that an earlier run left."""
    assert run(name, web, budget, seed)[1] == run(name, web, budget, seed)[1]


@pytest.mark.long
@EVERY
@settings(max_examples=40, deadline=None)
@given(web=webs(), budget=st.integers(0, 40), key=st.integers(0, 2**32))
def test_handles_mean_nothing(name: str, web: Web, budget: int, key: int) -> None:
    """A decision that depends on a handle's number, or a table too small for a large one."""
    handles = random.Random(key).sample(range(3000), len(web.site))
    here, there = run(name, web, budget), run(name, web, budget, handles=handles)
    assert here[0] == there[0]
    assert here[1].why == there[1].why


@EVERY
@settings(max_examples=40, deadline=None)
@given(web=webs(), budget=st.integers(0, 30), flight=st.integers(2, 6), key=st.integers(0, 2**32))
def test_several_in_flight(name: str, web: Web, budget: int, flight: int, key: int) -> None:
    """A page requested while it is in flight or before it was offered, or a crawl that stalls."""
    policy = POLICIES[name]
    world = World(web, policy.scope)
    offered = set(world.starts)
    asked: set[int] = set()

    def check(page: int, flying: set[int]) -> None:
        for before in asked - flying:
            offered.update(web.links_for(before, policy.scope))
        assert page in offered
        assert page not in (flying if policy.scope is Scope.KNOWN else asked)
        asked.add(page)

    try:
        order, why = fly(find(name), web, budget, flight, random.Random(key), check)
    except ZeroDivisionError:
        assert name == "R3-printed"
        return
    assert why and why != "waiting for answers"
    if not policy.overspends:
        can = len(web.reachable(policy.scope))
        assert len(order) == (budget if policy.scope is Scope.KNOWN else min(budget, can))


@EVERY
def test_nothing_is_known(name: str) -> None:
    """A division by the number of sites, or an end without a reason."""
    nowhere = Web(0, (), (), (), frozenset())
    for budget in (0, 7):
        order, ended = run(name, nowhere, budget)
        assert (order, ended.failed) == ([], False)
        assert ended.why


@EVERY
def test_one_start_page_for_two_sites(name: str) -> None:
    """A page fetched once for each site whose start page it is."""
    web = Web(2, (0, 1, 0), ((2, 1), (1,), ()), (3, 1, 1), frozenset())
    chosen = find(name)
    world = World(web, chosen.policy.scope)
    scheduler = chosen.scheduler([0, 0, 1, 0], 12, 0, world)
    seen = []
    for _ in range(12):
        try:
            request = scheduler.next()
        except ZeroDivisionError:
            assert name == "R3-printed"
            return
        if request is None:
            break
        seen.append(request.page)
        scheduler.observe(world.fetch(request.page))
    if chosen.policy.scope is Scope.KNOWN:
        assert len(seen) == 12
    else:
        assert len(seen) == len(set(seen))
        assert chosen.policy.overspends or set(seen) == {0, 1, 2}
