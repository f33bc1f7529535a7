"""The checkout as a whole: where packages come from, layering, style, types, stray paths."""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
ROOMS = ("spec", "models", "crawler", "sim_web", "ci", "counterpoint")


@pytest.mark.parametrize("room", ROOMS)
def test_package_is_loaded_from_this_checkout(room: str) -> None:
    """Another installed package of the same common name, tested instead of ours."""
    found = importlib.import_module(room).__file__
    assert found is not None
    assert Path(found).resolve().is_relative_to(ROOT)


def test_every_package_is_listed() -> None:
    """A folder of modules that an installation would leave out."""
    listed = set(
        tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"]
    )
    there = {
        ".".join(p.parent.relative_to(ROOT).parts)
        for room in ROOMS
        for p in (ROOT / room).rglob("__init__.py")
    }
    assert listed == there


def test_every_file_that_is_no_module_is_listed() -> None:
    """Templates, profiles or baselines that an installation would leave out."""
    tool = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]
    listed = {
        path
        for package, patterns in tool["package-data"].items()
        for pattern in patterns
        for path in ROOT.joinpath(*package.split(".")).glob(pattern)
    }
    named = subprocess.run(
        ["git", "ls-files", *ROOMS], cwd=ROOT, capture_output=True, text=True, check=True
    )
    tracked = {ROOT / name for name in named.stdout.splitlines() if not name.endswith(".py")}
    assert tracked - listed == set()


def test_modules_keep_to_their_size() -> None:
    """A module that has grown beyond one topic."""
    long = {
        str(p.relative_to(ROOT)): n
        for room in (*ROOMS, "tests")
        for p in (ROOT / room).rglob("*.py")
        if (n := len(p.read_text().splitlines())) > 500
    }
    assert long == {}


def run_tool(*command: str) -> None:
    """Run one of the environment's tools on the checkout."""
    tool = Path(sys.executable).with_name(command[0])
    result = subprocess.run([str(tool), *command[1:]], cwd=ROOT, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr


def test_layers() -> None:
    """An import against the direction spec <- models <- ci <- counterpoint."""
    run_tool("lint-imports")


def test_style() -> None:
    """What the linter would say."""
    run_tool("ruff", "check", ".")
    run_tool("ruff", "format", "--check", ".")


@pytest.mark.parametrize("rooms", [["spec"], pytest.param([], marks=pytest.mark.slow)])
def test_types(rooms: list[str]) -> None:
    """A type that does not fit; in all that is configured, where no room is named."""
    run_tool("mypy", *rooms)


def test_spec_stands_alone() -> None:
    """A specification that does input or output, or uses an engine; it may read its own text."""
    allowed = "spec __future__ collections contextvars dataclasses enum functools inspect"
    allowed += " ast builtins hashlib itertools linecache math operator pickle re sys traceback"
    allowed += " types typing warnings"
    for path in (ROOT / "spec").rglob("*.py"):
        for line in path.read_text().splitlines():
            found = re.match(r"from (\w+)[\w.]* import |import (\w+)", line)
            room = found and (found[1] or found[2])
            assert room is None or room in allowed.split(), f"{path.name}: {line}"


def test_no_path_of_a_machine_is_in_the_tree() -> None:
    """A home folder or a build folder that works on one machine only."""
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    for name in listed.stdout.splitlines():
        text = (ROOT / name).read_text(errors="replace")
        assert not re.search(r"/(?:root|home/\w+|work/\w+)/", text), name
