"""Lines of text, and what may stand in them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import IO, Any

from counterpoint.files import inputs
from counterpoint.histories.history import HistoryError, Label


def lines_of(file: IO[bytes]) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of a file that are not empty, with their numbers from 1 on.

    Raises
    ------
    HistoryError
        If a line is longer than `inputs.LINE`.
    """
    number = 0
    try:
        for number, line in enumerate(inputs.lines_of(file), start=1):
            if line.strip():
                yield number, line
    except inputs.TooLargeError:
        raise HistoryError(number + 1, f"it is longer than {inputs.LINE:,} bytes") from None


def json_of(place: int, line: bytes) -> Any:
    """Return the value of a line of JSON.

    Raises
    ------
    HistoryError
        If it is none.
    """
    try:
        return json.loads(line)
    except UnicodeDecodeError as error:
        raise HistoryError(place, f"it is no text in UTF-8: {error.reason}") from None
    except RecursionError:
        raise HistoryError(place, "it has too many lists in each other") from None
    except ValueError as error:
        if not line.endswith(b"\n"):
            raise HistoryError(place, "the file breaks off within this line") from None
        what = error.msg if isinstance(error, json.JSONDecodeError) else "a number is too long"
        raise HistoryError(place, f"it is no JSON: {what}") from None


def scalar(place: int, value: Any, key: str) -> Any:
    """Return a value that is a whole number, a text or null.

    Raises
    ------
    HistoryError
        If it is something else.
    """
    if value is None or type(value) in (int, str):
        return value
    raise HistoryError(place, f"{key!r} is {_short(value)}, and must be a whole number or a text")


def whole_number(place: int, value: Any, key: str) -> int:
    """Return a value that is a whole number.

    Raises
    ------
    HistoryError
        If it is something else.
    """
    if type(value) is not int:
        raise HistoryError(place, f"{key!r} is {_short(value)}, and must be a whole number")
    return value


def label(place: int, event: dict[str, Any], key: str) -> Label:
    """Return the name of an object, a process or a transaction.

    Raises
    ------
    HistoryError
        If there is none.
    """
    value = event.get(key)
    if type(value) not in (int, str):
        given = "is missing" if key not in event else f"is {_short(value)}"
        raise HistoryError(place, f"{key!r} {given}, and must be a whole number or a text")
    found: Label = event[key]
    return found


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 40 else text[:37] + "..."
