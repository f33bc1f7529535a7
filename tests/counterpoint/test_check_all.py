"""``check --all``: every spec, one table, one exit code."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from junitparser import JUnitXml

from counterpoint.ci.job import Job
from counterpoint.ci.registered import jobs
from counterpoint.commands.specs import everything
from counterpoint.console import run
from counterpoint.main import counterpoint as commands
from counterpoint.models.checking.engines import ENGINES
from counterpoint.spec.catalogue import SPECS

RIGHT = Job("peterson", {}, "exhaustive", "It is right.", states=20)
WRONG = Job(
    "peterson", {"first": "turn"}, "exhaustive", "It is not.", violated={"mutual-exclusion": 6}
)
BY_Z3 = Job("scent", {"pages": 2, "iterations": 2}, "bounded", "Right.", only=("scent-is-bounded",))
MUTANT = next(j for j in jobs() if j.reference == "scent/never-halved")
SLOW = replace(RIGHT, least_budget=300.0)


@pytest.fixture(autouse=True)
def _few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(everything, "registered", lambda: (BY_Z3, WRONG, MUTANT, RIGHT, SLOW))
    monkeypatch.setenv("COLUMNS", "80")


def call(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    """Run ``check --all`` and return exit code and output."""
    code = run(commands, ["check", "--all", "--processes", "1", *arguments])
    return code, capsys.readouterr().out


def test_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    """An expected violation that fails; exchanged specs; mutants or slow checks in the table."""
    code, out = call(capsys)
    assert code == 0
    lines = [" ".join(line.split()) for line in out.splitlines()]
    assert lines[1] == "peterson"
    assert lines[2].endswith("exhaustive first=turn: mutual-exclusion")
    assert lines[3] == "violated after 6 steps"
    assert lines[4].endswith("exhaustive defaults")
    assert lines[5] == "scent"
    assert "bounded pages=2 iterations=2" in lines[6]
    assert "3 of 3 checks as expected" in out
    assert "By engine: exhaustive 2, bounded 1." in out
    assert "never-halved" not in out
    assert all(len(line) <= 80 for line in out.splitlines())


def test_options_select_engines_and_mutants(capsys: pytest.CaptureFixture[str]) -> None:
    """An engine option that is ignored; mutants that are never checked."""
    code, out = call(capsys, "--engine", "bounded")
    assert (code, "1 of 1 check as expected" in out) == (0, True)
    code, out = call(capsys, "--mutants")
    assert (code, "4 of 4 checks" in out) == (0, True)
    assert "never-halved: halved-and-then-harvested violated" in " ".join(out.split())


def test_an_unexpected_result(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A table that is always green, or that names no command to reproduce a failure."""
    bad = replace(RIGHT, states=21)
    monkeypatch.setattr(everything, "registered", lambda: (bad, replace(WRONG, violated={})))
    code, out = call(capsys)
    assert code == 1
    assert "20 reachable states; there should be 21" in out
    assert "mutual-exclusion is violated (6 steps); it should hold" in out
    assert "To reproduce: counterpoint check peterson --set first=turn" in out
    assert "0 of 2 checks as expected, 2 fell" in out
    code, out = call(capsys, "--time-limit", "0.000001")
    assert code == 3
    assert "2 unknown" in out


@pytest.mark.long
def test_formats(capsys: pytest.CaptureFixture[str]) -> None:
    """A format whose content differs from the table."""
    code, out = call(capsys, "--format", "json")
    assert code == 0
    assert {r["reference"] for r in json.loads(out)} == {"peterson", "scent"}
    code, out = call(capsys, "--format", "junit")
    assert (code, sum(s.failures for s in JUnitXml.fromstring(out.encode()))) == (0, 0)
    code, out = call(capsys, "--format", "github")
    assert (code, out.startswith("counterpoint gate: ")) == (0, True)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["peterson"], "--all checks every spec with the registered parameters"),
        (["--set", "pages=3"], "for one spec: check SPEC"),
        (["--property", "ranges"], "for one spec: check SPEC"),
        (["--seed", "3"], "for one spec: check SPEC"),
        (["--engine", "spin"], "there is no engine 'spin'"),
        (["--engine", "any-number"], "no check is registered for the engine any-number"),
    ],
)
def test_wrong_commands(
    capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    """An option that is accepted and ignored, a traceback, or several lines."""
    assert run(commands, ["check", "--all", *arguments]) == 2
    captured = capsys.readouterr()
    assert message in captured.err
    assert (captured.out, captured.err.count("\n")) == ("", 1)


def test_it_covers_every_spec_and_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    """A spec or an engine that ``--all`` leaves out."""
    monkeypatch.setattr(everything, "registered", jobs)
    chosen = everything.chosen(None, of_mutants=False)
    assert {j.reference for j in chosen if not j.parameters} == set(SPECS)
    assert {j.engine for j in chosen} == set(ENGINES)


def test_help_shows_it(capsys: pytest.CaptureFixture[str]) -> None:
    """An option that the help does not list."""
    assert run(commands, ["check", "--help"]) == 0
    out = capsys.readouterr().out
    assert "counterpoint check --all\n" in out
    assert "counterpoint check --all --engine bounded --format junit" in out
