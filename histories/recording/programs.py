"""Subjects that are programs: in any language, started as ``PROGRAM PLAN HISTORY SECONDS``.

A program runs the plan in the file PLAN (see `plans`) and appends events to the file HISTORY, each
line by one call of ``write``; after SECONDS (0: never) no transaction begins. It ends with code 0.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from .interface import RecordingError, Subject
from .load import Load
from .plans import write_plan

SOURCES = Path(__file__).parent / "programs"
"""Where the programs of this module's subjects are."""

GRACE = 10.0
"""Seconds that transactions get to end after the time of a recording is over."""


class Program(Subject):
    """A subject that is a program.

    Parameters
    ----------
    command : sequence of str
        How it is started; empty if `build` says it.

    Attributes
    ----------
    environment : dict
        Variables of the environment that it gets besides ours.
    """

    initial = 0

    def __init__(self, *command: str) -> None:
        self.command = command
        self.environment: dict[str, str] = {}
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    def build(self, folder: Path) -> tuple[str, ...]:
        """Make the program in a folder, and return the command that starts it.

        Raises
        ------
        RecordingError
            If that fails.
        """
        return self.command

    def open(self, load: Load) -> None:
        """Make the program, and write the plan."""
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="counterpoint-")
            self.command = self.build(Path(self._folder.name))
        write_plan(load, self.plan)

    @property
    def plan(self) -> Path:
        """Return the file of the plan; only while it is open."""
        assert self._folder is not None
        return Path(self._folder.name) / "plan"

    def close(self) -> None:
        """Remove the plan, and the program if it was made here."""
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None

    def run(self, path: Path, seconds: float | None, look: Callable[[], None]) -> None:
        """Run the program until it ends.

        Raises
        ------
        RecordingError
            If it cannot be started, fails, or does not end; it is killed then.
        """
        if shutil.which(self.command[0]) is None:
            raise RecordingError(f"there is no program {self.command[0]}")
        command = [*self.command, str(self.plan), str(path.absolute()), f"{seconds or 0:g}"]
        end = None if seconds is None else time.monotonic() + seconds + GRACE
        if shutil.which("setpriv"):  # it ends with us, even if we are killed
            command = ["setpriv", "--pdeathsig", "KILL", *command]
        with tempfile.TemporaryFile() as said:
            try:
                process = subprocess.Popen(
                    command, stdin=subprocess.DEVNULL, stdout=said, stderr=said,
                    env=os.environ | self.environment,
                )  # fmt: skip
            except OSError as error:
                raise RecordingError(f"{self.command[0]} cannot be started: "
                                     f"{error.strerror}") from error  # fmt: skip
            try:
                _wait(process, end, look)
            finally:
                if process.poll() is None:
                    process.kill()
                    process.wait()
            if process.returncode:
                said.seek(0)
                raise RecordingError(_failure(self.command[0], process.returncode, said.read()))


def _wait(process: subprocess.Popen[bytes], end: float | None, look: Callable[[], None]) -> None:
    while True:
        look()
        try:
            process.wait(0.1)
            return
        except subprocess.TimeoutExpired:
            if end is not None and time.monotonic() > end:
                raise RecordingError(f"it has not ended {GRACE:g} seconds after its time was "
                                     "over") from None  # fmt: skip


def _failure(program: str, code: int, said: bytes) -> str:
    """Return what a program that failed has said."""
    how = f"failed with code {code}" if code > 0 else f"was ended by signal {-code}"
    lines = said.decode(errors="replace").strip().splitlines()
    return f"{program} {how}: {lines[-1]}" if lines else f"{program} {how}"


def installed(program: str, package: str) -> str:
    """Return what is missing for a program: "" if it can be started."""
    return "" if shutil.which(program) else f"needs the Debian package {package}"


def compiled(compiler: str, command: list[str], folder: Path) -> None:
    """Run a compiler in a folder.

    Raises
    ------
    RecordingError
        If it fails; the message is its first line that names an error.
    """
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        lines = (done.stderr or done.stdout).strip().splitlines()
        first = next((line for line in lines if "error" in line), lines[0] if lines else "silently")
        raise RecordingError(f"{compiler} failed: {first}")


def first_line(*command: str) -> str:
    """Return the first line that a command prints; "" if it fails."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return (done.stdout or done.stderr).strip().partition("\n")[0]
