"""Policies by weights: the cash of OPIC, and the greedy oracle."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings

from counterpoint.crawler.policy.protocol import Scope, Setting
from counterpoint.crawler.schedulers.opic import VIRTUAL, Opic
from counterpoint.crawler.schedulers.oracle import Oracle

from .webs import Web, World, run, webs

CLOSE = Fraction(1, 10**9)


class NaiveOpic:
    """OPIC with exact cash, computed page by page."""

    def __init__(self, starts: list[int]) -> None:
        self.waiting = {page: Fraction(1, len(starts)) for page in starts}
        self.asked: set[int] = set()
        self.virtual = Fraction(0)

    def read_virtual(self, done: bool) -> None:
        """Read the virtual page if the fast version did; unless it is close, that must be right."""
        share = self.virtual / len(self.waiting)
        ahead = share - max(self.waiting.values())
        assert abs(ahead) < CLOSE or not self.virtual or done == (ahead > 0)
        if done:
            self.waiting = {page: cash + share for page, cash in self.waiting.items()}
            self.virtual = Fraction(0)

    def take(self, page: int) -> None:
        self.cash = self.waiting.pop(page)
        self.asked.add(page)

    def spend(self, links: list[int]) -> None:
        part = self.cash / (len(links) + 1)
        self.virtual += part
        for link in links:
            if link in self.asked:
                self.virtual += part
            else:
                self.waiting[link] = self.waiting.get(link, Fraction(0)) + part


@settings(max_examples=200, deadline=None)
@given(web=webs(most=30))
def test_opic_takes_the_richest(web: Web) -> None:
    """Cash lost, invented or given to the wrong page, or a heap out of order."""
    world = World(web, Scope.WEB)
    fast, naive = Opic(Setting(world.starts, 99)), NaiveOpic(world.starts)
    while (request := fast.next()) is not None:
        naive.read_virtual(fast._purse[VIRTUAL] == 0)
        richest = max(naive.waiting.values())
        assert naive.waiting[request.page] >= richest - CLOSE
        naive.take(request.page)
        outcome = world.fetch(request.page)
        fast.observe(outcome)
        naive.spend(outcome.links.tolist() if outcome.status == 200 else [])
        assert fast.total() == pytest.approx(1.0, abs=1e-9)
    assert not naive.waiting


def test_opic_prefers_what_is_linked_to_more() -> None:
    """Cash that is not summed: breadth first would take 2 before 3."""
    links = ((1, 2, 3), (3,), (), (4,), ())
    web = Web(1, (0,) * 5, links, (0,) * 5, frozenset())
    assert run("opic", web, 3)[0] == [0, 1, 3]


@settings(max_examples=60, deadline=None)
@given(web=webs())
def test_the_oracle_is_greedy(web: Web) -> None:
    """A page fetched while one with more external links was known."""
    world = World(web, Scope.SITE)
    fast = Oracle(Setting(world.starts, 99, truth=world))
    found = dict.fromkeys(world.starts)
    seen = set(world.starts)
    while (request := fast.next()) is not None:
        best = max(found, key=lambda page: web.external[page])
        assert request.page == best
        del found[best]
        outcome = world.fetch(best)
        fast.observe(outcome)
        found.update((link, None) for link in outcome.links.tolist() if link not in seen)
        seen.update(outcome.links.tolist())
    assert not found
