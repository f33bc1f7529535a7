"""Shares, slopes and numbers, compared with definitions, exact sums, other implementations."""

from __future__ import annotations

import math
from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from counterpoint.crawler.coverage.recapture import (
    chao1,
    chao2,
    chapman,
    covered_of,
    lincoln_petersen,
    met,
)
from counterpoint.crawler.coverage.shares import (
    METHODS,
    NOTHING,
    Estimate,
    bootstrap,
    over_samples,
    share,
)
from counterpoint.crawler.coverage.slopes import increments, through_origin, with_intercept

counts = st.integers(1, 3000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@given(counts, st.sampled_from(METHODS), st.floats(0.5, 0.999))
def test_binomial_intervals_are_scipys(pair: tuple[int, int], method: str, level: float) -> None:
    """A wrong formula, or one that fails where no page or every page is covered."""
    covered, size = pair
    known = stats.binomtest(covered, size).proportion_ci(
        level, method="wilson" if method == "wilson" else "exact"
    )
    found = share(covered, size, method, level)
    assert found.value == covered / size
    assert (found.low, found.high) == pytest.approx((known.low, known.high), abs=1e-9)
    assert 0 <= found.low <= found.value <= found.high <= 1


@pytest.mark.parametrize("size", [1, 5, 20, 60])
def test_how_often_binomial_intervals_contain_the_truth(size: int) -> None:
    """Less than 95% coverage: for Clopper and Pearson's ever, for Wilson's on average."""
    shares = np.linspace(0.001, 0.999, 333)
    right = {}
    for method in METHODS:
        found = [share(k, size, method) for k in range(size + 1)]
        chances = stats.binom.pmf(np.arange(size + 1)[:, None], size, shares)
        contains = np.array([[one.contains(p) for p in shares] for one in found])
        right[method] = (chances * contains).sum(axis=0)
    assert right["clopper-pearson"].min() >= 0.95
    assert right["wilson"].mean() == pytest.approx(0.95, abs=0.02)


def test_a_sample_of_nothing_says_nothing() -> None:
    """A division by zero, or an estimate from an empty sample."""
    assert not share(0, 0).has_value
    assert not bootstrap([], [], 0).has_value
    assert not over_samples([], []).mean.has_value
    assert not over_samples([0], [0]).mean.has_value
    assert not through_origin([0], [0]).slope.has_value
    assert not with_intercept([3, 3], [1, 2]).slope.has_value
    assert not with_intercept([], []).slope.has_value
    assert not NOTHING.contains(0.5)
    with pytest.raises(ValueError, match="no share"):
        share(2, 1)


lumps = st.lists(
    st.integers(1, 50).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))),
    min_size=2, max_size=12,
)  # fmt: skip


@given(lumps, st.integers(0, 2**32))
def test_lumps(pairs: list[tuple[int, int]], seed: int) -> None:
    """A ratio of means taken for the mean of ratios, or randomness that ignores the seed."""
    covered, sizes = zip(*pairs, strict=True)
    found = bootstrap(covered, sizes, seed)
    assert found.value == pytest.approx(sum(covered) / sum(sizes))
    assert found == bootstrap(covered, sizes, seed)
    least, most = min(c / n for c, n in pairs), max(c / n for c, n in pairs)
    assert least - 1e-12 <= found.low <= found.high <= most + 1e-12


def test_lumps_that_are_all_or_nothing_have_wide_intervals() -> None:
    """An interval that treats the pages of one site as independent."""
    covered, sizes = [40] * 10 + [0] * 10, [40] * 20
    wide = bootstrap(covered, sizes, 1)
    narrow = share(400, 800)
    assert wide.high - wide.low > 5 * (narrow.high - narrow.low)


@given(lumps)
def test_several_samples(pairs: list[tuple[int, int]]) -> None:
    """Mean, variance or Student's interval computed from the wrong number of samples."""
    covered, sizes = zip(*pairs, strict=True)
    found = over_samples(covered, sizes)
    shares = [Fraction(c, n) for c, n in pairs]
    mean = sum(shares) / len(shares)
    squares = sum((one - mean) ** 2 for one in shares)
    assert found.mean.value == pytest.approx(float(mean))
    assert found.variance == pytest.approx(float(squares / (len(shares) - 1)))
    assert found.variance_of_all == pytest.approx(float(squares / len(shares)))
    assert found.pooled == pytest.approx(sum(covered) / sum(sizes))
    half = stats.t.ppf(0.975, len(shares) - 1) * math.sqrt(found.variance / len(shares))
    ends = max(0.0, float(mean) - half), min(1.0, float(mean) + half)
    assert (found.mean.low, found.mean.high) == pytest.approx(ends, abs=1e-12)
    if 0 < found.pooled < 1:
        table = [covered, [n - c for c, n in pairs]]
        known = stats.chi2_contingency(table, correction=False).pvalue
        assert found.unlike == pytest.approx(known, abs=1e-9)
    less = found.times(0.9)
    assert less.mean.low == pytest.approx(0.9 * found.mean.low)
    assert less.variance == pytest.approx(0.81 * found.variance)
    assert less.unlike == found.unlike


