"""The bytes of a WARC file without its compression, which can go on behind a damaged record."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from contextlib import suppress
from typing import BinaryIO, NamedTuple

from counterpoint.files.inputs import PIECE

MOST = 1 << 26
"""The most bytes of a record that are read; of a longer one, only its beginning."""
LINE = 1 << 16
"""The most bytes of a header of a record, and the bytes of a file that are read at a time."""
BEGIN = b"WARC/"
"""How a record begins."""
_NEXT = re.compile(rb"\nWARC/\d")
_BLANK = re.compile(rb"\s*")

WRONG_LENGTH = "the length of a record is wrong"
"""The reason where a record has not as many bytes as it says."""


class DamageError(Exception):
    """A record is damaged; the message says how."""


class BrokenOffError(DamageError):
    """The file ends within a record."""

    def __init__(self) -> None:
        super().__init__("a record breaks off")


class NoRecordError(DamageError):
    """There is no record where one must begin."""

    def __init__(self) -> None:
        super().__init__("a record does not begin with WARC/")


class NextError(DamageError):
    """A compressed member cannot be unpacked at all; what stands before it may be right."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"a record cannot be unpacked ({reason})")


class Place(NamedTuple):
    """Where a record begins.

    Attributes
    ----------
    at : int
        The byte of the file; in a compressed one, that at which its member or frame begins.
    skip : int
        How many unpacked bytes of the member come before the record; 0 if it begins the member.
    """

    at: int
    skip: int = 0


class FileBytes(ABC):
    """The bytes of a file without its compression, read from one place to the end."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._buffer, self._position = b"", 0

    @abstractmethod
    def _more(self) -> bytes:
        """Return the next bytes, none at the end; raise `DamageError` if there is a damage."""

    @abstractmethod
    def place(self) -> Place:
        """Return where in the file a record is that begins here."""

    @abstractmethod
    def used(self) -> int:
        """Return the byte of the file up to which all is needed that was read until here."""

    @abstractmethod
    def go(self, place: Place) -> None:
        """Go to a place, from which is read on; raise `DamageError` if there is a damage."""

    @abstractmethod
    def must_be_right(self, length: int) -> None:
        """Refuse a wrong length of the content that begins here, if that is known before."""

    @abstractmethod
    def resume(self, at: int, read: bytearray, most: int) -> bool:
        """Go on behind a damaged record.

        Parameters
        ----------
        at : int
            Where the record begins, see `Place`.
        read : bytearray
            What was read of its content; is completed, up to ``most`` bytes.
        most : int

        Returns
        -------
        bool
            Whether another record follows.
        """

    def _empty(self) -> None:
        self._buffer, self._position = b"", 0

    @property
    def _left(self) -> int:
        """How many bytes the buffer has."""
        return len(self._buffer) - self._position

    def _fill(self) -> bool:
        """Read more into the buffer; return False at the end."""
        more = self._more()
        if more:
            self._buffer, self._position = self._buffer[self._position :] + more, 0
        return bool(more)

    def read(self, size: int) -> bytes:
        """Return at least one byte and at most ``size``; none at the end."""
        if not self._left:
            self._fill()
        found = self._buffer[self._position : self._position + size]
        self._position += len(found)
        return found

    def line(self) -> bytes:
        """Return a line with its line feed; the last one may lack it."""
        while (end := self._buffer.find(b"\n", self._position) + 1) == 0 and self._left <= LINE:
            if not self._fill():
                end = len(self._buffer)
                break
        if end - self._position > LINE or (not end and self._left):
            raise DamageError(f"a header has more than {LINE:,} bytes")
        found = self._buffer[self._position : end]
        self._position = end
        return found

    def begins(self) -> bool:
        """Skip blank lines; return whether a record begins here, False at the end of the file."""
        while True:
            blank = _BLANK.match(self._buffer, self._position)
            assert blank is not None
            self._position = blank.end()
            if self._left or not self._fill():
                break
        while self._left < len(BEGIN) and self._fill():
            pass
        begin = self._buffer[self._position : self._position + len(BEGIN)]
        if begin != BEGIN and begin:
            whole = len(begin) == len(BEGIN) or not BEGIN.startswith(begin)
            raise NoRecordError if whole else BrokenOffError
        return bool(begin)


class PlainBytes(FileBytes):
    """A file that is not compressed."""

    def __init__(self, file: BinaryIO) -> None:
        super().__init__(file)
        self._end = file.seek(0, 2)
        self._go(0)

    def _go(self, at: int) -> None:
        self._file.seek(at)
        self._empty()

    def go(self, place: Place) -> None:
        """Go to a place; see `FileBytes.go`."""
        self._go(place.at)

    def _more(self) -> bytes:
        return self._file.read(LINE)

    def used(self) -> int:
        """Return the byte of the file that is read next."""
        return self._file.tell() - self._left

    def place(self) -> Place:
        """Return the byte of the file that is read next."""
        return Place(self.used())

    def must_be_right(self, length: int) -> None:
        """Refuse a length behind which neither a record nor the end of the file is."""
        here = self._content = self.used()
        if here + length > self._end:
            raise BrokenOffError
        if length < self._left:
            blank = _BLANK.match(self._buffer, self._position + length)
            if blank is not None and self._buffer.startswith(BEGIN, blank.end()):
                return
        self._go(here + length)
        with suppress(BrokenOffError):  # it is the next record that breaks off
            try:
                self.begins()
            except NoRecordError:
                raise DamageError(WRONG_LENGTH) from None
        self._go(here)

    def resume(self, at: int, read: bytearray, most: int) -> bool:
        """Go on at the next line that begins like a record; see `FileBytes.resume`."""
        begin = max(at + 1, self._content)
        at, found = begin - 1, None
        while found is None:
            self._go(at)
            piece = self._file.read(PIECE)
            found = _NEXT.search(piece)
            if len(piece) < PIECE:
                break
            at += len(piece) - len(BEGIN) - 1 if found is None else 0
        after = at + found.start() + 1 if found else self._end
        if begin == self._content:
            self._go(begin)
            read[:] = self._file.read(min(after - begin, most))
        self._go(after)
        return found is not None

    _content = 0
    """Where the content of the last record begins."""
