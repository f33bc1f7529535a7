"""``--traps`` of ``crawl`` and ``try``."""

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
MONTHS = [f"{START}cal/2026/{month:02}" for month in range(1, 10)]
TWIN = f"{START}x?sid=a123456789abcdef"
DEEP = f"{START}more/more/more/"


@pytest.fixture
def web() -> Iterator[Scripted]:
    """Serve a site with a calendar, a session id and a redirect into a path without end."""
    links = "".join(f"<a href={one}>x</a>" for one in [*MONTHS, f"{START}x", TWIN, f"{START}to"])
    pages = {one: Page("a page") for one in [*MONTHS, f"{START}x", TWIN, DEEP]}
    pages[START], pages[f"{START}to"] = Page(links), Page("", 302, {"Location": "/more/more/more/"})
    with scripted(pages, "counterpoint") as script:
        yield script


def run(*arguments: str) -> int:
    """Run a command in this process."""
    return command_line(counterpoint, list(arguments))


def asked(web: Scripted) -> set[str]:
    """Return the pages that were asked for."""
    return {address for address in web.asked if "robots" not in address}


WANTED = {START, f"{START}x", f"{START}to", *MONTHS[:3]}


def test_a_crawl_says_what_left_a_page_out(web: Scripted, tmp_path: Path) -> None:
    """A detector that is not kept, not asked for redirects, or not named."""
    store = str(tmp_path / "crawl.db")
    given = ["crawl", "breadth-first", "--db", store, "--start", START, "--proxy", web.proxy]
    assert run(*given, "--traps", "usual,calendar=3") == 0
    assert asked(web) == WANTED
    with sqlite3.connect(store) as connection:
        found = dict(connection.execute("SELECT address, problem FROM pages"))
    connection.close()
    assert found[MONTHS[3]] == (
        "left out: --traps calendar=3 (more pages differ only by their date)"
    )
    assert found[TWIN] == (
        "left out: --traps session (sid: the page is known without it, or with another one)"
    )
    assert found[f"{START}to"] == (
        f"leads to {DEEP}, which is left out: --traps repeats=2 (3 times more)"
    )
    web.asked.clear()
    assert run("crawl", "--db", store) == 0, "the same plan is over"
    assert not asked(web)
    assert run("crawl", "--db", store, "--traps", "") == 0
    assert asked(web) == {*MONTHS[3:], TWIN, f"{START}to", DEEP}


def test_try_leaves_out_the_same(
    web: Scripted, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A trial that asks for more than the crawl that follows it; a replay without detectors."""
    given = ["try", "breadth-first", "--start", START, "--proxy", web.proxy, "--format", "json"]
    assert run(*given, "--traps", "usual,calendar=3") == 0
    assert asked(web) == WANTED
    capture = str(tmp_path / "all.jsonl")
    assert run(*given, "--capture", capture) == 0
    capsys.readouterr()
    replay = ["try", "breadth-first", "--replay", capture, "--format", "json"]
    assert run(*replay, "--traps", "calendar=3,session") == 0
    sites = json.loads(capsys.readouterr().out)["sites"]
    visits = {visit["address"] for site in sites for visit in site["visits"]}
    assert visits == WANTED


@pytest.mark.parametrize("command", ["crawl", "try"])
@pytest.mark.parametrize(
    ("traps", "why"),
    [
        ("dept", "--traps dept: a detector is NAME or NAME=MOST, and NAME is usual, all, calendar, "
                 "session, depth, repeats, parameters, queries"),
        ("depth=0", "--traps depth=0: the limit is a whole number from 1 to 1,000,000"),
        ("depth=1", "http://a.test/b/c is a start page, and is left out: --traps depth=1 "
                    "(2 segments)"),
    ],
)  # fmt: skip
def test_a_wrong_detector_is_one_line(
    traps: str, why: str, command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A traceback, a store that was left behind, or a crawl without the detector."""
    store = tmp_path / "crawl.db"
    more = ["--db", str(store)] if command == "crawl" else []
    given = [command, "R3", "--start", "http://a.test/b/c", "--proxy", "http://127.0.0.1:9"]
    assert run(*given, "--traps", traps, *more) == 2
    assert capsys.readouterr().err == f"counterpoint: {why}\n"
    assert not store.exists()