points = st.lists(
    st.tuples(st.integers(1, 1000), st.integers(0, 1000)), min_size=4, max_size=12,
    unique_by=lambda one: one[0],
)  # fmt: skip


@given(points)
def test_lines_are_least_squares(pairs: list[tuple[int, int]]) -> None:
    """A slope of x on y, or an interval with the wrong degrees of freedom."""
    x, y = (np.array(one, dtype=float) for one in zip(*pairs, strict=True))
    known = stats.linregress(x, y)
    found = with_intercept(x, y)
    assert found.slope.value == pytest.approx(known.slope, abs=1e-9)
    assert found.intercept == pytest.approx(known.intercept, abs=1e-6)
    half = stats.t.ppf(0.975, len(x) - 2) * known.stderr
    assert found.slope.high - found.slope.low == pytest.approx(2 * half, abs=1e-6)
    line = through_origin(x, y)
    exact = Fraction(sum(a * b for a, b in pairs), sum(a * a for a, _ in pairs))
    assert line.slope.value == pytest.approx(float(exact))
    slope, _, _, _ = np.linalg.lstsq(x[:, None], y, rcond=None)
    spread = ((y - slope[0] * x) ** 2).sum() / (len(x) - 1)
    half = stats.t.ppf(0.975, len(x) - 1) * math.sqrt(spread / (x * x).sum())
    assert line.slope.high - line.slope.value == pytest.approx(half, abs=1e-9)


@given(points)
def test_increments_undo_sums(pairs: list[tuple[int, int]]) -> None:
    """A first step that is lost."""
    values = [a for a, _ in pairs]
    assert increments(np.cumsum(values)).tolist() == values


@pytest.mark.parametrize("size", [5, 9, 12])
def test_chapman_has_no_bias(size: int) -> None:
    """A biased estimator: over all samples of given sizes, its mean is exactly the true number."""
    for first in range(1, size + 1):
        for second in range(size - first, size + 1):
            if second == 0:
                continue
            mean = Fraction(0)
            for both in range(max(0, first + second - size), min(first, second) + 1):
                chance = Fraction(
                    comb(first, both) * comb(size - first, second - both), comb(size, second)
                )
                found = chapman(first, second, both)
                mean += chance * (Fraction((first + 1) * (second + 1), both + 1) - 1)
                assert found.value == pytest.approx((first + 1) * (second + 1) / (both + 1) - 1)
            assert mean == size


@given(st.integers(1, 400), st.integers(1, 400), st.data())
def test_with_the_crawl_as_first_capture_it_is_the_share(
    crawled: int, sampled: int, data: st.DataObject
) -> None:
    """Lincoln and Petersen's number treated as unrelated to |V0 & V'| / |V0|."""
    both = data.draw(st.integers(1, min(crawled, sampled)))
    number = lincoln_petersen(crawled, sampled, both)
    assert covered_of(crawled, number).value == pytest.approx(share(both, sampled).value)


@given(st.integers(0, 200), st.integers(0, 200), st.data())
def test_numbers_are_no_less_than_what_was_seen(
    first: int, second: int, data: st.DataObject
) -> None:
    """An interval that begins below the number of known pages."""
    both = data.draw(st.integers(0, min(first, second)))
    seen = first + second - both
    for found in (
        lincoln_petersen(first, second, both),
        chapman(first, second, both),
        chao2(seen - both, both, seen, 2),
        chao1(seen - both, both, seen),
    ):
        if found.has_value:
            assert seen - 1e-9 <= found.low <= found.value <= found.high


def test_chaos_bounds() -> None:
    """An error in the formula: f1 = 10, f2 = 4 of 30 gives 30 + 10 * 9 / 10 = 39."""
    assert chao1(10, 4, 30).value == 39
    assert chao2(10, 4, 30, 3).value == 36
    assert chao1(0, 3, 20) == Estimate(20, 20, 20)
    assert not chao2(1, 0, 1, 1).has_value
    with pytest.raises(ValueError, match="cannot be"):
        chao1(3, 3, 5)


def test_intervals_of_numbers_contain_the_truth() -> None:
    """Wrong coverage: within 1.5% of 95%, or for Chao above 90%, in 2,000 experiments.

    Each experiment draws two samples of 200 of 1,000 pages.
    """
    random, right = np.random.default_rng(1), np.zeros(2)
    for _ in range(2000):
        one, other = (random.choice(1000, 200, replace=False) for _ in range(2))
        both = len(np.intersect1d(one, other))
        once, twice, distinct = met((one, other))
        right += (
            chapman(200, 200, both).contains(1000),
            chao2(once, twice, distinct, 2).contains(1000),
        )
    assert right[0] / 2000 == pytest.approx(0.95, abs=0.015)
    assert right[1] / 2000 > 0.9


def test_met() -> None:
    """Repetitions within a sample that count as recaptures."""
    assert met([[1, 1, 2], [2, 3], [3, 4, 2]]) == (2, 1, 4)
    assert met([]) == (0, 0, 0)
    assert not covered_of(5, NOTHING).has_value
