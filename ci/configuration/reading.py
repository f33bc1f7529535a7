"""Finds and reads the configuration; whatever is wrong with it is refused with file and line."""

from __future__ import annotations

import difflib
import json
import os
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from counterpoint.ci.outcome import Place
from counterpoint.files.inputs import without_advice
from counterpoint.sim_web.toml import tables
from counterpoint.spec.notation import SpecError

from .lines import Way, lines_of, nearest
from .schema import EXPECTED, FUNCTION, LABEL, SHARE, Document

NAME = "counterpoint.toml"
OTHER = "pyproject.toml"
SECTION = ("tool", "counterpoint")
NONE_FOUND = f"there is no {NAME} here or above; counterpoint init writes one"


class ConfigurationError(SpecError):
    """The configuration is wrong; the message has a line for each error."""


@dataclass(frozen=True)
class Configuration:
    """The configuration of a repository.

    Attributes
    ----------
    path : Path
        The file, absolute.
    document : Document
        Its tables.
    lines : dict
        The line of each key.
    """

    path: Path
    document: Document
    lines: Mapping[Way, int]

    @property
    def folder(self) -> Path:
        """The folder of the file, to which its paths are relative."""
        return self.path.parent

    def place(self, *way: str | int) -> Place:
        """Return the place of a key, or of the innermost table around it with a line of its own."""
        start = SECTION if self.path.name == OTHER else ()
        return Place(self.path.name, nearest(dict(self.lines), (*start, *way)))

    @contextmanager
    def entered(self) -> Iterator[None]:
        """Make the folder the current one, and its modules importable."""
        before, path = Path.cwd(), list(sys.path)
        os.chdir(self.folder)
        sys.path.insert(0, str(self.folder))
        try:
            yield
        finally:
            os.chdir(before)
            sys.path[:] = path


def find(start: Path) -> Path | None:
    """Return the configuration of a folder: the nearest one in it or above it.

    ``counterpoint.toml`` is preferred to the section ``[tool.counterpoint]`` of
    ``pyproject.toml`` in the same folder.

    Parameters
    ----------
    start : Path
        A folder.
    """
    start = start.absolute()
    for folder in (start, *start.parents):
        if (folder / NAME).is_file():
            return folder / NAME
        if _has_section(folder / OTHER):
            return folder / OTHER
    return None


def _has_section(path: Path) -> bool:
    try:
        return isinstance(_section(tables(path.read_text(encoding="utf-8"))), dict)
    except (OSError, ValueError, RecursionError):  # not ours to judge: another tool reports it
        return False


def _section(document: Mapping[str, Any]) -> Any:
    tools = document.get(SECTION[0])
    return tools.get(SECTION[1]) if isinstance(tools, dict) else None


def load(path: Path) -> Configuration:
    """Read a configuration.

    Parameters
    ----------
    path : Path
        A ``counterpoint.toml`` or a ``pyproject.toml``.

    Raises
    ------
    ConfigurationError
        If it cannot be read, is not TOML, or has an unknown key, a wrong type or a wrong value.
    """
    path = path.absolute()
    try:
        text = path.read_text(encoding="utf-8-sig")
        found = tables(text)
    except OSError as error:
        raise ConfigurationError(f"{path}: {error.strerror}") from error
    except UnicodeDecodeError:
        raise ConfigurationError(f"{path}: it is not UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        raise ConfigurationError(f"{path.name}: it is not TOML: {error}") from None
    except ValueError as error:  # int() refuses thousands of digits
        raise ConfigurationError(f"{path.name}: {without_advice(error)}") from None
    except RecursionError:
        raise ConfigurationError(f"{path.name}: the TOML is nested too deeply") from None
    lines = lines_of(text)
    start = SECTION if path.name == OTHER else ()
    section = _section(found) if start else found
    if start and _section(found) is None:
        raise ConfigurationError(f"{path.name} has no section [tool.counterpoint]")
    try:
        document = Document.model_validate(section)
    except ValidationError as error:
        wrong = [
            (nearest(lines, (*start, *way)), sentence)
            for way, sentence in _in_words(error.errors())
        ]
        said = [f"{path.name}:{line}: {text}" for line, text in sorted(wrong)]
        more = [f"and {len(said) - SHOWN:,} more"] if len(said) > SHOWN else []
        raise ConfigurationError("\n".join(said[:SHOWN] + more)) from None
    return Configuration(path, document, lines)


SHOWN = 20
"""How many errors a message names."""

_WORDS = {
    "string_type": "a string",
    "list_type": "a list",
    "dict_type": "a table",
    "model_type": "a table",
    "int_type": "an integer",
    "float_type": "a number",
    "bool_type": "true or false",
    "too_short": "a list with at least one entry",
}
"""What is expected, by pydantic's types of errors."""

_PATTERNS = {
    EXPECTED: '"violated", "violated after 18" or "holds"',
    SHARE: 'a share such as "2%"',
    FUNCTION: '"module:function"',
    LABEL: "letters, digits, _, and after the first of them . + -",
}
"""What is expected, by the pattern that a string does not match."""


def _in_words(errors: Sequence[Any]) -> Iterator[tuple[Way, str]]:
    """Yield where a value is wrong, with a sentence; one for all types that it could have had."""
    expected: dict[Way, dict[str, None]] = {}
    given: dict[Way, tuple[str, Any]] = {}
    for error in errors:
        way = _without_types(error["loc"])
        name = ".".join(str(part) for part in way if not isinstance(part, int)) or "the file"
        if error["type"] == "extra_forbidden":
            known = _known(way[:-1])
            near = difflib.get_close_matches(str(way[-1]), known, 1)
            hint = f"did you mean {near[0]}?" if near else f"there are: {', '.join(known)}"
            yield way, f"there is no key {name}; {hint}"
        elif error["type"] == "missing":
            yield way, f"{name} is missing"
        else:
            expected.setdefault(way, {})[_expected(error)] = None
            given.setdefault(way, (name, error["input"]))
    for way, words in expected.items():
        name, value = given[way]
        yield way, f"{name} should be {' or '.join(words)}, not {_shown(value)}"


def _expected(error: Any) -> str:
    """Return what a value should be."""
    if error["type"] == "string_pattern_mismatch":
        return _PATTERNS[error["ctx"]["pattern"]]
    message = str(error["msg"])
    return _WORDS.get(error["type"]) or message.removeprefix("Input should be ")


def _shown(value: Any) -> str:
    if isinstance(value, float):
        return str(value)  # JSON has no word for inf
    return json.dumps(value, ensure_ascii=False, default=str)


def _without_types(way: Way) -> Way:
    """Leave out what pydantic adds for the types of a union."""
    kept: list[str | int] = []
    known = _known(())
    for part in way:
        if isinstance(part, str) and kept and not known:
            break
        kept.append(part)
        known = _known(tuple(kept)) or known * isinstance(part, int)
    return tuple(kept)


def _known(way: Way) -> list[str]:
    """Return the keys of the table at the end of a way; empty if it is none of ours."""
    table: type[BaseModel] | None = Document
    for part in way:
        if isinstance(part, int):
            continue
        field = next(
            (f for f in (table.model_fields if table else {}).values() if f.alias == part), None
        )
        table = _table_of(field.annotation) if field is not None else None
    return [str(f.alias) for f in table.model_fields.values()] if table else []


def _table_of(annotation: Any) -> type[BaseModel] | None:
    for one in (annotation, *getattr(annotation, "__args__", ())):
        if isinstance(one, type) and issubclass(one, BaseModel):
            return one
    return None
