"""Files that cannot be written to their end: the one line names them, and none is left behind."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from counterpoint.commands.graph.opening import save_array
from counterpoint.console import run as run_command
from counterpoint.files.outputs import named, replacing
from counterpoint.main import counterpoint

limited = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limit of a file")
LEAST = 400
"""Bytes of the largest file: less than any of the commands writes."""


@contextmanager
def small_files() -> Iterator[None]:
    """Limit files that are written to `LEAST` bytes; to write more fails as on a full disk."""
    import resource

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (LEAST, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


WEB = "--web broder-1999 --pages 2000"
COMMANDS = [
    f"graph build {WEB} GOAL.graph",
    "graph rank ok.graph --save GOAL.npy",
    "graph bfs ok.graph --start 1 --save GOAL.npy",
    "graph degrees ok.graph --picture GOAL.svg",
    "graph export ok.graph GOAL.xml --to graphml",
    "web describe --profile broder-1999 --pages 2000 --save GOAL.npz",
    "web describe --profile broder-1999 --pages 2000 --picture GOAL.svg",
    "web topics --profile regional --pages 9000 --qrels GOAL.qrels",
    "check tl2 --html GOAL.html",
    "export tl2 --to promela --output GOAL.pml",
    "gate --report GOAL",
]


@limited
@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_file_is_named(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    """An error of "system", or one that names a file which the user did not."""
    monkeypatch.chdir(tmp_path)
    Path("counterpoint.toml").write_text('[[check]]\nspec = "tl2"\nonly = ["opacity"]\n')
    if "ok.graph" in command:
        assert run_command(counterpoint, f"graph build {WEB} ok.graph".split()) == 0
    assert run_command(counterpoint, command.replace("GOAL", "first").split()) == 0
    before = {path for path in tmp_path.rglob("*") if ".building" not in str(path)}
    capsys.readouterr()
    with small_files():
        code = run_command(counterpoint, command.replace("GOAL", "goal").split())
    error = capsys.readouterr().err
    assert code == 2, error
    assert "goal" in error and "File too large" in error and error.count("\n") == 1, error
    assert {path for path in tmp_path.rglob("*") if ".building" not in str(path)} <= before


@limited
def test_array(tmp_path: Path) -> None:
    """An error without a reason, as NumPy's own."""
    goal = tmp_path / "a.npy"
    values = np.arange(1000)
    with small_files(), pytest.raises(OSError, match="File too large") as found:
        save_array(goal, values)
    assert found.value.filename == str(goal) and not list(tmp_path.iterdir())
    save_array(goal, values)
    assert np.array_equal(np.load(goal), values)
    for table in (values.reshape(20, 50).T, values[::2], values[:0]):
        save_array(goal, table)
        assert np.array_equal(np.load(goal), table)


@limited
def test_replaced_file_stays(tmp_path: Path) -> None:
    """A file that is lost or half written because the new one does not fit."""
    goal = tmp_path / "a.html"
    goal.write_text("old")
    with (
        small_files(),
        pytest.raises(OSError, match="File too large") as found,
        replacing(goal) as new,
    ):
        new.write_text("x" * 2 * LEAST)
    assert found.value.filename == str(goal)
    assert goal.read_text() == "old" and os.listdir(tmp_path) == ["a.html"]


def test_names_that_an_error_has(tmp_path: Path) -> None:
    """A file of the user that cannot be read, named as the one that is written."""
    goal = tmp_path / "no folder" / "a.html"
    with pytest.raises(FileNotFoundError) as found, replacing(goal) as new:
        new.write_text("x")
    assert found.value.filename == str(goal)
    other = tmp_path / "other"
    for context in (named(goal), replacing(tmp_path / "a")):
        with pytest.raises(FileNotFoundError) as found, context:
            other.read_text()
        assert found.value.filename == str(other)
