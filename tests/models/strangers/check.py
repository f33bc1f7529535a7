"""Checks the text of a spec as a user would, through a file and the command line."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from counterpoint.console import run
from counterpoint.main import counterpoint

HEAD = """\
from enum import IntEnum
from counterpoint.spec.notation import *

class Nobody(IntEnum):
    NONE = -1

"""


@dataclass(frozen=True)
class Answer:
    """The result of a command.

    Attributes
    ----------
    code : int
        The exit code.
    rows : dict of (engine, property) to verdict
        Each verdict as JSON.
    said : str
        The standard error output.
    """

    code: int
    rows: dict[tuple[str, str], dict[str, object]]
    said: str

    def answers(self, name: str) -> dict[str, object]:
        """Return the verdict of a property, by engine."""
        return {engine: v["verdict"] for (engine, of), v in self.rows.items() if of == name}


def write(folder: Path, text: str) -> Path:
    """Write the text of a spec into a new file."""
    path = folder / "theirs.py"
    path.write_text(HEAD + text)
    return path


def check(
    folder: Path, text: str, engine: str, capsys: pytest.CaptureFixture[str], *more: str
) -> Answer:
    """Check the text of a spec by the command line; a traceback fails the test."""
    path = write(folder, text)
    capsys.readouterr()
    code = run(counterpoint, ["check", str(path), "--engine", engine, "--format", "json", *more])
    found = capsys.readouterr()
    rows = json.loads(found.out) if found.out else []
    return Answer(code, {(v["engine"], v["property"]): v for v in rows}, found.err)


def in_a_process(path: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command line in a process of its own."""
    command = [sys.executable, "-m", "counterpoint", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=path)
