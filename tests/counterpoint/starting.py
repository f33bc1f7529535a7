"""Commands started as processes, all of which are ended with their test."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

_STARTED: list[subprocess.Popen[str]] = []


def start(*arguments: str, cwd: Path) -> subprocess.Popen[str]:
    """Start ``counterpoint`` with arguments, in a session of its own."""
    process = subprocess.Popen(
        [sys.executable, "-m", "counterpoint", *arguments],
        cwd=cwd,
        env=os.environ | {"PYTHONPATH": str(ROOT / "src"), "COLUMNS": "80"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    _STARTED.append(process)
    return process


def end_all() -> None:
    """Kill the processes that `start` has started, and all of their children."""
    while _STARTED:
        process = _STARTED.pop()
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        for pipe in (process.stdout, process.stderr):
            if pipe is not None:
                pipe.close()


def wait_until(condition: object, process: subprocess.Popen[str]) -> None:
    """Poll until a condition holds; fail if the process ends before, or after two minutes."""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and process.poll() is None:
        if condition():  # type: ignore[operator]
            return
        time.sleep(0.05)
    raise AssertionError("the condition did not hold in time")


def processes() -> list[tuple[int, int, str]]:
    """Return pid, parent and state of every process."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:  # it has ended in the meantime
            continue
        found.append((int(path.parent.name), int(fields[1]), fields[0]))
    return found


def cpu_seconds(pid: int) -> float:
    """Return the seconds of processor time that a process has used; 0 if it has ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:  # it has ended in the meantime
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
