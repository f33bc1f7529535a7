"""Files of scenarios: how they are found and read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from glob import glob
from pathlib import Path

from counterpoint.files.inputs import TooLargeError, whole
from counterpoint.spec.notation import SpecError

MARK = ".scenario"
"""How the names of the files end."""

_BEGINS = re.compile(r"(?:\s*(?:#[^\n]*)?\n)*\s*(?:scenario|spec)\s*:")
_MAGIC = re.compile(r"[*?\[]")
MOST = 1 << 24
"""The most bytes of a file."""


def is_scenario(text: str) -> bool:
    """Return whether a text begins as a scenario does, after remarks."""
    return _BEGINS.match(text) is not None


def text_of(path: Path) -> str:
    """Return the text of a file.

    Raises
    ------
    SpecError
        If it cannot be read, is too large, or is no text in UTF-8.
    """
    try:
        with path.open("rb") as file:
            return whole(file, MOST).decode("utf-8-sig")
    except TooLargeError as error:
        raise SpecError(f"{path} {error}") from None
    except UnicodeDecodeError as error:
        raise SpecError(f"{path} is no text in UTF-8: {error.reason}") from None
    except OSError as error:
        raise SpecError(f"{path}: {error.strerror}") from None


def files_of(written: Iterable[str]) -> list[Path]:
    """Return the files that names stand for, each once: files, folders, or patterns of files.

    A folder stands for the files ``*.scenario`` in it and in its subfolders.

    Raises
    ------
    SpecError
        If a name stands for no file.
    """
    return list(dict.fromkeys(path for name in written for path in _expanded(name)))


def _expanded(name: str) -> Iterator[Path]:
    path = Path(name)
    if path.is_file():
        yield path
        return
    if path.is_dir():
        found = sorted(one for one in path.rglob(f"*{MARK}") if one.is_file())
    elif _MAGIC.search(name):
        found = sorted(one for one in map(Path, glob(name, recursive=True)) if one.is_file())
    else:
        raise SpecError(f"there is no file {name}")
    if not found:
        why = f"{name} has no file *{MARK}" if path.is_dir() else f"no file matches {name}"
        raise SpecError(why)
    yield from found
