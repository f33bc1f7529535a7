"""``--nofollow`` and ``--canonical`` of ``crawl`` and ``try``."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from counterpoint.console import run as command_line
from counterpoint.main import counterpoint
from tests.crawler.scripted import Page, Scripted, scripted

START = "http://a.test/"


def at(*paths: str) -> set[str]:
    """Return addresses of the site."""
    return {f"http://a.test/{path}" for path in paths}


def page(*hrefs: str, head: str = "", headers: Mapping[str, str] | None = None) -> Page:
    """Return a page with links; `!` before an address marks it as nofollow."""
    links = "".join(
        f"<a href={href.removeprefix('!')}{' rel=nofollow' * href.startswith('!')}>x</a>"
        for href in hrefs
    )
    return Page(f"<title>x</title>{head}{links}", 200, headers or {})


META = '<meta name="robots" content="noindex, nofollow">'
NONE = '<meta name="counterpoint" content="none">'
PAGES = {
    "": page("!/1", "/2", "!/2", "/meta", "/none", "/header", "/other", "!http://b.test/"),
    "2": page("!/", "/3"),
    "meta": page("/of-meta", "/3", head=META),
    "none": page("/of-none", head=NONE),
    "header": page("/of-header", headers={"X-Robots-Tag": "counterpoint: noindex, nofollow"}),
    "other": page("/of-other", headers={"X-Robots-Tag": "otherbot: nofollow"}),
}
FREE = at("", "2", "3", "meta", "none", "header", "other", "of-other")
SHUT = at("1", "of-meta", "of-none", "of-header")


def canonical(path: str) -> str:
    """Return the element that names a canonical address."""
    return f'<link rel="canonical" href="{path}">'


COPIED = {
    "": page("/list?a", "/list?b", "/p?x", "/round1", "/lost?x", "/away", head=canonical("/")),
    "list?a": page("/list?b", "/1", "/only-here", head=canonical("/list")),
    "list?b": page("/list?a", "/2", head=canonical("/list")),
    "list": page("/list?a", "/1", "/2", head=canonical("/list")),
    "p?x": page("/3", head=canonical("/gone")),
    "round1": page("/4", head=canonical("/round2")),
    "round2": page("/5", head=canonical("/round1")),
    "lost?x": page("/6", head=canonical("/list") + canonical("/lost")),
    "away": page("/7", head=canonical("http://b.test/away")),
}


@pytest.fixture(params=["nofollow", "canonical"])
def option(request: pytest.FixtureRequest) -> str:
    """Return the option."""
    return str(request.param)


@pytest.fixture
def web(option: str) -> Iterator[Scripted]:
    """Serve the pages of an option behind a proxy."""
    pages = PAGES if option == "nofollow" else COPIED
    with scripted({f"http://a.test/{path}": one for path, one in pages.items()},
                  "counterpoint") as script:  # fmt: skip
        yield script


ASKED = {
    "nofollow": FREE,
    "canonical": at("", "list?a", "list?b", "list", "p?x", "gone", "round1", "round2", "lost?x",
                    "away", "1", "2", "5", "6", "7") | at("lost"),
}  # fmt: skip
ASKED_WITHOUT = {
    "nofollow": FREE | SHUT,
    "canonical": ASKED["canonical"] | at("only-here", "3", "4"),
}


def run(*arguments: str) -> int:
    """Run a command in this process."""
    return command_line(counterpoint, list(arguments))


def asked(web: Scripted) -> set[str]:
    """Return the pages that were asked for since the last call."""
    found = {address for address in web.asked if "robots.txt" not in address}
    web.asked.clear()
    return found


def rows(store: Path, query: str) -> list[tuple[Any, ...]]:
    """Return the rows of a query."""
    with closing(sqlite3.connect(store)) as connection:
        return list(connection.execute(query))


def problems(store: Path) -> dict[str, str]:
    """Return the problem of each page of a store, by the part of its address after the host."""
    found = rows(store, "SELECT address, problem FROM pages")
    return {address.removeprefix(START): problem for address, problem in found}


def links(store: Path) -> list[tuple[Any, ...]]:
    """Return all internal links of a store, by addresses."""
    return rows(store, "SELECT p.address, l.position, t.address FROM internal_links l "
                       "JOIN pages p ON p.id = l.page JOIN pages t ON t.id = l.target "
                       "ORDER BY 1, 2")  # fmt: skip


def crawled(web: Scripted, store: Path, *more: str, policy: str = "R3") -> set[str]:
    """Crawl all into a store; return what was asked for."""
    asked(web)
    assert run("crawl", policy, "--db", str(store), "--start", START, "--proxy", web.proxy,
               "--concurrency", "1", *more) == 0  # fmt: skip
    return asked(web)


@pytest.mark.parametrize("policy", ["R3", "breadth-first --stay", "opic --stay"])
def test_links_are_stored_and_not_followed(
    option: str, policy: str, web: Scripted, tmp_path: Path
) -> None:
    """A link that is followed, that is lost in the store, or that gives no reason."""
    name, *stay = policy.split()
    assert crawled(web, tmp_path / "a", *stay, policy=name) == ASKED_WITHOUT[option]
    assert crawled(web, tmp_path / "b", *stay, f"--{option}", policy=name) == ASKED[option]
    of_visited = {link for link in links(tmp_path / "a") if link[0] in ASKED[option]}
    assert set(links(tmp_path / "b")) == of_visited
    found = problems(tmp_path / "b")
    for address in ASKED_WITHOUT[option] - ASKED[option]:
        assert found[address.removeprefix(START)] == f"left out: --{option}"
    count = rows(tmp_path / "b", "SELECT sum(external), sum(internal) FROM seeds")
    stored = rows(tmp_path / "b", "SELECT (SELECT count(*) FROM external_links), "
                                  "(SELECT count(*) FROM internal_links)")  # fmt: skip
    assert count == stored


@pytest.mark.parametrize("web", ["canonical"], indirect=["web"])
@pytest.mark.parametrize("option", ["canonical"], indirect=True)
def test_a_copy_says_of_what(web: Scripted, tmp_path: Path) -> None:
    """A page whose links are left without a word, also where its canonical page is missing."""
    assert crawled(web, tmp_path / "a", "--canonical")
    found = problems(tmp_path / "a")
    assert {path: problem for path, problem in found.items() if "copy" in problem} == {
        "list?a": "is a copy of http://a.test/list",
        "list?b": "is a copy of http://a.test/list",
        "p?x": "is a copy of http://a.test/gone",
        "gone": "1 page is a copy of it, and its own links were not followed",
        "round1": "is a copy of http://a.test/round2",
    }
    assert run("crawl", "--db", str(tmp_path / "a"), "--budget", "1000") == 0
    assert asked(web) == at("3"), "that the canonical page is missing is known by now"
    assert problems(tmp_path / "a")["p?x"] == ""


def test_an_option_begins_another_plan(option: str, web: Scripted, tmp_path: Path) -> None:
    """An option that is forgotten, pages that are fetched again, a reason that outlives it."""
    store = tmp_path / "a"
    assert crawled(web, store) == ASKED_WITHOUT[option]
    assert crawled(web, store, f"--{option}") == set()
    left = ASKED_WITHOUT[option] - ASKED[option] - at("3")
    last = "SELECT p.address FROM visits v JOIN pages p ON p.id = v.page WHERE plan = 1"
    visited = {address for (address,) in rows(store, last)}
    assert visited.isdisjoint(left)
    assert visited >= ASKED[option] - at("gone")
    other = tmp_path / "b"
    assert crawled(web, other, f"--{option}") == ASKED[option]
    assert run("crawl", "--db", str(other)) == 0, "the plan is over"
    assert not asked(web)
    assert run("crawl", "--db", str(other), f"--no-{option}") == 0
    assert asked(web) == ASKED_WITHOUT[option] - ASKED[option]
    assert not [problem for problem in problems(other).values() if "copy" in problem]
    assert not [problem for problem in problems(other).values() if "left out" in problem]


def test_a_replay_of_warc_files_is_the_same(option: str, web: Scripted, tmp_path: Path) -> None:
    """A header or an element that WARC files do not give again."""
    order = "SELECT p.address, v.fresh FROM visits v JOIN pages p ON p.id = v.page ORDER BY number"
    crawled(web, tmp_path / "a", f"--{option}", "--warc", str(tmp_path / "warc"), policy="random")
    whole = rows(tmp_path / "a", order)
    assert run("crawl", "random", "--db", str(tmp_path / "b"), "--start", START, f"--{option}",
               "--concurrency", "1", "--replay", str(tmp_path / "warc")) == 0  # fmt: skip
    assert rows(tmp_path / "b", order) == whole
    assert problems(tmp_path / "b").items() >= {
        (path, problem) for path, problem in problems(tmp_path / "a").items() if problem
    }


@pytest.mark.parametrize("source", ["network", "capture", "warc"])
def test_try_follows_the_same_links(
    option: str, source: str, web: Scripted, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A trial or its replay that visits other pages than the crawl that follows it."""
    crawled(web, tmp_path / "a", "--stay", "--warc", str(tmp_path / "warc"), policy="breadth-first")
    crawled(web, tmp_path / "b", "--stay", f"--{option}", policy="breadth-first")
    given = ["try", "breadth-first", "--start", START, "--stay", "--format", "json"]
    there = ["--proxy", web.proxy]
    if source == "capture":
        there = ["--replay", str(tmp_path / "c.jsonl")]
        assert run(*given, "--proxy", web.proxy, "--capture", there[1]) == 0
    elif source == "warc":
        there = ["--replay", str(tmp_path / "warc")]
    capsys.readouterr()
    assert run(*given, *there, f"--{option}") == 0
    sites = json.loads(capsys.readouterr().out)["sites"]
    visits = [visit for site in sites for visit in site["visits"]]
    assert [(visit["address"], visit.get("problem", "")) for visit in visits] == rows(
        tmp_path / "b",
        "SELECT p.address, p.problem FROM visits JOIN pages p ON p.id = page ORDER BY number",
    )


@pytest.mark.parametrize(("limit", "canonical_comes"), [(["--cap", "2"], False), ([], True)])
def test_a_canonical_page_beyond_the_limits(
    limit: list[str], canonical_comes: bool, tmp_path: Path
) -> None:
    """Links that nobody follows, since the canonical page of a copy is beyond the cap."""
    pages = {
        START: page("/c?1"), f"{START}c?1": page("http://b.test/", head=canonical("/c")),
        f"{START}c": page("http://b.test/", head=canonical("/c")), "http://b.test/": page(),
    }  # fmt: skip
    store = tmp_path / "crawl.db"
    with scripted(pages, "counterpoint") as script:
        assert run("crawl", "breadth-first", "--db", str(store), "--start", START, "--canonical",
                   *limit, "--proxy", script.proxy) == 0  # fmt: skip
        assert "http://b.test/" in script.asked
        assert (f"{START}c" in script.asked) == canonical_comes
    ((problem,),) = rows(store, "SELECT problem FROM pages WHERE address LIKE '%c?1'")
    assert ("is a copy of" in problem) == canonical_comes
