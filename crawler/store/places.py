"""Writes the place at which a list continues as a text that an address can have, and reads it."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Sequence
from typing import Any

from counterpoint.crawler.errors import CrawlError


def token_of(values: Sequence[Any]) -> str:
    """Return a text for the values of a place, numbers and texts."""
    return base64.urlsafe_b64encode(json.dumps(values).encode()).decode().rstrip("=")


def read_place(token: str, fits: Callable[[list[Any]], bool]) -> list[Any]:
    """Return the values of a place from its text; users may send any text.

    Parameters
    ----------
    token : str
        From `token_of`.
    fits : callable
        Whether values are those of a place in the list.

    Raises
    ------
    CrawlError
        If they are not.
    """
    try:
        padded = token + "=" * (-len(token) % 4)
        values = json.loads(base64.urlsafe_b64decode(padded.encode("ascii")))
    except (ValueError, RecursionError):
        values = None
    if not isinstance(values, list) or not fits(values):
        raise CrawlError(f"'{token[:40]}' is no place in this list")
    return values
