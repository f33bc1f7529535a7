"""``counterpoint history record``, ``subjects`` and ``survey`` as a user types them."""

from __future__ import annotations

import json
import os
import signal
import time
from pathlib import Path

import pytest

from counterpoint.console import run as run_command
from counterpoint.main import counterpoint
from tests.histories.recording.recorded import read
from tests.needs import need

from .starting import processes, start, wait_until


def _history(*arguments: str) -> int:
    return run_command(counterpoint, ["history", *arguments])


def test_record_and_check(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Catches a recording that the checker cannot read, or a fault that it does not find."""
    out = str(tmp_path / "history.jsonl")
    assert _history("record", "faulty", "--out", out, "--seed", "7") == 0
    said = " ".join(capsys.readouterr().out.split())
    assert said.startswith(f"{out}: 1,000 transactions (") and said.endswith(f"check {out}")
    assert _history("check", out, "--criterion", "serializability") == 1


def test_a_file_is_not_replaced(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Catches a recording that is lost by the next one."""
    out = tmp_path / "history.jsonl"
    out.write_text("mine\n")
    arguments = ("record", "global-lock", "--out", str(out), "--transactions", "8")
    assert _history(*arguments) == 2
    assert out.read_text() == "mine\n"
    assert "--force" in capsys.readouterr().err
    assert _history(*arguments, "--force") == 0
    assert len(read(out)) == 8


def test_wrong_commands_are_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Catches a traceback, or a file that is made for nothing."""
    out = tmp_path / "history.jsonl"
    wrong = [("sqlit",), ("sqlite", "--dsn", "x"), ("faulty", "--threads", "0"),
             ("faulty", "--seconds", "nan"),
             ("postgresql:serializable", "--dsn", "host=/no/such")]  # fmt: skip
    for arguments in wrong:
        assert _history("record", *arguments, "--out", str(out)) == 2
        assert capsys.readouterr().err.count("\n") == 1
    assert _history("record", "faulty", "--out", "/dev/null") == 2
    assert "/dev/null is no " in capsys.readouterr().err
    assert not out.exists()


@pytest.mark.parametrize("subject", ["faulty", "sqlite", "libitm:gl_wt"])
def test_a_killed_recording_can_be_read(subject: str, tmp_path: Path) -> None:
    """Catches events that are kept back, and processes that run on without their first one."""
    if subject.startswith("libitm"):
        need("gcc")
    out = tmp_path / "history.jsonl"
    process = start("history", "record", subject, "--out", out.name,
                    "--transactions", "20000", cwd=tmp_path)  # fmt: skip
    wait_until(lambda: out.exists() and out.stat().st_size > 50_000, process)
    children = {pid for pid, parent, _ in processes() if parent == process.pid}
    os.kill(process.pid, signal.SIGKILL)
    process.wait(30)
    deadline = time.monotonic() + 20
    while {pid for pid, _, state in processes() if state != "Z"} & children:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    history = read(out)
    assert len(history) > 100 and history.facts["subject"] == subject


def test_ctrl_c_keeps_what_was_recorded(tmp_path: Path) -> None:
    """Catches a recording that cannot be stopped, or that is lost then."""
    out = tmp_path / "history.jsonl"
    process = start("history", "record", "sqlite", "--out", out.name,
                    "--transactions", "1000000", cwd=tmp_path)  # fmt: skip
    wait_until(lambda: out.exists() and out.stat().st_size > 50_000, process)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to everybody
    out_text, err = process.communicate(timeout=30)
    assert out_text == ""
    assert err.strip() == "counterpoint: interrupted; history.jsonl has what was recorded"
    assert process.returncode == 130
    history = read(out)
    assert all(one.end is not None for one in history.transactions)


def test_the_time_ends_a_recording(tmp_path: Path) -> None:
    """Catches a limit that is not looked at."""
    out = tmp_path / "history.jsonl"
    begun = time.monotonic()
    assert _history("record", "sqlite", "--out", str(out), "--transactions", "1000000",
                    "--seconds", "0.3") == 0  # fmt: skip
    assert time.monotonic() - begun < 10
    assert all(one.end is not None for one in read(out).transactions)


def test_subjects_are_listed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Catches a subject that is not listed, or a missing package that is not named."""
    monkeypatch.setenv("PATH", str(tmp_path))
    assert _history("subjects") == 0
    out = capsys.readouterr().out
    for name in ("postgresql:serializable", "sqlite", "libitm:gl_wt", "ghc-stm", "faulty"):
        assert f"  {name}" in out
    assert "needs the Debian package ghc" in out
    assert max(map(len, out.splitlines())) <= 80


def test_a_survey_in_each_format(capsys: pytest.CaptureFixture[str]) -> None:
    """Catches a broken promise with exit code 0, and formats that say different things."""
    few = ("--each", "0.1", "--transactions", "300")
    assert _history("survey", "faulty", "global-lock", *few) == 1
    out = capsys.readouterr().out
    assert "promises strict-serializability: broken in " in out
    assert "promises tms2: kept in all\n" in out
    assert _history("survey", "global-lock", *few, "--format", "markdown") == 0
    assert capsys.readouterr().out.splitlines()[2].startswith("| `global-lock`, Python ")
    assert _history("survey", "faulty", *few, "--format", "json") == 1
    (found,) = json.loads(capsys.readouterr().out)
    assert found["promise_broken_in"] > 0
    assert found["violated"]["strict-serializability"] == found["promise_broken_in"]
