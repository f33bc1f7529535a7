"""Estimators compared with the truth: the truth itself, the samples, and the errors."""

from __future__ import annotations

import dataclasses
import json
import math
from functools import lru_cache

import numpy as np
import pytest

from counterpoint.crawler.coverage.blocks import Blocks
from counterpoint.crawler.coverage.samplers import Kind
from counterpoint.crawler.errors import CrawlError
from counterpoint.sim_web import profile
from counterpoint.sim_web.generator.allocation import Allocation
from counterpoint.sim_web.referee.quality import page_rank
from counterpoint.studies.comparison.plan import ComparisonPlan
from counterpoint.studies.comparison.planted import Planted
from counterpoint.studies.coverage.estimators import QUANTITY, TOPICS, estimators
from counterpoint.studies.coverage.plan import CoveragePlan
from counterpoint.studies.coverage.report import report
from counterpoint.studies.coverage.samples import ANSWER, STEPS, SampleSet
from counterpoint.studies.coverage.study import (
    Array,
    CoverageStudy,
    WebResult,
    as_json,
    judge_estimates,
    study,
)
from counterpoint.studies.coverage.truth import GRID, PARTS, Domain
from counterpoint.studies.papers.report import text

SMALL = CoveragePlan(
    ("breadth-first", "random"), profile.load("broder-1999"), 300, 1500, range(2), 3, 150, 100, 3
)


LESS = ("random-ip", "random-ip-slope", "random-ip-line", "searches-0.9", "searches-reach",
        "chao-crawl")  # fmt: skip
"""Estimators that do not say 1 of a crawl of all pages: default pages, factors, other numbers."""


@lru_cache
def domain(name: str = "broder-1999", pages: int = 1500) -> Domain:
    """Return a small web."""
    return Domain(Planted(ComparisonPlan((), profile.load(name), 1, pages), 1))


@lru_cache
def found() -> CoverageStudy:
    """Return a small study."""
    return study(SMALL, 1)


def test_the_truth() -> None:
    """A truth that is that of a part of the web, or of another ranking."""
    held = domain()
    crawled = np.zeros(held.pages, dtype=bool)
    crawled[::3] = True
    assert held.coverage("quantity", crawled) == pytest.approx(1 / 3)
    planted = held._planted
    ranks = page_rank(planted.links.offsets, planted.links.targets).values
    assert held.weights["pagerank"] == pytest.approx(ranks, abs=1e-8)
    important = np.argsort(-held.weights["pagerank"], kind="stable")[: round(held.pages * 0.05)]
    assert held.coverage("pagerank", crawled) == pytest.approx(crawled[important].mean())
    for signal, part in PARTS.items():
        curve = held.curve(signal, crawled)
        assert curve[GRID.index(part)] == pytest.approx(held.coverage(signal, crawled))
        assert curve[-1] == pytest.approx(1 / 3)
    known = held.weights["in-degree"][held.known]
    assert known.min() >= np.delete(held.weights["in-degree"], held.known).max()


def test_components() -> None:
    """A weak component or a reachable set that differs from that of the measurer."""
    held = domain()
    shares = SMALL.profile.shares
    assert held.largest_weak_component() == pytest.approx(1 - shares.disconnected, abs=0.01)
    scc = next(page for page in range(held.pages) if held._planted.web.component(page) == 0)
    assert held.reachable([scc]) == pytest.approx(shares.scc + shares.out, abs=0.01)


@pytest.mark.parametrize(("name", "pages"), [("broder-1999", 1500), ("universities", 3000)])
def test_addresses_and_hosts_of_samplers(name: str, pages: int) -> None:
    """Addresses numbered differently than planted; pages outside the domain."""
    held = domain(name, pages)
    planted = held._planted
    allocation = Allocation(planted.web)
    assert held.blocks == Blocks.of(allocation.blocks)
    assert held.blocks.size == allocation.size
    kinds = dict.fromkeys(Kind, 0)
    for number in range(held.blocks.size):
        address = held.blocks.address(number)
        front, allocated = held.front(address), allocation.at(address)
        kinds[front.kind] += 1
        if front.kind is Kind.SITE:
            assert front.page < held.pages
            assert planted.host[front.page] == allocated.shown
            assert planted.web.pages_of(allocated.shown).start == front.page
    assert kinds[Kind.DEFAULT] + kinds[Kind.SITE] == allocation.serving
    assert kinds[Kind.SITE] > 0
    for page in range(0, held.pages, 97):
        links = held.links(page)
        inside = planted.web.out_links(page)
        assert sorted(links) == sorted(link for link in inside if link < held.pages)
        assert held.host(links).tolist() == [planted.web.host(int(link)) for link in links]


