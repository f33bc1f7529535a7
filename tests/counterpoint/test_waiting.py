"""The line that says that code is being compiled."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from threading import Timer
from typing import Any

import pytest

from counterpoint import waiting
from counterpoint.waiting import LINE, CompilingClock

from .starting import ROOT


class Made:
    """A timer that runs when the test says so."""

    started: list[float]

    def __init__(self, seconds: float, function: Any) -> None:
        self.function = function
        Made.started.append(seconds)

    def start(self) -> None:
        """Fire at once, if there is no patience left."""
        if not Made.started[-1]:
            self.function()

    def cancel(self) -> None:
        """Do nothing."""


def test_short_compilations_add_up(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A minute of many short compilations without a word, or a line for each of them."""
    Made.started = []
    now = [0.0]
    monkeypatch.setattr(waiting, "Timer", Made)
    monkeypatch.setattr(waiting.time, "monotonic", lambda: now[0])
    clock = CompilingClock(patience=3.0)
    for _ in range(5):
        clock.start()
        clock.start()  # one compilation begins another
        now[0] += 1.0
        clock.stop()
        clock.stop()
    assert Made.started == [3.0, 2.0, 1.0, 0.0]
    assert capsys.readouterr().err == f"{LINE}\n"


def test_a_real_timer_says_it_while_the_code_compiles(capsys: pytest.CaptureFixture[str]) -> None:
    """A line that comes only when all is over."""
    assert waiting.Timer is Timer
    clock = CompilingClock(patience=0.0)
    clock.start()
    timer = clock._timer
    assert timer is not None
    timer.join(30)
    assert capsys.readouterr().err == f"{LINE}\n"
    clock.stop()


@pytest.mark.long
@pytest.mark.parametrize(("asked", "before"), [(True, ""), (False, ""), (True, waiting.NEVER)])
def test_only_the_command_line_says_it(tmp_path: Path, asked: bool, before: str) -> None:
    """A line in somebody's program that only uses the library; no line in a pipe of ours."""
    program = (
        "from counterpoint import waiting\n"
        "waiting.PATIENCE = 0.0\n"
        "waiting.CompilingClock.__init__.__defaults__ = (0.0,)\n"
        f"{'waiting.say_when_compiling()' if asked else ''}\n"
        "from counterpoint.compiling import compiled\n"
        "def twice(x): return 2 * x\n"
        "twice.__module__ = 'counterpoint.compiling'\n"
        "assert compiled(twice)(3) == 6\n"
    )
    path = tmp_path / "program.py"
    path.write_text(program)
    found = subprocess.run(
        [sys.executable, str(path)], capture_output=True, text=True, timeout=120,
        env=os.environ | {"PYTHONPATH": str(ROOT / "src"), "NUMBA_CACHE_DIR": str(tmp_path),
                          waiting.VARIABLE: before},
    )  # fmt: skip
    assert (found.returncode, found.stderr) == (0, f"{LINE}\n" * (asked and not before))
