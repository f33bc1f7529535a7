"""Ratios and correlations: their intervals contain the truth as often as they claim."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterpoint.studies.comparison.statistics import Mean, mean
from counterpoint.studies.papers.statistics import (
    contains,
    correlation,
    in_percent,
    ratio,
    with_interval,
)

POSITIVE = st.floats(0.1, 1e4)


def test_the_interval_of_a_ratio_contains_the_truth() -> None:
    """An interval that is too narrow, or that ignores that both values are of the same web."""
    chance, hits = np.random.default_rng(5), 0
    for _ in range(1000):
        size = chance.gamma(9.0, 1.0, 30)  # both depend on the web
        a = 1.7 * size + chance.normal(0, 0.5, 30)
        hits += contains(ratio(a, size + chance.normal(0, 0.5, 30)), 1.7)
    assert 930 <= hits <= 968  # of 95%, three standard deviations


@given(st.lists(POSITIVE, min_size=2, max_size=20), st.floats(0.1, 10))
def test_a_constant_ratio_is_exact(values: list[float], factor: float) -> None:
    """A standard error of the values instead of one of the pairs."""
    found = ratio([factor * value for value in values], values)
    assert math.isclose(found.value, factor)
    assert found.half is not None and found.half <= 1e-9 * factor


@given(st.lists(st.tuples(POSITIVE, POSITIVE), min_size=2, max_size=20), st.floats(0.1, 10))
def test_a_ratio_has_no_unit(pairs: list[tuple[float, float]], unit: float) -> None:
    """A standard error that is divided by the wrong mean."""
    a, b = zip(*pairs, strict=True)
    found, scaled = ratio(a, b), ratio([unit * x for x in a], [unit * x for x in b])
    assert found.half is not None and scaled.half is not None
    assert math.isclose(found.value, scaled.value, rel_tol=1e-9)
    assert math.isclose(found.half, scaled.half, rel_tol=1e-6, abs_tol=1e-9 * found.value)


def test_no_ratio_to_nothing() -> None:
    """A division by zero that becomes a figure."""
    with pytest.raises(ValueError, match="mean of 0"):
        ratio([1.0, 2.0], [0.0, 0.0])


def test_correlation() -> None:
    """A wrong sign, an interval of r instead of its transform, figures without any variance."""
    xs = list(range(10))
    assert correlation(xs, [-2.0 * x for x in xs]) == (-1.0, -1.0, -1.0)
    assert correlation(xs, [1.0] * 10) is None
    assert correlation([1, 2, 3], [3, 1, 2]) is None
    chance, hits = np.random.default_rng(6), 0
    for _ in range(1000):
        x = chance.normal(size=30)
        found = correlation(x, 0.6 * x + 0.8 * chance.normal(size=30))
        assert found is not None and -1 < found[1] < found[0] < found[2] < 1
        hits += found[1] <= 0.6 <= found[2]
    assert 930 <= hits <= 968


def test_formatting_of_ratios() -> None:
    """Digits that are cut off instead of rounded."""
    assert with_interval(mean([1.0, 3.0]), 1) == "2.0 ± 12.7"
    assert with_interval(mean([1234.5]), 0) == "1,234 ± ?"


@pytest.mark.parametrize(
    ("share", "half", "expected"),
    [
        (0.5, 0.25, "50.0% ± 25.0%"),
        (0.9, 0.25, "90.0% (65.0% to 100.0%)"),
        (0.1, 0.25, "10.0% (0.0% to 35.0%)"),
        (0.5, None, "50.0% ± ?"),
    ],
)
def test_intervals_of_shares(share: float, half: float | None, expected: str) -> None:
    """A share of more than 100%, or a number whose unit is missing."""
    assert in_percent(Mean(share, half)) == expected