def test_samples_grow() -> None:
    """A lost step, so that the last sample is not the whole."""
    drawn = SampleSet(domain(), SMALL, 3)
    assert len(drawn.growing) == STEPS
    sizes = [one.serving for one in drawn.growing]
    assert sizes == sorted(sizes)
    assert drawn.growing[-1].drawn == SMALL.draws
    for one, other in zip(drawn.growing, drawn.growing[1:], strict=False):
        assert set(one.pages) <= set(other.pages)
    assert set(drawn.fronts.pages) <= set(drawn.once.pages.tolist())
    assert set(drawn.once.pages.tolist()) <= set(drawn.twice.pages.tolist())


def test_the_search_of_fronts_is_as_large_as_all_searches() -> None:
    """A search from the sample by random IP that stops early; its first tenth that is all of it."""
    drawn = SampleSet(domain(), SMALL, 3)
    found = drawn.search_of_fronts
    assert len(found.pages) == SMALL.starts * SMALL.size
    assert found.pages[: len(drawn.fronts.pages)].tolist() == drawn.fronts.pages
    assert found.fetched == len(found.pages) - len(drawn.fronts.pages)
    crawl = np.zeros(drawn.domain.pages, dtype=bool)
    crawl[found.pages[: len(found.pages) // 10]] = True
    shares = {one.name: one.estimate(drawn, crawl).value for one in QUANTITY}
    assert shares["fronts-search"] == pytest.approx(0.1)
    assert shares["fronts-search-tenth"] == pytest.approx(1.0)


@pytest.mark.parametrize("crawled", [0.0, 1.0])
def test_all_and_nothing(crawled: float) -> None:
    """An estimate above 0 for an empty crawl, or above 1 for a complete one."""
    held = domain()
    drawn, crawl = SampleSet(held, SMALL, 4), np.full(held.pages, bool(crawled))
    for one in estimators(SMALL.profile):
        value = one.estimate(drawn, crawl).value
        assert one.requests(drawn) > 0
        if crawled == 0:
            assert value == 0, one.name
        else:
            assert (value == pytest.approx(1)) == (one.name not in LESS), one.name


def test_whole_sites_of_all_addresses_are_nearly_the_truth() -> None:
    """A wrong correction: a sample of all addresses misses only hidden hosts and orphans."""
    kind = dataclasses.replace(
        SMALL.profile, addresses=dataclasses.replace(SMALL.profile.addresses, own=1.0)
    )
    held = Domain(Planted(ComparisonPlan((), kind, 1, 1500), 2))
    drawn = SampleSet(held, dataclasses.replace(SMALL, draws=held.blocks.size), 5)
    orphans = sum(len(held._planted.web.orphans_of(h)) for h in range(held._planted.web.hosts))
    assert len(drawn.sites.pages) == held.pages - orphans
    crawl = np.random.default_rng(1).random(held.pages) < 0.4
    whole = next(one for one in QUANTITY if one.name == "whole-sites")
    assert whole.estimate(drawn, crawl).value == pytest.approx(crawl.mean(), abs=0.02)


def test_no_address_serves() -> None:
    """An error instead of a missing estimate where no address has a server."""
    held = domain()
    for seed in range(100):
        drawn = SampleSet(held, dataclasses.replace(SMALL, draws=10), seed)
        if not drawn.fronts.serving:
            break
    else:
        pytest.fail("some address served in each of 100 samples of 10")
    crawl = np.ones(held.pages, dtype=bool)
    for one in estimators(SMALL.profile):
        estimate = one.estimate(drawn, crawl)
        of_links = "search" in one.name and not one.name.startswith("fronts")
        expected = of_links or one.name in ("chao", "chao-crawl", "chapman")
        assert estimate.has_value == expected, one.name


def test_judging() -> None:
    """Errors, their spread and the share of right intervals that differ from a hand calculation."""
    nothing = math.nan
    held = np.array([
        [[[0.4, 0.3, 0.6], [0.6, 0.55, 0.7]]],  # truth 0.5: errors -0.1, 0.1; right once
        [[[0.7, 0.6, 0.8], [nothing, nothing, nothing]]],  # truth 0.6: error 0.1; right
    ])  # fmt: skip
    judgment = judge_estimates(np.array([[0.5], [0.6]]), held, 12.0)
    assert judgment.truth == pytest.approx(0.55)
    assert judgment.bias.value == pytest.approx((0.0 + 0.1) / 2)
    assert judgment.deviation == pytest.approx(math.sqrt(0.02))
    assert judgment.rmse == pytest.approx(0.1)
    assert judgment.contains == pytest.approx(2 / 3)
    assert judgment.width == pytest.approx((0.3 + 0.15 + 0.2) / 3)
    assert (judgment.success, judgment.requests) == (0.75, 12.0)
    empty = judge_estimates(np.array([[0.5]]), np.full((1, 1, 2, 3), nothing), 1.0)
    assert empty.success == 0 and empty.contains is None and math.isnan(empty.rmse)


def test_the_deviation_is_within_a_crawl() -> None:
    """Differences between crawls that count as variance of an estimator."""
    held = np.zeros((1, 2, 3, 3))
    held[0, 0], held[0, 1] = 0.2, 0.8
    assert judge_estimates(np.array([[0.2, 0.8]]), held, 1.0).deviation == pytest.approx(
        0.0, abs=1e-12
    )


@pytest.mark.long
def test_the_same_plan_finds_the_same() -> None:
    """Figures that depend on the number of processes, or on the time."""
    one, other = as_json(found()), as_json(study(SMALL, 2))
    assert json.dumps(one, allow_nan=False) == json.dumps(other, allow_nan=False)
    assert set(one["estimators"]) == {one.name for one in estimators(SMALL.profile)}
    webs = found().webs
    assert webs[0].estimates["whole-sites"].tolist() != webs[1].estimates["whole-sites"].tolist()


def test_truths_are_those_of_the_comparison() -> None:
    """A crawl that loses pages."""
    assert found().truth("quantity", 0) == pytest.approx([300 / 1500] * 2)


def test_hidden_pages_count_among_all_pages() -> None:
    """A share of hidden pages that is taken in part, or of the pages that links lead to."""
    forms = dataclasses.replace(SMALL.profile.forms, hidden=0.25)
    plan = dataclasses.replace(SMALL, profile=dataclasses.replace(SMALL.profile, forms=forms))
    nothing: dict[str, Array] = {}
    truth = {"quantity": np.array([0.2, 0.4])}
    web = WebResult(0, truth, nothing, nothing, nothing, nothing, 1.0, 1.0)
    made = CoverageStudy(plan, ("a", "b"), [], (web,))
    assert made.truth_with_hidden(1) == pytest.approx([0.3])  # 2 of 5 pages, and 3 of 4 not hidden


def test_the_report() -> None:
    """A finding without its figures, a line that is too long, a missing estimator."""
    page = report(found(), "counterpoint coverage report")
    output = text(page)
    assert max(map(len, output.splitlines())) <= 80
    for estimator in estimators(SMALL.profile):
        assert estimator.name in output
    assert len(page.findings) == 8
    assert sum(len(section.figures) for section in page.sections) == 1 + len(PARTS)


def test_topics() -> None:
    """Pages about another theme; an answer with pages that its index lacks."""
    held = domain("topical", 2000)
    web = held._planted.web
    assert len(held.topics) == 8
    for theme, pages in enumerate(held.topics):
        assert {web.theme(web.host(int(page))) for page in pages} == {theme}
        assert all(web.relevant(int(page)) for page in pages)
    page = int(held.topics[0][0])
    sources = [k for k in range(held.pages) if page in held.links(k).tolist()]
    assert held.backward.links(page).tolist() == sources
    drawn, crawl = SampleSet(held, SMALL, 6), np.random.default_rng(2).random(held.pages) < 0.3
    for one in TOPICS:
        truth, estimate = held.coverage(one.of, crawl), one.estimate(drawn, crawl)
        assert estimate.value == pytest.approx(truth, abs=0.2), one.name
    seen = drawn.answers_among(crawl)
    for topic, one in zip(held.topics, seen, strict=True):
        answer = one.sample.pages[: min(ANSWER, crawl[topic].sum())]
        assert crawl[answer].all() and set(answer) <= set(topic)
    assert drawn.answers_among(np.zeros(held.pages, dtype=bool)) == ()


def test_topics_are_reported_if_any() -> None:
    """An empty section; missing figures of topics."""
    plan = dataclasses.replace(
        SMALL, profile=profile.load("topical"), seeds=range(1), repeats=2, web_pages=1000
    )
    output = text(report(study(plan, 1), "x"))
    assert "hub-topics-own" in output and "around answers to queries" in output
    assert "topics" not in text(report(found(), "x"))


def test_too_many_addresses() -> None:
    """A sample that cannot be drawn, which is noticed only after hours of crawling."""
    with pytest.raises(CrawlError, match="--draws 5000: a web of 1,500 pages has"):
        study(dataclasses.replace(SMALL, draws=5000), 1)


def test_a_failing_policy_is_reported() -> None:
    """One failure that hides the other policies, or a report that fails without any figures."""
    plan = dataclasses.replace(
        SMALL, seeds=range(1), policies=("tests.studies.comparison.policies:Raises",)
    )
    made = study(plan, 1)
    assert made.fell and not made.webs
    assert "No crawl was completed" in text(report(made, "x"))
    json.dumps(as_json(made), allow_nan=False)
