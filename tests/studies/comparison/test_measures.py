"""Measures, compared with sets and sums in plain Python."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from counterpoint.crawler.policy.protocol import Scope
from counterpoint.sim_web import profile
from counterpoint.sim_web.pages import change, life
from counterpoint.studies.comparison.measures import MEASURES, by_site, discovery
from counterpoint.studies.comparison.plan import ComparisonPlan
from counterpoint.studies.comparison.planted import Planted
from counterpoint.studies.comparison.revisits import CopyQuality
from tests.studies.comparison.test_world import paragraphs

DAY = 86_400.0


@pytest.fixture(scope="module")
def topical() -> Planted:
    """A web with themes."""
    return Planted(ComparisonPlan((), profile.load("topical"), 50, 800, sites=5), 1)


@pytest.fixture(scope="module")
def living() -> Planted:
    """A web that changes."""
    return Planted(ComparisonPlan((), profile.load("living"), 50, 60, sites=2), 5)


@pytest.fixture(scope="module")
def passing() -> Planted:
    """A web whose pages come and go within a day."""
    of = profile.load("living")
    lives = replace(of.change, passing=0.8, life_days=0.3, births_days=1.0)
    return Planted(ComparisonPlan((), replace(of, change=lives), 50, 60, sites=2), 5)


@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_discovery_is_measured_by_sets(topical: Planted, data: st.DataObject) -> None:
    """A failed page that counts; a mass of unreachable pages; a curve that is one step off."""
    scope = data.draw(st.sampled_from([Scope.SITE, Scope.WEB]))
    reachable = np.flatnonzero(topical.reachable(scope)).tolist()
    order = data.draw(st.lists(st.sampled_from(reachable), max_size=60, unique=True))
    came = data.draw(st.lists(st.booleans(), min_size=len(order), max_size=len(order)))
    steps = sorted(data.draw(st.sets(st.integers(1, 70), min_size=1, max_size=5)))
    found = discovery(topical, scope, np.array(order, dtype=np.int64),
                      np.array(came, dtype=np.bool_), np.array(steps))  # fmt: skip
    ranks = topical.ranks
    best = sorted(reachable, key=lambda page: -ranks[page])
    best = best[: max(1, round(len(reachable) * 5 / 100))]
    relevant = {page for page in reachable if topical.relevant[page]}
    for k, step in enumerate(steps):
        got = {page for page, ok in list(zip(order, came, strict=True))[:step] if ok}
        known = {int(page) for page in topical.starts(scope)}
        known |= {int(link) for page in got for link in topical.links_of(scope, page)}
        expected = {
            "external": sum(int(topical.external[page]) for page in got),
            "pages": len(got),
            "quantity": len(got) / len(reachable),
            "quality": sum(ranks[p] for p in got) / sum(ranks[p] for p in reachable),
            "top": len(got & set(best)) / len(best),
            "precision": len(got & relevant) / max(1, len(got)),
            "recall": len(got & relevant) / max(1, len(relevant)),
            "frontier": len(known) - len(order[:step]),
        }
        assert {name: curve[k] for name, curve in found.items()} == pytest.approx(expected)


@settings(max_examples=15, deadline=None)
@given(
    order=st.lists(st.tuples(st.integers(0, 59), st.booleans()), min_size=1, max_size=80),
    per_day=st.integers(5, 200),
)
def test_freshness_is_measured_by_texts(
    living: Planted, order: list[tuple[int, bool]], per_day: int
) -> None:
    """A copy counted as fresh after two changes; an age since the visit; a Q of sizes only."""
    seconds = DAY / per_day
    steps = np.array(sorted({1, len(order) // 2 + 1, len(order), len(order) + 30}))
    pages = np.arange(60)
    visits = np.array([page for page, _ in order], dtype=np.int64)
    came = np.array([ok for _, ok in order], dtype=np.bool_)
    found = CopyQuality(living, pages, seconds, steps).curves(visits, came)
    for k, step in enumerate(steps.tolist()):
        now = step * seconds
        taken = dict.fromkeys(range(60), 0.0)
        taken |= {page: n * seconds for n, (page, ok) in enumerate(order[:step]) if ok}
        spoiled = {page: change.next_change(living.web, page, at) for page, at in taken.items()}
        stale = {page: at for page, at in spoiled.items() if at <= now}
        assert found["freshness"][k] == pytest.approx(1 - len(stale) / 60)
        assert found["age"][k] == pytest.approx(sum(now - at for at in stale.values()) / 3600 / 60)
        worth, most = 0.0, 0.0
        for page, at in taken.items():
            old, new = paragraphs(living, page, at), paragraphs(living, page, now)
            same = sum(len(a) for a, b in zip(old, new, strict=True) if a == b)
            other = sum(len(a) + len(b) for a, b in zip(old, new, strict=True) if a != b)
            worth += math.log(1 + same) - math.log(1 + other)
            most += math.log(1 + sum(map(len, new)))
        assert found["q"][k] == pytest.approx(worth)
        assert found["q_share"][k] == pytest.approx(worth / most)


@settings(max_examples=15, deadline=None)
@given(
    order=st.lists(st.integers(0, 59), min_size=1, max_size=80),
    per_day=st.integers(5, 200),
)
@example(order=[*range(60), *range(20)], per_day=5)  # some are visited after their deaths
def test_the_deleted_count(passing: Planted, order: list[int], per_day: int) -> None:
    """A dead page that keeps its value, a birth that costs nothing, or a death that is not seen."""
    seconds = DAY / per_day
    steps, pages = np.array([1, len(order), len(order) + 40]), np.arange(60)
    visits = np.array(order, dtype=np.int64)
    came = np.array([life.is_there(passing.web, page, n * seconds) for n, page in enumerate(order)])
    found = CopyQuality(passing, pages, seconds, steps).curves(visits, came)
    for k, step in enumerate(steps.tolist()):
        now, stale, age, q = step * seconds, 0, 0.0, 0.0
        for page in range(60):
            times = [n * seconds for n, one in enumerate(order[:step]) if one == page]
            at = times[-1] if times else 0.0
            born, dies = life.life(passing.web, page)
            old, new = ([] if not born <= t < dies else paragraphs(passing, page, t)
                        for t in (at, now))  # fmt: skip
            pairs = list(itertools.zip_longest(old, new, fillvalue=b""))
            q += math.log(1 + sum(len(a) for a, b in pairs if a == b))
            q -= math.log(1 + sum(len(a) + len(b) for a, b in pairs if a != b))
            first = life.ends(passing.web, page, at) if old else born
            if bool(old) != bool(new) or (old and first <= now):
                stale, age = stale + 1, age + now - first
        assert found["freshness"][k] == pytest.approx(1 - stale / 60)
        assert found["age"][k] == pytest.approx(age / 3600 / 60)
        assert found["q"][k] == pytest.approx(q)


def test_visits_are_counted_by_site(topical: Planted) -> None:
    """A visit of another site that counts for this one."""
    order = np.array([0, *topical.starts(Scope.SITE), topical.starts(Scope.SITE)[2], 799])
    counts = [0] * 6
    for page in order.tolist():
        of = topical.web.host(page)
        counts[topical.sites.index(of) if of in topical.sites else 5] += 1
    assert by_site(topical, order).tolist() == counts


def test_measures_are_named_once() -> None:
    """A measure with the name of another one."""
    assert len({measure.name for measure in MEASURES}) == len(MEASURES)
