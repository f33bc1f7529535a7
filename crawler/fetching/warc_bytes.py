"""The bytes of a WARC file, compressed or not, which can go on behind a damaged record."""

from __future__ import annotations

import re
import zlib
from abc import ABC, abstractmethod
from contextlib import suppress
from typing import BinaryIO

from counterpoint.files.inputs import PIECE

MOST = 1 << 26
"""The most bytes of a record that are read; of a longer one, only its beginning."""
GZIP = b"\x1f\x8b"
"""How a member of gzip begins."""
_LINE = 1 << 16
"""The most bytes of a header of a record."""
_BEGIN = b"WARC/"
_NEXT = re.compile(rb"\nWARC/\d")
_MEMBER = b"\x1f\x8b\x08"
_STEP = 512
"""How many bytes are unpacked at a time."""
_TRIED = 4096
"""The bytes of a member that are unpacked to see how it begins."""

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
    """A member of gzip cannot be unpacked at all; what stands before it may be right."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"a record cannot be unpacked ({reason})")


class FileBytes(ABC):
    """The bytes of a file without its compression, read from the beginning to the end."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._buffer = b""

    @abstractmethod
    def _more(self) -> bytes:
        """Return the next bytes, none at the end; raise `DamageError` if there is a damage."""

    @abstractmethod
    def place(self) -> int:
        """Return where in the file a record is that begins here."""

    @abstractmethod
    def must_be_right(self, length: int) -> None:
        """Refuse a wrong length of the content that begins here, if that is known before."""

    @abstractmethod
    def resume(self, place: int, read: bytearray) -> bool:
        """Go on behind a damaged record.

        Parameters
        ----------
        place : int
            Where the record begins.
        read : bytearray
            What was read of its content; is completed.

        Returns
        -------
        bool
            Whether another record follows.
        """

    def _peek(self, size: int) -> bytes:
        while len(self._buffer) < size and (more := self._more()):
            self._buffer += more
        return self._buffer[:size]

    def read(self, size: int) -> bytes:
        """Return at least one byte and at most ``size``; none at the end."""
        found = self._peek(1) and self._buffer[:size]
        self._buffer = self._buffer[len(found) :]
        return found

    def line(self) -> bytes:
        """Return a line with its line feed; the last one may lack it."""
        while (end := self._buffer.find(b"\n") + 1) == 0 and len(self._buffer) <= _LINE:
            more = self._more()
            if not more:
                end = len(self._buffer)
                break
            self._buffer += more
        if end > _LINE or (not end and self._buffer):
            raise DamageError(f"a header has more than {_LINE:,} bytes")
        found, self._buffer = self._buffer[:end], self._buffer[end:]
        return found

    def begins(self) -> bool:
        """Skip blank lines; return whether a record begins here, False at the end of the file."""
        while self._peek(1) and not self._buffer[:1].strip():
            self._buffer = self._buffer.lstrip()
        begin = self._peek(len(_BEGIN))
        if not begin.startswith(_BEGIN) and begin:
            whole = len(begin) == len(_BEGIN) or not _BEGIN.startswith(begin)
            raise NoRecordError if whole else BrokenOffError
        return bool(begin)


class PlainBytes(FileBytes):
    """A file that is not compressed."""

    def __init__(self, file: BinaryIO) -> None:
        super().__init__(file)
        self._end = file.seek(0, 2)
        self._go(0)

    def _go(self, place: int) -> None:
        self._file.seek(place)
        self._buffer = b""

    def _more(self) -> bytes:
        return self._file.read(_LINE)

    def place(self) -> int:
        """Return the byte of the file that is read next."""
        return self._file.tell() - len(self._buffer)

    def must_be_right(self, length: int) -> None:
        """Refuse a length behind which neither a record nor the end of the file is."""
        here = self._content = self.place()
        if here + length > self._end:
            raise BrokenOffError
        self._go(here + length)
        with suppress(BrokenOffError):  # it is the next record that breaks off
            try:
                self.begins()
            except NoRecordError:
                raise DamageError(WRONG_LENGTH) from None
        self._go(here)

    def resume(self, place: int, read: bytearray) -> bool:
        """Go on at the next line that begins like a record; see `FileBytes.resume`."""
        begin = max(place + 1, self._content)
        at, found = begin - 1, None
        while found is None:
            self._go(at)
            piece = self._file.read(PIECE)
            found = _NEXT.search(piece)
            if len(piece) < PIECE:
                break
            at += len(piece) - len(_BEGIN) - 1 if found is None else 0
        after = at + found.start() + 1 if found else self._end
        if begin == self._content:
            self._go(begin)
            read[:] = self._file.read(min(after - begin, MOST))
        self._go(after)
        return found is not None

    _content = 0
    """Where the content of the last record begins."""


