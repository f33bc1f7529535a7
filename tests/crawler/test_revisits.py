"""How often pages are visited again: allocation, estimates, and turns."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.policy.protocol import Outcome, Scope, Setting
from counterpoint.crawler.schedulers.allocation import (
    freshness,
    optimal_frequencies,
    proportional_frequencies,
)
from counterpoint.crawler.schedulers.finding import find
from counterpoint.crawler.schedulers.revisit import ChangeEstimator, StrideSchedule
from counterpoint.crawler.schedulers.scent import Scent, ScentPrinted
from counterpoint.crawler.worlds.crawl import crawl

FIVE = [1.0, 2.0, 3.0, 4.0, 5.0]
RATES = st.lists(st.one_of(st.just(0.0), st.floats(1e-6, 1e4)), min_size=1, max_size=12)


def test_the_five_pages_of_cho_and_garcia_molina() -> None:
    """A wrong result on the example of their paper: rates 1 to 5, five visits."""
    optimal = optimal_frequencies(FIVE, 5)
    assert [round(float(f), 2) for f in optimal] == [1.15, 1.36, 1.35, 1.14, 0.0]
    assert optimal[4] == 0
    assert round(float(freshness(FIVE, optimal).mean()), 4) == 0.3739
    uniform = freshness(FIVE, [1.0] * 5).mean()
    assert uniform == pytest.approx(0.3651, abs=1e-4)  # 0.36504, rounded up in the paper
    proportional = proportional_frequencies(FIVE, 5)
    assert round(float(freshness(FIVE, proportional).mean()), 4) == 0.3167


def test_a_page_that_changes_often_takes_what_the_others_leave() -> None:
    """Visits lost by pages to one whose frequency rounding leaves open: 40, 15, 15."""
    optimal = optimal_frequencies([1776.0, 0.5, 0.5], 70)
    slow = 0.5 / 0.02391870441495784  # r where the gain 1 - (1 + r) exp(-r) is 0.5 / 1776
    assert optimal.tolist() == pytest.approx([70 - 2 * slow, slow, slow])
    two = optimal_frequencies([1776.0, 1776.0, 0.5], 70).tolist()
    assert two == pytest.approx([(70 - slow) / 2, (70 - slow) / 2, slow])


@settings(max_examples=200, deadline=None)
@given(rates=RATES, budget=st.floats(1e-3, 1e3), data=st.data())
def test_nothing_is_better(rates: list[float], budget: float, data: st.DataObject) -> None:
    """An allocation that overspends, or that a random change improves."""
    optimal = optimal_frequencies(rates, budget)
    assert (optimal >= 0).all()
    assert optimal.sum() == pytest.approx(budget)
    best = freshness(rates, optimal).mean()
    for _ in range(5):
        one, other = (data.draw(st.integers(0, len(rates) - 1)) for _ in range(2))
        moved = optimal.copy()
        amount = moved[one] * data.draw(st.floats(0.0, 1.0))
        moved[one] -= amount
        moved[other] += amount
        assert freshness(rates, moved).mean() <= best + 1e-9
    assert freshness(rates, proportional_frequencies(rates, budget)).mean() <= best + 1e-9


@pytest.mark.parametrize("rates", [[-1.0], [math.nan], [math.inf], [[1.0]]])
def test_rates_that_are_none(rates: list[float]) -> None:
    """A frequency that is not a number."""
    with pytest.raises(CrawlError, match="rates of change must be finite numbers of at least 0"):
        optimal_frequencies(rates, 1)
    with pytest.raises(
        CrawlError, match="a budget of visits must be a finite number above 0, not 0"
    ):
        proportional_frequencies([1.0], 0)


@settings(max_examples=100, deadline=None)
@given(
    weights=st.lists(st.integers(0, 20), min_size=1, max_size=8).filter(any),
    steps=st.integers(1, 300),
)
def test_turns_keep_their_frequencies(weights: list[int], steps: int) -> None:
    """A page visited less often than its share of the steps, rounded down."""
    turns = StrideSchedule(len(weights))
    turns.allocate([w / sum(weights) for w in weights])
    visits = [0] * len(weights)
    for _ in range(steps):
        visits[turns.first()] += 1
        turns.advance()
    for weight, seen in zip(weights, visits, strict=True):
        assert seen >= math.floor(steps * weight / sum(weights) - 1e-6)
        assert seen == 0 or weight > 0


def test_other_frequencies_in_the_middle() -> None:
    """A page that waits for its old turn, or has two turns at once."""
    turns = StrideSchedule(3)
    order = []
    for step in range(24):
        if step == 9:
            turns.allocate([0.0, 3.0, 1.0])
        if step == 13:
            turns.allocate([1.0, 1.0, 0.0])
        order.append(turns.first())
        turns.advance()
    assert order[:9] == [0, 1, 2] * 3
    assert sorted(order[9:13]) == [1, 1, 1, 2]
    assert abs(order[13:].count(0) - order[13:].count(1)) <= 1 and 2 not in order[13:]


def test_rates_are_estimated() -> None:
    """A wrong estimate; by hand: 3 changes in 4 comparisons, 2 seconds apart."""
    seen = ChangeEstimator(4)
    for visit, changed in enumerate([False, True, True, False, True]):
        seen.add(0, changed, 10.0 + 2.0 * visit)
    seen.add(1, True, 5.0)
    for visit in range(3):
        seen.add(2, False, 10.0 * visit)
    often = -math.log((4 - 3 + 0.5) / (4 + 0.5)) / 2.0
    seldom = -math.log(2 / 2.5) / 10.0  # half a change in two comparisons
    mean = (often + seldom) / 2  # of the pages that were compared, for those that were not
    assert seen.rates().tolist() == pytest.approx([often, mean, seldom, mean])
    assert ChangeEstimator(2).rates().tolist() == [0.0, 0.0]


class Changing:
    """Pages that change by a Poisson process; a fetch takes a second."""

    def __init__(self, rates: list[float], seed: int) -> None:
        self.rates, self.chance, self.now = rates, random.Random(seed), 0.0
        self.last: dict[int, float] = {}

    def fetch(self, page: int) -> Outcome:
        self.now += 1.0
        since = self.now - self.last.get(page, self.now)
        self.last[page] = self.now
        changed = self.chance.random() < -math.expm1(-self.rates[page] * since)
        return Outcome(page, 200, size=500, difference=40 * changed, time=self.now)

    def rate(self, page: int) -> float:
        return self.rates[page]

    def external(self, page: int) -> int:
        raise AssertionError("nobody should ask")


@pytest.mark.parametrize("name", ["proportional", "optimal-freshness"])
def test_a_page_that_is_not_there_yet_is_visited_again(name: str) -> None:
    """A page that answers 404 in the first rounds and is given up, though it comes later."""
    scheduler = find(name).scheduler(range(20), 400)
    visits = []
    for step in range(400):
        request = scheduler.next()
        assert request is not None
        visits.append(request.page)
        there = request.page != 7 or step >= 200
        scheduler.observe(Outcome(request.page, 200 if there else 404, size=9, time=float(step),
                                  difference=int(there and step % 3 == 0)))  # fmt: skip
    before, after = visits[:200].count(7), visits[200:].count(7)
    assert 2 < before < 10 and after > 2  # 404 at each visit: it seems to change seldom


@pytest.mark.parametrize("name", ["uniform", "random-revisit", "proportional", "optimal-freshness",
                                  "scent", "scent,time=5,per_visit=1"])  # fmt: skip
def test_pages_that_are_new(name: str) -> None:
    """A new page that waits, that is requested twice at once, or that nothing visits again."""
    scheduler = find(name).scheduler(range(5), 10**6)
    order = []
    for step in range(300):
        request = scheduler.next()
        assert request is not None
        order.append(request.page)
        links = np.array([0, 3, 70, 71]) if step in (20, 40) else np.empty(0, dtype=np.int64)
        scheduler.observe(Outcome(request.page, 200, links, size=9, time=float(step),
                                  difference=step % 2))  # fmt: skip
    assert order[21:23] == [70, 71] and 70 not in order[:21]
    assert min(order[23:].count(page) for page in (0, 1, 2, 3, 4, 70, 71)) > 20


def shares(name: str, rates: list[float], budget: int) -> list[float]:
    """Return each page's share of the visits in the second half."""
    world = Changing(rates, 1)
    pages = range(len(rates))
    scheduler = find(name).scheduler(pages, budget, 2, world)
    end = crawl(name, scheduler, world, pages, budget, Scope.KNOWN)
    assert not end.failed, end
    late = end.order[budget // 2 :]
    return [float((late == page).mean()) for page in pages]


PACED = [rate / 5 for rate in FIVE]  # five visits in a unit of 5 s, a second each
OPTIMAL = [f / 5 for f in (1.15, 1.36, 1.35, 1.14, 0.0)]


def test_policies_visit_as_they_should() -> None:
    """Frequencies that are computed and not kept."""
    assert shares("uniform", PACED, 5000) == [0.2] * 5
    assert shares("random-revisit", PACED, 5000) == pytest.approx([0.2] * 5, abs=0.03)
    true = shares("optimal-freshness,rates=true", PACED, 5000)
    assert true == pytest.approx(OPTIMAL, abs=0.005)
    proportional = [rate / sum(FIVE) for rate in FIVE]
    assert shares("proportional,rates=true", PACED, 5000) == pytest.approx(proportional, abs=0.005)


def test_policies_learn_the_rates() -> None:
    """Estimates that are not used, with ten pages of which one changes often."""
    rates = [0.001] * 9 + [0.05]
    guessed = shares("proportional", rates, 20_000)
    assert guessed[9] == pytest.approx(0.05 / 0.059, abs=0.1)
    with_rates = shares("optimal-freshness,rates=true", rates, 20_000)
    assert shares("optimal-freshness", rates, 20_000) == pytest.approx(with_rates, abs=0.06)


def test_scent_leaves_what_does_not_change() -> None:
    """A page without changes that is not abandoned without gain, or is with the printed rule."""

    def late(kind: type[Scent]) -> set[int]:
        scheduler = kind(Setting(range(2), 60, parameters={"delta": 0, "batch": 1}))
        order = []
        while (request := scheduler.next()) is not None:
            order.append(request.page)
            scheduler.observe(Outcome(request.page, 200, size=900, difference=9 * request.page))
        assert len(order) == 60
        return set(order[30:])

    assert late(Scent) == {1}
    assert late(ScentPrinted) == {0, 1}


def test_the_strongest_are_taken() -> None:
    """A tie that goes to a later page, or a batch of another size."""
    chance = np.random.default_rng(5)
    for _ in range(300):
        count = int(chance.integers(1, 9))
        batch = int(chance.integers(1, count + 1))
        scheduler = Scent(Setting(range(count), 1, parameters={"batch": batch}))
        scheduler.scent = chance.integers(0, 3, count).astype(float)
        expected = sorted(range(count), key=lambda i: (-scheduler.scent[i], i))[:batch]
        assert scheduler._strongest() == expected
