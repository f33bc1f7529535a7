"""Pages over HTTP: redirects, limits, robots.txt, delays, and all kinds of failures."""

from __future__ import annotations

import gzip
import socket
from typing import Any

import pytest

from counterpoint.crawler.documents.exchange import Exchange
from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.fetching.manners import POLITE, Limits, Manners
from counterpoint.crawler.worlds.client import Client
from counterpoint.sim_web.pages import robots
from counterpoint.sim_web.pages.address import address
from counterpoint.sim_web.pages.truth import leads_to, links
from counterpoint.sim_web.world.site import SyntheticSite
from tests.sim_web.serving import QUICK, FakeSite
from tests.sim_web.threaded import running
from tests.sim_web.webs import hostile

from .scripted import FakeTime, Page, Scripted, raw, scripted

RUDE = Manners(robots=False, delay=0.0, private=True)


def client(web: Scripted | str, manners: Manners = RUDE, **more: Any) -> Client:
    """Return a client for a scripted web, on a clock that advances only when it sleeps."""
    clock = more.pop("clock", FakeTime())
    proxy = web if isinstance(web, str) else web.proxy
    return Client(proxy, manners, now=clock, sleep=clock.sleep, **more)


def test_a_page() -> None:
    """Links, counts and sizes that differ from the document's."""
    body = """<a href=b>1</a><a href=//o.test/x>2</a><a href=b#c>3</a><a href=//o.test/x>4</a>
    <a href=http://o.test>5</a><a href=javascript:x>6</a>"""
    packed = Page(gzip.compress(body.encode()), headers={"Content-Encoding": "gzip"})
    with scripted({"http://h.test/a": packed}) as web, client(web) as source:
        answer = source.get("http://h.test/a")
    assert answer == Exchange(
        "http://h.test/a", 200, "", ("http://h.test/b", "http://o.test/x", "http://o.test/"), 3,
        len(body),
    )  # fmt: skip
    assert answer.outside == ["http://o.test/x", "http://o.test/"]
    assert web.agents == {"counterpoint"}


def test_redirects() -> None:
    """A loop that is followed forever, or links that are joined to the first address."""
    pages = {
        "http://h.test/a": Page("", 301, {"Location": "/dir/b"}),
        "http://h.test/dir/b": Page("", 307, {"Location": "c/#x"}),
        "http://h.test/dir/c/": Page("<a href=d>"),
        "http://h.test/loop": Page("", 302, {"Location": "loop2"}),
        "http://h.test/loop2": Page("", 302, {"Location": "loop"}),
        "http://h.test/1": Page("", 302, {"Location": "2"}),
        "http://h.test/2": Page("", 302, {"Location": "3"}),
        "http://h.test/3": Page("", 302, {"Location": "4"}),
        "http://h.test/4": Page("", 302, {"Location": "5"}),
        "http://h.test/none": Page("", 302),
        "http://h.test/bad": Page("", 302, {"Location": "http://["}),
        "http://h.test/out": Page("", 302, {"Location": "http://o.test/"}),
        "http://o.test/": Page("<a href=/x>"),
    }
    with scripted(pages) as web, client(web, limits=Limits(redirects=3)) as source:
        found = source.get("http://h.test/a")
        assert (found.final, found.links) == ("http://h.test/dir/c/", ("http://h.test/dir/c/d",))
        loop = source.get("http://h.test/loop")
        assert (loop.status, loop.final) == (302, "http://h.test/loop2")
        assert loop.problem == "redirects in a circle, to http://h.test/loop"
        assert web.asked.count("http://h.test/loop") == 1
        long = source.get("http://h.test/1")
        assert (long.status, long.problem) == (302, "more than 3 redirects")
        assert web.asked[-1] == long.final == "http://h.test/4"
        for path in ("none", "bad"):
            nowhere = source.get(f"http://h.test/{path}")
            problem = "redirects to no address of http or https"
            assert (nowhere.status, nowhere.problem) == (302, problem)
        assert source.get("http://h.test/out").links == ("http://o.test/x",)
    stays = Manners(robots=False, delay=0.0, leaves_site=False)
    with scripted(pages) as web, client(web, stays) as source:
        left = source.get("http://h.test/out")
        assert (left.status, left.problem) == (302, "leads to another site, http://o.test/")
        assert web.asked == ["http://h.test/out"]


def test_what_is_no_html_is_not_read() -> None:
    """A video that is downloaded to look for links."""
    film = Page(b"<a href=x>" * 10_000, headers={"Content-Type": "video/mp4"})
    with scripted({"http://h.test/": film}) as web, client(web) as source:
        answer = source.get("http://h.test/")
        assert (answer.status, answer.links, answer.size) == (200, (), 0)
        assert source.get("http://h.test/other").status == 404  # over another connection


