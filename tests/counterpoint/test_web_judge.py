"""``counterpoint web judge`` as a user types it: its output, exit codes and errors."""

from __future__ import annotations

import io
import json
import re
import xml.etree.ElementTree as tree
from pathlib import Path

import pytest

from counterpoint.sim_web import profile as profiles
from counterpoint.sim_web.generator import Web
from counterpoint.sim_web.record import Header
from tests.sim_web.small_web import request_of

from .test_command_line import call

PROFILE = profiles.load("broder-1999")


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Return the log of a crawler that visited a host of a small web breadth first."""
    web = Web(PROFILE, 400, 7)
    requests = [
        request_of(web, page, started=k / 10, ended=k / 10 + 0.05)
        for k, page in enumerate([*web.pages_of(0), *web.pages_of(1)])
    ]
    header = Header(profiles.to_mapping(PROFILE), 400, 7, {}, False).line()
    text = header + "".join(
        json.dumps({n: getattr(one, n) for n in one.__slots__}) + "\n" for one in requests
    )
    (tmp_path / "access.jsonl").write_text(text)
    return tmp_path / "access.jsonl"


def test_the_report(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A missing section, or the description of another web."""
    code, out, err = call(capsys, "web", "judge", str(log))
    assert (code, err) == (0, "")
    web = Web(PROFILE, 400, 7)
    fetched = len(web.pages_of(0)) + len(web.pages_of(1))
    assert f"broder-1999, 400 pages on {web.hosts} hosts, seed 7" in out
    assert re.search(rf"all pages \(quantity\) +{fetched} +400 +{fetched / 4:.2f}%", out)
    for title in ("Pages reached", "Coverage", "Quality", "Freshness", "Outcomes of requests",
                  "Politeness", "Levels"):  # fmt: skip
        assert f"\n{title}\n" in out


def test_json_has_stable_keys(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A renamed key on which scripts rely."""
    code, out, _ = call(capsys, "web", "judge", str(log), "--format", "json")
    assert code == 0
    report = json.loads(out)
    assert list(report) == [
        "about", "reached", "hosts", "coverage", "components", "quality", "external_links",
        "freshness", "outcomes", "disallowed", "crawl_delay", "retry_after", "concurrency",
        "levels", "sitemaps",
    ]  # fmt: skip
    assert set(report["quality"]) == {"mass", "top", "damping", "iterations", "residual"}
    assert set(report["components"]["scc"]) == {"fetched", "pages", "share"}
    assert report["coverage"]["fetched"] == report["outcomes"]["counts"]["new_pages"]


def test_the_page(log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A page that is no valid document, needs a script, or loads a file."""
    page = tmp_path / "judgment.html"
    code, _, err = call(capsys, "web", "judge", str(log), "--html", str(page))
    assert (code, err) == (0, f"{page} contains the report with plots\n")
    text = page.read_text()
    assert "<script" not in text
    assert not re.search(r"\b(src|href|url)\s*[=(]", text)
    plots = re.findall(r"<svg.*?</svg>", text, re.DOTALL)
    assert len(plots) >= 5
    for one in plots:
        tree.fromstring(one)
        assert "nan" not in one


def test_a_truncated_log(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A crash that makes the log unusable, or a report that does not mention it."""
    whole = log.read_bytes()
    log.write_bytes(whole[:-40])
    code, out, _ = call(capsys, "web", "judge", str(log))
    assert code == 0
    lines = whole.count(b"\n")
    assert f"{lines - 2:,} requests" in out
    assert f"breaks off in the middle of line {lines}" in " ".join(out.split())
    code, out, _ = call(capsys, "web", "judge", str(log), "--format", "json")
    assert json.loads(out)["about"]["broken_off"] == lines


def test_a_log_from_standard_input(
    log: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A dash that is treated as the name of a file."""
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(log.read_bytes())))
    assert call(capsys, "web", "judge", "-")[0] == 0


def test_a_filter_of_requests(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A filter that the report does not mention."""
    code, out, _ = call(capsys, "web", "judge", str(log), "--until", "1")
    assert code == 0
    assert "11 requests in" in out
    assert "left out" in out
    code, out, _ = call(
        capsys, "web", "judge", str(log), "--agent", "TEST", "--client", "127.0.0.1"
    )
    assert code == 0
    assert "left out" not in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["missing.jsonl"], "missing.jsonl: No such file or directory"),
        (["."], "Is a directory"),
        (["LOG", "--seed", "8"], "the log is from another web: its seed is 7, not 8"),
        (["LOG", "--pages", "500"], "the log is from another web: its pages are 400, not 500"),
        (["LOG", "--profile", "no-such"], "there is no profile 'no-such'"),
        (["LOG", "--agent", "Nobody"], "contains no request by 'Nobody'"),
        (["LOG", "--client", "10.1.1.1"], "contains no request from 10.1.1.1"),
        (["LOG", "--agent", "N", "--client", "C"], "contains no request by 'N' from C"),
        (["LOG", "--until", "0"], "no number of seconds above zero"),
        (["LOG", "--until", "nan"], "no number of seconds above zero"),
        (["LOG", "--html", "no/such/folder.html"], "there is no folder"),
        (["LOG", "--html", ""], "names no file"),
        (["EMPTY"], "is empty"),
        (["HEADER"], "contains no request"),
        (["NONSENSE"], "line 3 is not JSON"),
        (["OTHER"], "is not a log of a synthetic web"),
        (["BINARY"], "is not a log of a synthetic web"),
        (["SIZE"], "3 pages: a web has from 20"),
        (["PROFILE"], "there is no key 'colour'"),
        (["SEED"], "line 2: the log is from another web than its header says"),
        (["NEGATIVE"], "has -7 as 'seed'"),
        (["TWO"], "is the header of another log"),
        ([], "Missing argument 'LOG'"),
    ],
)
def test_errors_are_one_line(
    log: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    message: str,
) -> None:
    """A traceback, exit code 0, or a message that does not name the error."""
    first, *rest = log.read_text().splitlines(keepends=True)
    header = json.loads(first)
    files = {
        "LOG": "".join([first, *rest]),
        "EMPTY": "",
        "HEADER": first,
        "NONSENSE": first + rest[0] + "nonsense\n" + rest[1],
        "OTHER": "<html>\n",
        "BINARY": "\x00\x01\x02" * 1000,
        "SIZE": json.dumps(header | {"pages": 3}) + "\n" + rest[0],
        "SEED": json.dumps(header | {"seed": 8}) + "\n" + rest[0],
        "NEGATIVE": json.dumps(header | {"seed": -7}) + "\n" + rest[0],
        "TWO": "".join([first, *rest, first, *rest]),
        "PROFILE": json.dumps(header | {"profile": {"name": "x", "colour": 1}}) + "\n" + rest[0],
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    code, out, err = call(capsys, "web", "judge",
                          *(str(tmp_path / a) if a in files else a for a in arguments))  # fmt: skip
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1
