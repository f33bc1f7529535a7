"""Which specs a user names, on the command line or in a table: by name, file, folder or pattern."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from glob import glob
from pathlib import Path

from counterpoint.spec.notation import SpecError

from .importing.user_modules import SourceOnlyLoader
from .loading import specs_in

PATTERN = "_spec.py"
"""How the names of the files end that are looked for in a folder."""

_MAGIC = re.compile(r"[*?\[]")


def references(written: Iterable[str]) -> list[str]:
    """Return a reference for each spec that a user names, each once.

    A folder stands for the files ``*_spec.py`` in it and in its subfolders, hidden ones and virtual
    environments left out; a pattern stands for the files that match it. A file stands for all specs
    that it defines, without mutants, classes whose names begin with an underscore, and bases
    without an action; a spec with variables and no action is a base if others derive from it. Any
    other argument names one spec, which is not looked for here.

    Parameters
    ----------
    written : iterable of str
        Names of the catalogue, ``file.py``, ``file.py:Class``, ``module:Class``, folders, or
        patterns as ``specs/*.py``.

    Raises
    ------
    SpecError
        If a folder has no such file, or a pattern matches none.
    """
    return list(dict.fromkeys(one for argument in written for one in _expanded(argument)))


def _expanded(argument: str) -> Iterator[str]:
    path = Path(argument)
    if argument and path.is_dir():
        found = sorted(_spec_files(path))
        if not found:
            raise SpecError(f"{argument} has no file *{PATTERN}; other files are named one by one")
        for file in found:
            yield from _in_file(str(file))
    elif is_pattern(argument):
        files = sorted(filter(Path.is_file, map(Path, glob(argument, recursive=True))))
        if not files:
            raise SpecError(f"no file matches {argument}")
        for file in files:
            yield from _in_file(str(file))
    elif argument.endswith(".py") and path.is_file():
        yield from _in_file(argument)
    else:
        yield argument


def is_pattern(argument: str) -> bool:
    """Return whether an argument is a pattern of files, and not the name of one."""
    has_magic = argument.endswith(".py") and _MAGIC.search(argument) is not None
    return has_magic and not Path(argument).exists()


def _spec_files(folder: Path) -> Iterator[Path]:
    for here, folders, files in os.walk(folder):
        folders[:] = [
            name
            for name in folders
            if not name.startswith((".", "__pycache__", "node_modules"))
            and not Path(here, name, "pyvenv.cfg").exists()
        ]
        yield from (Path(here, name) for name in files if name.endswith(PATTERN))


def _in_file(path: str) -> Iterator[str]:
    with own_modules():
        try:
            names = specs_in(Path(path))
        except SpecError:  # the code that loads it reports this error
            names = []
    if len(names) < 2:
        yield path
    else:
        yield from (f"{path}:{name}" for name in names)


@contextmanager
def own_modules() -> Iterator[None]:
    """Forget afterwards what a spec has imported of the user's modules.

    Two specs may share a helper, and one of them may change it; each gets it fresh.
    """
    before = set(sys.modules)
    try:
        yield
    finally:
        for name in sys.modules.keys() - before:
            if isinstance(getattr(sys.modules[name], "__loader__", None), SourceOnlyLoader):
                del sys.modules[name]
