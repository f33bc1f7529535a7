"""Reads the records of a WARC file (ISO 28500) that may be damaged, and goes on after each damage.

A record is right if it has as many bytes as its header says, and the end of the file or another
record follows. Where that is not so, reading goes on at the next place that looks like the begin
of a record: in a plain file a line ``WARC/``, in a compressed one a member of gzip that begins so.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from counterpoint.crawler.errors import CrawlError
from counterpoint.files.inputs import PIECE

from .warc_bytes import (
    GZIP,
    MOST,
    WRONG_LENGTH,
    BrokenOffError,
    DamageError,
    FileBytes,
    NextError,
    NoRecordError,
    PackedBytes,
    PlainBytes,
)

PLACES = 100
"""After so many damaged places, the rest of a file is left out."""
_LINES = 1_000
"""The most headers of a record."""


class Damage(NamedTuple):
    """A damaged place.

    Attributes
    ----------
    path : Path
        The file.
    at : int
        The byte of the file at which the record begins, or its member of gzip.
    reason : str
        What is wrong.
    """

    path: Path
    at: int
    reason: str


class Record(NamedTuple):
    """A record whose type is ``response``.

    Attributes
    ----------
    headers : dict of str to str
        By name in lower case; a repeated header has its values separated by commas.
    data : bytes
        Its content, at most `MOST` bytes.
    partial : bool
        Whether it is longer than `MOST`.
    damaged : bool
        Whether the record is damaged; then ``data`` is what can be read.
    """

    headers: dict[str, str]
    data: bytes
    partial: bool
    damaged: bool


def records(path: Path, damages: list[Damage]) -> Iterator[Record]:
    """Yield the answers in a WARC file, compressed or not.

    Parameters
    ----------
    path : Path
    damages : list of Damage
        Gets what is damaged.

    Raises
    ------
    CrawlError
        If the file cannot be read, or has no right record and does not only break off.
    """
    try:
        with path.open("rb") as file:
            begin = file.read(len(GZIP))
            file.seek(0)
            packed = bool(begin) and GZIP.startswith(begin)
            yield from _Reader(
                path, PackedBytes(file) if packed else PlainBytes(file), damages
            ).records()
    except OSError as error:
        raise CrawlError(f"{path}: {error.strerror or error}") from None


class _Reader:
    """Reads the records of one file."""

    def __init__(self, path: Path, source: FileBytes, damages: list[Damage]) -> None:
        self._path, self._source, self._damages = path, source, damages
        self._headers: dict[str, str] = {}
        self._content = bytearray()
        self._place: int | None = None
        self._right = self._wrong = 0

    def records(self) -> Iterator[Record]:
        goes_on = True
        while goes_on:
            self._headers, self._content, self._place = {}, bytearray(), None
            partial = damaged = False
            try:
                if not self._source.begins():
                    return
                self._place = self._source.place()
                partial = self._read()
                self._right += 1
            except DamageError as error:
                damaged, goes_on = True, self._goes_on(error)
            if self._is_answer():
                yield Record(self._headers, bytes(self._content), partial, damaged)

    def _goes_on(self, error: DamageError) -> bool:
        """Note a damage; return whether another record follows."""
        place = self._source.place() if self._place is None else self._place
        follows = self._source.resume(place, self._content)
        breaks_off = isinstance(error, BrokenOffError)
        reason = WRONG_LENGTH if breaks_off and follows else str(error)
        if not (self._right or self._wrong or follows or breaks_off):
            text = f"{self._path}: is no WARC file that can be read: {reason}"
            raise CrawlError(text) from None
        self._damages.append(Damage(self._path, place, reason))
        self._wrong += 1
        if self._wrong < PLACES or not follows:
            return follows
        reason = f"after {PLACES} damaged places the rest of the file is left out"
        self._damages.append(Damage(self._path, place, reason))
        return False

    def _is_answer(self) -> bool:
        return self._headers.get("warc-type") == "response"

    def _read(self) -> bool:
        """Read a record, and its content if it is an answer.

        Returns
        -------
        bool
            Whether the content is longer than `MOST`.
        """
        self._headers = self._named_lines()
        try:
            length = int(self._headers.get("content-length", ""))
        except ValueError:
            raise DamageError("a record has no length") from None
        if length < 0:
            raise DamageError("a record has less than no bytes")
        self._source.must_be_right(length)
        left = length
        while left:
            piece = self._source.read(min(PIECE, left))
            if not piece:
                raise BrokenOffError
            left -= len(piece)
            if self._is_answer() and len(self._content) < MOST:
                self._content += piece[: MOST - len(self._content)]
        self._must_be_followed()
        return length > MOST

    def _must_be_followed(self) -> None:
        """Refuse what is neither a record nor the end; of the next record this is no damage."""
        with suppress(BrokenOffError, NextError):
            try:
                self._source.begins()
            except NoRecordError:
                raise DamageError(WRONG_LENGTH) from None

    def _named_lines(self) -> dict[str, str]:
        lines = []
        while (line := self._source.line()) not in (b"\r\n", b"\n"):
            if not line:
                raise BrokenOffError
            lines.append(line)
            if len(lines) > _LINES:
                raise DamageError(f"a record has more than {_LINES:,} headers")
        return named(lines, "utf-8")


def named(lines: list[bytes], encoding: str) -> dict[str, str]:
    """Return headers by their names in lower case."""
    found: dict[str, str] = {}
    for line in lines:
        name, _, value = line.decode(encoding, "replace").partition(":")
        name, value = name.strip().lower(), value.strip()
        found[name] = f"{found[name]},{value}" if name in found else value
    return found