def test_limits_of_size() -> None:
    """A small answer that fills the memory, or one lost because its end is beyond the limit."""
    body = b"<a href=x>" + b" " * 5_000_000
    pages = {
        "http://h.test/long": Page(body),
        "http://h.test/bomb": Page(gzip.compress(body), headers={"Content-Encoding": "gzip"}),
    }
    with scripted(pages) as web, client(web, limits=Limits(body=1000)) as source:
        for name in ("long", "bomb"):
            answer = source.get(f"http://h.test/{name}")
            assert (answer.status, answer.size, len(answer.links)) == (200, 1000, 1)
            assert answer.problem == "longer than 1,000 bytes: cut"


@pytest.mark.parametrize(
    ("path", "status", "problem"),
    [
        ("fault/reset", 0, ""), ("fault/server-error", 500, None), ("p/1", 200, None),
        ("fault/truncated-chunks", 200, "breaks off"), ("fault/wrong-length", 200, "breaks off"),
        ("fault/endless-body", 200, "cut"), ("fault/slow-headers", 200, None),
    ],
)  # fmt: skip
def test_what_breaks_on_the_wire(path: str, status: int, problem: str | None) -> None:
    """A traceback, or a page that is lost because its end is missing."""
    limits = Limits(body=100_000)
    with running(FakeSite(), settings=QUICK) as proxy, client(proxy, limits=limits) as source:
        answer = source.get(f"http://a.test/{path}")
    assert answer.status == status
    assert bool(answer.problem) == (problem is not None) and (problem or "") in answer.problem
    assert answer.problem.count("\n") == 0


