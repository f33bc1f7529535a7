"""``counterpoint compare`` as a user types it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from counterpoint.console import run
from counterpoint.main import counterpoint
from counterpoint.studies.comparison import comparison, size

HERE = "tests.studies.comparison.policies"
SMALL = ("--web", "broder-1999", "--web-pages", "500", "--pages", "40", "--seeds", "2")


def call(capfd: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Run the command; return its exit code and its output."""
    code = run(counterpoint, ["compare", *arguments])
    captured = capfd.readouterr()
    return code, captured.out, captured.err


def test_a_table(capfd: pytest.CaptureFixture[str]) -> None:
    """Any output besides the table, such as progress in a pipe."""
    code, out, err = call(capfd, f"{HERE}:Queue", "R2", *SMALL, "--processes", "1")
    assert (code, err) == (0, "")
    assert out.startswith("broder-1999: 2 webs of 500 pages, 40 fetched on each\n"
                          f"differences are to {HERE}:Queue\n\nexternal links")  # fmt: skip
    assert re.search(r"^  R2 .* ± .* (\d, ){2}\d$", out, re.MULTILINE)
    assert max(map(len, out.splitlines())) <= 80


@pytest.mark.long
def test_a_search_of_one_large_site(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """An error after all crawls, because the target sets of the webs differ in size."""
    page = tmp_path / "local.html"
    code, out, _ = call(capfd, "breadth-first", "tfidf", "--web", "local", "--web-pages", "300",
                        "--pages", "40", "--seeds", "3", "--html", str(page))  # fmt: skip
    assert code == 0
    assert "\nharvest rate" in out and "site 1" in out and "site 2" not in out
    assert "precision at recall" in page.read_text(encoding="utf-8")


@pytest.mark.long
def test_only_json_is_printed(capfd: pytest.CaptureFixture[str]) -> None:
    """Output of a policy between the JSON; figures that depend on the processes."""
    wanted = (f"{HERE}:Prints", "breadth-first", *SMALL, "--format", "json", "--first-seed", "5")
    found = []
    for processes in ("1", "2"):
        code, out, err = call(capfd, *wanted, "--processes", processes)
        assert code == 0
        assert "{ no JSON" in err
        found.append(json.loads(out))
    assert found[0] == found[1]
    assert found[0]["seeds"] == [5, 6]


def test_a_failing_policy_is_reported_and_reproduced(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """A failure missing from the exit code or the page, or one that hides the other policies."""
    page = tmp_path / "report.html"
    policies = (f"{HERE}:Raises", f"{HERE}:Queue")
    code, out, err = call(capfd, *policies, *SMALL, "--html", str(page), "--sites", "3")
    assert code == 1
    lines = err.splitlines()
    assert lines[0] == f"{page} shows the comparison"
    message = "Raises: step 4: KeyError: 'no such site' (policies.py:"
    assert lines[1].startswith(f"counterpoint: {HERE}:{message}")
    assert lines[2] == (
        f"To reproduce: counterpoint compare {HERE}:Raises {HERE}:Queue --web broder-1999 "
        "--pages 40 --seeds 2 --web-pages 500 --sites 3"
    )
    assert "policies:Queue" in out and "Raises" not in out
    assert message in page.read_text(encoding="utf-8").replace("&#39;", "'")


@pytest.mark.long
def test_a_step_that_takes_too_long_is_unknown(capfd: pytest.CaptureFixture[str]) -> None:
    """A slow policy that fell or that passes; a broken rule that is hidden by a slow policy."""
    wanted = (f"{HERE}:Loops", *SMALL, "--step-limit", "0.3", "--format", "json")
    code, out, err = call(capfd, *wanted)
    line = f"{HERE}:Loops: step 6: took longer than 0.3 s of processor time"
    again = f"To reproduce: counterpoint compare {HERE}:Loops --web broder-1999 --pages 40 "
    assert code == 3
    assert err.splitlines()[0] == f"counterpoint: unknown: {line}"
    assert err.splitlines()[1] == f"{again}--seeds 2 --web-pages 500 --step-limit 0.3"
    found = json.loads(out)
    assert (found["fell"], found["unknown"]) == ([], [line])
    assert found["policies"] == [{"name": f"{HERE}:Loops", "scope": "web", "unknown": line}]
    code, _, err = call(capfd, f"{HERE}:Raises", *wanted)
    assert (code, len(err.splitlines())) == (1, 3)


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (("R9", *SMALL), "there is no policy 'R9'; there are: breadth-first, "),
        (("oracel", *SMALL), "there is no policy 'oracel'; did you mean oracle?"),
        (("R2,stepp=3", *SMALL), "R2 has no parameter 'stepp'"),
        (("R2,step=0", *SMALL), "R2,step=0: "),
        (("no_such_module:Policy", *SMALL), "there is no module no_such_module"),
        ((f"{HERE}:Absent", *SMALL), "has no Absent"),
        ((f"{HERE}:NoScheduler", *SMALL), "NoScheduler is not a scheduler"),
        (("R1", "R1", *SMALL), "policy 'R1' is named twice"),
        (("R1", "--web", "nowhere", "--pages", "5"), "there is no profile 'nowhere'"),
        (("R1", "--web", "absent.toml", "--pages", "5"), "absent.toml: No such file"),
        (("R1", *SMALL, "--seeds", "0"), "--seeds"),
        (("R1", *SMALL, "--pages", "0"), "--pages"),
        (("R1", *SMALL, "--pages", str(2**64)), "--pages"),
        (("R1", *SMALL, "--pages", "1000000001"), "--pages"),
        (("scent", *SMALL, "--pages", "1000000000"), "take more than 1,000 years"),
        (("uniform", *SMALL, "--visits-per-day", "1e-300"), "visits at 1e-300 a day take more"),
        (("R1", *SMALL, "--sites", "0"), "--sites"),
        (("R1", *SMALL, "--processes", "0"), "--processes"),
        (("R1", *SMALL, "--web-pages", "3"), "3 pages: a web has from 20"),
        (("R1", *SMALL, "--web-pages", "100000000000"), "are too many to be measured here"),
        (("R1", *SMALL, "--visits-per-day", "nan"), "--visits-per-day: nan is no number"),
        (("R1", *SMALL, "--step-limit", "0"), "0.0 is no number of seconds"),
        (("R1", *SMALL, "--html", "/nowhere/a.html"), "--html: there is no folder /nowhere"),
        (("R1", *SMALL, "--on", "tcp://127.0.0.1:9"), "no scheduler answers at tcp://127.0.0.1:9"),
        (("R1", "--web", "broder-1999"), "Missing option '--pages'"),
        (("R1", "--pages", "5"), "Missing option '--web'"),
        (SMALL, "Missing argument 'POLICY...'"),
    ],
)
def test_a_wrong_command_gets_one_line(
    arguments: tuple[str, ...], line: str, capfd: pytest.CaptureFixture[str]
) -> None:
    """A traceback, several lines, another exit code than 2, or a part of a table."""
    code, out, err = call(capfd, *arguments)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert line in err


