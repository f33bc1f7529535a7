"""Thresholds: curves compared with sets, and curves whose knee is known."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterpoint.crawler.coverage.quality import curve, knee, marginal, top, two_lines

pages = st.lists(st.tuples(st.integers(0, 9), st.booleans()), min_size=1, max_size=60)
parts = st.lists(st.floats(0, 1), min_size=1, max_size=5)


@given(pages, parts)
def test_a_curve_is_the_share_of_each_top(
    held: list[tuple[int, bool]], thresholds: list[float]
) -> None:
    """A threshold that includes a page too many, or the lightest pages."""
    weights = np.array([weight for weight, _ in held], dtype=float)
    covered = np.array([here for _, here in held])
    found = curve(weights, covered, thresholds)
    for value, part in zip(found, thresholds, strict=True):
        chosen = top(weights, part)
        assert len(chosen) == min(len(held), max(1, round(len(held) * part)))
        assert value == pytest.approx(covered[chosen].mean())
        rest = np.setdiff1d(np.arange(len(held)), chosen)
        assert rest.size == 0 or weights[chosen].min() >= weights[rest].max()
    assert curve(weights, covered, [1.0])[0] == pytest.approx(covered.mean())


def test_of_equals_the_first_are_taken() -> None:
    """An order of equal pages that depends on the sort."""
    assert top(np.array([1.0, 2.0, 1.0, 2.0]), 0.75).tolist() == [1, 3, 0]


def test_nothing_has_no_curve() -> None:
    """A division by zero."""
    assert all(math.isnan(value) for value in curve(np.zeros(0), np.zeros(0, bool), [0.1, 1]))


@given(st.integers(2, 18), st.floats(0.2, 5), st.floats(0.01, 0.15))
def test_the_knee_of_two_lines_is_where_they_meet(at: int, steep: float, flat: float) -> None:
    """A knee that is off by one point, or depends on the scales."""
    x = np.arange(21.0)
    y = 100 - steep * np.minimum(x, at) - flat * steep * np.maximum(x - at, 0)
    assert knee(x / 7, 3 * y) == pytest.approx(at / 7)
    assert two_lines(x / 7, 3 * y) == pytest.approx(at / 7)


@pytest.mark.parametrize("y", [[3, 2, 1], [1, 2, 3], [2, 2, 2], [5, 1], [9, 8.5, 7, 1]])
def test_no_knee(y: list[float]) -> None:
    """A knee found in a straight, a rising or an ever steeper falling curve."""
    assert knee(np.arange(len(y)), y) is None


def test_what_each_step_adds() -> None:
    """Shares of all pages taken for shares of the new ones."""
    assert marginal([10, 30, 40], [8, 12, 17]).tolist() == [0.2, 0.5]
    assert two_lines([1, 2], [3, 4]) is None
