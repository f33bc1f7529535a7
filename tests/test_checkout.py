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
ROOMS = ("spec", "models", "graph", "crawler", "sim_web", "studies", "ci")
FOLDERS = (*ROOMS, "src/counterpoint")


@pytest.mark.parametrize("room", ROOMS)
def test_package_is_loaded_from_this_checkout(room: str) -> None:
    """Another installed package of the same common name, tested instead of ours."""
    found = importlib.import_module(f"counterpoint.{room}").__file__
    assert found is not None
    assert Path(found).resolve().is_relative_to(ROOT)


def test_every_room_is_linked_into_the_package() -> None:
    """A room at the top that no installation has; a link that leads out of the checkout."""
    links = {p.name: p for p in (ROOT / "src" / "counterpoint").iterdir() if p.is_symlink()}
    assert set(links) == set(ROOMS)
    assert all(str(p.readlink()) == f"../../{name}" for name, p in links.items())


def test_no_room_can_be_imported_by_its_own_name() -> None:
    """A name that takes the place of a module of a user's: ``models``, ``spec``, ``ci``."""
    program = f"import importlib.util as u; print([r for r in {ROOMS!r} if u.find_spec(r)])"
    found = subprocess.run(
        [sys.executable, "-P", "-c", program], capture_output=True, text=True, check=True
    )
    assert found.stdout == "[]\n"


IMPORTS_ALL = """
import numba, os, pkgutil, signal, sys, threading, warnings
import aiohttp.web, scipy.sparse, scipy.special, scipy.stats  # these change the filters of warnings
def process():
    settings = {n: v for n, v in vars(numba.config).items() if n.isupper()}
    handlers = [signal.getsignal(s) for s in signal.valid_signals()]
    return settings, handlers, dict(os.environ), sys.path[:], warnings.filters[:], sys.stdout
before = process()
import counterpoint
for found in pkgutil.walk_packages(counterpoint.__path__, "counterpoint."):
    if not found.name.endswith("__main__") and ".migrations." not in found.name:
        __import__(found.name)
print([name for name, old, new in zip(("numba", "signals", "environment", "path", "warnings",
    "output"), before, process()) if old != new], threading.active_count())
"""


def test_no_import_changes_the_process() -> None:
    """A setting of Numba, a signal or a filter that an import changes for everybody else."""
    found = subprocess.run(
        [sys.executable, "-c", IMPORTS_ALL], capture_output=True, text=True, check=True
    )
    assert found.stdout == "[] 1\n"


def test_every_folder_of_modules_is_a_package() -> None:
    """A folder of modules that an installation would leave out."""
    without = {
        str(p.parent.relative_to(ROOT))
        for folder in FOLDERS
        for p in (ROOT / folder).rglob("*.py")
        if not p.with_name("__init__.py").exists()
    }
    assert without == set()


def test_every_file_that_is_no_module_is_listed() -> None:
    """Templates, profiles or baselines that an installation would leave out."""
    tool = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]
    listed = {
        path
        for package, patterns in tool["package-data"].items()
        for pattern in patterns
        for path in ROOT.joinpath("src", *package.split(".")).glob(pattern)
    }
    named = subprocess.run(
        ["git", "ls-files", *FOLDERS], cwd=ROOT, capture_output=True, text=True, check=True
    )
    tracked = {ROOT / name for name in named.stdout.splitlines() if not name.endswith(".py")}
    assert {p for p in tracked if not p.is_symlink()} - {p.resolve() for p in listed} == set()


def test_modules_keep_to_their_size() -> None:
    """A module that has grown beyond one topic."""
    long = {
        str(p.relative_to(ROOT)): n
        for room in (*FOLDERS, "tests")
        for p in (ROOT / room).rglob("*.py")
        if (n := len(p.read_text().splitlines())) > (500 if room == "tests" else 400)
    }
    assert long == {}


def test_rooms_have_few_loose_modules() -> None:
    """A room in which a newcomer does not know where a line belongs."""
    loose = {room: {p.name for p in (ROOT / room).glob("[a-z]*.py")} for room in FOLDERS}
    assert {room: names for room, names in loose.items() if len(names) > 8} == {}


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
    run_tool("mypy", *(f"src/counterpoint/{room}" for room in rooms))


def test_spec_stands_alone() -> None:
    """A specification that does input or output, or uses an engine; it may read its own text."""
    allowed = (
        "counterpoint.spec __future__ collections contextvars dataclasses enum functools inspect"
    )
    allowed += (
        " inspect ast builtins hashlib itertools linecache math operator pickle re sys traceback"
    )
    allowed += " types typing warnings"
    for path in (ROOT / "spec").rglob("*.py"):
        for line in path.read_text().splitlines():
            found = re.match(r"from (counterpoint\.\w+|\w+)[\w.]* import |import (\w+)", line)
            room = found and (found[1] or found[2])
            assert room is None or room in allowed.split(), f"{path.name}: {line}"


def test_no_path_of_a_machine_is_in_the_tree() -> None:
    """A home folder or a build folder that works on one machine only."""
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    for name in listed.stdout.splitlines():
        if (ROOT / name).is_symlink():
            continue
        text = (ROOT / name).read_text(errors="replace")
        assert not re.search(r"/(?:root|home/\w+|work/\w+)/", text), name