@pytest.mark.parametrize(
    "answer",
    [
        b"", b"\0", b"nonsense\r\n\r\n", b"HTTP/1.1 200\r\n\x1b[31m: x\r\n\r\n",
        b"HTTP/1.1 \x1b[31m OK\r\n\r\n", b"HTTP/1.1 200 OK\r\nX: " + b"x" * 100_000,
        b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\nno gzip",
        b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\x1b[31mzz\r\n",
        b"HTTP/1.1 301 Moved\r\nLocation: http://\xff\x1b[31m/\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.1 999 \x1b\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Type: \xff\r\nContent-Length: 0\r\n\r\n",
    ],
)  # fmt: skip
def test_what_is_no_answer(answer: bytes) -> None:
    """A traceback, or a message with terminal control codes, for an invalid answer."""
    with raw(answer) as there, Client(None, RUDE, Limits(seconds=5)) as source:
        exchange = source.get(f"{there}/")
    assert exchange.links == () and exchange.size == 0
    assert exchange.problem.isprintable()
    assert exchange.status in (0, 200, 301, 999)
    assert exchange.problem or exchange.status


def test_what_does_not_end_in_time() -> None:
    """A server for which the crawl waits forever."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        proxy = f"http://127.0.0.1:{silent.getsockname()[1]}"
        with Client(proxy, RUDE, Limits(seconds=0.05)) as source:
            answer = source.get("http://h.test/")
    assert (answer.status, answer.problem) == (0, "not in time")


def test_a_server_or_a_proxy_that_is_not_there() -> None:
    """A crawl that requests all its pages although its proxy does not answer."""
    with socket.create_server(("127.0.0.1", 0)) as gone:
        there = f"http://127.0.0.1:{gone.getsockname()[1]}"
    with Client(None, RUDE) as source:
        answer = source.get(f"{there}/")
    assert answer.status == 0 and "Cannot connect" in answer.problem
    with Client(there, RUDE) as source, pytest.raises(CrawlError, match=f"the proxy {there}"):
        source.get("http://h.test/")
    with running(FakeSite()) as proxy, client(proxy) as source:
        answer = source.get("https://a.test/")
    assert (answer.status, answer.problem) == (0, "the proxy makes no tunnel for https: 501")
    for wrong in ("", "ftp://h/", "https://h/", "http://["):
        with pytest.raises(CrawlError, match="is not an http address"):
            Client(wrong)


TXT = {"Content-Type": "text/plain"}
PRIVATE = Page("User-agent: *\nDisallow: /no\nCrawl-delay: 7\n", headers=TXT)


def test_robots() -> None:
    """A page requested although robots.txt forbids it, directly or by a redirect."""
    body = "<a href=/no/1>1</a><a href=/yes>2</a><a href=//o.test/no>3</a>"
    pages = {
        "http://h.test/robots.txt": PRIVATE,
        "http://h.test/": Page(body),
        "http://h.test/r": Page("", 302, {"Location": "/no/2"}),
    }
    with scripted(pages) as web, client(web, Manners()) as source:
        answer = source.get("http://h.test/")
        assert answer.links == ("http://h.test/yes", "http://o.test/no")
        for path, status in (("no/3", 0), ("r", 302)):
            answer = source.get(f"http://h.test/{path}")
            assert (answer.status, answer.problem) == (status, "forbidden by robots.txt")
    assert web.asked == [f"http://h.test/{path}" for path in ("robots.txt", "", "r")]


@pytest.mark.parametrize(
    ("answer", "allowed"),
    [
        (Page("", 404), True), (Page("", 403), True), (Page("", 500), False),
        (Page("", 301, {"Location": "/other"}), False),
        (Page("", 301, {"Location": "robots.txt"}), True),
        (Page(b"\xff\xfe<html>", 200, TXT), True),
        (Page("User-agent: *\nCrawl-delay: 601", 200, TXT), False),
        (Page("User-agent: counterpoint\nDisallow: /\n", 200, TXT), False),
        (Page("User-agent: other\nDisallow: /\n", 200, TXT), True),
        (Page("User-agent: *\nDisallow: /\n" + "#" * 600_000, 200, TXT), False),
    ],
)  # fmt: skip
def test_what_robots_txt_can_be(answer: Page, allowed: bool) -> None:
    """An error read as a permission, or a missing file read as a ban (RFC 9309, 2.3.1)."""
    pages = {
        "http://h.test/robots.txt": answer,
        "http://h.test/other": Page("User-agent: *\nDisallow: /\n", 200, TXT),
        "http://h.test/": Page("x"),
    }
    agent = Manners("counterpoint/1.0 (test)")
    with scripted(pages) as web, client(web, agent) as source:
        assert (source.get("http://h.test/").status == 200) == allowed
        assert ("http://h.test/" in web.asked) == allowed
    assert web.agents == {"counterpoint/1.0 (test)"}


def test_politeness() -> None:
    """Requests to one site without a pause, or waiting for a site that needs no more pause."""
    pages = {"http://a.test/robots.txt": PRIVATE}
    clock = FakeTime()
    with scripted(pages) as web, client(web, Manners(), clock=clock) as source:
        source.get("http://a.test/")
        assert clock.slept == [POLITE]  # after robots.txt
        source.get("http://b.test/")
        assert clock.slept == [POLITE, POLITE]
        source.get("http://a.test/1")
        assert clock.slept == [POLITE, POLITE, 7 - POLITE]  # Crawl-delay minus b.test's time
        assert source.get("http://b.test/1").time == clock.now


@pytest.mark.parametrize(
    ("name", "manners", "slept"),
    [
        ("counterpoint", Manners(), []),
        ("counterpoint", Manners(delay=0.5), [0.5, 0.5]),
        ("other", Manners(delay=0.0), []),
        ("other", Manners(robots=False), [POLITE]),
    ],
)
def test_no_delay_where_nobody_is_burdened(name: str, manners: Manners, slept: list[float]) -> None:
    """A crawl of a synthetic web that waits, or one through a common local proxy without pauses."""
    clock = FakeTime()
    with scripted({}, name) as web, client(web, manners, clock=clock) as source:
        source.get("http://a.test/")
        source.get("http://a.test/1")
    assert clock.slept == slept


def test_this_machine_is_not_waited_for() -> None:
    """A crawl of the user's own server at one page per second."""
    clock = FakeTime()
    manners = Manners(private=True)
    with scripted({}) as web, Client(None, manners, now=clock, sleep=clock.sleep) as source:
        for path in "ab":
            assert source.get(f"{web.proxy}/{path}").status == 404
    assert clock.slept == []


def test_a_hostile_web() -> None:
    """A redirect chain that leads elsewhere, or a forbidden address that is requested."""
    web = hostile(2)
    with running(SyntheticSite(web), settings=QUICK) as proxy:
        limits = Limits(seconds=20, body=1_000_000)
        polite = Manners(delay=0.0)
        with client(proxy, polite, limits=limits) as source:
            seen = 0
            for page in range(0, web.pages, 19):
                for url in [address(web, page), *links(web, page)[:3]]:
                    answer = source.get(url)
                    if robots.disallowed(web, url, "counterpoint"):
                        assert (answer.status, answer.problem) == (0, "forbidden by robots.txt")
                    elif answer.status == 200:
                        assert leads_to(web, answer.final or url) == leads_to(web, url)
                        seen += 1
    assert seen > 20
