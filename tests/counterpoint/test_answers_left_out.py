"""Rules of ``--include`` and ``--exclude`` about answers, in ``crawl`` and ``try``."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from counterpoint.console import run as command_line
from counterpoint.main import counterpoint
from tests.crawler.scripted import Page, Scripted, scripted

START = "http://a.test/"
PDF = {"Content-Type": "application/pdf"}
PAGES = {
    "": Page("<a href=/long>x</a><a href=/paper>x</a><a href=/xhtml>x</a>"),
    "long": Page("<a href=/behind>x</a>" + "x" * 5_000),
    "paper": Page("%PDF", 200, PDF),
    "xhtml": Page("<a href=/other>x</a>", 200, {"Content-Type": "application/xhtml+xml"}),
    "behind": Page("x"),
    "other": Page("x"),
    "robots.txt": Page("User-agent: *\nDisallow: /never\n", 200, {"Content-Type": "text/plain"}),
}
ALL = {"", "long", "paper", "xhtml", "behind", "other"}


@pytest.fixture
def web() -> Iterator[Scripted]:
    """Serve pages of several types and sizes behind a proxy."""
    pages = {f"{START}{path}": one for path, one in PAGES.items()}
    with scripted(pages, "counterpoint") as script:
        yield script


def run(*arguments: str) -> int:
    """Run a command in this process."""
    return command_line(counterpoint, list(arguments))


def asked(web: Scripted) -> set[str]:
    """Return the pages that were asked for since the last call."""
    found = {address.removeprefix(START) for address in web.asked} - {"robots.txt"}
    web.asked.clear()
    return found


def problems(store: Path) -> dict[str, str]:
    """Return the problems of the pages of a store that have one; all have status 200."""
    with closing(sqlite3.connect(store)) as connection:
        rows = list(connection.execute("SELECT address, status, problem FROM pages"))
    assert {status for _, status, _ in rows} == {200}
    return {address.removeprefix(START): problem for address, _, problem in rows if problem}


RULES = [
    (["--exclude", "size:>4kB"], ALL - {"behind"}, {"long": "left out: --exclude size:>4kB"}),
    (["--exclude", "type:application/*", "--exclude", "path:/none"], ALL - {"other"},
     dict.fromkeys(("paper", "xhtml"), "left out: --exclude type:application/*")),
    (["--include", "type:text/html", "--include", "host:a.test"], ALL - {"other"},
     dict.fromkeys(("paper", "xhtml"), "left out: none of --include type:text/html applies")),
]  # fmt: skip


@pytest.mark.parametrize("policy", ["R3", "tfidf"])
@pytest.mark.parametrize(("rules", "wanted", "told"), RULES)
def test_a_crawl_keeps_to_its_rules(
    policy: str, rules: list[str], wanted: set[str], told: dict[str, str], web: Scripted,
    tmp_path: Path,
) -> None:  # fmt: skip
    """A link of a document that a rule leaves out, a page without a reason, or a lost page.

    Another plan fetches again what was left out only if it does not have the rules.
    """
    store, warc = tmp_path / "a.db", str(tmp_path / "warc")
    given = ["crawl", policy, "--start", START, "--query", "x"]
    there = ["--db", str(store), "--proxy", web.proxy]
    assert run(*given, *there, *rules) == 0
    assert asked(web) == wanted
    found = problems(store)
    assert found == {"paper": "is no HTML but application/pdf"} | told
    assert run("crawl", "--db", str(store), "--budget", "100") == 0
    assert not asked(web), "the rules are the same"
    assert run("crawl", "--db", str(store), "--include", "", "--exclude", "") == 0
    assert asked(web) == (ALL - wanted) | set(told)
    assert problems(store) == {"paper": "is no HTML but application/pdf"}
    assert run(*given, "--db", str(tmp_path / "b.db"), "--proxy", web.proxy, "--warc", warc) == 0
    assert run(*given, "--db", str(tmp_path / "c.db"), "--replay", warc, *rules) == 0
    assert problems(tmp_path / "c.db") == found


@pytest.mark.parametrize(("rules", "wanted", "told"), RULES)
@pytest.mark.parametrize("replay", [False, True])
def test_try_has_the_same_rules(
    rules: list[str], wanted: set[str], told: dict[str, str], replay: bool, web: Scripted,
    tmp_path: Path, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    """A trial that reads more than the crawl that follows it; a replay without the rules."""
    there = ["--proxy", web.proxy]
    if replay:
        assert run("crawl", "R3", "--start", START, "--db", str(tmp_path / "a.db"), *there,
                   "--warc", str(tmp_path / "warc")) == 0  # fmt: skip
        there = ["--replay", str(tmp_path / "warc")]
    capsys.readouterr()
    assert run("try", "R3", "--start", START, "--format", "json", *there, *rules) == 0
    sites = json.loads(capsys.readouterr().out)["sites"]
    visits = {visit["address"].removeprefix(START): visit for site in sites
              for visit in site["visits"]}  # fmt: skip
    assert set(visits) == wanted
    for path, problem in told.items():
        assert (visits[path]["status"], visits[path]["problem"]) == (200, problem)


def test_a_capture_has_no_types(
    web: Scripted, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Rules that are silently without effect."""
    capture = str(tmp_path / "c.jsonl")
    assert run("try", "R3", "--start", START, "--proxy", web.proxy, "--capture", capture) == 0
    capsys.readouterr()
    assert run("try", "R3", "--replay", capture, "--exclude", "type:image/*") == 2
    assert "does not have the types and sizes of answers" in capsys.readouterr().err


def test_a_start_page_that_is_left_out(web: Scripted, tmp_path: Path) -> None:
    """A site without pages that does not say why."""
    store = tmp_path / "a.db"
    assert run("crawl", "R3", "--start", START, "--db", str(store), "--proxy", web.proxy,
               "--exclude", "type:text/html") == 1  # fmt: skip
    with closing(sqlite3.connect(store)) as connection:
        found = connection.execute("SELECT standing, reason FROM seeds").fetchall()
    assert found == [("not available", "left out: --exclude type:text/html")]
