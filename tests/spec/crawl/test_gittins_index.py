"""The index of Gittins: published values, bounds from above, and policies that are optimal."""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from counterpoint.compiling import compiled
from counterpoint.spec.crawl import gittins_index
from counterpoint.spec.crawl.gittins_index import of_counts, of_pages

fast_pages, fast_counts = compiled(of_pages), compiled(of_counts)


@pytest.mark.parametrize(
    ("discount", "a", "b", "published"),
    [
        (0.9, 1, 1, 0.7029),
        (0.9, 1, 2, 0.5001),
        (0.9, 2, 1, 0.8001),
        (0.99, 1, 1, 0.8699),
        (0.99, 1, 2, 0.7005),
        (0.99, 2, 1, 0.9102),
    ],
)
def test_published_values(discount: float, a: int, b: int, published: float) -> None:
    """An index other than that of the tables of Gittins, Glazebrook and Weber."""
    assert fast_pages(a, b, discount, 500) == pytest.approx(published, abs=6e-5)


def enclosed(kind: str, a: float, b: float, discount: float, horizon: int) -> tuple[float, float]:
    """Return bounds of an index, by retirement (Whittle 1980) and bisection.

    The lower one is of whoever decides after ``horizon`` pages, the upper one of whoever is
    told the true mean after these.
    """
    most = 0 if kind == "pages" else int(stats.gamma(a, scale=1 / b).isf(1e-12) * horizon * 2) + 40
    found = []
    for informed in (False, True):
        low, high = a / (a + b) if kind == "pages" else a / b, 1.0 if kind == "pages" else 60.0
        while high - low > 1e-7:
            ratio = (low + high) / 2
            value = np.zeros(1)
            for h in range(horizon, -1, -1):
                k = np.arange((h if kind == "pages" else most) + 1)
                prior = (
                    stats.beta(a + k, b + h - k) if kind == "pages"
                    else stats.gamma(a + k, scale=1 / (b + h))
                )  # fmt: skip
                mean = prior.mean()
                if h == horizon:
                    gain = (
                        _excess(kind, a + k, b + h - k * (kind == "pages"), ratio)
                        if informed
                        else mean - ratio
                    )
                    value = np.maximum(gain, 0) / (1 - discount)
                    continue
                if kind == "pages":
                    later = mean * value[1:] + (1 - mean) * value[:-1]
                else:
                    later = _later(a + k, b + h, value)
                value = mean - ratio + discount * later
                if h:
                    value = np.maximum(value, 0)
            low, high = (ratio, high) if value[0] > 0 else (low, ratio)
        found.append(low)
    return found[0], found[1]


def _excess(kind: str, a: np.ndarray, b: np.ndarray | float, ratio: float) -> np.ndarray:
    """Return E[max(mean - ratio, 0)]."""
    if kind == "pages":
        first = a / (a + b)
        return np.asarray(
            first * stats.beta(a + 1, b).sf(ratio) - ratio * stats.beta(a, b).sf(ratio)
        )
    upper = stats.gamma(a + 1, scale=1 / b).sf(ratio)
    return np.asarray(a / b * upper - ratio * stats.gamma(a, scale=1 / b).sf(ratio))


@cache
def _weights(a: float, b: float, size: int) -> np.ndarray:
    chances = np.zeros((size, size))
    for k in range(size):
        chances[k, k:] = stats.nbinom(a + k, b / (b + 1)).pmf(np.arange(size - k))
    return chances


def _later(a: np.ndarray, b: float, value: np.ndarray) -> np.ndarray:
    return _weights(float(a[0]), float(b), len(value)) @ value


@pytest.mark.parametrize(("a", "b"), [(1, 1), (1, 4), (5, 3)])
def test_an_index_of_pages_is_enclosed(a: int, b: int) -> None:
    """A stopping rule that is not the best, or an index that nobody can have."""
    for discount, horizon, gap in ((0.5, 12, 1e-4), (0.9, 40, 1e-3)):
        low, high = enclosed("pages", a, b, discount, horizon)
        assert fast_pages(a, b, discount, horizon) == pytest.approx(low, abs=3e-7)
        assert low <= fast_pages(a, b, discount, 200) + 2e-7 <= high + 4e-7
        assert high - low < gap


@pytest.mark.parametrize(("a", "b"), [(1, 1), (1, 4), (9, 12)])
def test_an_index_of_counts_is_enclosed(a: int, b: int) -> None:
    """Sums that are left out although they matter."""
    low, high = enclosed("counts", a, b, 0.7, 12)
    spread = a**0.5 / b
    assert fast_counts(a, b, 0.7, 12) == pytest.approx(low, abs=2e-4 * spread)
    assert low - 2e-4 * spread <= fast_counts(a, b, 0.7, 100) <= high + 2e-4 * spread
    assert high - low < 0.01 * spread


