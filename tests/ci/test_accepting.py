"""What the gate does with the files of baselines, in a repository with a policy and a crawler."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from counterpoint.ci import configuration, crawlers, gate, run
from counterpoint.ci.plan import GatePlan, plan
from counterpoint.ci.regression import rerun
from counterpoint.ci.run import Settings
from counterpoint.console import run as command_line
from counterpoint.crawler.errors import CrawlError
from counterpoint.main import counterpoint
from tests.studies.subjects.crawlers import DOUBLE

TEXT = f"""\
[[policies]]
web = "broder-1999"
pages = 20
web-pages = 300
seeds = 1
policies = ["breadth-first"]

[[crawler]]
name = "spider"
command = "{sys.executable} {DOUBLE} {{seeds_file}} {{pages}}"
web = "broder-1999"
pages = 20
web-pages = 300
seeds = 1
"""

SETTINGS = Settings(60.0, 30.0, Path("report"), Path("baselines"), 1)
FILES = ["crawlers/spider.json", "policies/broder-1999/breadth-first.json"]


@pytest.fixture
def chosen(tmp_path: Path) -> Iterator[GatePlan]:
    """Yield the plan of the whole repository, which is the current folder."""
    (tmp_path / "counterpoint.toml").write_text(TEXT, encoding="utf-8")
    found = configuration.load(tmp_path / "counterpoint.toml")
    with found.entered():
        yield plan(found)


def files() -> list[str]:
    """Return the files of the baselines."""
    folder = SETTINGS.baselines
    return sorted(str(path.relative_to(folder)) for path in folder.glob("**/*.json"))


def test_an_interrupted_accept_writes_nothing(
    chosen: GatePlan, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A policy whose baseline is replaced, though the gate says that nothing was written."""

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(crawlers, "run", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run.accept(chosen, SETTINGS)
    assert files() == []


@pytest.mark.long
def test_an_accept_that_is_interrupted_while_it_writes(
    chosen: GatePlan, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A half of the baselines, or all of them and a message that there are none."""
    write = rerun.accept

    def accept(*given: object) -> list[str]:
        os.kill(os.getpid(), signal.SIGINT)
        return write(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(rerun, "accept", accept)
    with pytest.raises(KeyboardInterrupt, match="all baselines were written"):
        run.accept(chosen, SETTINGS)
    assert files() == FILES


@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize("what", [run.run, run.accept])
def test_a_broken_baseline_is_found_before_anything_runs(
    chosen: GatePlan, file: str, what: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Minutes of checks and crawls, after which there is no report but an error."""
    path = SETTINGS.baselines / file
    path.parent.mkdir(parents=True)
    path.write_text("<<<<<<< ours")

    def begun(*_: object) -> None:
        raise AssertionError("it has begun")

    for module in (gate, rerun, crawlers):
        monkeypatch.setattr(module, "run", begun)
    with pytest.raises(CrawlError, match=f"{path.name} is no baseline"):
        what(chosen, SETTINGS)  # type: ignore[operator]
    assert path.read_text() == "<<<<<<< ours"


@pytest.mark.long
def test_what_could_not_be_accepted_fails(
    chosen: GatePlan, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """An exit code of 0 though a crawler has no baseline, or of 1 though all have theirs."""
    monkeypatch.delenv("CI", raising=False)
    file = Path("counterpoint.toml")
    file.write_text(TEXT.replace("{pages}", "{pages} crash"), encoding="utf-8")
    assert command_line(counterpoint, ["gate", "--accept"]) == 1
    out = capsys.readouterr().out
    assert "crawlers/spider.json: not written, because it ended with exit code 1" in out
    assert out.endswith("\n1 baseline changed\n")
    assert files() == FILES[1:]
    file.write_text(TEXT.partition("[[crawler]]")[0].replace("breadth", "depth"), encoding="utf-8")
    assert command_line(counterpoint, ["gate", "--accept"]) == 0
    assert command_line(counterpoint, ["gate", "--prune"]) == 0
    assert capsys.readouterr().out.endswith("\n1 baseline removed\n")
    assert files() == ["policies/broder-1999/depth-first.json"]
