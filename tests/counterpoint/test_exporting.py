"""``counterpoint export``, as a user types it: what it prints, its exit codes, and every error."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from counterpoint.models.export import FORMATS

from .starting import start
from .test_command_line import call

OLD = ("export", "window-stm", "--set", "fetch-and-increment=old")
GRAPHS = ("dot", "graphml", "mermaid-states")
BEGINNING = {
    "promela": "/*\n * window-stm, as guarded commands",
    "tla": "---------------- MODULE window_stm",
    "itf": '{\n "#meta": {"format": "ITF"',
    "mermaid": "sequenceDiagram\n",
    "pytest": '"""window-stm: a run of 13 steps that violates',
    "scenario": "scenario: a run that violates ",
    "dot": 'digraph "window-stm" {',
    "graphml": "<?xml",
    "mermaid-states": "stateDiagram-v2\n",
}


@pytest.mark.long
@pytest.mark.parametrize("form", FORMATS)
def test_every_format_is_printed_or_written(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, form: str
) -> None:
    """A format that is not accepted, or a file that differs from the printed text."""
    small = ("--set", "transactions=1") if form in GRAPHS else ()
    arguments = (*OLD, *small, "--to", form)
    code, out, err = call(capsys, *arguments)
    assert (code, err) == (0, "")
    assert out.startswith(BEGINNING[form])
    assert call(capsys, *arguments, "--output", "-") == (0, out, "")
    path = tmp_path / "out"
    code, output, err = call(capsys, *arguments, "--output", str(path))
    assert (code, output, err) == (0, "", "")
    assert path.read_text() == out
    assert [p.name for p in tmp_path.iterdir()] == ["out"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["peterson"], "Missing option '--to'"),
        (["--to", "dot"], "Missing argument 'SPEC'"),
        (["peterson", "--to", "nusmv"], "there is no format 'nusmv'; there are: promela, tla, itf"),
        (["petersen", "--to", "dot"], "did you mean peterson?"),
        (["peterson", "--to", "dot", "--property", "beauty"], "has no property 'beauty'"),
        (["peterson", "--to", "dot", "--most-states", "0"], "--most-states"),
        (["peterson", "--to", "dot", "--time-limit", "0"], "--time-limit"),
        (["peterson", "--to", "dot", "--output", "none/here"], "--output: there is no folder"),
        (["peterson", "--to", "dot", "--output", ""], "--output: '' names no file"),
        (["peterson", "--to", "dot", "--output", "."], "is a directory"),
        (["window-stm", "--to", "dot"], "window-stm has more than 200 states, too many to draw"),
        (["peterson", "--to", "itf"], "peterson: no run violates any property"),
        (
            ["window-stm", "--set", "transactions=1", "--to", "pytest", "--property", "opacity"],
            "no run violates opacity, so there is none to export; --property all-commit",
        ),
    ],
)
def test_a_wrong_command_is_one_clear_line(
    capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    """A traceback, several lines, silence, or another exit code than 2."""
    code, out, err = call(capsys, "export", *arguments)
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1


def test_a_search_cut_off_is_unknown(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """An unfinished search reported as one that found nothing, or a file that is half written."""
    path = tmp_path / "x.json"
    code, out, err = call(
        capsys, "export", "window-stm", "--set", "transactions=4", "--to", "itf",
        "--property", "opacity", "--time-limit", "0.3", "--output", str(path),
    )  # fmt: skip
    assert (code, out) == (3, "")
    assert "unknown: window-stm: no run was found: the time limit of 0.3 s was reached" in err
    assert err.count("\n") == 1
    assert not path.exists()


def test_an_older_file_survives_a_failure(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """A file of an earlier export that a failed export destroys."""
    path = tmp_path / "x.json"
    path.write_text("good")
    assert call(capsys, "export", "peterson", "--to", "itf", "--output", str(path))[0] == 2
    assert path.read_text() == "good"


def test_a_witness_can_be_exported(capsys: pytest.CaptureFixture[str]) -> None:
    """A witness, a run that shows a possibility, that cannot be exported."""
    code, out, _ = call(capsys, "export", "peterson", "--to", "itf", "--property", "both-wait")
    assert code == 0
    found = json.loads(out)
    assert found["#meta"]["status"] == "ok"
    assert len(found["states"]) == 5


def test_still(capsys: pytest.CaptureFixture[str]) -> None:
    """An erratum that is to stay as it is, and a test that wants it gone."""
    _, fixed, _ = call(capsys, *OLD, "--to", "pytest")
    _, still, _ = call(capsys, *OLD, "--to", "pytest", "--still")
    assert "assert not ends_so(" in fixed
    assert "assert ends_so(" in still


def test_help_names_every_format(capsys: pytest.CaptureFixture[str]) -> None:
    """A format that the help omits."""
    code, out, _ = call(capsys, "export", "--help")
    assert code == 0
    assert out.count("counterpoint export ") >= 3
    for name in FORMATS:
        before = out.partition("Options")[0]
        assert any(line.startswith("  ") and name in line[:18] for line in before.splitlines())
    assert all(len(line) <= 80 for line in out.splitlines())


def test_formats_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    """A format that ``counterpoint list`` omits."""
    _, out, _ = call(capsys, "list", "--format", "json")
    assert set(json.loads(out)["exports"]) == set(FORMATS)


def test_a_closed_pipe_is_no_error(tmp_path: Path) -> None:
    """A traceback when the reader closes the pipe."""
    with start(*OLD, "--to", "promela", cwd=tmp_path) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == ""
    assert process.returncode == 0
