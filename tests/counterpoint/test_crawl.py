"""``counterpoint try`` as a user types it: what it prints, its exit codes, and its errors."""

from __future__ import annotations

import contextlib
import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from counterpoint.crawler.policy.protocol import Outcome, Request, Setting
from counterpoint.crawler.worlds import crawl
from counterpoint.crawler.worlds.capture import Capture
from tests.crawler.scripted import Page, Scripted, scripted

from .test_command_line import call

PAGES = {
    "http://a.test/robots.txt": Page("User-agent: *\nDisallow: /private/\n"),
    "http://a.test/": Page("<a href=x>1</a><a href=private/y>2</a><a href=gone>3</a>"
                           "<a href=http://b.test/>4</a><a href=http://b.test/>5</a>"),
    "http://a.test/x": Page("<a href=/>1</a><a href=http://c.test/z>2</a>"),
    "http://b.test/": Page("", 302, {"Location": "/home"}),
    "http://b.test/home": Page("<a href=http://a.test/>1</a>"),
}  # fmt: skip
STARTS = ("--start", "http://a.test", "--start", "http://b.test/")


@pytest.fixture
def web() -> Iterator[Scripted]:
    """Serve two small sites."""
    with scripted(PAGES, "counterpoint") as script:
        yield script


def test_the_printed_report(web: Scripted, capsys: pytest.CaptureFixture[str]) -> None:
    """A page that is missing from the report, or an end without its reason."""
    code, out, err = call(capsys, "try", "one-by-one", *STARTS, "--proxy", web.proxy)
    assert (code, err) == (0, "")
    assert out == (
        "a.test: 3 pages, 3 external links to 2 addresses\n"
        "      1  200  http://a.test/\n"
        "      2  200  http://a.test/x\n"
        "      3  404  http://a.test/gone\n"
        "            -> http://b.test/\n"
        "            -> http://c.test/z\n"
        "\n"
        "b.test: 1 page, 1 external link to 1 address\n"
        "      4  200  http://b.test/ -> http://b.test/home\n"
        "            -> http://a.test/\n"
        "\n"
        "4 pages, 4 external links\n"
        "ended: every site is exhausted\n"
    )
    assert "http://a.test/private/y" not in web.asked
    assert [agent.partition("/")[0] for agent in web.agents] == ["counterpoint"]


def test_the_budget(web: Scripted, capsys: pytest.CaptureFixture[str]) -> None:
    """Requests beyond the budget, made by a policy that spends more."""
    for policy in ("one-by-one", "R1-printed"):
        web.asked.clear()
        arguments = ("try", policy, *STARTS, "--proxy", web.proxy, "--pages", "2")
        code, out, _ = call(capsys, *arguments)
        assert (code, out.splitlines()[-1]) == (0, "ended: the budget is spent")
        pages = [one for one in web.asked if not one.endswith(("robots.txt", "home"))]
        assert len(pages) == 2


def test_json_has_stable_keys(web: Scripted, capsys: pytest.CaptureFixture[str]) -> None:
    """A renamed key on which scripts rely."""
    arguments = ("try", "one-by-one", *STARTS, "--proxy", web.proxy, "--format", "json")
    code, out, err = call(capsys, *arguments)
    assert (code, err) == (0, "")
    report = json.loads(out)
    assert list(report) == [
        "policy", "scope", "seed", "pages", "starts", "ended", "failed", "visited", "unknown",
        "external", "sites",
    ]  # fmt: skip
    assert (report["visited"], report["external"], report["failed"]) == (4, 4, False)
    second = report["sites"][1]
    assert (second["site"], second["external"]) == ("b.test", ["http://a.test/"])
    visit = second["visits"][0]
    assert visit.pop("time") >= 0
    assert visit == {
        "step": 4, "address": "http://b.test/", "status": 200, "external": 1,
        "size": len(PAGES["http://b.test/home"].body), "final": "http://b.test/home",
    }  # fmt: skip


