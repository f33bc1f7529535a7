"""Unusual errors of a user, a file or a terminal: each gets one clear line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import click
import pytest

from counterpoint import console, show
from counterpoint.console import run

from .starting import ROOT, start
from .test_command_line import OLD, SPEC, call

BUSY = "        s.n = (s.n + 1) % 3"


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    """Return a file with a valid spec."""
    path = tmp_path / "mine.py"
    path.write_text(SPEC.replace("        BODY", BUSY))
    return path


# The reader and the terminal


@pytest.mark.long
@pytest.mark.parametrize(
    ("arguments", "code"),
    [(OLD, 1), ((*OLD, "--format", "json"), 1), (("list",), 0), (("check", "peterson"), 0)],
)
def test_a_closed_pipe_keeps_the_exit_code(
    tmp_path: Path, arguments: tuple[str, ...], code: int
) -> None:
    """A violation that ``| head`` turns into a success."""
    with start(*arguments, cwd=tmp_path) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == ""
    assert process.returncode == code


def test_a_terminal_without_unicode(tmp_path: Path) -> None:
    """A traceback instead of a counterexample, because of an arrow."""
    found = subprocess.run(
        [sys.executable, "-m", "counterpoint", *OLD, "--property", "opacity"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT / "src"), "PYTHONIOENCODING": "latin-1"},
        capture_output=True,
        text=True,
    )
    assert (found.returncode, found.stderr) == (1, "")
    assert "No order of T0, T1 allows both." in found.stdout
    assert "\\u2192" in found.stdout


def test_without_standard_error(tmp_path: Path) -> None:
    """A program that fails under a service that has closed standard error."""
    found = subprocess.run(
        ["sh", "-c", '"$0" -m counterpoint check peterson 2>&-', sys.executable],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
    )
    assert found.returncode == 0
    assert "holds     mutual-exclusion" in found.stdout


def test_a_narrow_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A terminal of a few columns that causes an error, or one letter per line."""
    monkeypatch.setenv("COLUMNS", "5")
    assert show.width() == 40
    code, out, err = call(capsys, *OLD)
    assert (code, err) == (1, "")
    assert "opacity" in out


def test_without_a_command_there_is_help(capsys: pytest.CaptureFixture[str]) -> None:
    """An error instead of the help."""
    code, out, err = call(capsys)
    assert (code, err) == (0, "")
    assert "Usage: " in out
    assert "check" in out


def test_the_first_violation_is_printed_once(capsys: pytest.CaptureFixture[str]) -> None:
    """The same line above and below the chart."""
    _, out, _ = call(capsys, *OLD, "--property", "opacity")
    assert out.count("opacity is violated after step 13") == 1
    assert "violated first" not in out
    _, out, _ = call(capsys, *OLD)
    assert "opacity and tms2 are violated first:" in " ".join(out.split())


