"""Scrapy and wget, unmodified, get the pages of the truth and are judged correctly.

The expected figures are computed from the web's links and the records with plain Python, networkx
and Protego (another parser of robots.txt), never with the referee's functions.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import networkx as nx
import pytest
from protego import Protego

from counterpoint.sim_web import profile as profiles
from counterpoint.sim_web.generator import Component, Web
from counterpoint.sim_web.pages import change, robots
from counterpoint.sim_web.pages.address import address
from counterpoint.sim_web.referee import Judgment
from counterpoint.sim_web.referee.known import truth
from counterpoint.sim_web.referee.opening import Selection, judge_file
from counterpoint.sim_web.sections import Faults

from .foreign import SCRAPY, WGET, Crawler, crawl, reachable, require_wget

WEB = Web(
    profiles.from_mapping(
        {
            **profiles.to_mapping(profiles.load("broder-1999")),
            "name": "guarded",
            "robots": {"disallow": 0.7, "forbidden": 0.3, "crawl_delay": 0.6, "delay_seconds": 0.3,
                       "agent_groups": 0.3},
            "change": {"static": 0.4, "per_day": 1000},
            "style": {"frames": 0.2, "aliases": 0.1, "base": 0.1, "chunked": 0.4, "brotli": 0.2},
        },
        "the test",
        "",
    ),
    pages=500,
    seed=11,
)  # fmt: skip
"""Robots.txt that forbid, pages that change during the crawl, links in frames."""

MOVED = Web(
    replace(WEB.profile, faults=Faults(redirect=0.15, redirect_chain=0.1, not_found=0.1)), 500, 11
)
"""The same with redirects, whose target is known only after the request."""

SEEDS = [WEB.pages_of(host).start for host in range(0, WEB.hosts, max(1, WEB.hosts // 3))][:3]
RUDE = replace(
    WGET, command=lambda seeds: [*WGET.command(seeds)[: -len(seeds)], "-e", "robots=off", *seeds]
)
ONE_HOST = replace(WGET, command=lambda seeds: [x for x in WGET.command(seeds) if x != "-H"])


@dataclass(frozen=True)
class Crawled:
    """A finished crawl: the records of its log, read independently, and the judgment."""

    records: list[dict[str, Any]]
    found: Judgment

    @property
    def fetches(self) -> list[dict[str, Any]]:
        """Requests that fetched a page."""
        return [r for r in self.records if r["kind"] in ("page", "alias") and r["status"] == 200]

    @property
    def pages(self) -> set[int]:
        """Pages that were fetched."""
        return {r["page"] for r in self.fetches}


def crawled(folder: Path, crawler: Crawler, seeds: list[int] = SEEDS, web: Web = WEB) -> Crawled:
    """Run a crawler, and judge its log."""
    log = folder / "access.jsonl"
    crawl(web, crawler, [address(web, seed) for seed in seeds], log)
    with log.open() as lines:
        report = [json.loads(line) for line in lines][1:]
    assert all(crawler.agent in one["agent"] for one in report)
    report.sort(key=lambda one: float(one["started"]))
    return Crawled(report, judge_file(log, Selection(pages=500, seed=11), truth))


@pytest.fixture(scope="module", params=[SCRAPY, WGET], ids=lambda one: one.agent)
def polite(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Crawled:
    """Return the crawl of a crawler that obeys robots.txt."""
    if request.param is WGET:
        require_wget()
    return crawled(tmp_path_factory.mktemp("crawl"), request.param)


@pytest.mark.long
def test_it_gets_what_is_reachable(polite: Crawled) -> None:
    """A link that no page shows, a page that cannot be fetched, or a wrong robots.txt."""
    agent = polite.records[0]["agent"]
    expected = reachable(WEB, SEEDS, agent)
    assert polite.pages == expected
    free = reachable(WEB, SEEDS, "goodbot")
    assert len(SEEDS) < len(expected) < len(free)


def test_reach_and_coverage(polite: Crawled) -> None:
    """A judgment of coverage that differs from the truth."""
    expected = reachable(WEB, SEEDS, polite.records[0]["agent"])
    found = polite.found
    assert (found.coverage.fetched, found.coverage.share) == (len(expected), len(expected) / 500)
    assert found.hosts.fetched == len({WEB.host(page) for page in expected})
    assert (found.reached[-1].pages, found.reached[-1].requests) == (
        len(expected), len(polite.records),
    )  # fmt: skip
    for component in Component:
        planted = {page for page in range(500) if WEB.component(page) is component}
        part = found.components[component.name.lower()]
        assert (part.fetched, part.pages) == (len(planted & expected), len(planted))
    leaving = {page: sum(WEB.host(t) != WEB.host(page) for t in WEB.out_links(page).tolist())
               for page in range(500)}  # fmt: skip
    assert found.external_links.found == sum(leaving[page] for page in expected)
    assert found.external_links.total == sum(leaving.values())
    levels = [WEB.level(page) for page in expected if WEB.level(page) >= 0]
    assert found.levels.mean == pytest.approx(sum(levels) / len(levels))


def test_quality_of_the_crawl(polite: Crawled) -> None:
    """A PageRank of another graph, or the first pages of another ranking."""
    graph = nx.DiGraph((page, t) for page in range(500) for t in WEB.out_links(page).tolist())
    graph.add_nodes_from(range(500))
    ranks = nx.pagerank(graph, alpha=0.85, tol=1e-13, max_iter=1000)
    found = polite.found.quality
    assert found is not None
    assert found.mass == pytest.approx(sum(ranks[page] for page in polite.pages), abs=1e-8)
    for per_cent in (1, 5, 15):
        last = sorted(ranks.values(), reverse=True)[5 * per_cent - 1]
        surely = sum(ranks[page] > last + 1e-9 for page in polite.pages)
        perhaps = sum(ranks[page] > last - 1e-9 for page in polite.pages)
        part = found.top[f"{per_cent}%"]
        assert part.pages == 5 * per_cent
        assert surely <= part.fetched <= perhaps


def test_freshness_of_the_crawl(polite: Crawled) -> None:
    """Changed copies judged fresh, or the first copy judged instead of the last."""
    end = max(one["ended"] for one in polite.records)
    last = {one["page"]: one for one in polite.fetches}
    ages = []
    for page, one in last.items():
        assert one["version"] == change.version(WEB, page, one["started"])
        spoiled = change.next_change(WEB, page, one["started"])
        assert (spoiled > end) == (change.version(WEB, page, end) == one["version"])
        ages.append(max(0.0, end - spoiled))
    fresh = sum(age == 0 for age in ages)
    assert 0 < fresh < len(last)
    assert polite.found.freshness.last_fresh == pytest.approx(fresh / len(last))
    assert polite.found.freshness.last_age == pytest.approx(sum(ages) / len(last))


def test_waste_of_the_crawl(polite: Crawled) -> None:
    """Duplicates counted as new pages, or frames and robots.txt counted as waste."""
    counts = polite.found.outcomes.counts
    contents = {(one["page"], one["version"]) for one in polite.fetches}
    assert polite.found.outcomes.duplicates == len(polite.fetches) - len(contents) > 0
    assert counts["new_pages"] + counts["changed_pages"] == len(contents)
    assert counts["frames"] == sum(one["kind"] == "frame" for one in polite.records) > 0
    asked = {one["host"] for one in polite.records if one["kind"] == "robots"}
    assert counts["robots"] >= len(asked) > 0
    assert asked >= {WEB.name(WEB.host(page)) for page in polite.pages}
    assert sum(counts.values()) == len(polite.records)
    assert counts["traps"] == counts["broken"] == 0


def test_politeness_of_the_crawl(polite: Crawled) -> None:
    """A violation reported for a polite crawler, or a delay meant for another crawler."""
    assert polite.found.disallowed.requests == 0
    _check_delays(polite)
    own = [one for one in polite.records if one["kind"] not in ("foreign", "bad")]
    under_way = [
        1 + sum(a is not b and a["host"] == b["host"] and b["started"] <= a["started"] < b["ended"]
                for b in own)
        for a in own
    ]  # fmt: skip
    assert polite.found.concurrency.greatest == max(under_way)
    assert polite.found.concurrency.mean == pytest.approx(sum(under_way) / len(own))


def _check_delays(of: Crawled) -> None:
    agent = of.records[0]["agent"]
    ratios = []
    for host in range(WEB.hosts):
        delay = Protego.parse(robots.text(WEB, host) or "").crawl_delay(agent)
        asked = [one["started"] for one in of.records
                 if one["host"] == WEB.name(host) and one["kind"] != "robots"]  # fmt: skip
        ratios += [(b - a) / delay for a, b in pairwise(asked)] if delay else []
    found = of.found.crawl_delay
    assert found.waits == len(ratios) > 0
    assert found.least == pytest.approx(min(ratios))
    assert found.greatest == pytest.approx(max(ratios))
    assert found.mean == pytest.approx(sum(ratios) / len(ratios))
    # On a slow machine the real crawler may keep all delays; test_referee.py plants broken ones.
    assert found.broken == sum(one < 1 - 1e-9 for one in ratios) / len(ratios)


@pytest.mark.long
def test_a_crawler_that_does_not_read_robots_txt(tmp_path: Path) -> None:
    """Forbidden requests that are not reported, or allowed ones that are."""
    require_wget()
    rude = crawled(tmp_path, RUDE)
    assert not any(one["kind"] == "robots" for one in rude.records)
    rules = {WEB.name(host): Protego.parse(robots.text(WEB, host) or "")
             for host in range(WEB.hosts)}  # fmt: skip
    asked = [one for one in rude.records if one["kind"] not in ("foreign", "bad")]
    forbidden = [one for one in asked
                 if not rules[one["host"]].can_fetch(one["url"], one["agent"])]  # fmt: skip
    assert rude.found.disallowed.requests == len(forbidden) > 0
    assert rude.found.disallowed.share == len(forbidden) / len(asked)
    assert rude.pages > reachable(WEB, SEEDS, "Wget")
    _check_delays(rude)


@pytest.mark.slow  # wget goes through the same redirects always
def test_scrapy_through_redirects(tmp_path: Path) -> None:
    """A redirect to another page than its own, or a page behind it that is not reached."""
    found = crawled(tmp_path, SCRAPY, web=MOVED)
    assert found.pages == reachable(MOVED, SEEDS, "Scrapy")
    assert found.found.disallowed.requests == 0
    asked = sum(one["kind"] == "redirect" for one in found.records)
    assert found.found.outcomes.counts["redirects"] == asked > 0
    assert found.found.outcomes.counts["missing"] > 0


@pytest.mark.long
def test_wget_follows_redirects_into_what_is_forbidden(tmp_path: Path) -> None:
    """Forbidden targets of redirects that the referee misses; wget checks only links."""
    require_wget()
    found = crawled(tmp_path, WGET, web=MOVED)
    more = found.pages - reachable(MOVED, SEEDS, "Wget")
    forbidden = {page for page in more if robots.disallowed(MOVED, address(MOVED, page), "Wget")}
    asked = [one for one in found.records if one["page"] in forbidden
             and one["kind"] in ("page", "alias")]  # fmt: skip
    assert found.found.disallowed.requests == len(asked) > 0


def test_wget_within_one_host(tmp_path: Path) -> None:
    """Internal links that lead to another host, or unreachable pages of a host."""
    require_wget()
    found = crawled(tmp_path, ONE_HOST, SEEDS[:1])
    host = WEB.pages_of(WEB.host(SEEDS[0]))
    waiting, expected = [SEEDS[0]], {SEEDS[0]}
    while waiting:
        for target in WEB.out_links(waiting.pop()).tolist():
            if (
                target in host
                and target not in expected
                and not robots.disallowed(WEB, address(WEB, target), "Wget")
            ):
                expected.add(target)
                waiting.append(target)
    assert found.pages == expected
    assert 1 < found.found.coverage.fetched == len(expected)
    assert found.found.hosts.fetched == 1
