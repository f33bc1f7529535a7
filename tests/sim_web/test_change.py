"""Pages change by a Poisson process, and the three functions that describe it agree."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from counterpoint.sim_web import profile
from counterpoint.sim_web.generator import Web
from counterpoint.sim_web.pages import change

DAY = 86_400.0


@lru_cache(maxsize=8)
def web(per_day: float = 1.0, spread: float = 0.0, static: float = 0.0) -> Web:
    """Return a web whose pages change."""
    mapping = {"change": {"static": static, "per_day": per_day, "spread": spread}}
    return Web(profile.from_mapping(mapping, "test", "test"), 6000, 3)


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 5999), st.floats(0, 3e8), st.sampled_from([0.01, 1.0, 50.0]))
def test_version_date_and_next_change_agree(page: int, time: float, per_day: float) -> None:
    """A Last-Modified of another version, or a next change at which nothing changes."""
    of = web(per_day, 1.0, 0.2)
    version, changed = change.version(of, page, time), change.changed_at(of, page, time)
    following = change.next_change(of, page, time)
    assert 0.0 <= changed <= time < following
    assert change.version(of, page, changed) == version
    if version:
        assert change.version(of, page, math.nextafter(changed, 0.0)) < version
    if following < math.inf:
        assert change.version(of, page, following) > version
        assert change.version(of, page, math.nextafter(following, 0.0)) == version
    else:
        assert change.rate(of, page) == 0.0


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 5990), st.floats(0, 3e8) | st.floats(0, 1e12), st.sampled_from([1e-5, 1.0]))
def test_the_way_back_finds_the_same_change(page: int, time: float, per_day: float) -> None:
    """A sitemap's date that is an earlier or a later change than the page's last."""
    of = web(per_day, 1.0, 0.2)
    pages = range(page, page + 3)
    found = change.contents_since(of.numbers.key, change.law(of), page, page + 3, time)
    assert found.tolist() == [change.changed_at(of, one, time) for one in pages]


def test_numbers_of_changes_follow_poissons_law() -> None:
    """Numbers of changes in three days that do not follow the Poisson distribution."""
    counts = [change.version(web(), page, 12.5 * DAY) - change.version(web(), page, 9.5 * DAY)
              for page in range(6000)]  # fmt: skip
    seen = np.bincount(np.minimum(counts, 9), minlength=10)
    law = stats.poisson(3.0)
    expected = np.array([law.pmf(k) for k in range(9)] + [law.sf(8)]) * 6000
    assert stats.chisquare(seen, expected).pvalue > 0.001


def test_changes_are_spread_evenly_and_independently() -> None:
    """Times that prefer half of a span, or correlated neighbouring days."""
    of = web()
    times = [change.next_change(of, page, 5 * DAY) - 5 * DAY for page in range(6000)]
    assert stats.kstest(np.array(times) / DAY, "expon").pvalue > 0.001
    middle = change.SPAN / 2
    before, after = (
        [change.version(of, p, at + DAY) - change.version(of, p, at) for p in range(6000)]
        for at in (middle - DAY, middle)
    )
    assert abs(stats.pearsonr(before, after).statistic) < 4 / math.sqrt(6000)


def test_spans_follow_each_other() -> None:
    """A process that ends or restarts after the first span, or a wrong total of a fast page."""
    of = web(200.0)
    for page in range(20):
        first = change.version(of, page, change.SPAN)
        mean = 200.0 * change.SPAN / DAY
        assert abs(first - mean) < 5 * math.sqrt(mean)
        assert abs(change.version(of, page, 2 * change.SPAN) - first - mean) < 5 * math.sqrt(mean)


def test_rates_are_lognormal_with_the_mean_of_the_profile() -> None:
    """A median used as the mean, or a wrong share of static pages."""
    of = web(1.0, 0.5, 0.25)
    rates = np.array([change.rate(of, page) * DAY for page in range(6000)])
    moving = rates[rates > 0]
    assert abs(len(moving) / 6000 - 0.75) < 4 * math.sqrt(0.75 * 0.25 / 6000)
    assert abs(moving.mean() - 1.0) < 4 * moving.std() / math.sqrt(len(moving))
    assert stats.kstest(np.log(moving), "norm", args=(-0.125, 0.5)).pvalue > 0.001


def test_rare_changes_and_distant_times_come_to_an_end() -> None:
    """An endless search for the next change of a page that rarely changes."""
    of = web(1e-9, 4.0)
    assert change.next_change(of, 7, 0.0) == math.inf
    often = web(1.0)
    last = change.version(often, 7, math.inf)
    assert last == change.version(often, 7, 1e300) > 2_000_000
    assert change.changed_at(often, 7, math.inf) < change.SPANS * change.SPAN
