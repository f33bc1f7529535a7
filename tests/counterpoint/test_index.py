"""``counterpoint index`` as a user types it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from counterpoint.console import run as run_command
from counterpoint.crawler.evaluation.trec import read_run
from counterpoint.main import counterpoint
from tests.crawler.scripted import Page, Scripted, scripted

WORDS = ("violins", "boats", "old violins", "boats", "cats", "violins", "boats")


@pytest.fixture
def web() -> Iterator[Scripted]:
    """Serve a tree of pages behind a proxy on this machine."""
    pages = {
        f"http://a.test/{number or ''}": Page(
            f"<p>{words}<p><a href=/{2 * number + 1}>{WORDS[(2 * number + 1) % 7]}</a>"
            f"<a href=/{2 * number + 2}>{WORDS[(2 * number + 2) % 7]}</a>"
        )
        for number, words in enumerate(WORDS)
    }
    with scripted(pages, "counterpoint") as script:
        yield script


def run(*arguments: object) -> int:
    """Run the command; return its exit code."""
    return run_command(counterpoint, [str(one) for one in arguments])


@pytest.mark.parametrize("policy", ["tfidf", "breadth-first"])
def test_the_index_of_a_store_equals_that_of_a_crawl(
    policy: str, web: Scripted, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Another order than that of a crawl in memory, or a run that `evaluate` cannot read."""
    db, kept, direct = tmp_path / "crawl.db", tmp_path / "kept.run", tmp_path / "direct.run"
    asked = ("--query", "violins", "--start", "http://a.test/", "--proxy", web.proxy)
    assert run("try", policy, *asked, "--pages", 6, "--run", direct, "--topic", "v") == 0
    assert run("crawl", policy, *asked, "--budget", 6, "--db", db, "--concurrency", 1) == 0
    assert run("index", "--db", db, "--run", kept, "--topic", "v") == 0
    assert kept.read_bytes() == direct.read_bytes()
    found = list(read_run(kept)["v"])
    capsys.readouterr()
    assert run("index", "--db", db, "--limit", 2, "--format", "json") == 0
    captured = json.loads(capsys.readouterr().out)
    assert captured == {"policy": policy, "found": len(found), "pages": found[:2]}
    assert run("index", "--db", db, "--limit", 2) == 0
    text = capsys.readouterr().out.splitlines()
    assert text[:2] == [f"      1  {found[0]}", f"      2  {found[1]}"]
    assert text[2:] == [f"{policy}: 2 of {len(found)} pages in the index"]


def test_a_run_that_cannot_be_written_is_reported(
    web: Scripted, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A file that is silently missing, or a summary that is lost with it."""
    db, kept = tmp_path / "crawl.db", tmp_path / "kept.run"
    policy = "tests.crawler.beebot.test_index:Breaks"
    assert run("crawl", policy, "--start", "http://a.test/", "--proxy", web.proxy, "--budget", 6,
               "--db", db, "--concurrency", 1, "--run", kept) == 1  # fmt: skip
    captured = capsys.readouterr()
    assert f"{policy}: 1 page visited" in captured.out
    assert f"{kept} is not written: the policy failed\n" in captured.err
    assert not kept.exists()
    assert run("index", "--db", db) == 2
    assert "step 2: IndexError" in (err := capsys.readouterr().err) and "has no index" in err


def test_wrong_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A traceback, or a store that the command creates instead of reading it."""
    where = tmp_path / "none.db"
    assert run("index", "--db", where) == 2
    assert not where.exists()
    assert "no such file" in capsys.readouterr().err
    assert run("index", "--db", where, "--topic", "a b") == 2
    assert "--topic: must be one word" in capsys.readouterr().err
