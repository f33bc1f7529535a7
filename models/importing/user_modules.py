"""Loads a user's modules from their source at each run, and finds all that they import.

Python caches compiled modules by the file's length and its time in seconds. An edit of equal length
within a second would keep an old verdict, so a user's modules are always compiled from source.
"""

from __future__ import annotations

import ast
import importlib.util
import os
import sys
import sysconfig
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from functools import cache, lru_cache
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType

OURS = frozenset({"counterpoint"})

USER = "_counterpoint_user_"
"""The prefix of the names of modules made from a user's file."""


class SourceOnlyLoader(SourceFileLoader):
    """Loads a module from its source and ignores cached bytecode."""

    def get_code(self, fullname: str) -> CodeType:
        """Return the module's code."""
        path = self.get_filename(fullname)
        return self.source_to_code(self.get_data(path), path)


class UserModuleFinder(MetaPathFinder):
    """Finds the user's modules: those of neither Python, an installed package nor Counterpoint."""

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return how to load a module of the user; None for any other module."""
        if name.partition(".")[0] in OURS | sys.stdlib_module_names:
            return None
        found = PathFinder.find_spec(name, path, target)
        if found is None or type(found.loader) is not SourceFileLoader or not found.origin:
            return None
        if is_installed(Path(found.origin)):
            return None
        found.loader = SourceOnlyLoader(found.loader.name, found.loader.path)
        return found


def load_user_modules_from_source() -> None:
    """Load all further modules of the user from their source."""
    if not any(isinstance(finder, UserModuleFinder) for finder in sys.meta_path):
        sys.meta_path.insert(0, UserModuleFinder())


@contextmanager
def importing_from(folder: Path) -> Iterator[None]:
    """Import modules from a folder and from the current one, as when Python runs a file there.

    Two specs may each have a ``helper.py`` in their folder, so modules that were loaded from
    elsewhere are forgotten first.
    """
    before = list(sys.path)
    sys.path[:0] = [str(folder), str(Path.cwd())]
    importlib.invalidate_caches()
    try:
        _forget_others()
        yield
    finally:
        sys.path[:] = before


def _forget_others() -> None:
    """Unload a user's modules that would now be found in another place, or not at all."""
    loaded: dict[str, list[ModuleType]] = {}
    for name, module in list(sys.modules.items()):
        loaded.setdefault(name.partition(".")[0], []).append(module)
    for top in loaded.keys() - OURS - sys.stdlib_module_names - {"__main__", "__mp_main__"}:
        files = [file for m in loaded[top] if (file := getattr(m, "__file__", None))]
        if files and not top.startswith(USER) and not any(is_installed(Path(f)) for f in files):
            found = PathFinder.find_spec(top)
            if found is None:
                other = any(isinstance(m.__loader__, SourceOnlyLoader) for m in loaded[top])
            else:
                other = not all(_is_found(file, found) for file in files)
            if other:
                for name in [n for n in sys.modules if n.partition(".")[0] == top]:
                    del sys.modules[name]


def _is_found(file: str, found: ModuleSpec) -> bool:
    """Return whether a file is the module that was found, or part of the package that was found."""
    place = Path(os.path.realpath(file))
    folders = [os.path.realpath(folder) for folder in found.submodule_search_locations or ()]
    is_it = found.origin is not None and place == Path(os.path.realpath(found.origin))
    return is_it or any(place.is_relative_to(folder) for folder in folders)


@cache
def _installed() -> tuple[Path, ...]:
    paths = sysconfig.get_paths()
    names = ("stdlib", "platstdlib", "purelib", "platlib")
    return tuple({Path(paths[name]).resolve() for name in names})


@lru_cache(maxsize=10_000)
def is_installed(path: Path) -> bool:
    """Return whether a file belongs to Python or to an installed package."""
    place = path.resolve()
    return any(place.is_relative_to(folder) for folder in _installed())


def source_files_of(defined: type) -> list[Path]:
    """Return the source files on which a class depends, with all that they import.

    Files of installed packages are listed if a user's module imports them; their own imports are
    not.
    """
    modules = {c.__module__ for c in defined.__mro__}
    todo = [m for m in (sys.modules.get(name) for name in modules) if m is not None]
    file = getattr(sys.modules.get(defined.__module__), "__file__", None)
    with importing_from(Path(file).absolute().parent) if file else nullcontext():
        return _followed(todo)


def _followed(todo: Sequence[ModuleType]) -> list[Path]:
    """Return the files of modules and of their imports."""
    names = [(m.__name__, m.__package__ or "", getattr(m, "__file__", None)) for m in todo]
    names += [found for m in todo for found in _located(m.__name__, "")]
    found: dict[Path, None] = {}
    while names:
        name, package, file = names.pop()
        if file is None or name.partition(".")[0] in OURS:
            continue
        path = Path(file).resolve()
        if path in found or path.suffix != ".py" or not path.is_file():
            continue
        found[path] = None
        if not is_installed(path):
            names += _imported(path, package)
    return sorted(found)


def _imported(path: Path, package: str) -> Iterator[tuple[str, str, str | None]]:
    """Yield name, package and file of each import anywhere in a module's source."""
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            wanted = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = "." * node.level + (node.module or "")
            inner = [f"{base}{'' if base.endswith('.') else '.'}{a.name}" for a in node.names]
            wanted = [base, *inner] if node.module else inner
        else:
            continue
        for name in wanted:
            yield from _located(name, package)


def _located(name: str, package: str) -> Iterator[tuple[str, str, str | None]]:
    """Yield name, package and file of a module and of the packages around it, without importing."""
    try:
        full = importlib.util.resolve_name(name, package) if name.startswith(".") else name
    except ImportError:  # beyond the top of its package
        return
    places: Sequence[str] | None = None
    parts = full.split(".") if full.partition(".")[0] not in sys.stdlib_module_names else []
    for depth in range(len(parts)):
        here = ".".join(parts[: depth + 1])
        found = PathFinder.find_spec(here, places)
        if found is None:
            return
        places = found.submodule_search_locations or []
        yield here, here if places else found.parent or "", found.origin
