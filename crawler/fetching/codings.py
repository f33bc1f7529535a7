"""The codings that bodies may have, and a codec for each; `unpacking` applies them to a body.

A codec never returns much more than it was asked for, so that a bomb is noticed while it unpacks.
If the data is broken, what came before the fault is returned first, and then the error is raised:
a body with a wrong checksum is read as far as it can be, as browsers do.
"""

from __future__ import annotations

import re
import sys
import zlib
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Protocol

import brotli

from counterpoint.crawler.documents.encodings import named

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

ACCEPTED = "gzip, deflate, br, zstd"
"""The header Accept-Encoding of requests."""
MEMBERS = 1_000
"""The most members of gzip, or frames of Zstandard, in one body. Each costs a new codec, and of
gzip a copy of the rest, even if it is empty."""
MOST = 5
"""The most codings of one body; curl and urllib3 have the same limit."""
UNKNOWN = "has a content coding that is not known, "
"""How the problem of a page begins that is read as it came; the name of the coding follows."""
WINDOW_LOG = 23
"""Zstandard may refer back by 2 to this power: 8 MB (RFC 9659); more would cost as much memory."""

_NONE = frozenset(("", "identity", "none"))
_SLICE = 256
"""Bytes that Brotli and Zstandard get at a time, or a sixteenth of what they had before: the output
of a broken slice is lost."""
_CHECKSUM = 4
"""Bytes of the checksum at the end of a frame of Zstandard."""
_FRAME = re.compile(rb"\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18")
_WRONG_CHECKSUM = re.compile("data check|length check|checksum")


class UnpackingError(ValueError):
    """A body is not compressed as its Content-Encoding says, or it grows too much."""


class Codec(Protocol):
    """Decompresses one layer of a body."""

    @property
    def ended(self) -> bool:
        """Whether the end of the compressed data was reached."""

    def unpack(self, data: bytes, most: int) -> bytes:
        """Return about `most` bytes or fewer; b"" if more input is needed.

        Raises
        ------
        UnpackingError
            If the data is broken, after everything before the fault was returned.
        """

    def close(self) -> None:
        """Note that no more input comes; `unpack` then returns what was still held back."""


@lru_cache(maxsize=64)
def listed(content: str, transfer: str = "") -> tuple[str, ...]:
    """Return the codings of a body, in the order in which they were applied.

    A parameter belongs to no content coding (RFC 9110, 8.4.1): ``gzip;q=1`` is one that nobody
    knows, for browsers as well. A transfer coding may have parameters (RFC 9112, 7). The name of a
    character encoding is no coding: servers that send ``Content-Encoding: utf-8`` mean the charset.

    Parameters
    ----------
    content, transfer : str
        The headers Content-Encoding and Transfer-Encoding.
    """
    names = [name.strip().lower() for name in content.split(",")]
    names = [name for name in names if name not in _NONE and named(name) is None]
    moved = [name.partition(";")[0].strip().lower() for name in transfer.split(",")]
    if moved[-1] == "chunked":  # the connection removes it
        moved.pop()
    return (*names, *(name for name in moved if name not in _NONE))


def codecs_for(codings: Sequence[str]) -> tuple[list[Codec], str]:
    """Return the codecs that undo codings, the last coding first, and what prevents it.

    Returns
    -------
    list of Codec
        Empty if the body has no coding, or cannot be unpacked.
    str
        Why the body cannot be unpacked; "" if it can.
    """
    if not codings:
        return [], ""
    if len(codings) > MOST:
        return [], f"has more than {MOST} content codings"
    unknown = [name for name in codings if name not in _CODECS]
    if unknown:
        name = "".join(sign if sign.isprintable() else "?" for sign in unknown[0][:40])
        return [], f"{UNKNOWN}{name!r}"
    return [_CODECS[name]() for name in reversed(codings)], ""


def _broken(error: Exception) -> UnpackingError:
    reason = " ".join(str(error).split())
    if _WRONG_CHECKSUM.search(reason):
        return UnpackingError(f"has a wrong checksum in its compressed data ({reason})")
    return UnpackingError(f"is not compressed as its Content-Encoding says ({reason})")


