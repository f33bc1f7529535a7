"""Scenarios in the gate: which files there are, and what fell."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from counterpoint.ci import configuration
from counterpoint.ci.configuration import ConfigurationError
from counterpoint.ci.outcome import Place
from counterpoint.ci.plan import plan
from counterpoint.ci.scenarios import run
from tests.counterpoint.test_command_line import call
from tests.counterpoint.test_scenarios import LOST
from tests.counterpoint.walking import COUNTER


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with scenarios."""
    (tmp_path / "counter.py").write_text(COUNTER)
    (tmp_path / "runs" / "more").mkdir(parents=True)
    (tmp_path / "lost.scenario").write_text(LOST)
    (tmp_path / "runs" / "wrong.scenario").write_text(LOST.replace("counter == 1", "counter == 2"))
    (tmp_path / "runs" / "more" / "bad.scenario").write_text("spec: counter.py\nraed P0\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def configured(text: str) -> configuration.Configuration:
    """Return a configuration of the present folder."""
    Path("counterpoint.toml").write_text(text)
    return configuration.load(Path("counterpoint.toml"))


def test_files_folders_and_patterns(folder: Path) -> None:
    """A file that is left out, or played twice; a name that chooses another one."""
    made = configured('[[scenario]]\nfile = ["lost.scenario", "runs"]\nwhy = "Why."\n')
    chosen = plan(made)
    assert [(one.kind, one.name, one.why) for one in chosen.entries] == [
        ("scenario", "lost.scenario", "Why."),
        ("scenario", "runs/more/bad.scenario", "Why."),
        ("scenario", "runs/wrong.scenario", "Why."),
    ]
    assert [one.name for one in plan(made, ["wrong.scenario"]).entries] == ["runs/wrong.scenario"]
    assert [one.name for one in plan(made, ["lost"]).entries] == ["lost.scenario"]
    made = configured('[[scenario]]\nfile = "runs/**/*.scenario"\n')
    assert len(plan(made, only="scenario").scenarios) == 2
    assert plan(made, only="check").entries == ()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[[scenario]]\nfile = "none.scenario"', "counterpoint.toml:1: there is no file none.scen"),
        ('[[scenario]]\nfile = "*.scene"', "counterpoint.toml:1: no file matches *.scene"),
        ('[[scenario]]\nfile = "empty"', "counterpoint.toml:1: empty has no file *.scenario"),
        ('[[scenario]]\nwhy = "x"', "counterpoint.toml:1: scenario.file is missing"),
        ('[[scenario]]\nfile = 3', "counterpoint.toml:2: scenario.file should be a string or a "),
        (
            '[[scenario]]\nfile = "runs"\n[[scenario]]\nfile = "runs/wrong.scenario"',
            "counterpoint.toml:3: runs/wrong.scenario is in counterpoint.toml:1 already",
        ),
    ],
)  # fmt: skip
def test_wrong_rows_have_their_line(folder: Path, text: str, message: str) -> None:
    """A row that plays nothing, and so is always green."""
    (folder / "empty").mkdir()
    with pytest.raises(ConfigurationError) as caught:
        plan(configured(text))
    assert str(caught.value).startswith(message)


def test_what_fell_has_its_line(folder: Path) -> None:
    """A scenario that is not met, or cannot be read, and is taken as expected."""
    chosen = plan(configured('[[scenario]]\nfile = ["lost.scenario", "runs"]\n'))
    met, bad, wrong = map(run, chosen.scenarios)
    assert (met.answer, met.findings, met.again) == (
        "as expected", (), "counterpoint replay lost.scenario"
    )  # fmt: skip
    assert [(one.name, one.place) for one in met.cases] == [
        ("an addition is lost", Place("lost.scenario", 1))
    ]
    assert [(one.text, one.place) for one in bad.findings] == [
        ("runs/more/bad.scenario:2: counter has no action 'raed'; did you mean read?",
         Place("runs/more/bad.scenario", 2))
    ]  # fmt: skip
    [finding] = wrong.findings
    assert finding.place == Place("runs/wrong.scenario", 11)
    assert finding.text.splitlines()[:3] == [
        "runs/wrong.scenario:11: counter == 2 should be true after 3 steps; counter is 1 "
        "(an addition is lost)",
        "The state after 3 steps:",
        "* counter  1 (was 0)",
    ]


@pytest.mark.parametrize("form", ["text", "json", "junit", "github", "sarif"])
def test_every_report_has_scenarios(
    folder: Path, capsys: pytest.CaptureFixture[str], form: str
) -> None:
    """A report that leaves scenarios out, or ends with a traceback."""
    configured('[[scenario]]\nfile = ["lost.scenario", "runs/wrong.scenario"]\n')
    code, out, err = call(capsys, "gate", "--format", form)
    assert (code, err) == (1, "")
    assert "counter == 2 should be true after 3 steps" in " ".join(out.split())
    if form == "json":
        [met, fell] = json.loads(out)["outcomes"]
        assert (met["kind"], met["answer"], fell["answer"]) == ("scenario", "as expected", "fell")
    if form == "text":
        assert "\n1 of 2 files of scenarios as expected, 1 fell, in " in out
        page = (folder / "report" / "index.html").read_text()
        assert "counter == 2 should be true" in page
        assert "P0" in (folder / "report" / "summary.md").read_text()
    assert call(capsys, "gate", "lost.scenario")[0] == 0
    assert call(capsys, "gate", "--only", "scenarios")[0] == 1
