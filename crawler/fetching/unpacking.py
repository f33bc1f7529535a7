"""Compressed bodies, unpacked piece by piece and never further than allowed.

One byte of gzip can stand for a thousand, one of Brotli for a million; so the size of what comes
out is limited, not that of what goes in.
"""

from __future__ import annotations

import zlib
from typing import Protocol

import brotli

HARMLESS = 1_000_000
"""Bytes that an answer may unpack to whatever its size is: a page of blanks is no bomb."""
OVERHEAD = 65_536
"""Bytes by which a packed body may be longer than what it unpacks to may be."""
MEMBERS = 1_000
"""Members of gzip in one body; each costs a copy of what follows it, and may hold nothing."""
ACCEPTED = "gzip, deflate, br"
"""What servers are told can be unpacked."""


class UnpackingError(ValueError):
    """What a body claims to be packed with is not what it is, or it grows too much."""


class _Codec(Protocol):
    @property
    def ended(self) -> bool:
        """Whether the end of what was packed has come."""

    def unpack(self, data: bytes, most: int) -> bytes:
        """Return at most about so many bytes; b"": more input is needed."""


class Unpacking:
    """Unpacks one body.

    Parameters
    ----------
    encoding : str
        The header Content-Encoding. What is not known is taken as it comes, as browsers do.
    most : int
        Bytes that are wanted; a few more may come out.
    ratio : int
        How many times its size it may unpack to.
    """

    def __init__(self, encoding: str, most: int, ratio: int) -> None:
        self._codec = _codec(encoding.strip().lower())
        self._most, self._ratio, self._taken = most, ratio, 0
        self.out = bytearray()

    @property
    def full(self) -> bool:
        """Whether there is more than was wanted, unpacked or packed (it may unpack to nothing)."""
        return len(self.out) > self._most or self._taken > self._most + OVERHEAD

    @property
    def whole(self) -> bool:
        """Whether nothing is missing at the end of what has come."""
        return self._codec is None or not self._taken or self._codec.ended

    def feed(self, data: bytes) -> None:
        """Unpack what has come, up to the limit.

        Raises
        ------
        UnpackingError
            If it is not packed as it says, or grows too much. What came out before is in ``out``.
        """
        if self._codec is None:
            self.out += data
            return
        self._taken += len(data)
        while len(self.out) <= self._most:
            try:
                piece = self._codec.unpack(data, min(65_536, self._most + 1 - len(self.out)))
            except (zlib.error, brotli.error) as error:
                said = " ".join(str(error).split())
                raise UnpackingError(f"is not packed as it says ({said})") from None
            data = b""
            if not piece:
                return
            self.out += piece
            if len(self.out) > max(HARMLESS, self._ratio * self._taken):
                raise UnpackingError(f"unpacks to more than {self._ratio} times its size")


class _Zlib:
    """gzip and deflate; members that follow one another are one body, other trailing bytes none."""

    def __init__(self, *, gzip: bool) -> None:
        self._gzip, self._begun = gzip, False
        self._bits = 16 + zlib.MAX_WBITS
        self._object = zlib.decompressobj(self._bits)
        self._rest = b""
        self._members = 1

    @property
    def ended(self) -> bool:
        return self._object.eof

    def unpack(self, data: bytes, most: int) -> bytes:
        given = self._rest + data
        while given:
            if not self._begun:
                self._begin(given)
            if self._object.eof:
                given = self._next_member(given)
                continue
            out = self._object.decompress(given, most)
            self._rest = given = self._object.unconsumed_tail or self._object.unused_data
            if out:
                return out
            if not self._object.eof:
                return b""
        return b"" if self._object.eof else self._object.decompress(b"", most)

    def _begin(self, given: bytes) -> None:
        self._begun = True
        if not self._gzip:  # RFC 9110 means zlib's format; many servers send what is inside it
            self._bits = zlib.MAX_WBITS if given[0] & 0xF == 8 else -zlib.MAX_WBITS
            self._object = zlib.decompressobj(self._bits)

    def _next_member(self, given: bytes) -> bytes:
        """Begin another member if there is one; return what is still to be read."""
        if not self._gzip or given[:1] != b"\x1f":
            self._rest = b""
            return b""
        self._members += 1
        if self._members > MEMBERS:
            raise UnpackingError(f"is packed in more than {MEMBERS:,} parts")
        self._object = zlib.decompressobj(self._bits)
        return given


class _Brotli:
    def __init__(self) -> None:
        self._object = brotli.Decompressor()

    @property
    def ended(self) -> bool:
        return bool(self._object.is_finished())

    def unpack(self, data: bytes, most: int) -> bytes:
        if self._object.is_finished():
            return b""
        # Without input, too: what did not fit is kept back although more would be accepted.
        out: bytes = self._object.process(data, output_buffer_limit=most)
        return out


def _codec(encoding: str) -> _Codec | None:
    if encoding in ("gzip", "x-gzip"):
        return _Zlib(gzip=True)
    if encoding == "deflate":
        return _Zlib(gzip=False)
    return _Brotli() if encoding == "br" else None
