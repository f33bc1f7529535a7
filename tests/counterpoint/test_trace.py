"""``counterpoint trace`` as a user types it."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from counterpoint.console import run as run_command
from counterpoint.main import counterpoint

LOCK = str(Path(__file__).parents[1] / "models" / "logs" / "lock.py")


def _trace(folder: Path, *arguments: str, steps: tuple[str, ...]) -> int:
    path = folder / "system.log"
    path.write_text("".join(json.dumps({"step": step}) + "\n" for step in steps))
    return run_command(counterpoint, ["trace", f"{LOCK}:Lock", str(path), *arguments])


def test_exit_codes_say_whether_a_run_explains_the_log(tmp_path: Path) -> None:
    """Catches an exit code that does not say what the text says."""
    assert _trace(tmp_path, steps=("grant W0", "free W0")) == 0
    assert _trace(tmp_path, steps=("grant W0", "free W1")) == 1
    assert _trace(tmp_path, "--every-step", steps=("grant W0",)) == 1
    assert _trace(tmp_path, steps=("grant W9",)) == 2
    assert _trace(tmp_path, steps=()) == 2


def test_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Catches a key that programs need and that is missing or wrong."""
    assert _trace(tmp_path, "--format", "json", steps=("grant W0", "free W1")) == 1
    found = json.loads(capsys.readouterr().out)
    assert (found["answer"], found["lines"], found["explained"]) == ("violated", 2, 1)
    assert [one["action"] for one in found["steps"]] == ["ask", "grant"]
    assert found["steps_at_line"] == [2]
    assert found["obstacle"]["line"] == 2 and "free(w=W0)" in found["obstacle"]["allowed"]


def test_a_mapping_is_named_by_its_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Catches a mapping that is not called, and a message without the name of a missing one."""
    log = tmp_path / "server.jsonl"
    log.write_text('{"event": "GOT", "worker": 1}\n{"event": "TICK"}\n')
    arguments = ["trace", f"{LOCK}:Lock", str(log), "--map"]
    assert run_command(counterpoint, [*arguments, f"{LOCK}:from_server"]) == 0
    assert "explains 1 line\n" in capsys.readouterr().out
    assert run_command(counterpoint, [*arguments, f"{LOCK}:from_servr"]) == 2
    assert "has no 'from_servr'" in capsys.readouterr().err
    assert run_command(counterpoint, ["trace", f"{LOCK}:Lock", str(log)]) == 2
    assert "line 1: it has the key 'event'" in capsys.readouterr().err


def test_lines_fit_a_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Catches lines wider than 80 columns, and control characters."""
    _trace(tmp_path, steps=("grant W0", "grant W1"))
    out = capsys.readouterr().out.replace(str(tmp_path), "")
    assert max(map(len, out.splitlines())) <= 80 and "\x1b" not in out


def test_a_running_system_is_watched(tmp_path: Path) -> None:
    """Catches a fault that is told late, a Ctrl-C that is a failure, or a crash of the command."""
    log = tmp_path / "system.log"
    log.write_text('{"step": "ask W0"}\n')
    command = [sys.executable, "-m", "counterpoint", "trace", f"{LOCK}:Lock"]
    pipe = subprocess.run([*command, "-", "--follow"], input=log.read_bytes(), check=False,
                          capture_output=True)  # fmt: skip
    assert pipe.returncode == 0 and b"a run of 1 step of lock explains 1 line" in pipe.stdout
    wrong = subprocess.Popen([*command, str(log), "--follow"], stdout=subprocess.PIPE, text=True)
    with log.open("a") as file:
        file.write('{"step": "grant W1"}\n')
    out, _ = wrong.communicate(timeout=60)
    assert wrong.returncode == 1 and "line 2: grant W1" in out and "1  ask(w=W0)  (line 1)" in out
    log.write_text('{"step": "ask W0"}\n{"step": "ask W1"}\n')
    waits = tmp_path / "waits.py"
    waits.write_text("def said(record):\n    print('came', flush=True)\n    return record\n")
    right = subprocess.Popen([*command, str(log), "--follow", "--map", f"{waits}:said"],
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             text=True)  # fmt: skip
    assert right.stderr is not None  # where what users print goes
    assert [right.stderr.readline() for _ in range(2)] == ["came\n"] * 2
    right.send_signal(signal.SIGINT)  # it waits, or judges the second line
    out, _ = right.communicate(timeout=60)
    assert right.returncode == 0 and re.search("explains [12] lines?\n", out)


def test_options_that_exclude_each_other(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Catches an option that is passed over."""
    assert _trace(tmp_path, "--follow", "--by-time", steps=("ask W0",)) == 2
    assert "--follow and --by-time exclude each other" in capsys.readouterr().err
    assert _trace(tmp_path, "--follow", "--time-limit", "3", steps=("ask W0",)) == 2
    assert "--follow and --time-limit exclude each other" in capsys.readouterr().err
