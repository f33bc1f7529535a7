"""``--include`` and ``--exclude`` of ``crawl`` and ``try``."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from counterpoint.console import run as command_line
from counterpoint.main import counterpoint
from tests.crawler.scripted import Page, Scripted, scripted

START = "http://a.test/"
WANTED = {START, "http://a.test/docs/1", "http://a.test/docs/2"}
LEFT = {"http://a.test/cal/1", "http://a.test/docs/2?sort=up", "http://b.test/"}


@pytest.fixture
def web() -> Iterator[Scripted]:
    """Serve a site with a calendar and sorted copies, behind a proxy."""
    links = "".join(f"<a href={a}>x</a>" for a in [*sorted(WANTED | LEFT), "http://a.test/moved"])
    pages = {address: Page(links) for address in WANTED | LEFT}
    pages["http://a.test/moved"] = Page("", 302, {"Location": "/cal/2"})
    pages["http://a.test/cal/2"] = Page("a day")
    with scripted(pages, "counterpoint") as script:
        yield script


def run(*arguments: str) -> int:
    """Run a command in this process."""
    return command_line(counterpoint, list(arguments))


def asked(web: Scripted) -> set[str]:
    """Return the pages that were asked for."""
    return {address for address in web.asked if "robots" not in address}


def problems(where: Path) -> dict[str, str]:
    """Return the problem of each page of a store."""
    with sqlite3.connect(where) as connection:
        found = dict(connection.execute("SELECT address, problem FROM pages"))
    connection.close()
    return found


RULES = ("--include", "domain:a.test", "--exclude", "path:/cal/", "--exclude", "regex:[?&]sort=")


@pytest.mark.parametrize("policy", ["breadth-first", "R3"])
def test_a_crawl_keeps_to_its_rules(policy: str, web: Scripted, tmp_path: Path) -> None:
    """A request for what a rule leaves out, also by a redirect; a page that says no reason."""
    store = tmp_path / "crawl.db"
    given = ["crawl", policy, "--db", str(store), "--start", START, "--proxy", web.proxy]
    assert run(*given, *RULES) == 0
    assert asked(web) == WANTED | {"http://a.test/moved"}
    found = problems(store)
    assert found["http://a.test/cal/1"] == "left out: --exclude path:/cal/"
    assert found["http://a.test/docs/2?sort=up"] == "left out: --exclude regex:[?&]sort="
    assert found["http://a.test/moved"] == (
        "leads to http://a.test/cal/2, which is left out: --exclude path:/cal/"
    )
    if policy == "breadth-first":
        assert found["http://b.test/"] == "left out: no --include applies"
    web.asked.clear()
    assert run("crawl", "--db", str(store)) == 0, "the same plan is over"
    assert not asked(web)


def test_other_rules_make_another_plan(web: Scripted, tmp_path: Path) -> None:
    """Rules that are forgotten, or a reason that outlives its rule."""
    store = tmp_path / "crawl.db"
    given = ["crawl", "breadth-first", "--db", str(store), "--start", START, "--proxy", web.proxy]
    assert run(*given, *RULES) == 0
    web.asked.clear()
    assert run("crawl", "--db", str(store), "--exclude", "host:b.test") == 0
    calendar = {"http://a.test/cal/1", "http://a.test/moved", "http://a.test/cal/2"}
    assert asked(web) == calendar | {"http://a.test/docs/2?sort=up"}
    assert problems(store)["http://a.test/cal/1"] == ""
    web.asked.clear()
    assert run("crawl", "--db", str(store), "--include", "", "--exclude", "path:/docs/") == 0
    assert asked(web) == {"http://b.test/"}, "--exclude replaces the rules before, '' removes them"
    with sqlite3.connect(store) as connection:
        visited = {row[0] for row in connection.execute(
            "SELECT address FROM visits JOIN pages ON pages.id = page WHERE plan = 2"
        )}  # fmt: skip
    connection.close()
    assert not any("/docs/" in address for address in visited), "what the store has counts too"


def test_a_policy_that_revisits_keeps_to_the_rules(
    web: Scripted, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Known pages that are asked for again although a rule leaves them out."""
    store = tmp_path / "crawl.db"
    given = ["--db", str(store), "--start", START, "--proxy", web.proxy]
    assert run("crawl", "breadth-first", *given) == 0
    web.asked.clear()
    assert run("crawl", "scent", "--db", str(store), "--budget", "12", *RULES) == 0
    assert asked(web) == WANTED | {"http://a.test/moved"}
    assert run("crawl", "uniform", "--db", str(store), "--include", "path:/docs/") == 0
    assert run("crawl", "--db", str(store), "--include", "host:c.test") == 2
    assert capsys.readouterr().err == (
        "counterpoint: uniform: its rules leave out all known pages\n"
    )


def test_try_has_the_same_rules(
    web: Scripted, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A trial that asks for more than the crawl that follows it; a replay without the rules."""
    capture = str(tmp_path / "all.jsonl")
    given = ["try", "breadth-first", "--start", START, "--proxy", web.proxy, "--format", "json"]
    assert run(*given, *RULES) == 0
    assert asked(web) == WANTED | {"http://a.test/moved"}
    assert run(*given, "--capture", capture) == 0
    capsys.readouterr()
    assert run("try", "breadth-first", "--replay", capture, "--format", "json", *RULES) == 0
    sites = json.loads(capsys.readouterr().out)["sites"]
    visits = [visit for site in sites for visit in site["visits"]]
    assert {visit["address"] for visit in visits} == WANTED | {"http://a.test/moved"}


@pytest.mark.parametrize("command", ["crawl", "try"])
def test_a_wrong_rule_is_one_line(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A traceback, a store that is made all the same, or a crawl that begins."""
    store = tmp_path / "crawl.db"
    where = ["--db", str(store)] if command == "crawl" else []
    given = [command, "breadth-first", "--start", START, *where]
    for rules, said in (
        (["--exclude", "regex:("], "--exclude regex:(: is no pattern of RE2"),
        (["--include", "host:b.test"], f"{START} is a start page, and is left out: no --include"),
    ):
        assert run(*given, *rules) == 2
        out, err = capsys.readouterr()
        assert (out, err.count("\n")) == ("", 1)
        assert said in err
        assert not store.exists()