def test_visits_that_do_not_fit_are_refused_and_many_are_announced(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Hours of work in silence whose end is that no memory is left."""
    monkeypatch.setattr(size, "available", lambda: 20_000.0)
    wanted = ("uniform", *SMALL, "--processes", "1")
    code, out, err = call(capfd, *wanted, "--pages", "1000")
    assert (code, out) == (2, "")
    assert err.strip().endswith("need about 0.0 GB, and 0.0 GB are available")
    monkeypatch.setattr(comparison, "MANY", 40)
    code, out, err = call(capfd, *wanted, "--pages", "50", "--seeds", "2")
    assert (code, err) == (0, "counterpoint: up to 100 visits will be made\n")


def test_a_web_that_cannot_be_planted_is_reported(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """An error in another process that becomes a traceback, or is lost."""
    file = tmp_path / "odd.toml"
    file.write_text("[shares]\nscc = 0.1\nin = 0\nout = 0\ntendrils = 0.9\ntubes = 0\n"
                    "disconnected = 0\n")  # fmt: skip
    code, out, err = call(capfd, "R1", "--web", str(file), "--pages", "5", "--seeds", "2")
    assert (code, out) == (2, "")
    assert err.count("\n") == 1 and "tendrils hang off IN or OUT" in err


def test_a_policy_of_the_current_folder(tmp_path: Path) -> None:
    """A module that the command finds and its worker processes do not."""
    (tmp_path / "mine.py").write_text(
        "from tests.studies.comparison.policies import Queue\n\n\nclass Greedy(Queue):\n    pass\n"
    )
    found = in_a_shell(tmp_path, "mine:Greedy", *SMALL, "--format", "json")
    assert found.returncode == 0, found.stderr
    assert json.loads(found.stdout)["policies"][0]["name"] == "mine:Greedy"


def in_a_shell(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command as a process."""
    path = os.pathsep.join([str(Path(__file__).parents[2] / "src"), *sys.path])
    environment: dict[str, Any] = {**os.environ, "PYTHONPATH": path}
    return subprocess.run(
        [sys.executable, "-m", "counterpoint", "compare", *arguments],
        cwd=folder, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
