"""Reads TOML: profiles of webs, and configurations of the gate."""

from __future__ import annotations

import re
import tomllib
from typing import Any

DEEPEST = 100
"""Parts that a key may have. For a key of n parts Python's parser takes n * n steps and bytes: with
20,000 parts (40 KB) more than 40 seconds."""

_PART = r"""(?:[\w-]++|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+"""
_DEEP = re.compile(rf"(?m)(?:^|[\[{{,])[ \t]*+(?:{_PART}){{{DEEPEST}}}")
"""A key stands at the beginning of a line or table, or after a comma; other texts with dots are
strings, numbers and comments."""


def tables(text: str) -> dict[str, Any]:
    """Return the tables and values of a TOML text.

    Raises
    ------
    ValueError
        If it is not TOML (`tomllib.TOMLDecodeError`), or has a number of thousands of digits.
    RecursionError
        If it is nested too deeply, or a key has more than `DEEPEST` parts.
    """
    if _DEEP.search(text):
        raise RecursionError
    return tomllib.loads(text)
