"""Commands that a signal or a closed pipe interrupts."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

from .starting import cpu_seconds, processes, start, wait_until


def test_ctrl_c_is_one_line(tmp_path: Path) -> None:
    """A traceback, a half-written page, or a check that cannot be stopped."""
    arguments = ("check", "window-stm", "--set", "transactions=4", "--set", "objects=3")
    process = start(*arguments, "--html", "big.html", cwd=tmp_path)
    wait_until(lambda: cpu_seconds(process.pid) > 1.5, process)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert (out, err.strip()) == ("", "counterpoint: interrupted; nothing was written")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.long
def test_ctrl_c_stops_the_gate_and_its_workers(tmp_path: Path) -> None:
    """Workers that continue, or a half-written report."""
    root = Path(__file__).parents[2]
    report = ("--config", str(root / "counterpoint.toml"), "--report", "report")
    process = start("gate", *report, cwd=tmp_path)

    def workers() -> list[int]:
        return [pid for pid, parent, _ in processes() if parent == process.pid]

    wait_until(
        lambda: len(workers()) >= 2 and any(cpu_seconds(w) > 0.5 for w in workers()), process
    )
    children = set(workers())
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to everybody
    out, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert out == ""
    assert err.strip() == "counterpoint: interrupted; nothing was written"
    assert list(tmp_path.iterdir()) == []
    deadline = time.monotonic() + 10
    while running := {pid for pid, _, state in processes() if state != "Z"} & children:
        assert time.monotonic() < deadline, running
        time.sleep(0.05)


def test_a_closed_pipe_is_no_error(tmp_path: Path) -> None:
    """A traceback when the reader closes the pipe."""
    with start("check", "window-stm", "--format", "json", cwd=tmp_path) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == ""
