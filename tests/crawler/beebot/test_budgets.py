"""Budgets of pages and of time, and the policy that each kind of sites gets."""

from __future__ import annotations

from dataclasses import replace

import pytest

from counterpoint.crawler.beebot.amounts import budget
from counterpoint.crawler.beebot.plan import CrawlSettings, PlanSite, make_plan
from counterpoint.crawler.errors import CrawlError


@pytest.mark.parametrize(("text", "pages", "seconds"), [
    ("2000", 2000, None), ("30min", None, 1800.0), ("5, 1.5h", 5, 5400.0), ("1d", None, 86400.0),
])  # fmt: skip
def test_budgets(text: str, pages: int | None, seconds: float | None) -> None:
    """A budget that is parsed wrongly."""
    assert budget(text) == (pages, seconds)


@pytest.mark.parametrize("text", ["", "0", "x", "-1", "5,6", "1min,2h", "0s", "1e9", "10 pages",
                                  "²", "99999999999"])  # fmt: skip
def test_invalid_budgets(text: str) -> None:
    """An invalid budget that is guessed instead of refused."""
    with pytest.raises(CrawlError, match="budget"):
        budget(text)


@pytest.mark.parametrize(("wishes", "pages"), [
    (CrawlSettings(), 12), (CrawlSettings(delay=3.0), 4), (CrawlSettings(delay=0.0), 1200),
    (CrawlSettings(proxy="http://127.0.0.1:8080"), 1200),
    (CrawlSettings(proxy="http://proxy.test:8080"), 12),
])  # fmt: skip
def test_a_budget_of_time_is_not_limited_by_pages(wishes: CrawlSettings, pages: int) -> None:
    """A crawl of six seconds that ends after one, because no host made it wait."""
    sites = [PlanSite(1, "a.test", "http://a.test/"), PlanSite(2, "b.test", "http://b.test/")]
    assert make_plan(replace(wishes, budget="6s"), sites).budget == pages


def test_the_kind_of_sites_chooses_the_policy() -> None:
    """Another policy than the paper recommends for the kind of sites."""
    kinds = ("universities", "institutes", "unknown")
    policies = [CrawlSettings(kind=kind).policy() for kind in kinds]
    assert policies == ["R3", "R2", "equal-quanta"]
    with pytest.raises(CrawlError, match="no site"):
        make_plan(CrawlSettings(), [])
