"""The checkout as a whole: where packages come from, layers, style, types, sizes, stray paths."""

from __future__ import annotations

import ast
import importlib
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
ROOMS = ("spec", "models", "histories", "memories", "graph", "crawler", "sim_web", "studies", "ci")
FOLDERS = (*ROOMS, "src/counterpoint")


@pytest.mark.parametrize("room", ROOMS)
def test_package_is_loaded_from_this_checkout(room: str) -> None:
    """Another installed package with a common name that is tested instead of ours."""
    found = importlib.import_module(f"counterpoint.{room}").__file__
    assert found is not None
    assert Path(found).resolve().is_relative_to(ROOT)


def test_every_room_is_linked_into_the_package() -> None:
    """A room that installations lack; a link that leads out of the checkout."""
    links = {p.name: p for p in (ROOT / "src" / "counterpoint").iterdir() if p.is_symlink()}
    assert set(links) == set(ROOMS)
    assert all(str(p.readlink()) == f"../../{name}" for name, p in links.items())


def test_no_room_can_be_imported_by_its_own_name() -> None:
    """A package of ours that hides a module of a user: ``models``, ``spec``, ``ci``."""
    program = f"import importlib.util as u; print([r for r in {ROOMS!r} if u.find_spec(r)])"
    found = subprocess.run(
        [sys.executable, "-P", "-c", program], capture_output=True, text=True, check=True
    )
    assert found.stdout == "[]\n"


IMPORTS_ALL = """
import numba, os, pkgutil, signal, sys, threading, warnings
import aiohttp.web, scipy.sparse, scipy.special, scipy.stats, scrapy  # these change the filters
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
    """A setting of Numba, a signal handler or a warning filter that an import changes."""
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


def test_every_data_file_is_listed() -> None:
    """Templates or profiles that an installation would leave out; baselines stay here."""
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
    baselines = ROOT / "ci" / "baselines"
    tracked = {
        ROOT / name
        for name in named.stdout.splitlines()
        if not name.endswith(".py") and not (ROOT / name).is_relative_to(baselines)
    }
    assert {p for p in tracked if not p.is_symlink()} - {p.resolve() for p in listed} == set()


def test_modules_keep_to_their_size() -> None:
    """A module of more than 400 lines."""
    long = {
        str(p.relative_to(ROOT)): n
        for room in (*FOLDERS, "tests")
        for p in (ROOT / room).rglob("*.py")
        if (n := len(p.read_text().splitlines())) > 400
    }
    assert long == {}


def test_rooms_have_few_loose_modules() -> None:
    """A room with more than 8 modules outside of its folders."""
    loose = {room: {p.name for p in (ROOT / room).glob("[a-z]*.py")} for room in FOLDERS}
    assert {room: names for room, names in loose.items() if len(names) > 8} == {}


def run_tool(*command: str) -> None:
    """Run one of the environment's tools on the checkout."""
    tool = Path(sys.executable).with_name(command[0])
    result = subprocess.run([str(tool), *command[1:]], cwd=ROOT, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr


def test_layers() -> None:
    """An import against the direction spec <- models <- ci <- counterpoint, or a cycle."""
    run_tool("lint-imports")


def test_style() -> None:
    """An error of the linter, or a file that is not formatted."""
    run_tool("ruff", "check", ".")
    run_tool("ruff", "format", "--check", ".")


@pytest.mark.parametrize("rooms", [["spec"], pytest.param([], marks=pytest.mark.slow)])
def test_types(rooms: list[str]) -> None:
    """A type error; in all configured packages, where no room is given."""
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


def _calls_when_read(tree: ast.AST) -> Iterator[ast.Call]:
    """Yield the calls that Python makes when it reads a module: none within functions."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Call):
            yield node
        if isinstance(node, ast.FunctionDef):
            for one in node.decorator_list:
                yield from _calls_when_read(ast.Expr(one))
        elif not isinstance(node, ast.Lambda):
            yield from _calls_when_read(node)


def test_names_of_tests_do_not_depend_on_the_time() -> None:
    """Cases with gzip's time in their names: two processes then collect different tests."""
    wrong = [
        f"{path.relative_to(ROOT)}:{call.lineno}"
        for path in (ROOT / "tests").rglob("*.py")
        for call in _calls_when_read(ast.parse(path.read_text(encoding="utf-8")))
        if ast.unparse(call.func) == "gzip.compress"
        and not any(key.arg == "mtime" for key in call.keywords)
    ]
    assert wrong == []
