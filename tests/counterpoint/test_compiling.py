"""Compiled code is made again when anything that went into it has changed."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from counterpoint.compiling import NOT_KEPT

SOURCE = Path(__file__).resolve().parents[2] / "src"
ROOMS = ("graph", "crawler", "sim_web", "studies")


def compiled_modules() -> list[Path]:
    """Return the modules that have compiled functions."""
    paths = [path for room in ROOMS for path in sorted(Path(room).rglob("*.py"))]
    return [path for path in paths if "@compiled" in path.read_text()]


def imports(path: Path, tree: ast.Module) -> dict[str, Path]:
    """Return the names that a module imports from its own room, with the files they come from."""
    found = {}
    for node in ast.walk(tree):
        if not isinstance(node, ast.ImportFrom):
            continue
        parts = (node.module or "").split(".")
        if node.level:
            folder = path.parents[node.level - 1]
        elif parts[0] == "counterpoint" and parts[1:2] == [path.parts[0]]:
            folder, parts = Path(), parts[1:]
        else:
            continue
        for alias in node.names:
            for place in (folder.joinpath(*parts, alias.name), folder.joinpath(*parts)):
                if (file := place.with_suffix(".py")).is_file():
                    found[alias.asname or alias.name] = file
                    break
    return found


def names_of_compiled(tree: ast.Module) -> set[str]:
    """Return the names that compiled functions use, also through constants of the module."""
    constants = {
        target.id: {name.id for name in ast.walk(node.value) if isinstance(name, ast.Name)}
        for node in tree.body
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None
        for side in (node.targets if isinstance(node, ast.Assign) else [node.target])
        for target in ast.walk(side)
        if isinstance(target, ast.Name)
    }
    todo = [
        name.id
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef)
        and any("compiled" in ast.unparse(decorator) for decorator in function.decorator_list)
        for name in ast.walk(function)
        if isinstance(name, ast.Name)
    ]
    found: set[str] = set()
    while todo:
        if (name := todo.pop()) not in found:
            found.add(name)
            todo += constants.get(name, ())
    return found


def sources(path: Path) -> Iterator[Path]:
    """Yield the files of its room from which a module's compiled functions take something."""
    tree = ast.parse(path.read_text())
    imported = imports(path, tree)
    yield from {imported[name] for name in names_of_compiled(tree) if name in imported}


@pytest.mark.parametrize("path", compiled_modules(), ids=str)
def test_what_compiled_code_takes_is_part_of_its_digest(path: Path) -> None:
    """Compiled code of yesterday with a constant that was changed in another module."""
    for source in sources(path):
        assert "compiled" in source.read_text(), f"{path} takes from {source}"


def test_the_search_for_sources_finds_some() -> None:
    """A search that finds nothing, and so always passes."""
    assert len(compiled_modules()) > 20
    assert Path("graph/storage/codebook.py") in set(sources(Path("graph/storage/codes.py")))
    assert Path("sim_web/pages/text.py") in set(sources(Path("sim_web/pages/writer.py")))


PROGRAM = """\
import os, subprocess, sys, tempfile
from pathlib import Path
from numba.core import caching
from counterpoint import compiling

usual = caching._CacheLocator.ensure_cache_path

def ensure(locator):
    if not locator.get_cache_path().startswith({kept!r}):
        raise PermissionError(locator.get_cache_path())
    usual(locator)

caching._CacheLocator.ensure_cache_path = ensure  # root may write everywhere
if "/missing" in {kept!r}:
    tempfile.tempdir = {kept!r}

def twice(x):
    return 2 * x

twice.__module__ = "counterpoint.compiling"
assert compiling.compiled(twice)(3) == 6
assert compiling.compiled_as("int64(int64)")(twice)(4) == 8
kept = os.environ.get("COUNTERPOINT_COMPILED_CODE", "")
print(kept, len(list(Path(kept).rglob("*.nbc"))) if kept else 0, flush=True)
if len(sys.argv) == 1:
    subprocess.run([sys.executable, __file__, "started"], check=True)
"""


def run_where_nothing_can_be_written(tmp_path: Path, kept: Path, **env: str) -> tuple[str, str]:
    """Return what a program with compiled functions prints, and what it says of them.

    Numba may write in one folder alone.
    """
    path = tmp_path / "program.py"
    path.write_text(PROGRAM.format(kept=str(kept)))
    given = {k: v for k, v in os.environ.items() if k != "NUMBA_CACHE_DIR"}
    found = subprocess.run(
        [sys.executable, str(path)], capture_output=True, text=True, timeout=240,
        env=given | {"PYTHONPATH": str(SOURCE)} | env, check=False,
    )  # fmt: skip
    assert found.returncode == 0, found.stderr
    return found.stdout, found.stderr


@pytest.mark.long
def test_where_nothing_can_be_written_code_is_kept_for_the_processes_of_a_command(
    tmp_path: Path,
) -> None:
    """A container in which nothing that loads Numba runs, or each process compiles everything."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    out, err = run_where_nothing_can_be_written(tmp_path, temporary, TMPDIR=str(temporary))
    first, second = (line.split() for line in out.splitlines())
    assert first == second
    assert Path(first[0]).parent == temporary
    assert int(first[1]) > 0
    assert err == f"{NOT_KEPT}\n"
    assert list(temporary.iterdir()) == []


@pytest.mark.long
def test_without_a_temporary_folder_code_is_not_kept_at_all(tmp_path: Path) -> None:
    """A read-only system in which compiled code does not run."""
    out, err = run_where_nothing_can_be_written(tmp_path, tmp_path / "missing")
    assert [line.split()[-1] for line in out.splitlines()] == ["0", "0"]
    assert err == f"{NOT_KEPT}\n" * 2
