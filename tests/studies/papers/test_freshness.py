"""The five-page example of Cho and Garcia-Molina, and freshness that is measured exactly."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterpoint.crawler.schedulers.allocation import optimal_frequencies
from counterpoint.studies.papers import freshness, freshness_report
from counterpoint.studies.papers.freshness import (
    BUDGET,
    FREQUENCIES,
    PRINTED,
    RATES,
    PoissonPages,
    expected,
    fresh_share,
)
from counterpoint.studies.papers.report import NOT_REPRODUCED
from counterpoint.studies.papers.statistics import contains


def test_the_figures_of_the_paper() -> None:
    """A formula or an allocation that differs from the paper."""
    rates = np.array(RATES)
    assert tuple(optimal_frequencies(rates, BUDGET).round(2)) == FREQUENCIES
    assert {name: round(expected(name, rates, BUDGET), 4) for name in PRINTED} == PRINTED


def test_freshness_of_random_visits() -> None:
    """A wrong formula for geometric intervals, found by a sum over the intervals."""
    rates, n = np.array([0.0, 0.5, 3.0]), np.arange(1, 4000)
    chance, step, shares = 1 / 3, 1 / 4, []
    for rate in rates:
        weights = chance * (1 - chance) ** (n - 1)
        fresh = n * step if rate == 0 else (1 - np.exp(-rate * n * step)) / rate
        shares.append((weights * fresh).sum() / (weights * n * step).sum())
    assert expected("random", rates, 4.0) == pytest.approx(np.mean(shares))


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(1, 40)), max_size=20),
       st.integers(0, 2**32))  # fmt: skip
def test_the_fresh_share_equals_a_dense_sample(visits: list[tuple[int, int]], seed: int) -> None:
    """Time that counts twice or not at all, before the first moment or after the last."""
    world = PoissonPages(np.array([0.0, 0.1, 1.0]), 1.0, 40.0, seed)
    visits = sorted(visits, key=lambda one: one[1])
    pages = np.array([0, 1, 2, *(page for page, _ in visits)])
    times = np.array([0.0, 0.0, 0.0, *(float(time) for _, time in visits)])
    share = fresh_share(pages, times, world.next_changes(pages, times), 3, 10.0, 40.0)
    looks, fresh = np.linspace(10, 40, 3001)[:-1] + 0.005, 0
    for page in range(3):
        mine = np.sort(times[pages == page])
        last = mine[np.searchsorted(mine, looks, "right") - 1]
        changes = world.changes[page]
        fresh += int((np.searchsorted(changes, last, "right")
                      == np.searchsorted(changes, looks, "right")).sum())  # fmt: skip
    assert share == pytest.approx(fresh / 9000, abs=0.01)


@pytest.mark.long
def test_simulated_freshness_is_near_the_formula() -> None:
    """A policy that does not visit as often as its allocation says; wrong units of time."""
    found = freshness.study(range(4), days=200, web_pages=150)
    rates = np.array(RATES)
    for policy in ("uniform", "proportional,rates=true", "optimal-freshness,rates=true",
                   "random-revisit"):  # fmt: skip
        formula = expected(freshness.POLICIES[policy], rates, BUDGET)
        assert found.five[policy][0].value == pytest.approx(formula, abs=0.02)
        assert found.five[policy][1].value == pytest.approx(formula, abs=0.01)
        assert found.web[policy][1].value == pytest.approx(0.0, abs=0.02)
    assert contains(found.five["uniform"][0], expected("uniform", rates, BUDGET))
    assert all(one.answer != NOT_REPRODUCED for one in freshness_report.report(found).findings)
    one, two = (freshness.study(range(2), days=20, web_pages=50) for _ in range(2))
    assert one.to_json() == two.to_json()


def test_freshness_computed_from_visits() -> None:
    """An interval that is left out, above all the last one; visits of other pages that count."""
    pages, times = np.array([0, 1, 0, 1, 0, 1]), np.array([0.0, 0.0, 1.0, 1.0, 2.0, 2.0])
    even = float(freshness.freshness([1.0, 4.0], [1.0, 1.0]).mean())
    assert freshness.expected_of(pages, times, np.array([1.0, 4.0]), 3.0) == pytest.approx(even)
    late = freshness.expected_of(pages[:2], times[:2], np.array([1.0, 4.0]), 3.0)
    assert late == pytest.approx(((1 - math.exp(-3)) + (1 - math.exp(-12)) / 4) / 6)