class PackedBytes(FileBytes):
    """A file of members of gzip; each has a record, as a rule."""

    def __init__(self, file: BinaryIO) -> None:
        super().__init__(file)
        self._unpacker: zlib._Decompress | None = None
        self._raw, self._at = b"", 0
        self._member, self._is_begun = 0, False

    def _filled(self) -> bool:
        """Have at least one byte to unpack; return False at the end of the file."""
        if self._at == len(self._raw):
            self._raw, self._at = self._file.read(_LINE), 0
        return bool(self._raw)

    def _more(self) -> bytes:
        while self._unpacker is not None or self._open():
            if not self._filled():
                raise BrokenOffError
            found = self._unpacked()
            if found:
                self._is_begun = True
                return found
        return b""

    def _open(self) -> bool:
        """Begin with the next member, after zeros; return False at the end of the file."""
        while self._filled() and not self._raw[self._at]:
            rest = self._raw[self._at :].lstrip(b"\0")
            self._at = len(self._raw) - len(rest)
        if not self._raw:
            return False
        self._member, self._is_begun = self._file.tell() - len(self._raw) + self._at, False
        self._raw, self._at = self._raw[self._at :] + self._file.read(_LINE), 0
        if not self._raw.startswith(GZIP):
            raise BrokenOffError if self._raw == GZIP[:1] else NextError("it is not gzip")
        self._unpacker = zlib.decompressobj(31)
        return True

    def _unpacked(self) -> bytes:
        """Unpack a few bytes, so that all is known that comes before a damage."""
        unpacker, piece = self._unpacker, self._raw[self._at : self._at + _STEP]
        assert unpacker is not None
        try:
            found = unpacker.decompress(piece, PIECE)
        except zlib.error as error:
            found_wrong = NextError(str(error).rpartition(": ")[2])
            raise DamageError(str(found_wrong)) if self._is_begun else found_wrong from None
        rest = unpacker.unused_data if unpacker.eof else unpacker.unconsumed_tail
        self._at += len(piece) - len(rest)
        if unpacker.eof:
            self._unpacker = None
        return found

    def place(self) -> int:
        """Return where in the file the last member begins."""
        return self._member

    def must_be_right(self, length: int) -> None:
        """Do nothing: only unpacking shows what follows."""

    def resume(self, place: int, read: bytearray) -> bool:
        """Go on at the next member that begins with a record; see `FileBytes.resume`."""
        self._unpacker, self._buffer, self._raw, self._at = None, b"", b"", 0
        at = place + 1
        while True:
            self._file.seek(at)
            piece = self._file.read(PIECE)
            found = piece.find(_MEMBER)
            while found >= 0:
                if self._is_record(at + found):
                    self._file.seek(at + found)
                    return True
                found = piece.find(_MEMBER, found + 1)
            if len(piece) < PIECE:
                return False
            at += len(piece) - len(_MEMBER) + 1

    def _is_record(self, place: int) -> bool:
        """Return whether the member that begins at a place begins with a record."""
        self._file.seek(place)
        try:
            begin = zlib.decompressobj(31).decompress(self._file.read(_TRIED), len(_BEGIN))
        except zlib.error:
            return False
        return begin == _BEGIN
