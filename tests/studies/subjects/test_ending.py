"""How crawlers end: by themselves, at their budget, at the time limit; nothing of them stays."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from counterpoint.studies.subjects import SubjectRun
from counterpoint.studies.subjects.running import run

from .crawlers import command, subject

pytestmark = pytest.mark.long

LEFT = (
    "import subprocess, sys, time, urllib.request\n"
    "urllib.request.urlopen(sys.argv[1]).read()\n"
    "subprocess.Popen(['sleep', '100731'], start_new_session=True)\n"
    "subprocess.Popen(['sh', '-c', 'trap \"\" TERM; sleep 100731 & wait'])\n"
    "print('children', flush=True)\n"
    "{end}"
)
"""A program that leaves two children: one in a session of its own, one that ignores SIGTERM."""


def _leaving(folder: Path, end: str) -> str:
    program = folder / f"leaving{len(end)}.py"
    program.write_text(LEFT.replace("{end}", end))
    return f"{sys.executable} {program} {{start}}"


def _killing(folder: Path) -> str:
    (folder / "killing.py").write_text(
        "import os, signal, subprocess, sys\n"
        "if sys.argv[1] == '7':\n"
        "    os.kill(os.getppid(), signal.SIGKILL)\n"
        "    os.execvp('sleep', ['sleep', '100731'])\n"
        "import urllib.request\n"
        "urllib.request.urlopen(sys.argv[2]).read()\n"
    )
    return f"{sys.executable} {folder}/killing.py {{seed}} {{start}}"


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, SubjectRun]:
    """Run all subjects of this module at once."""
    folder = tmp_path_factory.mktemp("runs")
    urls = "import sys, urllib.request as u\nfor x in open(sys.argv[1]): u.urlopen(x.strip())"
    (folder / "all.py").write_text(urls)
    subjects = [
        subject(name="budget", text=command().replace("{pages}", "1000"), pages=30),
        subject(name="cut", cut=True, pages=30, text=command().replace("{pages}", "60 {pages}")),
        subject(name="hanging", text=_leaving(folder, "time.sleep(1000)"), timeout=3.0),
        subject(name="leaving", text=_leaving(folder, "")),
        subject(name="murder", seeds=(7, 8), text=_killing(folder)),
        subject(name="real", text=f"{sys.executable} all.py {{seeds_file}}", cwd=folder,
                real_time=True),
    ]  # fmt: skip
    found = run(subjects, folder / "logs", processes=2)
    return {f"{one.name}{made.seed - 7 or ''}": made
            for one, several in zip(subjects, found, strict=True) for made in several}  # fmt: skip


def test_a_budget_ends_a_crawler_that_counts_nothing(runs: Mapping[str, SubjectRun]) -> None:
    """A crawler without an end of its own that runs into the time limit."""
    budget, cut = runs["budget"], runs["cut"]
    assert (budget.ended, budget.exit_code, budget.findings) == ("budget", None, ())
    assert budget.measures["pages"] == 30 == cut.measures["pages"]
    assert cut.ended == "exit"
    assert cut.crawl is not None and cut.crawl.steps == 30


@pytest.mark.parametrize("name", ["hanging", "leaving"])
def test_nothing_that_a_crawler_started_stays(runs: Mapping[str, SubjectRun], name: str) -> None:
    """A grandchild in another session, or one that ignores SIGTERM, which goes on crawling."""
    made = runs[name]
    assert "children" in made.tail
    assert not _sleepers()
    if name == "hanging":
        assert [one.answer for one in made.findings] == ["unknown"]
        assert "time limit" in made.findings[0].text


def _sleepers() -> list[str]:
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if path.read_bytes().startswith(b"sleep\x00100731\x00"):
                found.append(str(path))
        except OSError:
            continue
    return found


def test_waits_are_judged_in_real_time_only(runs: Mapping[str, SubjectRun]) -> None:
    """Crawl delays that are judged by a clock that no wait moves."""
    real = runs["real"]
    header = json.loads((real.folder / "access.jsonl").read_text().splitlines()[0])
    assert header["real_time"] is True
    assert real.measures["crawl-delay-broken"] == 0


def test_a_server_that_is_killed_loses_one_run(runs: Mapping[str, SubjectRun]) -> None:
    """A gate without a report, because memory ran out for one crawler; a crawler that goes on."""
    killed, other = runs["murder"], runs["murder1"]
    assert (killed.ended, killed.measures) == ("killed", {})
    assert [one.answer for one in killed.findings] == ["unknown"]
    assert "was ended from outside" in killed.findings[0].text
    assert (other.ended, other.findings) == ("exit", ())
    assert not _sleepers()
