"""The statistic that tells a change from noise, against textbook forms and by simulation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from counterpoint.ci.crawlers.bands import Band
from counterpoint.ci.crawlers.noise import paired

NARROW = Band(0.0, False)


def test_with_one_seed_it_is_the_t_test_of_two_samples() -> None:
    """A wrong variance, wrong degrees of freedom, or a one-sided quantile."""
    now, before = [10.0, 12.0, 11.5], [9.0, 8.5, 10.0, 9.2]
    interval = stats.ttest_ind(now, before).confidence_interval(0.95)
    found = paired({"7": now}, {"7": before}, NARROW)
    assert found.difference == pytest.approx(np.mean(now) - np.mean(before))
    assert found.noise == pytest.approx((interval.high - interval.low) / 2)


def test_differences_between_webs_cancel() -> None:
    """Noise that contains how different the webs are."""
    now = {"1": [101.0, 103.0], "2": [1001.0, 1003.0]}
    before = {"1": [100.0, 102.0], "2": [1000.0, 1002.0]}
    found = paired(now, before, NARROW)
    assert found.difference == pytest.approx(1.0)
    # Variance 2 in each of four groups: the standard error is sqrt(2 * 4 / 2) / 2 = 1.
    assert found.noise == pytest.approx(float(stats.t.ppf(0.975, 4)))
    assert not found.has_moved


def test_both_band_and_noise_count() -> None:
    """A change within band or noise that falls, or one beyond both that does not."""
    noisy, steady = {"1": [90.0, 110.0]}, {"1": [100.0, 100.1]}
    assert not paired({"1": [80.0, 84.0]}, noisy, Band(0.02, True)).has_moved
    assert paired({"1": [80.0, 80.1]}, steady, Band(0.02, True)).has_moved
    assert not paired({"1": [99.0, 99.1]}, steady, Band(0.02, True)).has_moved
    assert paired({"1": [80.0, 84.0]}, noisy, Band(0.02, True)).is_narrow
    assert not paired({"1": [80.0, 80.1]}, steady, Band(0.02, True)).is_narrow


def test_without_repeats_the_band_alone_decides() -> None:
    """Noise that is taken for zero and warned of, or a rounded number that is a change."""
    found = paired({"1": [5.0], "2": [7.0]}, {"1": [5.0], "2": [6.0]}, NARROW)
    assert (found.noise, found.is_narrow, found.has_moved) == (None, False, True)
    third = 1 / 3
    assert not paired({"1": [third]}, {"1": [float(f"{third:.9g}")]}, NARROW).has_moved


def test_noise_alone_rarely_moves_anything() -> None:
    """A level that is not divided among the measures: a gate that is red every second time."""
    chance = np.random.default_rng(5)
    fell = 0
    for _ in range(200):
        rows = chance.normal(100, 5, size=(10, 2, 3, 3))  # measures, now and before, seeds, repeats
        fell += any(
            paired(dict(zip("123", one[0].tolist(), strict=True)),
                   dict(zip("123", one[1].tolist(), strict=True)), NARROW, 10).has_moved
            for one in rows
        )  # fmt: skip
    assert 0 < fell <= 20  # 5% of 200 are expected
