"""Rows of rewards in place of webs: the rules act on them as on the web itself."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterpoint.crawler.policy.protocol import Scope
from counterpoint.crawler.schedulers.finding import find
from counterpoint.crawler.worlds.crawl import crawl
from counterpoint.sim_web.profile import load
from counterpoint.studies.comparison.plan import ComparisonPlan
from counterpoint.studies.comparison.planted import Planted
from counterpoint.studies.comparison.world import World
from counterpoint.studies.papers.arms import (
    SiteLinks,
    best_totals,
    found_so_far,
    order_of,
    play,
    rows_of,
)

ROWS = st.lists(
    st.lists(st.integers(0, 5), min_size=1, max_size=6).map(np.array), min_size=1, max_size=4
)


@pytest.fixture(scope="module")
def planted() -> Planted:
    """Return a small web of the ten universities."""
    return Planted(ComparisonPlan((), load("universities"), 300, 12_000), 3)


@pytest.mark.parametrize("rule", ["R1", "R2,step=5", "R3", "equal-quanta", "thompson", "gittins"])
def test_rows_give_the_same_visits_as_the_web(planted: Planted, rule: str) -> None:
    """A page at another place of its site's order; links that count twice or not at all."""
    rows = rows_of(planted, 300)
    starts = planted.starts(Scope.SITE)
    world = World(planted, Scope.SITE, 1.0, 300)
    scheduler = find(rule).scheduler(starts, 300, 7)
    order = crawl(rule, scheduler, world, starts, 300, Scope.SITE).order
    played = play(rule, rows, 300, 7)
    assert played.sites.tolist() == planted.of_site[order].tolist()
    assert played.total == int(planted.external[order].sum())
    assert order_of(rule, SiteLinks(planted), 300, 7).tolist() == order.tolist()
    assert found_so_far(rows, played.sites).tolist() == np.cumsum(planted.external[order]).tolist()


def test_rules_as_printed_spend_more_than_the_budget() -> None:
    """A printed rule that is cut at N pages, as if it were corrected."""
    rows = [np.ones(40, dtype=np.int64)] * 3
    pages = {rule: len(play(rule, rows, 20).sites) for rule in
             ("R1", "R1-printed", "R2-printed,step=2", "R3-printed,initial=1")}  # fmt: skip
    assert pages == {
        "R1": 20,
        "R1-printed": 34,
        "R2-printed,step=2": 22,
        "R3-printed,initial=1": 21,
    }


@given(ROWS, st.integers(0, 12))
def test_the_best_allocation(rows: list[np.ndarray], budget: int) -> None:
    """An allocation that is worse than the best one of an exhaustive search."""
    best = best_totals(rows, budget)
    for n in range(budget + 1):
        tried = [
            sum(int(row[:t].sum()) for row, t in zip(rows, pages, strict=True))
            for pages in product(*(range(len(row) + 1) for row in rows))
            if sum(pages) <= n
        ]
        assert best[n] == max(tried)


@given(ROWS, st.integers(1, 30))
def test_no_rule_beats_the_best(rows: list[np.ndarray], budget: int) -> None:
    """Pages that are scanned twice, or more pages than the site has."""
    for rule in ("R1", "R2,step=2", "R3,initial=1"):
        played = play(rule, rows, budget)
        pages = np.bincount(played.sites, minlength=len(rows))
        assert all(t <= len(row) for t, row in zip(pages, rows, strict=True))
        assert pages.sum() == min(budget, sum(map(len, rows)))
        assert played.total <= best_totals(rows, budget)[-1]
