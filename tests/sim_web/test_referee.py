"""Each measure of the referee compared with its definition, computed simply from the records."""

from __future__ import annotations

import math
from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterpoint.sim_web.answer import Kind
from counterpoint.sim_web.record import Record
from counterpoint.sim_web.referee import (
    Judgment,
    freshness,
    judge,
    outcomes,
    politeness,
    quality,
    reached,
)
from counterpoint.sim_web.referee.truth import COMPONENTS

from .small_web import Changes, SmallWeb, crawls, log_of, record, webs

Crawl = tuple[SmallWeb, Changes, list[Record]]


def judged(crawl: Crawl) -> tuple[Judgment, list[Record]]:
    """Return the judgment, and the records in the order in which they began."""
    web, changes, records = crawl
    truth = changes.truth(web)
    return judge(log_of(records, truth), truth), sorted(records, key=lambda one: one.started)


def is_page(one: Record) -> bool:
    """Return whether a request fetched a page."""
    of_page = one.kind in ("page", "alias") and one.page is not None
    return of_page and one.status == 200 and one.method == "GET"


@given(crawls())
def test_pages_and_hosts_reached(crawl: Crawl) -> None:
    """A curve with a page twice, an error as a page, or requests in the log's order."""
    found, records = judged(crawl)
    web = crawl[0]
    assert len(found.reached) == len(records)
    for k, point in enumerate(found.reached):
        pages = {one.page for one in records[: k + 1] if is_page(one)}
        hosts = {web.host(page) for page in pages if page is not None}
        assert (point.pages, point.hosts, point.requests) == (len(pages), len(hosts), k + 1)
        assert point.time == records[k].started - records[0].started
    assert found.hosts.fetched == found.reached[-1].hosts


@given(crawls())
def test_coverage_by_component(crawl: Crawl) -> None:
    """Shares of the wrong component, or of the fetched pages instead of the planted ones."""
    found, records = judged(crawl)
    web = crawl[0]
    pages = {one.page for one in records if is_page(one)}
    assert found.coverage.share == len(pages) / web.pages
    for k, name in enumerate(COMPONENTS):
        planted = [page for page in range(web.pages) if web.parts[page] == k]
        part = found.components[name]
        assert (part.fetched, part.pages) == (len(pages & set(planted)), len(planted))
        assert part.share == (part.fetched / len(planted) if planted else None)


@given(webs())
def test_page_rank_is_that_of_networkx(web: SmallWeb) -> None:
    """Weight lost at pages without links, or added by repeated links."""
    graph = nx.DiGraph()
    graph.add_nodes_from(range(web.pages))
    graph.add_edges_from((p, int(t)) for p, some in enumerate(web.links) for t in some)
    explicit = web.explicit()
    ranks = quality.page_rank(explicit.offsets, explicit.targets)
    naive = nx.pagerank(graph, alpha=0.85, tol=1e-12, max_iter=1000)
    assert np.allclose(ranks.values, [naive[p] for p in range(web.pages)], atol=1e-9)
    assert ranks.residual < 1e-10
    assert math.isclose(ranks.values.sum(), 1)


@given(crawls())
def test_quality_coverage(crawl: Crawl) -> None:
    """The wrong top pages, or a share of the fetched pages instead of the top."""
    found, records = judged(crawl)
    web = crawl[0]
    explicit = web.explicit()
    ranks = list(quality.page_rank(explicit.offsets, explicit.targets).values)
    pages = {one.page for one in records if is_page(one)}
    assert found.quality is not None
    assert math.isclose(found.quality.mass, sum(ranks[p] for p in pages if p is not None))
    ordered = sorted(range(web.pages), key=lambda p: (-ranks[p], p))
    for per_cent in (1, 5, 15):
        important = ordered[: max(1, round(web.pages * per_cent / 100))]
        part = found.quality.top[f"{per_cent}%"]
        assert (part.fetched, part.pages) == (len(pages & set(important)), len(important))