# What is typed


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["list", ""], "there is no spec ''"),
        (["check", "peterson", "--html", ""], "--html: '' names no file"),
        (
            ["check", "window-stm", "--set", "fetch_and_increment=old",
             "--set", "fetch-and-increment=new"],
            "fetch-and-increment is set twice",
        ),
        (["check", "window-stm", "--set", "self=1"], "window-stm has no parameter 'self'"),
    ],
)  # fmt: skip
def test_a_wrong_command_is_one_clear_line(
    capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    """A traceback, a command that does something else, or a file named after a process."""
    code, out, err = call(capsys, *arguments)
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1


def test_a_page_that_cannot_be_written_is_named_as_the_user_did(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """An error that names a temporary file instead of the file that the user named."""
    path = tmp_path / ("x" * 250 + ".html")
    code, _, err = call(capsys, *OLD, "--property", "opacity", "--html", str(path))
    assert code == 2
    assert f"{path}: File name too long" in err
    assert str(os.getpid()) not in err.replace(str(path), "")
    assert list(tmp_path.iterdir()) == []


def test_a_read_only_folder_is_refused_before_the_work(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A check of an hour whose page cannot be written."""
    monkeypatch.setattr(os, "access", lambda *_: False)
    code, out, err = call(capsys, *OLD, "--html", str(tmp_path / "x.html"))
    assert (code, out) == (2, "")
    assert f"--html: nothing can be written in {tmp_path}" in err


def test_a_property_that_is_named_twice_is_checked_once(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Two verdicts on one property."""
    twice = ("--property", "ranges", "--property", "ranges")
    _, out, _ = call(capsys, "check", "peterson", *twice, "--format", "json")
    assert [v["property"] for v in json.loads(out)] == ["ranges"]


# A user's file


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("Integer(0, 3)", "Integer(0, lambda s: 1 // 0)", "mine.py:6: ZeroDivisionError"),
        ("Integer(0, 3)", "Integer(0, 3, initially=lambda s: s.m)", "mine.py:6: AttributeError"),
        ("class Mine", "raise SystemExit(3)\nclass Mine", "mine.py:4: SystemExit: 3"),
        ("class Mine", "\0class Mine", "mine.py"),
        ("class Mine", "é\nclass Mine", "mine.py"),
        (
            BUSY,
            f"{BUSY}\n\n    def explain(self, violated, states):\n        return 1 // 0\n\n"
            "    @invariant\n    def low(s):\n        return s.n < 1\n",
            "mine.py:14: ZeroDivisionError",
        ),
    ],
)
def test_an_error_in_a_file_is_one_line_that_names_it(
    capsys: pytest.CaptureFixture[str], mine: Path, old: str, new: str, message: str
) -> None:
    """A traceback through our code, for an error in the user's file."""
    mine.write_bytes(mine.read_text().replace(old, new).encode("latin-1"))
    code, out, err = call(capsys, "check", f"{mine}:Mine")
    assert (code, out) == (2, "")
    assert message in err
    assert "None" not in err
    assert err.count("\n") == 1


def test_an_error_of_ours_is_not_blamed_on_the_user() -> None:
    """An internal error that is reported as a wrong command, without its traceback."""

    @click.command()
    def faulty() -> None:
        raise KeyError("ours")

    with pytest.raises(KeyError, match="ours"):
        run(faulty, [])
    assert console.WRONG == 2


# Recordings


def test_a_recording_with_a_byte_order_mark(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """A recording that is refused for the byte order mark of an editor."""
    _, out, _ = call(capsys, *OLD, "--property", "opacity", "--format", "json")
    path = tmp_path / "old.json"
    path.write_bytes(b"\xef\xbb\xbf" + out.encode())
    code, output, _ = call(capsys, "replay", str(path))
    assert code == 0
    assert "agrees" in output


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\xff\xfe[\x00]\x00", "is no text in UTF-8"),
        (b"[" * 200_000, "the JSON is nested too deeply"),
        (b"[1]", "entry 1 is not a verdict"),
        (b"[" + b"9" * 5000 + b"]", ": a number has more than 4,300 digits\n"),
        (b'[{"spec": "peterson"}]', "entry 1 is not a verdict"),
    ],
)
def test_a_file_that_is_no_recording(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, content: bytes, message: str
) -> None:
    """A traceback for a file of another kind."""
    path = tmp_path / "x.json"
    path.write_bytes(content)
    code, out, err = call(capsys, "replay", str(path))
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("trace", "none"),
        ("trace", [["begin"]]),
        ("trace", [{"action": "begin", "parameters": {"t": "T0"}}]),
        ("trace", [{"action": 1, "parameters": {}, "changes": {}}]),
        ("initial", []),
        ("parameters", None),
        ("verdict", 1),
    ],
)
def test_a_recording_with_another_shape(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, key: str, value: object
) -> None:
    """A field of the wrong type that fails only within the replay."""
    _, out, _ = call(capsys, *OLD, "--property", "opacity", "--format", "json")
    (record,) = json.loads(out)
    path = tmp_path / "x.json"
    path.write_text(json.dumps([record | {key: value}]))
    code, output, err = call(capsys, "replay", str(path))
    assert (code, output) == (2, "")
    assert "entry 1 is not a verdict of check --format json" in err


@pytest.mark.parametrize(("name", "claimed"), [("opacity", "holds"), ("all-commit", "violated")])
def test_a_recorded_verdict_is_compared_too(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, name: str, claimed: str
) -> None:
    """A recording that is accepted although its verdict contradicts its trace."""
    _, out, _ = call(capsys, *OLD, "--property", name, "--format", "json")
    (record,) = json.loads(out)
    path = tmp_path / "x.json"
    for verdict, code in ((record["verdict"], 0), (claimed, 1)):
        path.write_text(json.dumps([record | {"verdict": verdict}]))
        assert call(capsys, "replay", str(path))[0] == code


def test_a_page_does_not_replace_a_program(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The user's own spec overwritten by the page about it."""
    spec = tmp_path / "mine.py"
    spec.write_text("text = 1\n")
    policies = ["compare", "R1", "--web", "sample", "--pages", "20"]
    for line in (["check", "peterson"], ["readings", "r1"], policies):
        code, _, errors = call(capsys, *line, "--html", str(spec))
        assert code == 2
        assert "mine.py exists; --force replaces it" in errors
    assert spec.read_text() == "text = 1\n"
