"""Means and their intervals, compared with SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from counterpoint.studies.comparison.statistics import against, mean

values = st.lists(st.integers(-1000, 1000), min_size=2, max_size=40)


@given(values)
def test_the_interval_is_students(row: list[int]) -> None:
    """A normal quantile, a biased deviation, a one-sided interval."""
    found = mean(row)
    assert found.value == pytest.approx(float(np.mean(row)))
    assert found.interval is not None
    if len(set(row)) == 1:
        assert found.half == 0
        return
    expected = stats.t.interval(0.95, len(row) - 1, np.mean(row), stats.sem(row))
    assert found.interval == pytest.approx(expected)


def test_a_known_interval() -> None:
    """An error that SciPy shares: a printed table has 2.776 for four degrees of freedom."""
    assert mean([1, 2, 3, 4, 5]).half == pytest.approx(2.776 * (2.5 / 5) ** 0.5, abs=1e-3)


def test_one_value_has_no_interval() -> None:
    """A division by zero, or an interval of width zero."""
    assert (mean([7]).value, mean([7]).half, mean([7]).interval) == (7, None, None)
    assert against([7], [5]).difference.half is None


@given(st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9)), min_size=1, max_size=30))
def test_pairs_are_won_tied_and_lost(pairs: list[tuple[int, int]]) -> None:
    """Ties that count as won; the smallest value taken for the best, or the reverse."""
    ours, theirs = [a for a, _ in pairs], [b for _, b in pairs]
    most, least = against(ours, theirs), against(ours, theirs, most=False)
    assert most.wins == least.losses == sum(a > b for a, b in pairs)
    assert most.losses == least.wins == sum(a < b for a, b in pairs)
    assert most.ties == least.ties == sum(a == b for a, b in pairs)
    assert most.difference.value == pytest.approx(sum(a - b for a, b in pairs) / len(pairs))
    assert most.difference == mean([a - b for a, b in pairs])