@given(crawls(), st.booleans())
def test_external_links(crawl: Crawl, small: bool) -> None:
    """Internal links, links of pages never fetched, or a guessed total for a huge web."""
    web, changes, records = crawl
    truth = changes.truth(web, small=small)
    found = judge(log_of(records, truth), truth)
    pages = {one.page for one in records if is_page(one)}
    leaving = {(p, t) for p in range(web.pages) for t in web.links[p] if web.host(p) != web.host(t)}
    assert found.external_links.found == len([1 for p, _ in leaving if p in pages])
    assert found.external_links.total == (len(leaving) if small else None)
    assert (found.quality is None) == (not small)


def test_external_links_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages of a later block taken for those of the first."""
    web = SmallWeb([2, 1, 2], [[1, 2], [0], [3, 4], [4], [0, 1, 3]], [0] * 5, [0] * 5)
    for pages in (1, 2, 3, 5):
        monkeypatch.setattr(quality, "_PAGES_AT_ONCE", pages)
        found = quality.external_links(web, np.array([0, 2, 4]), web.explicit())
        assert (found.found, found.total) == (1 + 2 + 2, 1 + 2 + 2)
        assert quality.external_links(web, np.array([1, 3]), web.explicit()).found == 0


@given(crawls())
def test_freshness_and_age(crawl: Crawl) -> None:
    """Copies that stay fresh, count after their replacement, or age before a change."""
    found, records = judged(crawl)
    changes = crawl[1]
    begun = records[0].started
    assert (found.freshness.mean_fresh is None) == (not any(map(is_page, records)))
    for time, fresh, age in list(zip(found.freshness.times, found.freshness.fresh,
                                     found.freshness.age, strict=True))[::7]:  # fmt: skip
        now = begun + time
        copies: dict[int, float] = {}
        for one in records:
            renews = (one.status == 304 and one.method == "GET" and one.page in copies
                      and one.kind in ("page", "alias"))  # fmt: skip
            if one.started <= now and one.page is not None and (is_page(one) or renews):
                copies[one.page] = one.started
            if (
                one.started <= now
                and one.page in copies
                and one.method == "GET"
                and one.status in (404, 410)
                and one.kind in ("page", "alias", "missing")
            ):
                del copies[one.page]  # fmt: skip
        spoiled = [changes.next_change(page, taken) for page, taken in copies.items()]
        ages = [max(0.0, now - one) for one in spoiled]
        number = max(1, len(copies))
        stale = sum(one <= now for one in spoiled)
        assert math.isclose(fresh, 1 - stale / number, abs_tol=1e-12)
        assert math.isclose(age, sum(ages) / number, abs_tol=1e-9)


@given(crawls())
def test_each_request_has_one_outcome(crawl: Crawl) -> None:
    """A request counted twice or never, a duplicate that is new, or a trap that is a page."""
    found, records = judged(crawl)
    naive = dict.fromkeys(outcomes.OUTCOMES, 0)
    fetched: list[Record] = []
    for one in records:
        naive[_outcome(one, fetched)] += 1
        if is_page(one):
            fetched.append(one)
    assert found.outcomes.counts == naive
    assert sum(naive.values()) == len(records)
    assert found.outcomes.wasted == sum(naive[name] for name in outcomes.WASTED)
    assert found.outcomes.bytes == sum(one.bytes for one in records)


def _outcome(one: Record, before: list[Record]) -> str:
    if one.kind in ("foreign", "unknown", "bad", "trap"):
        return {"trap": "traps", "unknown": "foreign"}.get(one.kind, one.kind)
    if one.kind == "robots" and one.status in (200, 404, 410):
        return "robots"
    by_status = {0: "broken", 304: "not_modified", 429: "refused", 503: "refused",
                 404: "missing", 410: "missing"}  # fmt: skip
    if one.status in by_status or one.status >= 400:
        return by_status.get(one.status, "errors")
    by_kind = {"sitemap": "sitemaps", "mounted": "mounted", "captured": "mounted"}
    if one.kind in by_kind:
        return by_kind[one.kind]
    if one.status == 301 or one.kind == "redirect":
        return "redirects"
    if is_page(one):
        return _sort_of_page(one, before)
    if one.method != "GET":
        return "heads"
    return "frames" if one.kind in ("frame", "form") else "errors"


def _sort_of_page(one: Record, before: list[Record]) -> str:
    same = [b for b in before if b.page == one.page]
    alike = [b for b in same if b.version == one.version]
    if not alike:
        return "changed_pages" if same else "new_pages"
    return "unchanged_again" if one.url in [b.url for b in alike] else "other_address"


def test_an_old_version_is_no_known_address() -> None:
    """A version called known at an address where only another version was fetched."""
    truth = Changes().truth(SmallWeb([1], [[]], [0], [0]))
    a, b = "http://h0.test/", "http://h0.test/alias"
    asked = [record(started=float(k), ended=float(k), url=url, version=version)
             for k, (url, version) in enumerate([(a, 0), (b, 1), (a, 1), (a, 1)])]  # fmt: skip
    counts = judge(log_of(asked, truth), truth).outcomes.counts
    nonzero = {name: count for name, count in counts.items() if count}
    assert nonzero == {"new_pages": 1, "changed_pages": 1, "other_address": 1, "unchanged_again": 1}


@given(crawls())
def test_disallowed_requests(crawl: Crawl) -> None:
    """A request for robots.txt or to a foreign host that counts."""
    found, records = judged(crawl)
    asked = [r for r in records if r.kind not in ("robots", "mounted", "foreign", "bad")]
    forbidden = [r for r in asked if "forbidden" in r.url]
    assert (found.disallowed.requests, found.disallowed.judged) == (len(forbidden), len(asked))
    assert found.disallowed.share == (len(forbidden) / len(asked) if asked else None)


@given(crawls())
def test_crawl_delay(crawl: Crawl) -> None:
    """Gaps across hosts or agents, or between requests for robots.txt, or missing gaps."""
    found, records = judged(crawl)
    web, changes, _ = crawl
    ratios = []
    for host in range(web.hosts):
        for agent in ("tester", "other/1.0"):
            asker = (web.name(host), agent)
            times = [r.started for r in records
                     if (r.host, r.agent) == asker and r.kind != "robots"]  # fmt: skip
            if changes.delays.get(host, 0):
                ratios += [(b - a) / changes.delays[host] for a, b in pairwise(times)]
    _same(found.crawl_delay, ratios)


@given(crawls())
def test_retry_after(crawl: Crawl) -> None:
    """A wait measured from the wrong end, to another address, or to a request under way."""
    found, records = judged(crawl)
    ratios, untested = [], 0
    for k, one in enumerate(records):
        wait = one.retry_after
        if not wait:
            continue
        later = [r for r in records[k + 1 :] if r.started >= one.ended
                 and (r.url == one.url if one.status == 503 else r.host == one.host)]  # fmt: skip
        if later:
            ratios.append((later[0].started - one.ended) / wait)
        else:
            untested += 1
    _same(found.retry_after, ratios)
    assert found.retry_after.untested == untested


def test_a_refusal_of_no_duration() -> None:
    """A refused request taken for its own retry, because a virtual clock stands still."""
    truth = Changes().truth(SmallWeb([1], [[]], [0], [0]))
    asked = [record(started=t, ended=t, status=status, retry_after=2 * (status == 429))
             for t, status in ((0.0, 429), (3.0, 200), (5.0, 429), (5.0, 200))]  # fmt: skip
    found = judge(log_of(asked, truth), truth).retry_after
    assert (found.waits, found.least, found.greatest, found.broken) == (2, 0.0, 1.5, 0.5)


def _same(found: politeness.Fulfilment, ratios: list[float]) -> None:
    assert found.waits == len(ratios)
    if not ratios:
        assert (found.least, found.greatest, found.mean, found.broken) == (None,) * 4
        return
    assert (found.least, found.greatest) == (min(ratios), max(ratios))
    assert found.mean is not None and found.broken is not None
    assert math.isclose(found.mean, sum(ratios) / len(ratios))
    assert math.isclose(found.broken, sum(r < 1 - 1e-9 for r in ratios) / len(ratios))


@given(crawls())
def test_concurrency(crawl: Crawl) -> None:
    """Requests to other hosts, requests that had just ended, or a request counted twice."""
    found, records = judged(crawl)
    asked = [r for r in records if r.kind not in ("foreign", "bad")]
    counts = [
        1 + sum(j != i and r.host == one.host and r.started <= one.started < r.ended
                for j, r in enumerate(asked))
        for i, one in enumerate(asked)
    ]  # fmt: skip
    assert found.concurrency.greatest == max(counts, default=None)
    if counts:
        assert found.concurrency.mean is not None
        assert math.isclose(found.concurrency.mean, sum(counts) / len(counts))


@given(crawls())
def test_levels(crawl: Crawl) -> None:
    """Pages without a level that lower the mean, or tenths of requests instead of pages."""
    found, records = judged(crawl)
    pages = list(dict.fromkeys(r.page for r in records if is_page(r)))
    known = [crawl[0].levels[p] for p in pages if p is not None and crawl[0].levels[p] >= 0]
    assert (found.levels.mean is None) == (not known)
    if known:
        assert math.isclose(found.levels.mean or 0, sum(known) / len(known), abs_tol=1e-12)
    assert len(found.levels.tenths) == (10 if len(known) >= 10 else 0)
    if len(known) == 10:
        assert list(found.levels.tenths) == known


def test_a_clock_of_the_wall_loses_no_digits() -> None:
    """Ages computed from sums of dates, in which seconds are lost next to 10^9."""
    web = SmallWeb([3], [[1], [2], [0]], [0] * 3, [0, 1, 1])
    begun = 8.4e8
    changes = Changes({p: [begun + 10 + p] for p in range(3)})
    records = [record(page=p, url=f"http://h0.test/{p}", started=begun + p, ended=begun + p)
               for p in range(3)]  # fmt: skip
    records.append(record(kind="trap", page=None, started=begun + 20, ended=begun + 20))
    truth = changes.truth(web)
    found = freshness.freshness(log_of(records, truth).requests, truth.next_change)
    assert found.last_fresh == 0
    assert math.isclose(found.last_age or 0, (10 + 9 + 8) / 3, rel_tol=1e-9)


def test_a_long_crawl_has_a_short_curve() -> None:
    """A curve with a point for each of millions of requests."""
    web = SmallWeb([1], [[]], [0], [0])
    truth = Changes().truth(web)
    log = log_of([record(started=float(t), ended=float(t)) for t in range(1000)], truth)
    points = reached.curve(log.requests, np.array([0]))
    assert len(points) == reached.POINTS
    assert (points[0].requests, points[-1].requests, points[-1].time) == (1, 1000, 999.0)


def test_every_kind_has_an_outcome() -> None:
    """A new kind of answer that the referee counts as an error."""
    web = SmallWeb([1], [[]], [0], [0])
    truth = Changes().truth(web)
    for kind in Kind:
        status = 301 if kind is Kind.REDIRECT else 404 if kind is Kind.MISSING else 200
        page = None if kind in (Kind.FOREIGN, Kind.MOUNTED, Kind.BAD) else 0
        asked = record(kind=str(kind), status=status, page=page)
        found = outcomes.outcomes(log_of([asked], truth).requests)
        assert found.counts["errors"] == 0, kind
