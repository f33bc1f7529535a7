"""``counterpoint compare`` with crawlers beside policies, and with a baseline."""

from __future__ import annotations

import json
import os
import re
import signal
import sys
import time
import xml.etree.ElementTree as tree
from pathlib import Path

import pytest

from counterpoint.console import run
from counterpoint.main import counterpoint
from tests.counterpoint import starting
from tests.studies.subjects.crawlers import command

pytestmark = pytest.mark.long

SMALL = ("--web", "broder-1999", "--web-pages", "300", "--pages", "60", "--seeds", "2")
MINE = f"mine=cmd:{command()}"


@pytest.fixture(autouse=True)
def not_ci(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run as at a desk: in a run of CI, --accept is refused."""
    monkeypatch.delenv("CI", raising=False)


def call(capfd: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Run the command; return its exit code and its output."""
    code = run(counterpoint, ["compare", *arguments])
    captured = capfd.readouterr()
    return code, captured.out, captured.err


def test_crawlers_stand_beside_policies(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A crawler that is left out of a table, in another place, or measured on another web."""
    unnamed = f"cmd:{command('no-robots')}"
    page, logs = tmp_path / "page.html", tmp_path / "logs"
    code, out, err = call(capfd, unnamed, "breadth-first", MINE, *SMALL, "--against", "mine",
                          "--html", str(page), "--logs", str(logs))  # fmt: skip
    assert (code, err) == (0, f"{page} shows the comparison\n")
    assert max(map(len, out.splitlines())) <= 80
    table = out[out.index("external links") :].partition("\n\n")[0]
    assert "minus mine" in table
    assert re.search(r"^  breadth-first .*±.*\d, \d, \d$", table, re.MULTILINE)
    assert table.index("no-robots") < table.index("breadth-first") < table.index("  mine")
    found = out[out.index("logs of crawlers") :]
    assert re.search(r"^  mine +[\d.]+ +0\.0 ", found, re.MULTILINE)
    assert "mine" in page.read_text()
    assert (logs / "mine/seed-1-1/access.jsonl").exists()
    assert (logs / "crawler-1/seed-0-1/output.txt").exists()


def test_a_crawler_alone_as_json(capfd: pytest.CaptureFixture[str]) -> None:
    """Figures that are not those of the logs, or that need a policy."""
    code, out, _ = call(capfd, MINE, *SMALL, "--format", "json")
    assert code == 0
    document = json.loads(out)
    (policy,) = document["policies"]
    runs = document["crawlers"]["mine"]
    assert list(runs) == ["0", "1"]
    pages = [run["measures"]["pages"] for run in runs.values()]
    assert policy["measures"]["pages"]["values"] == pages
    assert policy["measures"]["external"]["values"] != [0, 0]
    assert "outcomes" not in document


def test_a_baseline(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A missing baseline that passes, a change that passes, or one that is no change."""
    file = tmp_path / "base.json"
    given = ("breadth-first", MINE, *SMALL, "--baseline", str(file))
    code, out, err = call(capfd, *given)
    assert code == 1
    assert out.count("it has no baseline; counterpoint compare breadth-first") == 2
    assert not file.exists()
    with monkeypatch.context() as machine:
        machine.setenv("CI", "true")
        code, out, err = call(capfd, *given, "--accept")
        assert (code, "CI is set: a machine should not accept" in err) == (2, True)
    assert not file.exists()
    assert call(capfd, *given, "--accept")[0] == 0
    text = file.read_text()
    code, out, err = call(capfd, *given)
    assert (code, err) == (0, "") and "fell" not in out
    half = f"mine=cmd:{command('half')}"
    changed = ("breadth-first", half, *SMALL, "--baseline", str(file))
    code, out, err = call(capfd, *changed)
    assert code == 1
    assert "fell: mine\n  external: " in out and "fell: breadth-first" not in out
    assert re.search(r"^  pages: 30, before \S+ \(-\d+.\d%\), worse; band 2%$", out, re.MULTILINE)
    assert err.startswith("To reproduce: counterpoint compare breadth-first 'mine=cmd:")
    assert f"--baseline {file}" in err
    assert call(capfd, *changed, "--band", "90%")[0] == 0
    code, out, _ = call(capfd, *changed, "--format", "junit")
    suites = tree.fromstring(out)
    assert (code, suites.get("failures"), suites.get("tests")) == (1, "1", "2")
    code, out, _ = call(capfd, *changed, "--format", "github")
    assert (code, out.count("::error")) == (1, 1)
    assert "title=mine" in out
    assert file.read_text() == text


def test_a_baseline_of_another_web(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Measures of another budget that are compared; others that are lost by --accept."""
    file = tmp_path / "base.json"
    assert call(capfd, "breadth-first", *SMALL, "--baseline", str(file), "--accept")[0] == 0
    assert call(capfd, "opic", *SMALL, "--baseline", str(file), "--accept")[0] == 0
    assert list(json.loads(file.read_text())["values"]) == ["breadth-first", "opic"]
    code, out, _ = call(capfd, "opic", *SMALL[:-3], "50", *SMALL[-2:], "--baseline", str(file))
    assert code == 1
    assert "its baseline is for broder-1999, 300 pages, of which 60 are" in " ".join(out.split())
    assert call(capfd, "depth-first", *SMALL, "--baseline", str(file))[0] == 1


def test_failures_are_told_apart(capfd: pytest.CaptureFixture[str]) -> None:
    """A crash that is measured, a slow machine that is red, a crash hidden by a slow crawler."""
    crash, slow = f"crash=cmd:{command('crash')}", f"slow=cmd:{command('hang')}"
    code, out, err = call(capfd, "breadth-first", crash, *SMALL)
    assert code == 1
    assert "crash: seed 0: it ended with exit code 1; its last words: RuntimeError: the" in err
    assert "breadth-first" in out and "crash" not in out
    code, out, err = call(capfd, slow, *SMALL, "--timeout", "3")
    assert code == 3
    assert "unknown: slow: seed 0: it was ended after 3 s, its time limit" in err
    assert "--timeout 3" in err.splitlines()[-1]
    assert call(capfd, slow, crash, *SMALL, "--timeout", "3")[0] == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["cmd:x {sed}"], "unknown placeholder {sed} (did you mean {seed}?)"),
        (["cmd:"], "the command of the crawler is empty"),
        (["a=cmd:x", "a=cmd:y"], "'a' is named twice"),
        (["R1", "R1=cmd:y"], "'R1' is named twice"),
        (["R1=cmd:y", "R1"], "'R1' is named twice"),
        (["..=cmd:y", "--logs", "logs"], "'..' cannot be the name of a crawler"),
        (["a/b=cmd:y"], "'a/b' cannot be the name of a crawler"),
        (["my spider=cmd:y"], "'my spider' cannot be the name of a crawler"),
        (["=cmd:y"], "'' cannot be the name of a crawler"),
        (["R1", "--against", "R2"], "--against: R2 is none of the policies"),
        (["R1", "--band", "1%"], "--band: only with --baseline"),
        (["R1", "--accept"], "--accept: only with --baseline"),
        (["R1", "--baseline", "b.json", "--band", "page=1%"], "no measure 'page' (did you mean"),
        (["R1", "--baseline", __file__, "--accept"], "is no baseline of crawlers"),
        (["R1", "--baseline", "no/b.json", "--accept"], "--baseline: there is no folder"),
    ],
)
def test_what_is_refused(
    arguments: list[str], message: str, capfd: pytest.CaptureFixture[str]
) -> None:
    """A wrong command that is found out after the crawls, or ends in a traceback."""
    code, out, err = call(capfd, *arguments, *SMALL)
    assert (code, out) == (2, "")
    assert message in err and err.count("\n") == 1


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGKILL, -9)]
)
def test_an_interruption_ends_the_crawlers(
    number: int, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Crawlers that go on after Ctrl-C or after the comparison was killed; logs that stay."""
    logs = tmp_path / "temporary"
    logs.mkdir()
    monkeypatch.setenv("TMPDIR", str(logs))
    program, begun = tmp_path / "forever.py", tmp_path / "begun"
    program.write_text(
        "import os, pathlib, subprocess, sys, time\n"
        "child = subprocess.Popen(['sleep', '100732'], start_new_session=True)\n"
        "pathlib.Path(sys.argv[1]).write_text(f'{os.getpid()} {child.pid}')\n"
        "time.sleep(1000)\n"
    )
    text = f"cmd:{sys.executable} {program} {begun} {{start}}"
    process = starting.start("compare", text, *SMALL[:-1], "1", cwd=tmp_path)
    try:
        starting.wait_until(lambda: begun.exists() and begun.read_text().count(" "), process)
        left = [int(pid) for pid in begun.read_text().split()]
        os.kill(process.pid, number)
        assert process.wait(30) == code
        assert _ended(left)
        assert list(logs.glob("counterpoint-*/crawler-1")) == [] or number == signal.SIGKILL
    finally:
        starting.end_all()


def _ended(processes: list[int]) -> bool:
    """Wait until processes have ended."""
    until = time.monotonic() + 30
    while time.monotonic() < until:
        if not any(Path(f"/proc/{one}").exists() for one in processes):
            return True
        time.sleep(0.05)
    return False
