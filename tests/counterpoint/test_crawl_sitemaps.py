"""``crawl --sitemaps`` over HTTP on loopback: robots.txt, gzip, hostile sitemaps, WARC, replays."""

from __future__ import annotations

import gzip
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import text

from counterpoint.console import run as command_line
from counterpoint.crawler.beebot.beginning import begin
from counterpoint.crawler.store import seeds
from counterpoint.crawler.store.opening import open_store
from counterpoint.crawler.store.recording import Recording
from counterpoint.main import counterpoint
from tests.crawler.scripted import Page, Scripted, scripted

START = "http://a.test/"
XML, GZIP = {"Content-Type": "text/xml; charset=utf-8"}, {"Content-Type": "application/x-gzip"}
SPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"


def written(root: str, entry: str, *paths: str) -> bytes:
    """Return a sitemap with pages of the site."""
    entries = "".join(
        f"<{entry}><loc>{START}{path}</loc><lastmod>2024-02-29</lastmod></{entry}>"
        for path in paths
    )
    return f'<?xml version="1.0"?>\n<{root} xmlns="{SPACE}">{entries}</{root}>'.encode()


INDEX = gzip.compress(written("sitemapindex", "sitemap", "one.xml", "bomb.xml", "two.txt"), mtime=0)
BOMB = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>\n<urlset>&b;</urlset>'
NAMED = {f"{START}{path}" for path in ("index.xml.gz", "one.xml", "bomb.xml", "two.txt")}
LINKED = {START, f"{START}linked", f"{START}feed.xml"}
ALONE = {f"{START}alone", f"{START}alone/below", f"{START}alone/too"}


@pytest.fixture
def web() -> Iterator[Scripted]:
    """Serve a site whose robots.txt names an index."""
    pages = {
        f"{START}robots.txt": Page(
            f"User-agent: *\nDisallow: /private\nSITEMAP: {START}index.xml.gz # all\n",
            headers={"Content-Type": "text/plain"},
        ),
        START: Page("<a href=linked>x</a><a href=feed.xml>x</a>"),
        f"{START}linked": Page("x"),
        f"{START}feed.xml": Page("<rss><channel/></rss>", headers=XML),
        f"{START}index.xml.gz": Page(INDEX, headers=GZIP),
        f"{START}one.xml": Page(written("urlset", "url", "alone", "private"), headers=XML),
        f"{START}bomb.xml": Page(BOMB, headers=XML),
        f"{START}two.txt": Page(f"{START}alone/too\r\n", headers={"Content-Type": "text/plain"}),
        f"{START}alone": Page("<a href=/alone/below>x</a>"),
        f"{START}alone/below": Page("x"), f"{START}alone/too": Page("x"),
        f"{START}private": Page("x"), f"{START}sitemap.xml": Page("x", headers=XML),
    }  # fmt: skip
    with scripted(pages, "counterpoint") as script:
        yield script


def run(*arguments: str) -> int:
    """Run a command in this process."""
    return command_line(counterpoint, ["crawl", *arguments])


def asked(web: Scripted) -> set[str]:
    """Return the pages that were asked for, once each, since the last call."""
    found, web.asked = [one for one in web.asked if not one.endswith("robots.txt")], []
    assert len(found) == len(set(found))
    return set(found)


def pages(where: Path) -> dict[str, tuple[int | None, str]]:
    """Return the status and the problem of each page of a store."""
    with sqlite3.connect(where) as connection:
        found = connection.execute("SELECT address, status, problem FROM pages")
        return {address: (status, problem) for address, status, problem in found}


