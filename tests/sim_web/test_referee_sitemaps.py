"""What sitemaps were worth: the referee's figures, compared with what the server sends."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from dataclasses import replace
from html import unescape

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterpoint.sim_web import profile
from counterpoint.sim_web.answer import Kind, Question
from counterpoint.sim_web.generator import Web
from counterpoint.sim_web.pages import sitemap, truth
from counterpoint.sim_web.pages.host import host
from counterpoint.sim_web.pages.resolve import split
from counterpoint.sim_web.record import Record
from counterpoint.sim_web.referee import Judgment, judge
from counterpoint.sim_web.referee.known import truth_of
from counterpoint.sim_web.referee.text import text
from counterpoint.sim_web.referee.truth import ERRORS
from counterpoint.sim_web.world.fetcher import read
from counterpoint.sim_web.world.site import SyntheticSite

from .small_web import Changes, crawls, log_of, record

LOC = re.compile(r"<loc>(.*?)</loc>")


def web_of(seed: int, sitemaps: float = 0.6, wrong: float = 0.5, **change: float) -> Web:
    """Return a web of which some hosts have sitemaps, some of these with errors."""
    base = profile.load("broder-1999")
    planted = replace(
        base,
        style=replace(base.style, sitemaps=sitemaps),
        hosts=replace(base.hosts, mean_pages=30),
        faults=replace(base.faults, sitemap_errors=wrong),
        change=replace(base.change, **change),
    )
    return Web(planted, 400, seed)


WEB = web_of(2)
SITE = SyntheticSite(WEB)


def named(web: Web, of: int, time: float) -> list[str]:
    """Return what a host's sitemap names, with the files of an index."""
    site, top = SyntheticSite(web), f"http://{web.name(of)}/sitemap.xml"
    found = LOC.findall(site.answer(Question(top, time)).body.decode())
    parts = [one for one in found if one.endswith(".xml")]
    urls = [one for one in found if one not in parts]
    for part in parts:
        urls += LOC.findall(site.answer(Question(part, time)).body.decode())
    return [unescape(url) for url in urls]


