"""Reads the part of EDN that Jepsen's histories use.

Our own since the readers on PyPI take minutes for the megabytes that a test of an hour writes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from counterpoint.histories.history import HistoryError

DEEPEST = 100
"""The most collections in each other."""

_TOKEN = re.compile(
    r"""[\s,]+                              # a comma is white space
      | ;[^\n]*                             # a comment
      | (?P<open>\#?\{|[\[(])
      | (?P<close>[\])}])
      | "(?P<text>(?:[^"\\]|\\.)*)"
      | (?P<tag>\#[A-Za-z][\w.\-/*+!?$%&=<>]*)
      | (?P<discard>\#_)
      | (?P<plain>:?[^\s,;"()\[\]{}\#][^\s,;"()\[\]{}]*)
    """,
    re.VERBOSE | re.DOTALL,
)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", '"': '"', "b": "\b", "f": "\f"}
_NAMED: dict[str, Any] = {"nil": None, "true": True, "false": False}
_CLOSING = {"(": ")", "[": "]", "{": "}", "#{": "}"}


class Keyword(str):
    """A keyword, without its colon."""

    __slots__ = ()


def forms_of(text: str) -> Iterator[tuple[int, Any]]:
    """Yield the forms of a text, each with the number of the line where it begins.

    Maps are dicts whose keys are texts where these are keywords; vectors, lists and sets are
    tuples; tags are left out. The forms of a vector or list that holds all the others are yielded
    one by one.

    Raises
    ------
    HistoryError
        If the text is no EDN.
    """
    yield from _Reader(text).forms()


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._line = 1
        self._place = 0

    def forms(self) -> Iterator[tuple[int, Any]]:
        """Yield the forms."""
        wrapped, is_first = "", True
        for name, token in self._tokens():
            if is_first and name == "open" and token in ("[", "("):
                wrapped = token
            elif wrapped and name == "close" and token == _CLOSING[wrapped]:
                wrapped = ""
            elif name == "discard":
                self._form(*self._next("a value"), 1)
            else:
                line = self._line
                yield line, self._form(name, token, 0)
            is_first = False
        if wrapped:
            raise HistoryError(self._line, f"the text ends before {wrapped} is closed")

    def _tokens(self) -> Iterator[tuple[str, str]]:
        """Yield the kind and the text of each token but white space and comments."""
        text = self._text
        while self._place < len(text):
            found = _TOKEN.match(text, self._place)
            if found is None:
                piece = text[self._place : self._place + 10].split("\n")[0]
                raise HistoryError(self._line, f"it is no EDN from {piece!r} on")
            self._place = found.end()
            name = found.lastgroup
            if name is not None:
                yield name, found[name]
            self._line += found[0].count("\n")

    def _next(self, what: str) -> tuple[str, str]:
        for found in self._tokens():
            return found
        raise HistoryError(self._line, f"the text ends within {what}")

    def _form(self, name: str, token: str, depth: int) -> Any:
        if depth > DEEPEST:
            raise HistoryError(self._line, f"more than {DEEPEST} collections stand in each other")
        if name == "tag":
            return self._form(*self._next("a tagged value"), depth + 1)
        if name == "discard":
            self._form(*self._next("a value"), depth + 1)
            return self._form(*self._next("a value"), depth + 1)
        if name == "open":
            return self._collection(token, depth)
        if name == "close":
            raise HistoryError(self._line, f"{token} closes nothing")
        if name == "text":
            return re.sub(r"\\(.)", lambda m: _ESCAPES.get(m[1], m[1]), token)
        return self._plain(token)

    def _collection(self, opened: str, depth: int) -> Any:
        found: list[Any] = []
        begin = self._line
        while True:
            name, token = self._next(f"the collection of line {begin:,}")
            if name == "discard":
                self._form(*self._next("a value"), depth + 1)
                continue
            if name == "close":
                if token != _CLOSING[opened]:
                    raise HistoryError(self._line, f"{token} closes the {opened} of line {begin:,}")
                break
            found.append(self._form(name, token, depth + 1))
        if opened != "{":
            return tuple(found)
        if len(found) % 2:
            raise HistoryError(begin, "a map has a key without a value")
        return {_key(k): v for k, v in zip(found[::2], found[1::2], strict=True)}

    def _plain(self, token: str) -> Any:
        if token.startswith(":"):
            return Keyword(token[1:])
        if token in _NAMED:
            return _NAMED[token]
        try:
            return int(token.removesuffix("N"))
        except ValueError:
            pass
        try:
            return float(token.removesuffix("M"))
        except ValueError:
            return token


def _key(value: Any) -> Any:
    return value if isinstance(value, str | int) else repr(value)
