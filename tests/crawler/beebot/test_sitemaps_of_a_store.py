"""Sitemaps in crawls of a store, from memory: what becomes known, kills, other plans, workers."""

from __future__ import annotations

import gzip
import random
import signal
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterpoint.crawler.beebot.beginning import begin
from counterpoint.crawler.documents.robots import rules
from counterpoint.crawler.fetching.job import Fetched, Job
from counterpoint.crawler.store.opening import Store, open_store
from counterpoint.crawler.store.seeds import remove
from tests.crawler.webs import Web, webs
from tests.examples import few_and_many
from tests.postgres import Server

from .inprocess import InProcess, address_of, answers_of, crawled, new_store, visited
from .killing import Answers, Crawl, Points, contents, in_child
from .test_planner import totals_are_right
from .together import Member, Network, replayed
from .tree import rows

A, B = "http://a.test/", "http://b.test/"


def urlset(*pages: str, root: str = "urlset", entry: str = "url") -> bytes:
    """Return a sitemap with the addresses of some pages."""
    entries = "".join(f"<{entry}><loc>{page}</loc></{entry}>" for page in pages)
    return f"<{root}>{entries}</{root}>".encode()


def index(*pages: str) -> bytes:
    """Return an index with the addresses of some sitemaps."""
    return urlset(*pages, root="sitemapindex", entry="sitemap")


def packed(body: bytes) -> bytes:
    """Return a sitemap packed with gzip."""
    return gzip.compress(body, mtime=0)


ANSWERS: Answers = {
    A: (200, b"<a href=linked>x</a><a href=http://out.test/>x</a>"),
    f"{A}linked": (200, b"<a href=deep>x</a>"), f"{A}deep": (200, b"deep"),
    f"{A}sitemap.xml": (200, packed(index(f"{A}1.xml", f"{A}2.xml", f"{A}none.xml"))),
    f"{A}1.xml": (200, urlset(f"{A}alone", f"{A}linked", f"{A}alone", "http://out.test/x")),
    f"{A}2.xml": (200, urlset(f"{A}alone/too", f"{A}deep")),
    f"{A}alone": (200, b"<a href=below>x</a>"), f"{A}below": (200, b"x"),
    f"{A}alone/too": (200, b"x"),
    B: (200, b"<a href=x>x</a>"), f"{B}x": (200, b"x"),
}  # fmt: skip
SITEMAPS = {f"{A}sitemap.xml", f"{A}1.xml", f"{A}2.xml"}
MISSING = {f"{A}none.xml", f"{B}sitemap.xml"}
LINKED = {A, f"{A}linked", f"{A}deep", B, f"{B}x"}
ALL = set(ANSWERS) | MISSING


STARTS = (b"<urlset", b"<sitemapindex", b"<!DOCTYPE a", b"\x1f\x8b")


class LikeServers(InProcess):
    """A dispatcher that keeps the body of XML only of what was named as a sitemap."""

    def answer(self, job: Job) -> Fetched:
        """Answer with the type that servers send."""
        found = super().answer(job)
        if not job.address.endswith(".xml") or not found.body.startswith(STARTS):
            return found
        body = found.body if job.sitemap else b""
        return found._replace(body=body, content_type="text/xml")


@pytest.fixture
def store(place: str) -> Iterator[Store]:
    """Yield a store with both sites."""
    with new_store(place, [A, B]) as store:
        yield store


def run(store: Store, answers: Answers = ANSWERS, policy: str = "R3", **more: Any) -> list[str]:
    """Crawl, and return what was fetched."""
    dispatcher = LikeServers(answers)
    ended = crawled(store, dispatcher, scheduler=policy, **more)[1]
    assert ended.over and not ended.failed, ended.why
    assert totals_are_right(store)
    return dispatcher.asked


