"""Opens a recording and finds out its format."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import IO, Any

from counterpoint.histories.history import History, HistoryError

from .edn import forms_of
from .jepsen import ENDS, read_operations
from .json_lines import read_events
from .lines import lines_of

FORMATS = ("auto", "events", "jepsen-json", "jepsen-edn")

_BETWEEN = re.compile(r"[\s,]*")


def read_history(file: IO[bytes], form: str = "auto") -> History:
    """Return the history in a file.

    Parameters
    ----------
    file : binary file
    form : str
        One of `FORMATS`: our JSON Lines, or Jepsen's operations in JSON (an array, or one after the
        other) or EDN. With ``auto`` the first operation decides.

    Raises
    ------
    HistoryError
        If the file is wrong; the message names the line.
    """
    first: list[tuple[int, bytes]] = []
    lines = lines_of(file)
    if form in ("auto", "events"):
        first = [line for line in (next(lines, None),) if line is not None]
        if not first:
            raise HistoryError(None, "the file is empty")
    if form == "auto":
        form = _form_of(*first[0])
    if form == "events":
        return read_events(_joined(first, lines))
    text = _text(first, file)
    forms = forms_of(text) if form == "jepsen-edn" else _values_of(text)
    return read_operations(forms)


def form_of(file: IO[bytes]) -> str:
    """Return the format of a file by its first line.

    Raises
    ------
    HistoryError
        If it has none of the formats.
    """
    first = next(lines_of(file), None)
    if first is None:
        raise HistoryError(None, "the file is empty")
    return _form_of(*first)


def _form_of(place: int, line: bytes) -> str:
    """Return the format of a file by its first line."""
    begin = line.lstrip().lstrip(b"[( \t\r\n,")
    if begin.startswith(b'{"') or begin in (b"", b"{"):
        types = [f'"{one}"'.encode() for one in ("invoke", *ENDS)]
        is_jepsen = line.lstrip().startswith(b"[") or any(one in line for one in types)
        return "jepsen-json" if is_jepsen else "events"
    if begin.startswith((b"{", b";", b"#", b"(")):
        return "jepsen-edn"
    raise HistoryError(place, "it begins neither as JSON nor as EDN")


def _joined(
    first: list[tuple[int, bytes]], rest: Iterator[tuple[int, bytes]]
) -> Iterator[tuple[int, bytes]]:
    yield from first
    yield from rest


def _text(first: list[tuple[int, bytes]], file: IO[bytes]) -> str:
    """Return all of a file as text, in which each line stands where it stood."""
    begin = b"".join(b"\n" * (place - 1) + line for place, line in first)
    data = begin + file.read()
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise HistoryError(line, f"it is no text in UTF-8: {error.reason}") from None


def _values_of(text: str) -> Iterator[tuple[int, Any]]:
    """Yield the values of JSON in a text, or those of the array that is the whole text."""
    decoder = json.JSONDecoder()
    line, place, inside = 1, 0, False
    while True:
        after = _BETWEEN.match(text, place).end()  # type: ignore[union-attr]
        line += text.count("\n", place, after)
        place = after
        if place == len(text):
            if inside:
                raise HistoryError(line, "the file breaks off before the array is closed")
            return
        if text[place] in "[]" and (text[place] == "]") == inside:
            inside, place = not inside, place + 1
            continue
        try:
            value, after = decoder.raw_decode(text, place)
        except RecursionError:
            raise HistoryError(line, "it has too many lists in each other") from None
        except ValueError as error:
            what = error.msg if isinstance(error, json.JSONDecodeError) else "a number is too long"
            raise HistoryError(line, f"it is no JSON: {what}") from None
        yield line, value
        line += text.count("\n", place, after)
        place = after
