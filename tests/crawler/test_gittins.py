"""The policy of Gittins: the rewards that it counts, its parameters, and sites that run dry."""

from __future__ import annotations

import numpy as np
import pytest

from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.policy.protocol import Outcome
from counterpoint.crawler.schedulers import gittins
from counterpoint.crawler.schedulers.finding import find
from counterpoint.studies.papers.arms import play


def visits(policy: str, rows: list[list[int]], budget: int) -> list[int]:
    """Return the site of each visit."""
    return play(policy, [np.array(row) for row in rows], budget).sites.tolist()


def test_links_or_pages_with_links() -> None:
    """A reward that is the other one: a page of four with 8 links, or a link each."""
    rows = [[8, 0, 0, 0] * 100, [1] * 400]
    assert np.mean(visits("gittins", rows, 400)) < 0.3
    assert np.mean(visits("gittins,rewards=pages", rows, 400)) > 0.9


def test_exhausted_sites_leave() -> None:
    """A site without pages that is asked again, or an end before all pages are scanned."""
    assert visits("gittins", [[5, 5], [0, 0, 0], [1]], 99)[:2] == [0, 0]
    assert sorted(visits("gittins", [[5, 5], [0, 0, 0], [1]], 99)) == [0, 0, 1, 1, 1, 2]


def test_foresight() -> None:
    """A discount without effect: without foresight a poor first page is the last."""
    rows = [[0] + [2] * 50, [1] * 400]
    assert visits("gittins,discount=0,horizon=1", rows, 60).count(0) == 1
    assert visits("gittins,discount=0.999", rows, 60).count(0) > 40


def test_failed_pages_count_without_links() -> None:
    """The links of an error page that count."""
    for rewards in ("counts", "pages"):
        scheduler = find(f"gittins,rewards={rewards}").scheduler([0, 1], 9)
        assert isinstance(scheduler, gittins.Gittins)
        assert scheduler.next() == (0,)
        scheduler.observe(Outcome(0, 200, np.array([2, 3])))
        while scheduler.next() != (2,):
            scheduler.observe(Outcome(1, 200))
        scheduler.observe(Outcome(2, 404, np.array([4]), 50))
        without_links = gittins.index(rewards == "pages", 1.0, 1.0 + 2, 0.99, 50)
        assert scheduler._index[0] == without_links


def test_an_index_is_computed_once() -> None:
    """Indices that are computed again for each request."""
    gittins.index.cache_clear()
    visits("gittins", [[1] * 50] * 20, 200)
    first = gittins.index.cache_info().misses
    assert first <= 51
    visits("gittins", [[1] * 50] * 20, 200)
    assert gittins.index.cache_info().misses == first


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("discount=1", "discount is a number from 0 to 0.9999, not 1"),
        ("horizon=0", "horizon is a whole number from 1 on, not 0"),
        ("horizon=3000", "horizon is at most 2000, not 3000"),
        ("rate=0.001,horizon=64", "horizon is at most 63 with rate=0.001, not 64"),
        ("rewards=both", "rewards is counts or pages, not 'both'"),
        ("shape=0", "shape is a number from 0.001 to 1e\\+06, not 0"),
    ],
)
def test_wrong_parameters(text: str, message: str) -> None:
    """An endless computation, or a traceback."""
    with pytest.raises(CrawlError, match=message):
        find(f"gittins,{text}").scheduler([0], 9)