@pytest.mark.parametrize("policy", ["R3", "breadth-first"])
@pytest.mark.parametrize("concurrency", ["1", "16"])
def test_pages_that_sitemaps_name(
    policy: str, concurrency: str, web: Scripted, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A page that only a sitemap names and that is not fetched; a bomb that ends the crawl."""
    store = tmp_path / "crawl.db"
    given = [policy, "--db", str(store), "--start", START, "--proxy", web.proxy]
    assert run(*given, "--concurrency", concurrency, "--sitemaps") == 0
    assert asked(web) == LINKED | NAMED | ALONE
    found = pages(store)
    assert {found[address] for address in NAMED - {f"{START}bomb.xml"}} == {(200, "")}
    assert found[f"{START}bomb.xml"] == (
        200, "sitemap: line 1: the DOCTYPE has declarations, such as those of entities; the rest "
        "is left out",
    )  # fmt: skip
    assert found[f"{START}private"] == (None, "forbidden by robots.txt")
    assert found[f"{START}feed.xml"] == (200, "is no HTML but text/xml")
    assert f"{policy}: 10 pages visited" in capsys.readouterr().out


def test_the_store_keeps_the_option(web: Scripted, tmp_path: Path) -> None:
    """A resumed crawl that forgets the sitemaps, or one that cannot do without them."""
    store = tmp_path / "crawl.db"
    given = ["R3", "--db", str(store), "--start", START, "--proxy", web.proxy]
    assert run(*given) == 0
    assert asked(web) == LINKED
    assert run("--db", str(store), "--sitemaps", "--budget", "3") == 0
    assert asked(web) == {START}
    assert run("--db", str(store), "--budget", "300") == 0
    assert asked(web) == NAMED | ALONE
    assert run("--db", str(store), "--no-sitemaps", "one-by-one") == 0
    with sqlite3.connect(store) as connection:
        visits = connection.execute("SELECT count(*) FROM visits WHERE plan = 3").fetchone()[0]
    assert (asked(web), visits) == (set(), len(LINKED))


def test_where_robots_names_none(web: Scripted, tmp_path: Path) -> None:
    """A sitemap in the usual place that is not found, also if robots.txt is not asked for."""
    web.pages[f"{START}robots.txt"] = Page("", 404)
    web.pages[f"{START}sitemap.xml"] = web.pages.pop(f"{START}one.xml")
    found = LINKED | {f"{START}{path}" for path in ("sitemap.xml", "alone", "private")}
    for number, more in enumerate(([], ["--ignore-robots"])):
        given = ["R3", "--db", str(tmp_path / f"{number}.db"), "--start", START]
        assert run(*given, "--proxy", web.proxy, "--sitemaps", *more) == 0
        assert asked(web) == found | {f"{START}alone/below"}


def test_sitemaps_are_archived_and_replayed(web: Scripted, tmp_path: Path) -> None:
    """A WARC file without the sitemaps, or a replay that finds other pages than the crawl."""
    stores, warc = [tmp_path / "crawl.db", tmp_path / "again.db"], str(tmp_path / "warc")
    given = ["breadth-first", "--start", START, "--concurrency", "1", "--sitemaps"]
    assert run(*given, "--db", str(stores[0]), "--proxy", web.proxy, "--warc", warc) == 0
    assert asked(web) == LINKED | NAMED | ALONE
    assert run(*given, "--db", str(stores[1]), "--replay", warc) == 0
    assert not web.asked
    assert pages(stores[0]) == pages(stores[1])


def test_rules_for_answers_are_about_pages(web: Scripted, tmp_path: Path) -> None:
    """A sitemap that a rule for the types or sizes of pages leaves out, and its pages with it."""
    store = tmp_path / "crawl.db"
    given = ["R3", "--db", str(store), "--start", START, "--proxy", web.proxy, "--sitemaps"]
    warc = tmp_path / "warc"
    rules = ["--include", "type:text/html", "--exclude", "size:>99"]
    assert run(*given, *rules, "--warc", str(warc)) == 0
    assert asked(web) == LINKED | NAMED | ALONE
    again = tmp_path / "again.db"
    assert run("R3", "--db", str(again), "--start", START, "--replay", str(warc), "--sitemaps",
               *rules) == 0  # fmt: skip
    for found in (pages(store), pages(again)):
        assert found[f"{START}one.xml"] == (200, "")
        assert found[f"{START}feed.xml"][1].startswith("left out: ")
        assert all(found[address] == (200, "") for address in ALONE)


def test_a_document_of_the_store_is_kept(web: Scripted, tmp_path: Path) -> None:
    """Links that a later plan loses, since a rule leaves out the page or it fails just now."""
    web.pages[START] = Page("<a href=linked>x</a><a href=feed.xml>x</a>" + "x" * 6000)
    store = tmp_path / "crawl.db"
    given = ["R3", "--db", str(store), "--start", START, "--proxy", web.proxy]
    assert run(*given) == 0
    assert asked(web) == LINKED
    before = pages(store)
    assert run("--db", str(store), "--sitemaps", "--exclude", "size:>5kB") == 0
    assert asked(web) == {START}
    web.pages[START] = Page("gone", 404)
    assert run("--db", str(store), "--budget", "99") == 0
    assert asked(web) == {START}
    assert {url: found for url, found in pages(store).items() if url in before} == before
    with sqlite3.connect(store) as connection:
        links = connection.execute("SELECT count(*) FROM internal_links").fetchone()[0]
    assert links == 2


def test_a_start_page_that_is_a_sitemap(web: Scripted, tmp_path: Path) -> None:
    """A sitemap as the start page, whose pages nobody visits."""
    store = tmp_path / "crawl.db"
    assert run("breadth-first", "--db", str(store), "--start", f"{START}one.xml", "--stay",
               "--proxy", web.proxy, "--sitemaps") == 0  # fmt: skip
    assert {f"{START}one.xml", f"{START}alone", f"{START}alone/below"} <= asked(web)


def test_a_name_that_comes_while_a_page_is_fetched(tmp_path: Path) -> None:
    """A resumed crawl that reads a page as a sitemap where a whole one does not."""
    store = open_store(tmp_path / "crawl.db", create=True)
    seeds.add(store, START)
    begin(store, {"scheduler": "breadth-first", "sitemaps": True, "stay": True})
    with store.transaction() as connection:
        recording = Recording(connection)
        recording.write("add sitemap", [{"page": 0, "named_on": 0, "host": "a.test"}])
        recording.write("issue visit", {"plan": 0, "number": 0, "page": 0, "seed": 1,
                                        "host": "a.test", "issued": 4, "worker": None})  # fmt: skip
        connection.execute(text("UPDATE visits SET observed = 6"))

        def named(issued: int) -> list[str]:
            rows = recording.read("sitemap", page=0, plan=0, issued=issued)
            return [row.host for row in rows]

        assert (named(5), named(6), named(7)) == ([], ["a.test"], ["a.test"])
        assert [row.host for row in recording.read("sitemap", page=0, plan=1, issued=5)] == [
            "a.test"
        ]
