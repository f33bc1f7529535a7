"""`counterpoint step` in a pipe and in a terminal, as a process of its own."""

from __future__ import annotations

import contextlib
import os
import pty
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

from .starting import ROOT
from .walking import COUNTER


def test_it_can_be_piped_through_other_programs(tmp_path: Path) -> None:
    """A pipe that is closed early, colours in a pipe, or a prompt that is printed twice."""
    (tmp_path / "counter.py").write_text(COUNTER)
    command = f"printf '1\\n' | {sys.executable} -m counterpoint step counter.py"
    for rest, shown in ((" | head -3", "  counter  0\n"), ("", "  2 write p=P0\n")):
        done = subprocess.run(
            ["bash", "-c", f"set -o pipefail; {command}{rest}"], cwd=tmp_path, text=True,
            check=True, capture_output=True, env=os.environ | {"PYTHONPATH": str(ROOT / "src")},
        )  # fmt: skip
        assert (done.stderr, done.stdout[-len(shown) :]) == ("", shown)
        assert "\x1b" not in done.stdout


def test_a_terminal_gets_a_prompt_and_leaves_politely(tmp_path: Path) -> None:
    """Ctrl-C or Ctrl-D that end with a traceback or another code; a key for completion."""
    (tmp_path / "counter.py").write_text(COUNTER)
    for typed, last in ((b"read p=P1\t\r", b"\x04"), (b"2\r", b"\x03")):
        child, terminal = pty.fork()
        if child == 0:
            os.chdir(tmp_path)
            environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "TERM": "dumb"}
            command = [sys.executable, "-m", "counterpoint", "step", "counter.py"]
            os.execve(sys.executable, command, environment)
        try:
            seen = _until(terminal, b"> ")
            os.write(terminal, typed)
            seen += _until(terminal, b"> ", after=b"Possible now:")
            status = _ended(child, terminal, last)
        except BaseException:
            os.kill(child, signal.SIGKILL)
            raise
        finally:
            os.close(terminal)
        assert os.waitstatus_to_exitcode(status) == 0
        assert b"step 1: read p=P1" in seen
        assert b"Traceback" not in seen


def _ended(child: int, terminal: int, key: bytes) -> int:
    """Press a key until a process ends, for 15 seconds at most, and return its status.

    readline loses a Ctrl-C that comes after the prompt is shown and before it waits for keys: a
    person presses it again.
    """
    deadline, pressed = time.monotonic() + 15, 0.0
    while time.monotonic() < deadline:
        found, status = os.waitpid(child, os.WNOHANG)
        if found:
            return status
        with contextlib.suppress(OSError):  # the terminal is closed while the process ends
            if time.monotonic() > pressed + 1:
                pressed = time.monotonic()
                os.write(terminal, key)
            if select.select([terminal], [], [], 0.02)[0]:
                os.read(terminal, 4096)
    raise AssertionError("it did not end")


def _until(terminal: int, text: bytes, after: bytes = b"") -> bytes:
    """Return what a terminal shows until a text comes after another one."""
    seen, deadline = b"", time.monotonic() + 15
    while time.monotonic() < deadline:
        if select.select([terminal], [], [], 20)[0]:
            seen += os.read(terminal, 4096)
        if after in seen and text in seen[seen.find(after) :]:
            return seen
    raise AssertionError(seen)
