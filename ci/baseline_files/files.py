"""Files of baselines: read completely or refused, written completely or not at all."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any, TypeVar

from counterpoint.crawler.errors import CrawlError
from counterpoint.files.inputs import without_advice
from counterpoint.files.outputs import replacing

Baseline = TypeVar("Baseline")

DIGITS = 9
"""Significant digits of stored numbers."""


def short(value: float) -> float:
    """Return a number with the digits that are stored."""
    return float(f"{value:.{DIGITS}g}")


def version() -> str:
    """Return the version of the installed package, which a baseline names."""
    try:
        return metadata.version("counterpoint")
    except metadata.PackageNotFoundError:  # it is used from a folder
        return "unknown"


def load(
    path: Path, schema: int, made: Callable[[dict[str, Any]], Baseline], of: str, anew: str
) -> Baseline | None:
    """Return the baseline in a file; None if there is no such file.

    Parameters
    ----------
    path : Path
    schema : int
        The version of the file's format that can be read.
    made : callable
        Makes a baseline of the content, without the schema. Any ValueError, TypeError,
        AttributeError, KeyError or OverflowError says that the content is none.
    of : str
        What the baseline should be of, for the message.
    anew : str
        How to get another file, for the message.

    Raises
    ------
    CrawlError
        If the file cannot be read, or is no such baseline.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise CrawlError(f"{path} cannot be read: {error}") from error
    try:
        return made(_content(text, schema))
    except (ValueError, TypeError, AttributeError, KeyError, OverflowError) as error:
        why = without_advice(error) if isinstance(error, ValueError) else error
        raise CrawlError(f"{path} is no baseline of {of}: {why}; {anew}") from error


def _content(text: str, schema: int) -> dict[str, Any]:
    found = json.loads(text)
    if not isinstance(found, dict):
        raise ValueError("it has another content")
    its = found.pop("schema", found.pop("version", None))
    if its != schema:
        raise ValueError(f"its schema is {its}, and this version of Counterpoint has {schema}")
    return found


def save(path: Path, text: str) -> None:
    """Write the text of a baseline, complete or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as new:
        new.write_text(text, encoding="utf-8")


def content(path: Path) -> dict[str, Any]:
    """Return the content of any file as far as it is a JSON object, else nothing."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
