"""Options of ``check``: which engine takes them, and how much is printed."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import pytest

from .starting import cpu_seconds, start, wait_until
from .test_command_line import OLD, call

LOUD = """\
from counterpoint import Integer, Spec, action, invariant, require
print("while it is imported")

class Loud(Spec):
    n = Integer(0, 3)

    @action
    def up(s):
        print("in an action")
        require(s.n < 3)
        s.n = s.n + 1

    @invariant
    def low(s):
        print("in a property")
        return s.n < 3
"""


@pytest.mark.parametrize(
    ("engine", "option", "message"),
    [
        ("bounded", ("--reduce", "symmetry"), "--reduce: the engine bounded does not take it; it "
                                              "is for exhaustive"),
        ("exhaustive", ("--steps", "3"), "it is for bounded, induction"),
        ("exhaustive", ("--runs", "3"), "it is for stateful"),
        ("any-number", ("--steps", "3"), "the engine any-number does not take it"),
        ("stateful", ("--explorer", "python"), "it is for exhaustive"),
        ("bounded", ("--seed", "0"), "--seed: the engine bounded does not take it"),
    ],
)  # fmt: skip
def test_an_option_that_the_engine_does_not_take_is_refused(
    engine: str, option: tuple[str, str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """An option that is ignored, so that the user believes something else was checked."""
    code, out, err = call(capsys, "check", "peterson", "--engine", engine, *option)
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1


def test_with_all_engines_an_option_is_for_those_that_take_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """An option of one engine that is refused, although the engine is among those that run."""
    options = ("--steps", "2", "--runs", "20", "--reduce", "symmetry")
    code, out, _ = call(capsys, "check", "peterson", "--engine", "all", *options,
                        "--property", "ranges", "--format", "json")  # fmt: skip
    assert code == 0
    assert {v["engine"]: v["extent"] for v in json.loads(out)}["bounded"] == "2 steps"


@pytest.mark.parametrize("engine", ["exhaustive", "bounded", "stateful", "induction"])
@pytest.mark.parametrize("form", ["json", "text"])
def test_what_a_spec_prints_goes_to_standard_error(
    engine: str, form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Output that no program can read, because a spec prints into it."""
    path = tmp_path / "loud.py"
    path.write_text(LOUD)
    code, out, err = call(capsys, "check", str(path), "--engine", engine, "--format", form)
    assert code in (1, 3)
    assert "while it is imported" in err
    assert "in an action" in err
    assert "in an action" not in out
    assert form == "text" or json.loads(out)
    record = tmp_path / "record.json"
    record.write_text(call(capsys, "check", str(path), "--format", "json")[1])
    _, out, err = call(capsys, "replay", str(record), "--format", "json")
    assert "in a property" in err
    assert json.loads(out)


def test_verbose_prints_what_is_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    """Changes and lemmas that no option prints, or that are not said to be left out."""
    _, short, _ = call(capsys, *OLD, "--property", "opacity")
    assert "COMMITTED, +5" in short
    assert "+1, +2 ... stand for more changes: -v prints all of them." in short
    _, whole, _ = call(capsys, *OLD, "--property", "opacity", "-v")
    assert "holds[T1, x]→False, holds[T1, y]→False" in whole
    assert "+" not in whole
    assert all(len(line) <= 80 for line in whole.splitlines() if "reproduce" not in line)
    lemmas = ("check", "window-stm", "--engine", "induction", "--property", "one-owner")
    _, short, _ = call(capsys, *lemmas)
    _, whole, _ = call(capsys, *lemmas, "--verbose")
    assert "lemmas" in short
    assert len(whole.splitlines()) > len(short.splitlines()) + 5


def test_quiet_prints_what_does_not_hold(capsys: pytest.CaptureFixture[str]) -> None:
    """A line about what holds, or nothing about what does not."""
    assert call(capsys, "check", "peterson", "-q") == (0, "", "")
    code, out, _ = call(capsys, *OLD, "--property", "opacity", "--property", "ranges", "--quiet")
    assert code == 1
    assert "opacity violated after 13 steps" in " ".join(out.split())
    assert "To reproduce: counterpoint check window-stm" in out
    assert "ranges" not in out
    for both in (["-q", "-v"], ["-q", "--format", "json"], ["-v", "--format", "junit"]):
        code, out, err = call(capsys, "check", "peterson", *both)
        assert (code, out) == (2, "")
        assert "--verbose, --quiet and a --format other than text exclude each other" in err


@pytest.mark.long
@pytest.mark.parametrize("form", ["text", "json"])
def test_ctrl_c_prints_what_has_finished(form: str, tmp_path: Path) -> None:
    """The verdicts of an engine that had finished, lost because the next one was ended."""
    arguments = ("check", "window-stm", "--engine", "all", "--steps", "1000", "--format", form)
    process = start(*arguments, cwd=tmp_path)
    wait_until(lambda: cpu_seconds(process.pid) > 10, process)
    os.kill(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, (out, err)
    assert "interrupted; of window-stm, these engines had finished: exhaustive\n" in err
    if form == "text":
        assert "exhaustive: 4,611 states" in out
        assert "holds     opacity" in out
    else:
        assert {v["engine"] for v in json.loads(out)} == {"exhaustive"}
