"""Runs Spin and a C compiler on an exported model, and parses their output."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from tests.needs import need


def require_spin() -> None:
    """Skip a test without Spin or a compiler; fail it if ``CI=true``."""
    need("spin")
    need("gcc")


@dataclass(frozen=True)
class Answer:
    """What Spin's verifier found.

    Attributes
    ----------
    states, transitions : int
        Stored states; steps between them, Spin's first state not counted.
    failed : frozenset of str
        The flags that its messages name, as in ``violated_opacity``.
    output : str
        All that it printed.
    """

    states: int
    transitions: int
    failed: frozenset[str]
    output: str


def run(text: str, folder: Path, *flags: str, stop_at: int = 0, spin: str = "-o2") -> Answer:
    """Verify a model.

    Parameters
    ----------
    text : str
        The model.
    folder : Path
        Where Spin may leave its files.
    *flags
        Further flags of the compiler.
    stop_at : int
        The error to stop at; 0: none.
    spin : str
        Spin's option.
    """
    (folder / "model.pml").write_text(text)
    output = call(folder, "spin", "-a", spin, "model.pml")
    assert output == "", output
    modes = [] if "-DBFS" in flags else ["-DSAFETY"]
    call(folder, "gcc", "-O0", "-w", *modes, "-DNOREDUCE", "-DNOFAIR", *flags, "-o", "pan",
          "pan.c")  # fmt: skip
    output = call(folder, "./pan", "-m100000", "-w16", f"-c{stop_at}")
    assert "max search depth too small" not in output
    assert "Search not completed" not in output or stop_at
    found = {name: int(re.search(rf"(\d+) {name}", output)[1])  # type: ignore[index]
             for name in ("states, stored", "transitions")}  # fmt: skip
    failed = frozenset(re.findall(r"assertion violated\s+!\((\w+)\)", output))
    errors = re.search(r"errors: (\d+)", output)
    assert errors is not None and (int(errors[1]) > 0) == bool(failed), output
    return Answer(found["states, stored"], found["transitions"] - 1, failed, output)


def call(folder: Path, *command: str) -> str:
    """Run a command in a folder and return what it prints."""
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout + result.stderr


def accepts(text: str, folder: Path) -> str | None:
    """Look for a run that a model's never claim accepts; return what Spin says of it, or None.

    The commands are those in the header of the model.

    Parameters
    ----------
    text : str
        The model, with a never claim.
    folder : Path
        Where Spin may leave its files.
    """
    (folder / "model.pml").write_text(text)
    output = call(folder, "spin", "-a", "-o2", "model.pml")
    assert "error" not in output.lower() and "warning" not in output.lower(), output
    call(folder, "gcc", "-O0", "-w", "-DNOREDUCE", "-DNOFAIR", "-o", "pan", "pan.c")
    output = call(folder, "./pan", "-a", "-m1000000", "-w16")
    assert "max search depth too small" not in output
    errors = re.search(r"errors: (\d+)", output)
    assert errors is not None, output
    if errors[1] == "0":
        assert "Search not completed" not in output
        return None
    found = re.search(r"^pan:1: (.*) \(at depth \d+\)$", output, re.MULTILINE)
    assert found is not None, output
    return found[1]
