"""``crawl --revisit`` and ``links broken`` as a user types them: answers, reports, refusals."""

from __future__ import annotations

import csv
import io
import json
import os
import sqlite3
from pathlib import Path

import pytest

from counterpoint.console import run as command_line
from counterpoint.main import counterpoint

WEB = """
about = "pages that are born and die"
source = "none"
pages = 40

[shares]
scc = 1.0
in = 0.0
out = 0.0
tendrils = 0.0
tubes = 0.0
disconnected = 0.0

[change]
per_day = 2.0
passing = 0.4
life_days = 1.0
births_days = 1.0
"""


def said(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    """Return the exit code, the output and the errors of a command."""
    code = command_line(counterpoint, list(words))
    out, error = capsys.readouterr()
    return code, out, error


@pytest.fixture
def kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> str:
    """Return the store of a day on a web with births and deaths."""
    monkeypatch.chdir(tmp_path)
    Path("births.toml").write_text(WEB)
    code, out, error = said(
        capsys, "crawl", "breadth-first", "--db", "kept.db", "--web", "births.toml,seed=3",
        "--concurrency", "1", "--revisit", "optimal-freshness", "--every", "3h",
        "--budget", "500,1d",
    )  # fmt: skip
    assert (code, error) == (0, "") and out.endswith("ended: the time is over\n")
    assert "optimal-freshness: " in out
    return "kept.db"


def test_one_report_in_four_forms(kept: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A form that has other links than the others, or markup of an anchor."""
    code, out, _ = said(capsys, "links", "broken", "--db", kept, "--format", "json")
    found = json.loads(out)
    links = [(link["page"], target["address"]) for target in found["targets"]
             for link in target["links"]]  # fmt: skip
    assert code == 1 and len(links) == found["broken"] > 10
    assert {target["status"] for target in found["targets"]} == {404, 410}
    _, text, _ = said(capsys, "links", "broken", "--db", kept)
    head = f"{kept}: {len(links)} broken links to {len(found['targets'])} pages\n"
    assert text.startswith(head) and all(page in text and to in text for page, to in links)
    rows = list(csv.DictReader(io.StringIO(said(
        capsys, "links", "broken", "--db", kept, "--format", "csv")[1])))  # fmt: skip
    assert [(row["page"], row["target"]) for row in rows] == links
    code, out, _ = said(capsys, "links", "broken", "--db", kept, "--format", "html",
                        "--out", "broken.html")  # fmt: skip
    html = Path("broken.html").read_text()
    assert (code, out) == (1, "") and html.count("<tr>") == len(found["targets"]) + 1
    assert said(capsys, "links", "broken", "--db", kept, "--out", "broken.html", "--format",
                "json")[0] == 1  # a page of ours may be replaced  # fmt: skip
    code, _, error = said(capsys, "links", "broken", "--db", kept, "--out", "births.toml")
    assert code == 2 and "--force replaces it" in error


def test_since(kept: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A link that broke long ago and stops a change today; an exit code that never changes."""
    counts = []
    for since in ("1s", "6h", "2d"):
        code, out, _ = said(capsys, "links", "broken", "--db", kept, "--since", since,
                            "--format", "json")  # fmt: skip
        counts.append(json.loads(out)["broken"])
        assert code == (1 if counts[-1] else 0)
    assert counts[0] == 0 < counts[1] < counts[2]
    code, out, _ = said(capsys, "links", "broken", "--db", kept, "--since", "1s")
    assert (code, out) == (
        0,
        f"{kept}: no broken link, broken within 1s before the newest answer\n",
    )


def test_it_goes_on_elsewhere(
    kept: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    """A profile that is looked for where the crawl is resumed."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    code, out, error = said(capsys, "crawl", "--db", os.path.join("..", kept), "--budget", "500,2d")
    assert (code, error) == (0, "") and "ended: the time is over" in out


@pytest.mark.parametrize(("words", "message"), [
    (("--revisit", "opic"), "--revisit opic: it finds pages, and revisits none"),
    (("--every", "often"), "--every is a time above 0 and up to 10000d, in s, min, h or d, such "
                           "as 12h or 7d, not 'often'"),
    (("--every", "1000000000000d"), "--every is a time above 0 and up to 10000d"),
    (("--every", "2h", "--revisit", ""), "--every: has no effect without --revisit POLICY"),
    (("--every", "0s"), "--every is a time above 0"),
    (("--proxy", "http://127.0.0.1:9"), "--proxy: this crawl is a rehearsal on"),
    (("--warc", "folder", "--web", "living"), "--warc: not with --web, which uses no network"),
    (("--web", "nowhere"), "--web: there is no profile 'nowhere'"),
    (("--web", "living,pages=many"), "--web: 'pages=many' is not pages=N or seed=N"),
    (("--run", "a.run", "--revisit", "scent"), "--run: not with --revisit"),
    (("--run", "a.run"), "--run: the policy revisits known pages"),
])  # fmt: skip
def test_refusals(
    words: tuple[str, ...], message: str, kept: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A mistake that is accepted, or told in more than a line; a store that is changed by it."""
    before = Path(kept).read_bytes()
    code, out, error = said(capsys, "crawl", "--db", kept, *words)
    assert (code, out, error.count("\n")) == (2, "", 1)
    assert message in error
    assert Path(kept).read_bytes() == before


def test_no_such_store(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A report on a store that does not exist, which is empty and green."""
    code, out, error = said(capsys, "links", "broken", "--db", str(tmp_path / "no.db"))
    assert (code, out) == (2, "") and "no.db" in error
    code, _, error = said(capsys, "links", "broken", "--db", "x", "--since", "yesterday")
    assert code == 2 and "--since is a time above 0" in error


def test_control(kept: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A setting that is not kept, or that begins another plan; a pause that nobody is told of."""
    code, out, error = said(capsys, "control", "--db", kept)
    plain = "the crawl is not running; 1 request at a time, delay the polite default\n"
    assert (code, out, error) == (0, plain, "")
    code, out, _ = said(capsys, "control", "--db", kept, "--pause", "--delay", "2.5")
    assert out == "the crawl is not running, and paused; 1 request at a time, delay 2.5 s\n"
    code, out, error = said(capsys, "crawl", "--db", kept)
    assert (code, "ended: the time is over" in out) == (0, True)
    code, out, _ = said(capsys, "control", "--db", kept, "--continue", "--concurrency", "3",
                        "--format", "json")  # fmt: skip
    assert json.loads(out) == {"runs": False, "paused": False, "delay": 2.5, "concurrency": 3}
    code, _, error = said(capsys, "control", "--db", "nowhere.db", "--pause")
    assert code == 2 and "nowhere.db" in error and not Path("nowhere.db").exists()
    code, _, error = said(capsys, "control", "--db", kept, "--delay", "-1")
    assert code == 2 and "--delay" in error


def test_a_delay_leaves_the_plan_of_a_time(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A slower pace that begins the crawl anew, since fewer pages fit into its time."""
    where = str(tmp_path / "a.db")
    words = ("crawl", "R3", "--db", where, "--web", "living,pages=60", "--concurrency", "1")
    assert said(capsys, *words, "--budget", "1h", "--delay", "1")[0] == 0
    before = said(capsys, "index", "--db", where)[1]
    assert said(capsys, "control", "--db", where, "--delay", "60")[0] == 0
    assert said(capsys, "crawl", "--db", where)[0] == 0
    with sqlite3.connect(where) as connection:
        assert connection.execute("SELECT count(*) FROM plans").fetchone() == (1,)
    assert said(capsys, "index", "--db", where)[1] == before
