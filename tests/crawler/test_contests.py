"""The choice of the next site: R3's index compared exactly, and other bandits."""

from __future__ import annotations

from functools import cmp_to_key

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from counterpoint.crawler.policy.protocol import Outcome, Scope
from counterpoint.crawler.policy.site_kernels import (
    COLUMNS,
    EMPTY,
    LARGEST,
    SCANNED,
    SUM,
    UNDECIDED,
    WAITING,
    gamma,
    of_largest_index,
    of_largest_mean,
    of_largest_sum,
)
from counterpoint.crawler.schedulers import rules
from counterpoint.crawler.schedulers.finding import find
from counterpoint.crawler.worlds.crawl import crawl
from counterpoint.spec.crawl.ucb import TRUST, compare_exactly

from .webs import Web, contests, run, webs

Counts = list[tuple[int, int]]


def table_of(counts: Counts, most: int) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    """Return the table of sites with given numbers of links and pages; each has a page waiting."""
    table = np.zeros((len(counts) + 1, COLUMNS), dtype=np.int64)
    for k, (links, pages) in enumerate(counts):
        table[k, [SUM, SCANNED, WAITING]] = links, pages, 1
    table[-1, SCANNED] = sum(pages for _, pages in counts)
    table[-1, LARGEST] = most
    return table


@settings(max_examples=300, deadline=None)
@given(
    counts=st.lists(st.tuples(st.integers(0, 60), st.integers(1, 12)), min_size=1, max_size=6),
    scale=st.sampled_from([1, 10**6]),
)
def test_the_largest_index(counts: Counts, scale: int) -> None:
    """A choice decided by rounding: it must be the first of the largest, compared exactly."""
    counts = [(links * scale, pages * scale) for links, pages in counts]
    most = max(1, *(links for links, _ in counts))
    n = sum(pages for _, pages in counts)
    found = of_largest_index(table_of(counts, most), TRUST)
    assume(found != UNDECIDED)
    key = cmp_to_key(lambda a, b: compare_exactly(*a, *b, most, n))
    assert found == max(range(len(counts)), key=lambda k: (key(counts[k]), -k))


def test_what_floats_cannot_tell_is_left_open() -> None:
    """A bound on the rounding error that is too wide, or one that hides a tie of integers."""
    one = 10**9
    assert of_largest_index(table_of([(0, 2 * one), (0, 2 * one)], 1), TRUST) == 0
    assert of_largest_index(table_of([(5, 2 * one), (9, 2 * one), (9, 2 * one)], 9), TRUST) == 1
    close = [(10**15, 10**15), (10**15 - 1, 10**15 - 1)]
    assert of_largest_index(table_of(close, 1), TRUST) == UNDECIDED
    empty = table_of(close, 1)
    empty[:, WAITING] = 0
    assert of_largest_index(empty, TRUST) == EMPTY


@settings(max_examples=60, deadline=None)
@given(crawled=contests() | st.tuples(webs(), st.integers(1, 30)))
def test_r3_without_floats(crawled: tuple[Web, int]) -> None:
    """Different choices of the exact and the fast comparison."""
    web, budget = crawled
    fast = run("R3", web, budget)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rules, "TRUST", 1.0)
        assert run("R3", web, budget)[1] == fast[1]


def test_equal_sums() -> None:
    """A tie that goes to a later site, or to an exhausted one."""
    table = table_of([(3, 1), (7, 2), (7, 3), (7, 1)], 7)
    assert of_largest_sum(table) == 1
    table[1, WAITING] = 0
    assert of_largest_sum(table) == 2
    table[:, WAITING] = 0
    assert of_largest_sum(table) == EMPTY


def test_r1_waits_for_the_sums() -> None:
    """A choice before all sums are known: the answer of the better site comes late."""
    scheduler = find("R1").scheduler([0, 1], 3)
    for page in (0, 1):
        assert scheduler.next() == (page,)
    scheduler.observe(Outcome(0, 200, np.array([2]), 5))
    assert scheduler.next() is None and scheduler.why == "waiting for answers"
    scheduler.observe(Outcome(1, 200, np.array([3]), 9))
    assert scheduler.next() == (3,)


def test_means_beyond_floats() -> None:
    """Means compared as floats: these two are equal as floats."""
    close = [(10**8 - 1, 10**8), (10**8, 10**8 + 1)]
    assert of_largest_mean(table_of(close, 1)) == 1
    assert of_largest_mean(table_of(close[::-1], 1)) == 0


@pytest.mark.parametrize("shape", [0.3, 1.0, 4.5, 60.0])
def test_gamma(shape: float) -> None:
    """A wrong sampler: mean and variance of 40,000 draws, within five standard errors."""
    state = np.array([7], dtype=np.uint64)
    draws = np.array([gamma(state, shape) for _ in range(40_000)])
    assert abs(draws.mean() - shape) < 5 * np.sqrt(shape / len(draws))
    spread = np.sqrt((6 / shape + 2) / len(draws))
    assert abs(draws.var() / shape - 1) < 5 * spread


class Drying:
    """Two endless sites: 0 has 9 links on each of its first 200 pages, 1 always has 2."""

    def fetch(self, page: int) -> Outcome:
        links = 2 if page % 2 else 9 * (page < 400)
        return Outcome(page, 200, np.array([page + 2]), links)


def share_of_second(name: str) -> float:
    """Return the second site's share of the second half of 2,000 pages."""
    world = Drying()
    end = crawl(name, find(name).scheduler([0, 1], 2000, 3), world, [0, 1], 2000, Scope.SITE)
    assert not end.failed
    return float((end.order[1000:] % 2).mean())


def test_a_bandit_that_forgets() -> None:
    """Discounts without effect: the site that stops giving links must lose sooner than with R3."""
    forgets, never = share_of_second("discounted-ucb"), share_of_second("R3")
    assert forgets > 0.8
    assert forgets > never
    assert share_of_second("discounted-ucb,discount=1") < forgets


def test_thompson_finds_the_better_site() -> None:
    """A posterior that does not follow from the counts."""
    world = Drying()
    end = crawl("t", find("thompson").scheduler([0, 1], 400, 5), world, [0, 1], 400, Scope.SITE)
    assert (end.order[:200] % 2).mean() < 0.2
    other = crawl("t", find("thompson").scheduler([0, 1], 400, 6), world, [0, 1], 400, Scope.SITE)
    assert other.digest != end.digest
