"""Finds the machine's C compiler, runs it in the background, and loads the result."""

from __future__ import annotations

import ctypes
import os
import shlex
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path

FLAGS = ("-O1", "-march=native", "-std=gnu11", "-w", "-fPIC", "-shared", "-pthread")


class NoCompiler(Exception):
    """There is no C compiler, or it cannot compile the program; the message says which."""


def found() -> list[str] | None:
    """Return the command of a C compiler: ``$CC``, or the first of gcc, cc and clang; or None.

    Raises
    ------
    NoCompiler
        If ``$CC`` is not a valid shell command.
    """
    try:
        given = shlex.split(os.environ.get("CC", ""))
    except ValueError as error:
        raise NoCompiler(f"$CC is not a command: {error}") from error
    for command in (given,) if given else (["gcc"], ["cc"], ["clang"]):
        if shutil.which(command[0]):
            return command
    return None


class Compilation:
    """The compilation of one program, in a process of its own.

    Parameters
    ----------
    text : str
        The program in C.

    Raises
    ------
    NoCompiler
        If no compiler is found, or it cannot be started.
    """

    def __init__(self, text: str) -> None:
        command = found()
        if command is None:
            given = os.environ.get("CC", "")
            raise NoCompiler(f"there is no C compiler {given}".strip())
        self._folder = tempfile.TemporaryDirectory(prefix="counterpoint-")
        folder = Path(self._folder.name)
        source, self._library = folder / "explorer.c", folder / "explorer.so"
        self._output = folder / "output"
        source.write_text(text)
        try:
            with self._output.open("wb") as output:
                self._process = subprocess.Popen(
                    [*command, *FLAGS, str(source), "-o", str(self._library)],
                    stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                    env=os.environ | {"TMPDIR": str(folder)},
                    start_new_session=True,  # so that it can be killed with all its children
                )  # fmt: skip
        except OSError as error:
            self._folder.cleanup()
            raise NoCompiler(f"{command[0]} cannot be started: {error.strerror}") from error

    def ready(self) -> bool:
        """Return whether the compiler has ended."""
        return self._process.poll() is not None

    def wait(self, seconds: float) -> bool:
        """Wait for the compiler, at most so long; return whether it has ended."""
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        return True

    def load(self) -> ctypes.CDLL:
        """Return the compiled library.

        Raises
        ------
        NoCompiler
            If the compiler failed.
        """
        self._process.wait()
        try:
            if self._process.returncode:
                lines = self._output.read_text(errors="replace").strip().splitlines()
                raise NoCompiler(f"the C compiler failed: {lines[0] if lines else 'silently'}")
            return ctypes.CDLL(str(self._library))
        except OSError as error:
            raise NoCompiler(f"the result of the C compiler cannot be loaded: {error}") from error
        finally:
            self.stop()

    def stop(self) -> None:
        """Kill the compiler if it still runs, and remove its files."""
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        self._folder.cleanup()