def test_a_query(web: Scripted, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A crawler that ignores its query, or that cannot replay its own capture."""

    def order(*arguments: str) -> list[str]:
        code, out, err = call(capsys, "try", *arguments, "--format", "json")
        assert (code, err) == (0, "")
        visits = [visit for site in json.loads(out)["sites"] for visit in site["visits"]]
        return [visit["address"] for visit in sorted(visits, key=lambda visit: visit["step"])]

    path, other = tmp_path / "c.gz", tmp_path / "o.gz"
    where = ("--start", "http://a.test", "--proxy", web.proxy, "--pages", "3")
    found = order("tfidf", *where, "--query", "4", "--capture", str(path))
    assert found == ["http://a.test/", "http://b.test/", "http://a.test/x"]
    assert order("tfidf", *where, "--query", "1")[1] == "http://a.test/x"
    asked = len(web.asked)
    for policy in ("tfidf", "bm25"):
        assert order(policy, "--replay", str(path), "--pages", "3") == found
    two = ("--replay", str(path), "--query", "1", "--pages", "2")
    assert order("tfidf", *two) == ["http://a.test/", "http://a.test/x"]
    assert len(web.asked) == asked
    order("breadth-first", *where, "--query", "4", "--capture", str(other))
    code, out, err = call(capsys, "try", "tfidf", "--replay", str(other))
    assert (code, out) == (2, "")
    assert f"{other}: has no contents of pages, which tfidf reads" in err


@pytest.mark.parametrize("name", ["c.jsonl", "c.jsonl.gz"])
def test_a_capture_is_replayed(
    web: Scripted, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    """A replay that uses the network, differs, or needs all options again."""
    path = tmp_path / name
    arguments = ("try", "one-by-one", *STARTS, "--proxy", web.proxy, "--capture", str(path))
    code, out, _ = call(capsys, *arguments)
    assert code == 0
    asked = len(web.asked)
    assert call(capsys, "try", "one-by-one", "--replay", str(path)) == (0, out, "")
    code, other, _ = call(capsys, "try", "equal-quanta,quantum=1", "--replay", str(path))
    assert code == 0 and other.splitlines()[-2] == "4 pages, 4 external links"
    code, one, _ = call(capsys, "try", "R3", "--replay", str(path), "--start", "http://b.test/")
    assert code == 0 and one.splitlines()[-2] == "1 page, 1 external link"
    assert len(web.asked) == asked
    header = Capture(path).header
    assert header["starts"] == [STARTS[1], STARTS[3]]
    assert header["robots"] is True and header["agent"] in web.agents
    code, out, err = call(capsys, "try", "breadth-first", "--replay", str(path))
    assert (code, out) == (2, "")
    assert f"counterpoint: {path}: the capture does not have http://c.test/z: the recorded" in err
    code, out, err = call(capsys, *arguments)
    assert (code, out) == (2, "") and f"{path}: exists already" in err


def test_a_truncated_capture(
    web: Scripted, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A killed crawl that is replayed as if it were complete."""
    path = tmp_path / "c"
    call(capsys, "try", "one-by-one", *STARTS, "--proxy", web.proxy, "--capture", str(path))
    path.write_bytes(path.read_bytes()[:-5])
    code, _, err = call(capsys, "try", "one-by-one", "--replay", str(path), "--pages", "3")
    assert (code, err) == (
        0, f"counterpoint: {path} is incomplete; its 3 whole lines are replayed\n"
    )  # fmt: skip


def test_a_policy_of_web_scope(web: Scripted, capsys: pytest.CaptureFixture[str]) -> None:
    """A crawl of two sites that visits a third one, or that never leaves the first."""
    arguments = ("try", "breadth-first", "--start", "http://a.test/", "--proxy", web.proxy)
    _, out, _ = call(capsys, *arguments)
    assert "  404  http://c.test/z\n" in out
    web.asked.clear()
    _, out, _ = call(capsys, *arguments, "--start", "http://b.test/", "--stay")
    assert out.splitlines()[-1] == "ended: every page found was fetched"
    assert "http://c.test/z" not in web.asked and "http://a.test/x" in web.asked
    assert "http://b.test/home" in web.asked


def test_a_policy_that_fails(
    web: Scripted, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    """A traceback for an error of the user's policy, or a failure reported as a normal end."""
    (tmp_path / "mine_of_crawl.py").write_text(
        "from counterpoint.crawler.policy.protocol import Request\n"
        "class Bad:\n"
        "    def __init__(self, setting): self.pages = [0, 77]\n"
        "    def next(self): return Request(self.pages.pop(0))\n"
        "    def observe(self, outcome): pass\n"
    )
    monkeypatch.chdir(tmp_path)
    name = "mine_of_crawl:Bad"
    code, out, err = call(capsys, "try", name, *STARTS[:2], "--proxy", web.proxy)
    assert (code, err) == (1, "")
    assert (
        out.splitlines()[-1]
        == f"ended: {name}: step 2: requested page 77, which it has not seen yet"
    )


def test_a_policy_that_takes_too_long_is_unknown(
    web: Scripted, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A slow policy that is reported as one that broke a rule."""
    monkeypatch.setattr(crawl, "crawl", partial(crawl.crawl, step_limit=0.1))
    name = "tests.counterpoint.test_crawl:Endless"
    code, out, err = call(capsys, "try", name, *STARTS[:2], "--proxy", web.proxy)
    assert (code, err) == (3, "")
    last = out.splitlines()[-1]
    assert last == f"ended: {name}: step 1: took longer than 0.1 s of processor time"


class Endless:
    """A policy that computes for ever."""

    why = ""

    def __init__(self, setting: Setting) -> None:
        """Take a setting."""

    def next(self) -> Request | None:
        """Loop."""
        while True:
            pass

    def observe(self, outcome: Outcome) -> None:
        """Learn nothing."""


def test_a_crawl_without_an_answer(capsys: pytest.CaptureFixture[str]) -> None:
    """A crawl without a single answer that is reported as a success."""
    with scripted({"http://a.test/robots.txt": Page("", 500)}, "counterpoint") as web:
        arguments = ("try", "R3", "--start", "http://a.test/", "--proxy", web.proxy)
        code, out, _ = call(capsys, *arguments)
        assert code == 1
        assert "---  http://a.test/ (robots.txt: 500; so nothing may be fetched)" in out
        code, out, _ = call(capsys, *arguments, "--ignore-robots")
        assert code == 1
        assert "404  http://a.test/\n" in out
    assert web.asked == ["http://a.test/robots.txt", "http://a.test/"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["R3"], "--start: at least one is needed"),
        (["R3", "--start", "test"], "'test' is no address such as http://example.org/"),
        (["R3", *STARTS, "--start", "a.test/x"], "are both on a.test: a site has one"),
        (["R3", *STARTS, "--start", "http://a.test/x"], "are both on a.test: a site has one"),
        (["nix", *STARTS], "nix"),
        (["scent", *STARTS], "known pages"),
        (["oracle", *STARTS], "truth"),
        (["R3", *STARTS, "--proxy", "ftp://x/"], "--proxy ftp://x/: is not an http address"),
        (["R3", *STARTS, "--proxy", "foo"], "--proxy foo: name the port, too, as in http://127"),
        (["R3", *STARTS, "--proxy", "http://me:pw@foo:1"], "address must not contain credentials"),
        (["R3", *STARTS, "--proxy", "http://foo:1/x"], "is more than a host and a port"),
        (["R3", *STARTS, "--proxy", "no.invalid:1"], "the proxy http://no.invalid:1/ cannot be u"),
        (["R3", *STARTS, "--proxy", "127.0.0.1:1"], "the proxy http://127.0.0.1:1/ cannot be used"),
        (["R3", *STARTS, "--pages", "0"], "--pages"),
        (["R3", *STARTS, "--delay", "nan"], "--delay"),
        (["R3", *STARTS, "--delay", "-1"], "--delay"),
        (["R3", *STARTS, "--capture", "no/c"], "--capture: there is no folder"),
        (["R3", *STARTS, "--agent", "Mozilla"], "--agent: must begin with counterpoint"),
        (["R3", *STARTS, "--agent", "counterpoint\n"], "--agent: must be printable ASCII"),
        (["R3", "--replay", "no"], "no: No such file or directory"),
        (["R3", "--replay", "no", "--proxy", "x"], "--proxy: not with --replay"),
        (["R3", "--replay", "no", "--ignore-robots"], "--ignore-robots: not with --replay"),
        (["R3", "--replay", "no", "--capture", "x"], "--capture: not with --replay"),
        (["R3", *STARTS, "--db", "a.db"], "--db: is an option of `counterpoint crawl`"),
    ],
)
def test_errors_of_the_user(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A traceback, or a message that does not name the error."""
    code, out, err = call(capsys, "try", *arguments)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert message in err


def test_a_capture_without_starts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A traceback for a capture of another program."""
    path = tmp_path / "c"
    path.write_text('{"format":"counterpoint capture","version":1}\n')
    code, _, err = call(capsys, "try", "R3", "--replay", str(path))
    assert (code, err) == (2, f"counterpoint: {path}: its header contains no start pages\n")


def test_an_interrupted_crawl(web: Scripted, tmp_path: Path) -> None:
    """A traceback after Ctrl-C, or pages that are lost by it."""
    path = tmp_path / "c"
    command = [sys.executable, "-m", "counterpoint", "try", "one-by-one", *STARTS, "--proxy",
               web.proxy, "--delay", "600", "--ignore-robots", "--capture", str(path)]  # fmt: skip
    with subprocess.Popen(command, text=True, stderr=subprocess.PIPE) as process:
        try:
            while not path.exists() or path.read_text().count("\n") < 2:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    pytest.fail(f"it ended with {process.wait(timeout=0.05)}")
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=30)
        finally:
            process.kill()
    assert process.returncode == 130
    *others, last = errors.strip().splitlines()
    assert last == f"counterpoint: interrupted; 1 page was fetched; {path} has it"
    assert all("compiling code for its first use" in line for line in others), errors
    assert Capture(path).exchanges == 1