@pytest.mark.parametrize("policy", ["R3", "breadth-first", "one-by-one", "opic", "tfidf"])
@pytest.mark.parametrize("concurrency", [1, 4])
def test_pages_to_which_no_link_leads(policy: str, concurrency: int, store: Store) -> None:
    """A page that only a sitemap names and that is not fetched, or a sitemap that is not read."""
    dispatcher = InProcess(ANSWERS, None if concurrency == 1 else 5)
    ended = crawled(store, dispatcher, concurrency, scheduler=policy, sitemaps=True, stay=True,
                    query="x")[1]  # fmt: skip
    assert ended.over and not ended.failed, ended.why
    assert sorted(dispatcher.asked) == sorted(ALL)
    levels = dict(rows(store, "SELECT address, level FROM pages"))
    assert [levels[f"{A}{path}"] for path in ("sitemap.xml", "1.xml", "alone", "deep")] == [
        1, 2, 3, 2
    ]  # fmt: skip
    assert rows(store, "SELECT problem FROM pages WHERE address = 'http://a.test/1.xml'") == [
        ("sitemap: line 1: http://out.test/x is on another site",)
    ]
    assert totals_are_right(store)


def test_off_unless_it_is_asked_for(store: Store) -> None:
    """A request for a sitemap that nobody wants."""
    assert set(run(store)) == LINKED


def test_a_named_sitemap_is_no_link_of_the_start_page(store: Store) -> None:
    """A broken link to /sitemap.xml that no page has; links of sitemaps that are not stored."""
    run(store, sitemaps=True)
    links = rows(
        store,
        "SELECT p.address, t.address FROM internal_links l JOIN pages p ON p.id = l.page "
        "JOIN pages t ON t.id = l.target ORDER BY p.id, position",
    )
    assert [t for p, t in links if p == A] == [f"{A}linked"]
    assert not [link for link in links if link[1] == f"{B}sitemap.xml"]
    assert [t for p, t in links if p == f"{A}sitemap.xml"] == [
        f"{A}1.xml", f"{A}2.xml", f"{A}none.xml"
    ]  # fmt: skip
    assert [t for p, t in links if p == f"{A}1.xml"] == [f"{A}alone", f"{A}linked", f"{A}alone"]


def test_limits_and_rules_hold_for_sitemaps(store: Store) -> None:
    """A sitemap, or a page that one names, beyond the level or a rule of the crawl."""
    asked = run(store, sitemaps=True, level=2, exclude=("path:/2.xml",))
    assert set(asked) == LINKED | {f"{A}sitemap.xml", f"{A}1.xml"} | MISSING


def test_a_hostile_sitemap_does_not_stop_the_crawl(store: Store) -> None:
    """An entity bomb that is expanded, hides the other sitemaps, or ends the crawl."""
    bomb = b'<!DOCTYPE a [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><urlset>&b;</urlset>'
    asked = run(store, {**ANSWERS, f"{A}1.xml": (200, bomb)}, sitemaps=True)
    assert set(asked) == ALL - {f"{A}alone", f"{A}below"}
    problem = rows(store, f"SELECT problem FROM pages WHERE address = '{A}1.xml'")[0][0]
    assert problem == ("sitemap: line 1: the DOCTYPE has declarations, such as those of entities; "
                       "the rest is left out")  # fmt: skip


def test_a_page_in_the_place_of_a_sitemap(store: Store) -> None:
    """A site that answers every address with a page, whose links are lost."""
    page = b"<!doctype html><p>Not here, but <a href=/below>there</a>"
    asked = run(store, {**ANSWERS, f"{B}sitemap.xml": (200, page)}, sitemaps=True)
    assert f"{B}below" in asked


def test_an_image_in_the_place_of_a_sitemap(store: Store) -> None:
    """A file that is no sitemap and is called an empty one."""

    class Image(InProcess):
        def answer(self, job: Job) -> Fetched:
            found = super().answer(job)
            there = job.address == f"{B}sitemap.xml"
            return found._replace(status=200, content_type="image/png") if there else found

    crawled(store, Image(ANSWERS), scheduler="R3", sitemaps=True)
    assert rows(store, f"SELECT problem FROM pages WHERE address = '{B}sitemap.xml'") == [
        ("is no HTML but image/png",)
    ]


