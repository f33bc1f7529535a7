"""Sums over visits, compared with the schedulers that decide by the same numbers."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterpoint.crawler.policy.protocol import Outcome
from counterpoint.crawler.schedulers.catalogue import POLICIES
from counterpoint.crawler.schedulers.finding import find
from counterpoint.studio.progress import (
    BUCKETS,
    POINTS,
    Arm,
    History,
    ObservedVisit,
    arms,
    discount_of,
    rule_of,
)

visits = st.lists(
    st.builds(ObservedVisit, st.none() | st.integers(1, 9), st.integers(0, 30),
              st.none() | st.floats(0, 1e6).map(lambda t: round(t, 1))),
    max_size=700,
)  # fmt: skip


@given(visits, st.lists(st.integers(0, 700), max_size=5))
def test_chunks_do_not_matter(seen: list[ObservedVisit], cuts: list[int]) -> None:
    """A studio that shows other figures because it was started later or updated less often."""
    whole, parts = History(discount=0.9), History(discount=0.9)
    whole.add(seen)
    places = sorted({0, len(seen), *(cut for cut in cuts if cut < len(seen))})
    for first, end in pairwise(places):
        parts.add(seen[first:end])
    assert whole == parts


@given(visits)
def test_nothing_is_lost(seen: list[ObservedVisit]) -> None:
    """A curve that does not end at the crawl's totals, or shares with another sum."""
    history = History()
    history.add(seen)
    assert (history.pages, history.links) == (len(seen), sum(one.external for one in seen))
    curve = history.curve()
    assert len(curve) <= POINTS + 1
    assert curve == sorted(curve)
    assert bool(curve) == any(one.time is not None for one in seen)
    assert len(history.shares) <= BUCKETS
    for seed in range(1, 10):
        own = [one for one in seen if one.seed == seed]
        assert sum(bucket.get(seed, 0) for bucket in history.shares) == len(own)
        if own:
            tally = history.tallies[seed]
            assert (tally.pages, tally.links) == (len(own), sum(one.external for one in own))
            assert tally.most == max(one.external for one in own)


def test_a_long_crawl_has_a_short_curve() -> None:
    """A page whose size grows with the crawl."""
    history = History()
    history.add(ObservedVisit(1 + n % 3, n % 5, float(n)) for n in range(100_000))
    assert POINTS / 2 <= len(history.curve()) <= POINTS + 1
    assert history.curve()[-1] == (99_999.0, 100_000, 200_000)
    assert BUCKETS / 2 < len(history.shares) <= BUCKETS
    assert history.width * len(history.shares) >= 100_000


@pytest.mark.parametrize(
    ("policy", "settled"),
    [("R1", 80), ("R2,step=1", 8), ("R3,initial=2", 8),
     ("discounted-ucb,discount=0.97,exploration=0.3", 8)],
)  # fmt: skip
@pytest.mark.parametrize("seed", range(3))
def test_the_site_shown_as_next_is_next(policy: str, settled: int, seed: int) -> None:
    """An index that differs from that of the scheduler, so that the wrong site is shown as next."""
    sites, length, budget = 4, 60, 83 if policy == "R1" else 120
    chance = np.random.default_rng(seed)
    yields = chance.integers(0, 9, size=(sites, length)) * chance.integers(0, 2, size=(sites, 1))
    scheduler = find(policy).scheduler(list(range(sites)), budget)
    history = History(discount=discount_of(policy))
    fetched = [0] * sites
    compared = 0
    while (request := scheduler.next()) is not None:
        site, place = request.page % sites, request.page // sites
        if history.pages >= settled:
            found = [a for a in arms(policy, history, range(sites)) if fetched[a.seed] < length]
            largest = found[0].index
            assert largest is not None
            # Floats tell sites apart that differ by more than their rounding.
            ties = {a.seed for a in found if a.index is not None and a.index > largest - 1e-9}
            assert site in ties
            compared += len(ties) == 1
        following = [request.page + sites] if place + 1 < length else []
        external = int(yields[site, place])
        scheduler.observe(Outcome(request.page, 200, np.array(following, np.int64), external))
        history.add([ObservedVisit(site, external, 0.0)])
        fetched[site] += 1
    assert history.pages == budget
    assert compared > 0


def test_thompson_shows_the_mean_of_its_draws() -> None:
    """A mean that is not that of the posterior."""
    history = History()
    history.add([ObservedVisit(1, 3, None), ObservedVisit(1, 5, None), ObservedVisit(2, 0, None)])
    first, *_ = arms("thompson,shape=2,rate=1", history, [1, 2, 3])
    assert first == Arm(1, 2, 8, 10 / 3, math.sqrt(10) / 3, 10 / 3)


@pytest.mark.parametrize("policy", [*POLICIES, "my_policy:Greedy,depth=3", "R3,initial=x", ""])
def test_every_policy_can_be_shown(policy: str) -> None:
    """A view that fails for a policy without an index, or before the first visit."""
    history = History(discount=discount_of(policy))
    for _ in range(2):
        found = arms(policy, history, [1, 2])
        assert sorted(arm.seed for arm in found) == [1, 2]
        assert rule_of(policy).why
        history.add([ObservedVisit(1, 0, 1.0)])