@pytest.mark.parametrize("most", [sitemap.MOST, 7])
@pytest.mark.parametrize("time", [0.0, 4e6])
def test_the_truth_is_what_sitemaps_say(
    time: float, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page, or an error, that the referee counts and no sitemap names, or the other way."""
    monkeypatch.setattr(sitemap, "MOST", most)
    web = web_of(5, passing=0.5)
    known = truth_of(web).sitemaps(time)
    there = {of for of in range(web.hosts) if host(web, of).sitemap}
    assert set(known.hosts.tolist()) == there and 0 < len(there) < web.hosts
    listed, wrong = set(), {kind: set[tuple[int, str]]() for kind in ERRORS}
    for of in there:
        for url in named(web, of, time):
            kind, page = truth.kind_at(web, url), truth.leads_to(web, url)
            if kind is Kind.PAGE:
                assert page not in listed
                listed.add(page)
            elif kind is Kind.ALIAS:
                wrong["duplicate"].add((of, url))
            else:
                assert kind is Kind.MISSING
                own = (split(url) or [""])[0] == web.name(of)
                wrong["dead" if own else "foreign"].add((of, url))
    assert set(known.pages.tolist()) == listed
    assert {kind: set(known.errors[kind]) for kind in ERRORS} == wrong
    assert all(wrong.values())
    linked = {int(target) for page in range(web.pages) for target in web.out_links(page)}
    starts = {web.pages_of(of).start for of in range(web.hosts)}
    alone = {page for page, one in zip(known.pages.tolist(), known.alone, strict=True) if one}
    assert alone and not alone & linked
    assert listed - linked - starts <= alone


class Crawler:
    """A crawler of one request at a time, that keeps to nothing but the order of its queue.

    Parameters
    ----------
    web : Web
    reads : bool
        Whether it reads sitemaps.
    """

    def __init__(self, web: Web, reads: bool) -> None:
        self._web, self._site, self._reads = web, SyntheticSite(web), reads
        self.records: list[Record] = []

    def run(self, most: int) -> list[Record]:
        """Crawl from the start pages of all hosts; return the log."""
        queue = deque(f"http://{self._web.name(of)}/" for of in range(self._web.hosts))
        if self._reads:
            queue.extend(f"{start}sitemap.xml" for start in list(queue))
        seen = set(queue)
        while queue and len(self.records) < most:
            for url in self._ask(queue.popleft()):
                if url not in seen:
                    seen.add(url)
                    queue.append(url)
        return self.records

    def _ask(self, url: str) -> Iterator[str]:
        now = float(len(self.records))
        answer = self._site.answer(Question(url, now))
        self.records.append(record(
            started=now, ended=now + 0.5, url=url, host=(split(url) or [""])[0], page=answer.page,
            status=answer.status, kind=answer.kind.value, version=answer.version,
        ))  # fmt: skip
        if answer.kind is Kind.SITEMAP:
            yield from map(unescape, LOC.findall(answer.body.decode()))
        elif answer.status == 200:
            yield from (one for one in read(answer.body, url).urls
                        if truth.kind_at(self._web, one) is not Kind.FOREIGN)  # fmt: skip


def judged(web: Web, records: list[Record]) -> Judgment:
    """Return the judgment on a log."""
    known = truth_of(web)
    return judge(log_of(records, known), known)


def test_a_crawler_that_ignores_sitemaps_gains_nothing() -> None:
    """Pages, hosts or waste that are put down to sitemaps that nobody has read."""
    found = judged(WEB, Crawler(WEB, reads=False).run(10_000)).sitemaps
    assert (found.requests, found.hosts.fetched, found.alone.fetched) == (0, 0, 0)
    assert found.wasted_requests == 0 < sum(found.entries.values())
    assert found.alone.pages and found.pages.pages
    assert 0 < found.pages.fetched <= found.pages.pages - found.alone.pages


def test_a_crawler_that_reads_them_finds_all_that_they_name() -> None:
    """A page that only a sitemap names and that is not counted, or waste that is overlooked."""
    records = Crawler(WEB, reads=True).run(10_000)
    found = judged(WEB, records).sitemaps
    assert (
        found.requests == found.hosts.pages == sum(host(WEB, of).sitemap for of in range(WEB.hosts))
    )
    assert found.hosts.share == found.pages.share == found.alone.share == 1
    assert found.wasted["dead"] == found.entries["dead"] > 0
    assert found.wasted["foreign"] == found.entries["foreign"] > 0
    duplicates = [one for one in records if one.kind == "alias"]
    assert 0 < found.wasted["duplicate"] <= len(duplicates)
    assert found.wasted_requests == sum(found.wasted.values())


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 700), st.booleans(), st.integers(0, 3))
def test_each_figure_by_its_definition(most: int, reads: bool, seed: int) -> None:
    """Pages found before the sitemap was read, or errors that another host's sitemap has."""
    web = web_of(seed)
    records = Crawler(web, reads).run(max(1, most))
    known = truth_of(web)
    planted = known.sitemaps(0.0)
    read_at = {one.host: one.ended for one in records
               if one.kind == "sitemap" and one.status == 200}  # fmt: skip
    firsts: dict[int, Record] = {}
    for one in records:
        if one.page is not None and one.kind in ("page", "alias") and one.status == 200:
            firsts.setdefault(one.page, one)
    found = judged(web, records).sitemaps
    assert found.hosts.fetched == len(read_at)
    assert found.pages.fetched == len(set(planted.pages.tolist()) & firsts.keys())
    alone = planted.pages[planted.alone].tolist()
    assert found.alone.fetched == sum(
        page in firsts and firsts[page].started >= read_at.get(firsts[page].host, 1e9)
        for page in alone
    )
    first = {id(one) for one in firsts.values()}
    for kind in ERRORS:
        urls = {url: read_at.get(web.name(of), 1e9) for of, url in planted.errors[kind]}
        assert found.wasted[kind] == sum(
            one.started >= urls.get(one.url, 1e9) and id(one) not in first for one in records
        )


@given(crawls())
def test_a_web_without_sitemaps(crawl: tuple[object, Changes, list[Record]]) -> None:
    """A web without sitemaps that cannot be judged, or a share of nothing."""
    web, changes, records = crawl
    known = changes.truth(web)  # type: ignore[arg-type]
    judgment = judge(log_of(records, known), known)
    found = judgment.sitemaps
    assert (found.pages.pages, found.alone.share, found.wasted_requests) == (0, None, 0)
    assert "the web has no sitemaps" in text(judgment)


def test_the_report_says_what_they_were_worth() -> None:
    """Figures that the text or the JSON leaves out."""
    judgment = judged(WEB, Crawler(WEB, reads=True).run(10_000))
    found, shown = judgment.sitemaps, text(judgment)
    dead = f"{found.wasted['dead']:,} for {found.entries['dead']:,} dead entries"
    for words in ("Sitemaps", "hosts whose sitemap was read", "found by a sitemap", dead):
        assert words in " ".join(shown.split()), shown
    document = judgment.to_json()["sitemaps"]
    assert document["alone"] == {"fetched": found.alone.fetched, "pages": found.alone.pages,
                                 "share": 1.0}  # fmt: skip
    assert document["entries"].keys() == document["wasted"].keys() == set(ERRORS)