@few_and_many(
    given(web=webs(), concurrency=st.sampled_from([1, 4]), order=st.integers(0, 2**16)), 5, 30,
    pytest.mark.parametrize("policy", ["R3", "breadth-first", "equal-quanta", "opic", "random"]),
)  # fmt: skip
def test_all_that_sitemaps_name_is_found(
    policy: str, web: Web, concurrency: int, order: int
) -> None:
    """A page that is lost, fetched twice or counted wrongly; a log that cannot be replayed."""
    answers, wanted = answers_of(web), set[str]()
    for number, start in enumerate(web.starts):
        root = address_of(web, start)
        own = [address_of(web, k) for k, of in enumerate(web.site) if of == number]
        answers[f"{root}sitemap.xml"] = 200, index(f"{root}m.xml", f"{root}n.xml")
        answers[f"{root}m.xml"] = 200, urlset(*own[::2])
        answers[f"{root}n.xml"] = 200, packed(urlset(*own[1::2]))
        if start not in web.failing:
            wanted |= {*own, f"{root}sitemap.xml", f"{root}m.xml", f"{root}n.xml"}
    dispatcher = LikeServers(answers, order if concurrency > 1 else None)
    with TemporaryDirectory() as folder:
        starts = [address_of(web, page) for page in web.starts]
        with new_store(Path(folder, "a.db"), starts) as store:
            ended = crawled(store, dispatcher, concurrency, scheduler=policy, sitemaps=True,
                            stay=True)[1]  # fmt: skip
            assert ended.over and not ended.failed, ended.why
            assert wanted <= set(dispatcher.asked)
            assert len(set(dispatcher.asked)) == len(dispatcher.asked)
            assert totals_are_right(store)
            replayed(store)


def crawl_of(where: str | Path, policy: str) -> Crawl:
    """Return a crawl with sitemaps that can be killed."""
    wished = {"scheduler": policy, "budget": "30", "sitemaps": True, "stay": True}
    return Crawl(str(where), (A, B), ANSWERS, wished)


