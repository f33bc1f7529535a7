"""``counterpoint trace`` as a user types it."""

from __future__ import annotations

import json
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