@given(st.integers(1, 40), st.integers(1, 40), st.sampled_from([0.0, 0.3, 0.8]))
@settings(deadline=None, max_examples=30)
def test_compiled_and_plain_agree(a: int, b: int, discount: float) -> None:
    """Code that compiles to something else; an index that does not grow with a and fall with b."""
    for fast, plain in ((fast_pages, of_pages), (fast_counts, of_counts)):
        assert fast(a, b, discount, 6) == plain(a, b, discount, 6)
        assert fast(a + 1, b, discount, 6) > fast(a, b, discount, 6) > fast(a, b + 1, discount, 6)


def test_what_a_short_horizon_misses() -> None:
    """The errors that the documentation states."""
    for a, b in ((1.0, 2.0), (20.0, 100.0), (300.0, 1000.0), (60.0, 4.0)):
        spread = a**0.5 / b
        exact = fast_counts(a, b, 0.99, 400)
        assert 0 <= exact - fast_counts(a, b, 0.99, 50) < 0.03 * spread
        assert 0 <= exact - fast_counts(a, b, 0.99, 100) < 0.01 * spread


def test_large_means(monkeypatch: pytest.MonkeyPatch) -> None:
    """An excess over the mean that jumps where numbers of links count as normal."""

    def excess(mean: float) -> float:
        return of_counts(mean * 3, 3.0, 0.9, 12) - mean

    near = excess(gittins_index.LARGE * 1.0001) / excess(gittins_index.LARGE)
    assert near == pytest.approx(1, abs=1e-3)
    rough = excess(2 * gittins_index.LARGE)
    monkeypatch.setattr(gittins_index, "LARGE", 1e9)
    assert 1 < rough / excess(50.0) < 1.04


# Two arms: the policy of the highest index finds as much as the best policy


def two_arms(
    priors: tuple[tuple[int, int], tuple[int, int]], discount: float, pages: int, rule: str
) -> float:
    """Return the expected discounted reward of a rule; "best": of the best one."""

    @cache
    def value(a: int, b: int, c: int, d: int, left: int) -> float:
        if not left:
            return 0.0
        both = [
            a / (a + b) * (1 + discount * value(a + 1, b, c, d, left - 1))
            + b / (a + b) * discount * value(a, b + 1, c, d, left - 1)
            if choose_first
            else c / (c + d) * (1 + discount * value(a, b, c + 1, d, left - 1))
            + d / (c + d) * discount * value(a, b, c, d + 1, left - 1)
            for choose_first in (True, False)
            if rule == "best" or choose_first == prefers(a, b, c, d)
        ]
        return max(both)

    def prefers(a: int, b: int, c: int, d: int) -> bool:
        if rule == "mean":
            return a * (c + d) >= c * (a + b)
        return index(a, b) >= index(c, d)

    @cache
    def index(a: int, b: int) -> float:
        return float(fast_pages(a, b, discount, 60))

    (a, b), (c, d) = priors
    return value(a, b, c, d, pages)


@given(
    st.tuples(*[st.tuples(st.integers(1, 4), st.integers(1, 4))] * 2), st.sampled_from([0.5, 0.7])
)
@settings(deadline=None, max_examples=25)
def test_the_index_is_optimal_for_two_arms(
    priors: tuple[tuple[int, int], tuple[int, int]], discount: float
) -> None:
    """A policy that follows the index and finds less than the best one.

    Beyond the pages that are played nobody can gain more than the reward of 1 a page.
    """
    pages = 12 if discount == 0.5 else 18
    tail = discount**pages / (1 - discount)
    best = two_arms(priors, discount, pages, "best")
    assert best - tail <= two_arms(priors, discount, pages, "index") <= best + 1e-9


def test_the_mean_is_not_optimal() -> None:
    """A comparison that every rule passes."""
    priors = ((1, 1), (5, 4))
    best = two_arms(priors, 0.9, 22, "best")
    assert best - two_arms(priors, 0.9, 22, "mean") > 0.05
    assert best - two_arms(priors, 0.9, 22, "index") < 0.02


@pytest.mark.parametrize(("kind", "shape"), list(product(["pages", "counts"], [0.5, 2.5])))
def test_priors_need_not_be_whole(kind: str, shape: float) -> None:
    """A prior that only whole numbers work for."""
    fast = fast_pages if kind == "pages" else fast_counts
    low, here, high = (fast(x, 2.0, 0.9, 20) for x in (shape - 0.25, shape, shape + 0.25))
    assert low < here < high