@pytest.mark.parametrize(
    ("policy", "every"),
    [("R3,initial=1", 150), pytest.param("breadth-first", 40, marks=pytest.mark.long),
     pytest.param("R3,initial=1", 3, marks=pytest.mark.slow)],
)  # fmt: skip
def test_killed_and_resumed(policy: str, every: int, tmp_path: Path) -> None:
    """A sitemap that a resumed crawl takes for a page, or a note of it that is lost."""
    whole, again = crawl_of(tmp_path / "whole.db", policy), crawl_of(tmp_path / "a.db", policy)
    points = Points()
    whole.run(points)
    wanted = contents(whole.where)
    assert len(wanted["sitemaps"]) == 5
    assert {row["address"] for row in wanted["pages"] if row["status"]} == ALL
    for at in range(every // 2, len(points.passed) + 1, every):
        assert in_child(partial(again.run, Points(at))) == -signal.SIGKILL
        assert in_child(partial(again.run, Points())) == 0
        assert contents(again.where) == wanted, f"killed at point {at}, {points.passed[at - 1]}"
        for file in tmp_path.glob("a.db*"):
            file.unlink()


def test_a_later_plan_asks_for_sitemaps(store: Store) -> None:
    """A store without sitemaps whose later plan does not look for them, or fetches all again."""
    answers = {**ANSWERS, f"{A}deep": (200, b"<a href=1.xml>x</a>")}
    first, then, last = LikeServers(answers), LikeServers(answers), LikeServers(answers)
    crawled(store, first, scheduler="R3")
    assert set(first.asked) == LINKED | {f"{A}1.xml"}
    crawled(store, then, scheduler="R3", sitemaps=True)
    # It is named as a sitemap now, and its body was not read before.
    assert set(then.asked) == ALL - LINKED | {A, B}
    assert totals_are_right(store)
    crawled(store, last, scheduler="one-by-one", sitemaps=True)
    assert not last.asked
    assert set(visited(store)) == ALL


def test_a_later_plan_without_sitemaps(store: Store) -> None:
    """A sitemap that is visited although it is no longer wanted."""
    run(store, sitemaps=True)
    assert not run(store, policy="one-by-one", sitemaps=False)
    assert set(visited(store)) == LINKED
    replayed(store)


def test_sitemaps_are_visited_again(store: Store) -> None:
    """A policy that revisits pages and takes a sitemap for a page, or forgets what it named."""
    run(store, sitemaps=True)
    before = rows(store, "SELECT * FROM sitemaps ORDER BY page")
    more = {**ANSWERS, f"{A}2.xml": (200, urlset(f"{A}new"))}
    dispatcher = LikeServers(more)
    crawled(store, dispatcher, scheduler="uniform", sitemaps=False, budget="24")
    assert set(dispatcher.asked) >= SITEMAPS
    assert rows(store, "SELECT * FROM sitemaps ORDER BY page") == before
    assert rows(store, f"SELECT level FROM pages WHERE address = '{A}new'") == [(3,)]
    assert f"{A}new" in run(store, more, sitemaps=True)


def test_a_site_with_sitemaps_is_removed(store: Store) -> None:
    """A site that cannot be removed, or one whose sitemaps stay in the store."""
    run(store, sitemaps=True)
    remove(store, 1)
    left = rows(store, "SELECT p.address FROM sitemaps s JOIN pages p ON p.id = s.page")
    assert left == [(f"{B}sitemap.xml",)]


class WithRobots(InProcess):
    """A dispatcher with a robots.txt for each site."""

    def __init__(self, answers: Answers, robots: dict[str, str]) -> None:
        super().__init__(answers)
        self._robots = robots

    def answer(self, job: Job) -> Fetched:
        """Answer with the rules of the site."""
        text = self._robots.get(job.address.split("/")[2], "")
        return super().answer(job)._replace(rules=rules(200, text, "", "counterpoint"))


def test_a_sitemap_on_another_site(store: Store) -> None:
    """A sitemap that may not name the site whose robots.txt names it, or one that may name any."""
    robots = {
        "b.test": f"Sitemap: {A}of-b.xml\nSitemap: {B}no.xml\nUser-agent: *\nDisallow: /no",
        "a.test": f"Sitemap: {A}of-a.xml",
    }
    answers = {**ANSWERS, f"{A}of-b.xml": (200, index(f"{A}of-b-1.xml")),
               f"{A}of-b-1.xml": (200, urlset(f"{B}alone", f"{A}alone", "http://c.test/")),
               f"{A}of-a.xml": (200, urlset(f"{B}refused", f"{A}deep"))}  # fmt: skip
    dispatcher = WithRobots(answers, robots)
    crawled(store, dispatcher, scheduler="breadth-first", sitemaps=True, stay=True)
    named = {f"{A}of-b.xml", f"{A}of-b-1.xml", f"{A}of-a.xml"}
    assert set(dispatcher.asked) == LINKED | named | {f"{B}alone", f"{A}alone", f"{A}below"}
    problems = dict(rows(store, "SELECT address, problem FROM pages"))
    assert problems[f"{B}no.xml"] == "forbidden by robots.txt"
    assert problems[f"{A}of-b-1.xml"].endswith("http://c.test/ is on another site")
    assert problems[f"{A}of-a.xml"].endswith("http://b.test/refused is on another site")


def test_a_policy_for_single_sites_keeps_to_them(store: Store) -> None:
    """A sitemap of another site that a policy visits that does not leave its sites."""
    dispatcher = WithRobots(ANSWERS, {"b.test": f"Sitemap: {A}1.xml"})
    crawled(store, dispatcher, scheduler="R3", sitemaps=True)
    assert set(visited(store)) == ALL - {f"{B}sitemap.xml"}
    assert not rows(store, "SELECT 1 FROM sitemaps WHERE host = 'b.test'")


@pytest.mark.long
@pytest.mark.parametrize("seed", range(4))
def test_several_workers(seed: int, postgres: Server) -> None:
    """A sitemap that another worker than the one that found it takes for a page."""
    wished = {"scheduler": "breadth-first", "stay": True, "sitemaps": True}
    with open_store(postgres.database(), create=True) as store:
        with store.transaction() as connection:
            for number, start in enumerate((A, B), 1):
                connection.exec_driver_sql(
                    f"INSERT INTO seeds (number, start, site) VALUES ({number}, '{start}', "
                    f"'{start.split('/')[2]}')"
                )
        begin(store, wished)
        network, chance = Network(ANSWERS), random.Random(seed)
        members = [Member(store, network, f"worker {k}", 2) for k in range(3)]
        while not all(one.step.ended for one in members):
            member = chance.choice(members)
            network.now += 0.5
            if not member.ask(chance.randrange(9)) and not member.step.ended:
                member.plan(chance.randrange(9))
        assert set(visited(store)) == set(network.asked) == ALL
        assert len(visited(store)) == len(ALL)
        replayed(store)
