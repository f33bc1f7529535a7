"""Command lines as processes of their own, none of which outlives its test."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

_STARTED: list[subprocess.Popen[str]] = []


def start(*arguments: str, cwd: Path) -> subprocess.Popen[str]:
    """Start a command line, in a session of its own."""
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
    """End what was started and all that it began."""
    while _STARTED:
        process = _STARTED.pop()
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        for pipe in (process.stdout, process.stderr):
            if pipe is not None:
                pipe.close()
