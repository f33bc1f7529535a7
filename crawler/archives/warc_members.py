"""The bytes of a compressed WARC file: members of gzip (WARC/1.1, annex D), or frames of Zstandard.

Of Zstandard, the text of IIPC is followed (Zstandard Compression for WARC Files 1.0): a file may
begin with a dictionary in a skippable frame; other skippable frames are ignored; windows and
dictionaries have at most 8 MB.
"""

from __future__ import annotations

import sys
import zlib
from abc import ABC, abstractmethod
from typing import BinaryIO, ClassVar

from counterpoint.crawler.errors import CrawlError
from counterpoint.files.inputs import PIECE

from .warc_bytes import (
    BEGIN,
    LINE,
    MOST,
    BrokenOffError,
    DamageError,
    FileBytes,
    NextError,
    Place,
)

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

_STEP = 512
"""How many bytes are unpacked at a time."""
_TRIED = 4096
"""The bytes of a member that are unpacked to see how it begins."""
_RATIO = 2_000
"""The largest ratio of the sizes of a member that unpacks to more than `MOST` bytes."""
_WINDOW_LOG = 23
_DICTIONARY = 1 << _WINDOW_LOG
"""The most bytes of a dictionary."""
_DICTIONARY_FRAME = 0x184D2A5D
_SKIPPED = b"\x2a\x4d\x18"
"""The end of the magic number of a skippable frame; its first byte is from 0x50 to 0x5f."""
_HEAD = 8
"""The bytes of the head of a skippable frame: its magic number and its size."""


class Member(ABC):
    """Unpacks one member."""

    MAGIC: ClassVar[bytes]
    """How a member begins."""
    NAME: ClassVar[str]
    ended = False
    """Whether the member is complete."""

    @abstractmethod
    def unpack(self, piece: bytes, most: int) -> tuple[bytes, int]:
        """Return unpacked bytes, and how many bytes of the piece were not taken.

        Raises
        ------
        ValueError
            If it cannot be unpacked.
        """

    @property
    def waits(self) -> bool:
        """Whether it has more to unpack without another piece."""
        return False


class GzipMember(Member):
    """A member of gzip (RFC 1952)."""

    MAGIC, NAME = b"\x1f\x8b", "gzip"

    def __init__(self) -> None:
        self._object = zlib.decompressobj(31)

    def unpack(self, piece: bytes, most: int) -> tuple[bytes, int]:
        """Return unpacked bytes, and how many bytes were not taken; see `Member.unpack`."""
        try:
            found = self._object.decompress(piece, most)
        except zlib.error as error:
            raise ValueError(str(error).rpartition(": ")[2]) from None
        self.ended = self._object.eof
        rest = self._object.unused_data if self.ended else self._object.unconsumed_tail
        return found, len(rest)


class ZstandardFrame(Member):
    """A frame of Zstandard (RFC 8878)."""

    MAGIC, NAME = b"\x28\xb5\x2f\xfd", "Zstandard"

    def __init__(self, dictionary: zstd.ZstdDict | None = None) -> None:
        self._object = zstd.ZstdDecompressor(
            dictionary, options={zstd.DecompressionParameter.window_log_max: _WINDOW_LOG}
        )

    def unpack(self, piece: bytes, most: int) -> tuple[bytes, int]:
        """Return unpacked bytes, and how many bytes were not taken; see `Member.unpack`."""
        try:
            found = self._object.decompress(piece, most)
        except zstd.ZstdError as error:
            raise ValueError(" ".join(str(error).split())) from None
        self.ended = self._object.eof
        return found, len(self._object.unused_data) if self.ended else 0

    @property
    def waits(self) -> bool:
        """Whether it has more to unpack without another piece."""
        return not self.ended and not self._object.needs_input


