"""Imports a file of the user, and names the line of an error in it."""

from __future__ import annotations

import ast
import importlib.util
import linecache
import sys
import traceback
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path
from types import ModuleType

from counterpoint.memory import is_tight
from counterpoint.spec.notation import SpecError

from .user_modules import (
    USER,
    SourceOnlyLoader,
    importing_from,
    load_user_modules_from_source,
)
from .watched_imports import EndlessImport, watched_import


def import_file(path: Path) -> ModuleType:
    """Import a file of the user from its source.

    Raises
    ------
    SpecError
        If there is none, or it cannot be imported; the message names the line.
    """
    if not is_file(path):
        where = "" if path.is_absolute() else f" in {Path.cwd()}"
        raise SpecError(f"there is no file {path}{where}")
    _must_not_be_hidden(path)
    name = USER + path.stem
    load_user_modules_from_source()
    linecache.checkcache(str(path))
    wanted = importlib.util.spec_from_file_location(
        name, path, loader=SourceOnlyLoader(name, str(path))
    )
    if wanted is None or wanted.loader is None:
        raise SpecError(f"{path} is not a Python file")
    module = importlib.util.module_from_spec(wanted)
    sys.modules[name] = module
    try:
        with (
            importing_from(path.absolute().parent), redirect_stdout(sys.stderr),
            watched_import(str(path.resolve())),
        ):  # fmt: skip
            wanted.loader.exec_module(module)
    except EndlessImport as error:
        raise SpecError(str(error)) from None
    except SyntaxError as error:
        line = f":{error.lineno}" if error.lineno else ""
        text = (error.text or "").strip().partition("\n")[0]  # else it is the whole file
        source = f": {text}" if text else ""
        kind = type(error).__name__
        raise SpecError(f"{error.filename or path}{line}: {kind}: {error.msg}{source}") from error
    except MemoryError as error:
        if not frames_of(error, path) and not is_tight():  # from the parser
            raise SpecError(f"{path}: is nested too deeply for Python's parser") from None
        raise SpecError(error_with_place(error, path)) from error
    except (Exception, SystemExit) as error:
        raise SpecError(error_with_place(error, path)) from error
    return module


def is_file(path: Path) -> bool:
    """Return whether there is such a file; a name that no file can have is that of none."""
    try:
        return path.is_file()
    except OSError:
        return False


def _must_not_be_hidden(path: Path) -> None:
    """Reject a file that imports a module of its folder with the name of one of Python's.

    Python uses its own module if that is loaded already. Then the spec would mean something else
    here than in a run of Python alone. Modules of the folder that the file imports are followed.
    """
    todo, seen = [path], set()
    while todo:
        file = todo.pop()
        if file in seen:
            continue
        seen.add(file)
        for line, top in _imported_names(file):
            places = (path.parent / f"{top}.py", path.parent / top / "__init__.py")
            found = [place for place in places if place.is_file()]
            if found and top in sys.stdlib_module_names:
                name = found[0].relative_to(path.parent)
                raise SpecError(f"{file}:{line}: imports {top}, and both Python and this folder "
                                f"have a module of that name; rename {name}")  # fmt: skip
            todo += found


def _imported_names(path: Path) -> Iterator[tuple[int, str]]:
    """Yield lines and first names of the modules that a file imports, not those for types only."""
    try:
        todo: list[ast.AST] = [ast.parse(path.read_bytes())]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return  # reported where the file is compiled
    while todo:
        node = todo.pop()
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            todo += node.orelse
            continue
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name.partition(".")[0]) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield node.lineno, (node.module or "").partition(".")[0]
        todo += ast.iter_child_nodes(node)


def line_of_user(error: BaseException) -> str:
    """Return file and line of the innermost frame in a user's file; empty if there is none."""
    places = [
        f"{frame.f_code.co_filename}:{line}"
        for frame, line in traceback.walk_tb(error.__traceback__)
        if frame.f_globals.get("__name__", "").startswith(USER)
    ]
    return places[-1] if places else ""


def error_with_place(error: BaseException, path: Path) -> str:
    """Return an error's kind and text, after the line of the file where it arose."""
    own = frames_of(error, path)
    place = f"{path}:{own[-1].lineno}" if own else str(path)
    text = str(error) if isinstance(error, SpecError) else kind_and_text(error)
    hint = ""
    if isinstance(error, ImportError) and "relative import" in str(error):
        hint = "; name a spec of a package as package.module:Class, and run where the package is"
    return f"{place}: {text}{hint}"


def kind_and_text(error: BaseException) -> str:
    """Return the class of an error and its message."""
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


def frames_of(error: BaseException, path: Path) -> list[traceback.FrameSummary]:
    """Return the frames of an error's traceback in a file, the innermost last."""
    frames = traceback.extract_tb(error.__traceback__)
    return [f for f in frames if Path(f.filename).resolve() == path.resolve()]