class _Zlib:
    """Decompresses gzip and deflate.

    Several members in a row are one body; other bytes after the end are ignored.
    """

    def __init__(self, *, gzip: bool) -> None:
        self._gzip, self._begun = gzip, False
        self._bits = 16 + zlib.MAX_WBITS
        self._object = zlib.decompressobj(self._bits)
        self._rest = b""
        self._members = 1
        self._error: UnpackingError | None = None

    @property
    def ended(self) -> bool:
        return self._object.eof

    def close(self) -> None:
        """Nothing is held back."""

    def unpack(self, data: bytes, most: int) -> bytes:
        if self._error is not None:
            raise self._error
        given = self._rest + data
        while given:
            if not self._begun:
                self._begin(given)
            if self._object.eof:
                given = self._next_member(given)
                continue
            out = self._decompressed(given, most)
            self._rest = given = self._object.unconsumed_tail or self._object.unused_data
            if out:
                return out
            if not self._object.eof:
                return b""
        return b"" if self._object.eof else self._decompressed(b"", most)

    def _decompressed(self, given: bytes, most: int) -> bytes:
        """Return the next bytes; before an error is raised, those that come before the fault."""
        before = self._object.copy()
        try:
            return self._object.decompress(given, most)
        except zlib.error as error:
            self._error = _broken(error)
        out = bytearray()
        try:
            for at in range(len(given)):
                out += before.decompress(given[at : at + 1])
        except zlib.error:
            pass
        if not out:
            raise self._error
        return bytes(out)

    def _begin(self, given: bytes) -> None:
        self._begun = True
        if not self._gzip:  # RFC 9110 asks for zlib's format; many servers send raw deflate
            self._bits = zlib.MAX_WBITS if given[0] & 0xF == 8 else -zlib.MAX_WBITS
            self._object = zlib.decompressobj(self._bits)

    def _next_member(self, given: bytes) -> bytes:
        """Begin the next member of gzip, if there is one; return the unread bytes."""
        if not self._gzip or given[:1] != b"\x1f":
            self._rest = b""
            return b""
        self._members += 1
        if self._members > MEMBERS:
            raise UnpackingError(f"is compressed in more than {MEMBERS:,} parts")
        self._object = zlib.decompressobj(self._bits)
        return given


class _Waiting:
    """The bytes that a codec has not taken yet."""

    def __init__(self) -> None:
        self._data, self._at, self._taken = b"", 0, 0

    def __len__(self) -> int:
        return len(self._data) - self._at

    def add(self, data: bytes) -> None:
        if data:
            self._data, self._at = self._data[self._at :] + data, 0

    def take(self, spare: int = 0) -> bytes:
        """Return the next slice, but none of the last `spare` bytes."""
        end = min(self._at + max(_SLICE, self._taken // 16), len(self._data) - spare)
        taken = self._data[self._at : max(self._at, end)]
        self._at += len(taken)
        self._taken += len(taken)
        return taken

    def give_back(self, count: int) -> None:
        self._at -= count

    def begins_frame(self) -> bool:
        return _FRAME.match(self._data, self._at) is not None


class _Brotli:
    def __init__(self) -> None:
        self._object, self._waiting = brotli.Decompressor(), _Waiting()

    @property
    def ended(self) -> bool:
        return bool(self._object.is_finished())

    def close(self) -> None:
        """Nothing is held back."""

    def unpack(self, data: bytes, most: int) -> bytes:
        self._waiting.add(data)
        try:
            # Also without input: the library holds back output that exceeded the limit of a call.
            while not self._object.is_finished():
                more = self._object.can_accept_more_data()
                taken = self._waiting.take() if more else b""
                out: bytes = self._object.process(taken, output_buffer_limit=most)
                if out or (more and not taken):
                    return out
        except brotli.error as error:
            raise _broken(error) from None
        return b""


class _Zstandard:
    """Decompresses Zstandard (RFC 8878); several frames in a row are one body.

    The last bytes are held back until the end, because they may be a wrong checksum: the library
    returns nothing from a call that meets one.
    """

    def __init__(self) -> None:
        self._object, self._waiting = self._new(), _Waiting()
        self._spare, self._frames = _CHECKSUM, 1

    def _new(self) -> zstd.ZstdDecompressor:
        return zstd.ZstdDecompressor(
            options={zstd.DecompressionParameter.window_log_max: WINDOW_LOG}
        )

    @property
    def ended(self) -> bool:
        return self._object.eof

    def close(self) -> None:
        self._spare = 0

    def unpack(self, data: bytes, most: int) -> bytes:
        self._waiting.add(data)
        try:
            while not self._object.eof or self._next_frame():
                more = self._object.needs_input
                taken = self._waiting.take(self._spare) if more else b""
                if more and not taken:
                    return b""
                out = self._object.decompress(taken, most)
                if self._object.eof:
                    self._waiting.give_back(len(self._object.unused_data))
                if out:
                    return out
        except zstd.ZstdError as error:
            raise _broken(error) from None
        return b""

    def _next_frame(self) -> bool:
        """Begin the next frame, if there is one; other bytes after the end are ignored."""
        if len(self._waiting) <= self._spare or not self._waiting.begins_frame():
            return False
        self._frames += 1
        if self._frames > MEMBERS:
            raise UnpackingError(f"is compressed in more than {MEMBERS:,} parts")
        self._object = self._new()
        return True


def _gzip() -> Codec:
    return _Zlib(gzip=True)


def _deflate() -> Codec:
    return _Zlib(gzip=False)


_CODECS: dict[str, Callable[[], Codec]] = {
    "gzip": _gzip, "x-gzip": _gzip, "deflate": _deflate, "br": _Brotli, "zstd": _Zstandard,
}  # fmt: skip
