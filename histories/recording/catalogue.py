"""Finds a subject by the name that a user gives."""

from __future__ import annotations

import difflib
import importlib
import importlib.util
import inspect
import shlex
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

from counterpoint.histories.report import BY_NAME
from counterpoint.models.importing.files import line_of_user
from counterpoint.models.importing.user_modules import USER, importing_from

from .interface import Memory, RecordingError, Subject
from .programs import Program
from .subjects.clojure_refs import ClojureRefs
from .subjects.ghc_stm import GhcStm
from .subjects.libitm import METHODS, Libitm
from .subjects.postgresql import PROMISES, PostgreSQL
from .subjects.samples import Faulty, GlobalLock, LateValidation
from .subjects.sqlite import Sqlite


def _elsewhere(place: str) -> Subject:
    """Return a subject of a room that imports this one."""
    module, _, name = place.partition(":")
    made: Subject = getattr(importlib.import_module(module), name)()
    return made


SUBJECTS: dict[str, Callable[[], Subject]] = {
    **{f"postgresql:{level}": partial(PostgreSQL, level) for level in PROMISES},
    "sqlite": Sqlite,
    **{f"libitm:{method}": partial(Libitm, method) for method in METHODS},
    "ghc-stm": GhcStm,
    "clojure-refs": ClojureRefs,
    "window": partial(_elsewhere, "counterpoint.memories.recorded:WindowInPython"),
    "window-c": partial(_elsewhere, "counterpoint.memories.recorded:WindowInC"),
    "global-lock": GlobalLock,
    "late-validation": LateValidation,
    "faulty": Faulty,
}
"""For each name, what makes the subject."""

COMMAND = "cmd:"
"""What stands before a program of the user."""


def find(name: str, dsn: str = "") -> Subject:
    """Return a subject; see `_found`.

    Raises
    ------
    RecordingError
        If there is no such subject, or it promises what is no criterion.
    """
    subject = _found(name, dsn)
    for promise in subject.promises:
        if promise not in BY_NAME:
            raise RecordingError(f"{name} promises {promise!r}, which is none of "
                                 f"{', '.join(BY_NAME)}")  # fmt: skip
    return subject


def _found(name: str, dsn: str) -> Subject:
    """Return a subject.

    Parameters
    ----------
    name : str
        A name of `SUBJECTS`; a class or object of the user, ``file.py:Name`` or ``module:Name``;
        or a program of the user with its arguments, ``cmd:PROGRAM``.
    dsn : str
        The address of a database, for a subject that uses one.

    Raises
    ------
    RecordingError
        If there is no such subject.
    """
    if dsn:
        level = name.removeprefix("postgresql:")
        if level not in PROMISES or level == name:
            raise RecordingError(f"--dsn: {name} uses no database server")
        return PostgreSQL(level, dsn)
    if name in SUBJECTS:
        return SUBJECTS[name]()
    if name.startswith(COMMAND):
        return _program(name)
    place, colon, attribute = name.rpartition(":")
    if colon and (place.endswith(".py") or place.replace(".", "").isidentifier()):
        return _of_user(name, place, attribute)
    near = difflib.get_close_matches(name, SUBJECTS, 1)
    hint = f"did you mean {near[0]}?" if near else f"there are: {', '.join(SUBJECTS)}"
    raise RecordingError(f"there is no subject {name!r}; {hint} (your own: file.py:Name or "
                         "cmd:PROGRAM)")  # fmt: skip


def _program(name: str) -> Subject:
    try:
        words = shlex.split(name.removeprefix(COMMAND))
    except ValueError as error:
        raise RecordingError(f"{name}: {error}") from error
    if not words:
        raise RecordingError("cmd: needs a program: cmd:./my_memory")
    return Program(*words)


def _of_user(name: str, place: str, attribute: str) -> Subject:
    try:
        with redirect_stdout(sys.stderr):
            module = _file(Path(place)) if place.endswith(".py") else _module(place)
            found: Any = getattr(module, attribute, None)
            subject = found() if inspect.isclass(found) else found
    except (Exception, SystemExit) as error:
        where = line_of_user(error) or name
        text = " ".join(str(error).split())
        raise RecordingError(f"{where}: {type(error).__name__}: {text}") from error
    if found is None:
        raise RecordingError(
            f"{name}: there is no {attribute or 'name after the colon'} in {place}"
        )
    if not isinstance(subject, Memory | Program):
        raise RecordingError(f"{name}: it is no Memory and no Program of "
                             "counterpoint.histories.recording")  # fmt: skip
    return subject


def _module(place: str) -> ModuleType:
    with importing_from(Path.cwd()):
        return importlib.import_module(place)


def _file(path: Path) -> ModuleType:
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {path}")
    name = USER + path.stem
    wanted = importlib.util.spec_from_file_location(name, path)
    assert wanted is not None and wanted.loader is not None
    module = importlib.util.module_from_spec(wanted)
    sys.modules[name] = module
    with importing_from(path.absolute().parent):
        wanted.loader.exec_module(module)
    return module