class PackedBytes(FileBytes, ABC):
    """A file of members; each has a record, as a rule."""

    kind: ClassVar[type[Member]]

    def __init__(self, file: BinaryIO) -> None:
        super().__init__(file)
        self._restart(0)

    @abstractmethod
    def _new(self) -> Member:
        """Return what unpacks another member."""

    def _restart(self, at: int) -> None:
        self._file.seek(at)
        self._empty()
        self._member: Member | None = None
        self._raw, self._at = b"", 0
        self._made = 0
        self._starts = [(0, at)]

    def go(self, place: Place) -> None:
        """Go to a place; see `FileBytes.go`."""
        self._restart(place.at)
        left = place.skip
        while left:
            piece = self.read(min(left, PIECE))
            if not piece:
                raise BrokenOffError
            left -= len(piece)

    def used(self) -> int:
        """Return the byte of the file behind what was unpacked."""
        return self._file.tell() - len(self._raw) + self._at

    def place(self) -> Place:
        """Return the member in which the next byte is, and what comes before it there."""
        here, starts = self._made - self._left, self._starts
        while len(starts) > 1 and starts[1][0] <= here:
            starts.pop(0)
        return Place(starts[0][1], here - starts[0][0])

    def must_be_right(self, length: int) -> None:
        """Do nothing: only unpacking shows what follows."""

    def _filled(self, size: int = 1) -> bool:
        """Have some bytes to unpack, fewer at the end of the file; return False if there are none.

        Parameters
        ----------
        size : int
            How many are needed.
        """
        if len(self._raw) - self._at < size:
            self._raw, self._at = self._raw[self._at :] + self._file.read(LINE), 0
        return self._at < len(self._raw)

    def _more(self) -> bytes:
        while self._member is not None or self._open():
            assert self._member is not None
            if not self._member.waits and not self._filled():
                raise BrokenOffError
            found = self._unpacked(self._member)
            if found:
                self._made += len(found)
                return found
        return b""

    def _open(self) -> bool:
        """Begin with the next member, after zeros; return False at the end of the file."""
        while self._filled() and not self._raw[self._at]:
            rest = self._raw[self._at :].lstrip(b"\0")
            self._at = len(self._raw) - len(rest)
        while self._filled(_HEAD) and self._is_skipped():
            pass
        if not self._filled():
            return False
        self._starts.append((self._made, self.used()))
        magic = self.kind.MAGIC
        begin = self._raw[self._at : self._at + len(magic)]
        if begin != magic:
            breaks_off = len(begin) < len(magic) and magic.startswith(begin)
            raise BrokenOffError if breaks_off else NextError(f"it is not {self.kind.NAME}")
        self._member = self._new()
        return True

    def _is_skipped(self) -> bool:
        """Skip what is no record; return whether something was."""
        return False

    def _unpacked(self, member: Member) -> bytes:
        """Unpack a few bytes, so that all is known that comes before a damage."""
        piece = self._raw[self._at : self._at + _STEP] if not member.waits else b""
        begun, at = self._starts[-1]
        try:
            found, rest = member.unpack(piece, PIECE)
        except ValueError as error:
            wrong = NextError(str(error))
            raise DamageError(str(wrong)) if self._made > begun else wrong from None
        self._at += len(piece) - rest
        if member.ended:
            self._member = None
        made = self._made + len(found) - begun
        if made > MOST and made > _RATIO * (self.used() - at):
            raise DamageError(f"a record unpacks to more than {_RATIO:,} times its size")
        return found

    def resume(self, at: int, read: bytearray, most: int) -> bool:
        """Go on at the next member that begins with a record; see `FileBytes.resume`."""
        magic = self.kind.MAGIC
        self._restart(at + 1)
        at += 1
        while True:
            self._file.seek(at)
            piece = self._file.read(PIECE)
            found = piece.find(magic)
            while found >= 0:
                if self._is_record(at + found):
                    self._restart(at + found)
                    return True
                found = piece.find(magic, found + 1)
            if len(piece) < PIECE:
                self._restart(at + len(piece))
                return False
            at += len(piece) - len(magic) + 1

    def _is_record(self, at: int) -> bool:
        """Return whether the member that begins at a place begins with a record."""
        self._file.seek(at)
        try:
            return self._new().unpack(self._file.read(_TRIED), len(BEGIN))[0] == BEGIN
        except ValueError:
            return False


class GzipBytes(PackedBytes):
    """A file of members of gzip."""

    kind = GzipMember

    def _new(self) -> Member:
        return GzipMember()


class ZstandardBytes(PackedBytes):
    """A file of frames of Zstandard, perhaps with a dictionary.

    Raises
    ------
    CrawlError
        If its dictionary cannot be used; the message does not name the file.
    """

    kind = ZstandardFrame

    def __init__(self, file: BinaryIO) -> None:
        self._dictionary = _dictionary(file)
        super().__init__(file)

    def _new(self) -> Member:
        return ZstandardFrame(self._dictionary)

    def _is_skipped(self) -> bool:
        head = self._raw[self._at : self._at + _HEAD]
        if len(head) < _HEAD or head[0] >> 4 != 5 or head[1:4] != _SKIPPED:
            return False
        after = self.used() + _HEAD + int.from_bytes(head[4:], "little")
        self._file.seek(after)
        self._raw, self._at = b"", 0
        return True


def _dictionary(file: BinaryIO) -> zstd.ZstdDict | None:
    """Return the dictionary with which a file begins; None if it has none."""
    file.seek(0)
    head = file.read(_HEAD)
    if len(head) < _HEAD or int.from_bytes(head[:4], "little") != _DICTIONARY_FRAME:
        return None
    size = int.from_bytes(head[4:], "little")
    if size > _DICTIONARY:
        raise CrawlError(f"its dictionary has more than {_DICTIONARY >> 20} MB")
    data = file.read(size)
    try:
        if data.startswith(ZstandardFrame.MAGIC):
            data, _ = ZstandardFrame().unpack(data, _DICTIONARY + 1)
            if len(data) > _DICTIONARY:
                raise CrawlError(f"its dictionary has more than {_DICTIONARY >> 20} MB")
        return zstd.ZstdDict(data)
    except (ValueError, zstd.ZstdError) as error:
        raise CrawlError(f"its dictionary cannot be read: {error}") from None


def source_of(file: BinaryIO) -> type[FileBytes] | None:
    """Return what unpacks a file, by its first bytes; None if it is not compressed."""
    file.seek(0)
    begin = file.read(4)
    file.seek(0)
    if begin and GzipMember.MAGIC.startswith(begin[:2]):
        return GzipBytes
    is_dictionary = begin == _DICTIONARY_FRAME.to_bytes(4, "little")
    if begin and (ZstandardFrame.MAGIC.startswith(begin) or is_dictionary):
        return ZstandardBytes
    return None
