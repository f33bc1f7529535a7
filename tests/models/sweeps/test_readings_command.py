"""``counterpoint readings`` as a user runs it, with a spec of the user's."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from counterpoint.console import run
from counterpoint.main import counterpoint as commands

from .test_readings import USER


def test_a_users_claim(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A command that works only for the repository's specs."""
    path = tmp_path / "jar.py"
    path.write_text(USER)
    html = tmp_path / "jar.html"
    base = ["readings", str(path), "--processes", "1"]
    assert run(commands, [*base, "--html", str(html)]) == 0
    out = capsys.readouterr().out
    assert "4 rows, 8 models, 3 of them different" in out
    assert all(len(line) <= 80 for line in out.splitlines())
    assert "One choice changed: two is clean too with lock=yes." in out
    assert "These choices do not influence the claim in any row: colour." in out
    assert "No row keeps the claim with lock=yes." in out
    assert "The claim is kept exactly with lock=no (2 rows)." in out
    assert html.read_text().count("<tr data-kind=") == 4
    assert run(commands, [*base, "--set", "lock=yes", "--format", "json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert found["counts"]["both clean"] == 2
    assert [r["choices"] for r in found["rows"]] == [{"colour": "red"}, {"colour": "blue"}]


def test_a_claim_about_something_else_than_a_state(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A traceback on a claim that readings cannot judge."""
    path = tmp_path / "jar.py"
    path.write_text(USER.replace('criterion="all-there"', 'criterion="ranges"'))
    assert run(commands, ["readings", str(path)]) == 2
    assert "ranges is neither an invariant nor a temporal property" in capsys.readouterr().err
    path.write_text(USER.replace('criterion="all-there"', 'criterion="beauty"'))
    assert run(commands, ["readings", str(path)]) == 2
    assert "has no property 'beauty'" in capsys.readouterr().err
    path.write_text(USER.replace('Claim("steps"', 'Claim("paces"'))
    assert run(commands, ["readings", str(path)]) == 2
    assert "has no parameter 'paces'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["peterson"], "peterson declares no claim"),
        (["window-smt"], "did you mean window-stm?"),
        (["window-stm", "--set", "fetch-and-increment=new"], "compares both of its values"),
        (["window-stm", "--set", "objects=9"], "objects is a whole number from 1 to 6"),
        (["window-stm", "--results", "none/here.jsonl"], "--results: there is no folder"),
        (["window-stm", "--html", "none/here.html"], "--html: there is no folder"),
        (["window-stm", "--changes", "-1"], "--changes"),
        (["window-stm", "--also", "programs=w"], "T0 has 'w', which is not an operation"),
        (["window-stm", "--time-limit", "nan"], "--time-limit"),
    ],
)
def test_wrong_commands(
    capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    """A wrong command answered by a traceback or by several lines."""
    assert run(commands, ["readings", *arguments]) == 2
    captured = capsys.readouterr()
    assert message in captured.err
    assert (captured.out, captured.err.count("\n")) == ("", 1)
