"""The lines of a TOML file at which its tables and keys begin; `tomllib` does not keep them."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator

Way = tuple[str | int, ...]
"""The keys and indexes that lead to a value."""

_OPAQUE = re.compile(
    r'"""(?:\\.|[^\\])*?"""+|\'\'\'.*?\'\'\'+|"(?:\\.|[^"\\\n])*"|\'[^\'\n]*\'|#[^\n]*', re.DOTALL
)
"""Strings and comments, in which brackets and equals signs mean nothing."""


def lines_of(text: str) -> dict[Way, int]:
    """Return the line of every table, and of every key outside of inline tables, from 1 on.

    Parameters
    ----------
    text : str
        TOML without errors.
    """
    found: dict[Way, int] = {}
    tables: dict[Way, int] = {}  # the last index of each array of tables
    inside: Way = ()
    for line, statement in _statements(text):
        if statement.startswith("[["):
            way = _resolved(_keys(statement[2:]), (), tables)
            tables[way] = tables.get(way, -1) + 1
            inside = (*way, tables[way])
            found.setdefault(way, line)
            found[inside] = line
        elif statement.startswith("["):
            inside = _resolved(_keys(statement[1:]), (), tables)
            found.setdefault(inside, line)
        else:
            found.setdefault(_resolved(_keys(statement), inside, tables), line)
    return found


def nearest(lines: dict[Way, int], way: Way) -> int:
    """Return the line of a value, or of the innermost table around it that has a line."""
    while way and way not in lines:
        way = way[:-1]
    return lines.get(way, 1)


def _statements(text: str) -> Iterator[tuple[int, str]]:
    """Yield each header and each assignment with its line, up to the end of its keys."""
    masked = _OPAQUE.sub(_masked, text)
    depth = place = 0
    for row in masked.splitlines(keepends=True):
        words = row.strip()
        if depth == 0 and words:
            start = place + row.index(words)
            end = place + row.index("]" if words[0] == "[" else "=")
            yield text.count("\n", 0, start) + 1, text[start:end]
        depth += sum(map(row.count, "[{")) - sum(map(row.count, "]}"))
        place += len(row)


def _masked(found: re.Match[str]) -> str:
    """Return text of the same length: spaces for a comment, x for a string, also for its lines."""
    return (" " if found[0][0] == "#" else "x") * len(found[0])


def _keys(text: str) -> list[str]:
    """Return the parts of a key, as ``a."b.c"``."""
    found, keys = tomllib.loads(f"{text.strip()} = 0"), []
    while isinstance(found, dict):
        (key,) = found
        keys.append(key)
        found = found[key]
    return keys


def _resolved(keys: list[str], inside: Way, tables: dict[Way, int]) -> Way:
    """Return the way to a key; in an array of tables it leads through the last table."""
    way = inside
    for place, key in enumerate(keys, start=1):
        way = (*way, key)
        if place < len(keys) and way in tables:
            way = (*way, tables[way])
    return way
