"""A file of named arrays: mapped into memory, with a version and checksums, written all or nothing.

    head        64 bytes: magic, version, place and size of the directory, its checksum, file's size
    arrays      each from a multiple of 64 bytes on, in the order in which they were written
    directory   JSON: facts, and of each array its name, type, place and length; then the checksums
                (CRC-32) of all pieces of 2^20 bytes from the end of the head to the directory

The directory and the file's size are checked when a file is opened, which takes as long for a large
file as for a small one. A piece is checked when something in it is first asked for.
"""

from __future__ import annotations

import contextlib
import json
import mmap
import os
import struct
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from counterpoint.compiling import Array
from counterpoint.graph.errors import GraphError

MAGIC = b"\x89CPGRAPH\r\n\x1a\n\x00\x00\x00\x00"
"""Sixteen bytes that no text begins with, and that a transfer as text would change."""

VERSION = 1

HEAD, PIECE = 64, 1 << 20
_HEAD = struct.Struct("<16sIIQQQ")
_ALIGNED = 64


def must_be_replaceable(path: Path) -> None:
    """Refuse a name that something else has than a container.

    Raises
    ------
    GraphError
        If there is a folder, a device, or a file that is none of ours and not empty.
    """
    if not path.exists():
        return
    if not path.is_file():
        raise GraphError(f"{path}: is in the way: it is no file")
    with path.open("rb") as file:
        head = file.read(len(MAGIC))
    if head != MAGIC[: len(head)]:
        raise GraphError(f"{path}: is in the way: it is no store of links")


class Writer:
    """Writes a container under a temporary name; it has its own when it is whole.

    Parameters
    ----------
    path : Path
        Its name in the end. A file of that name stays as it is until then.
    temporary : Path
        On the same file system.
    """

    def __init__(self, path: Path, temporary: Path) -> None:
        self._path, self._temporary = path, temporary
        self._file: BinaryIO = temporary.open("wb")
        self._file.write(bytes(HEAD))
        self._at, self._sum = HEAD, 0
        self._sums: list[int] = []
        self._arrays: list[dict[str, Any]] = []

    def add(self, name: str, kind: str, pieces: Iterator[Array] | list[Array]) -> None:
        """Write an array, given in pieces that follow each other; ``kind``: its type in NumPy."""
        self._write(bytes(-self._at % _ALIGNED))
        begin = self._at
        for piece in pieces:
            data = np.ascontiguousarray(piece, dtype=kind).reshape(-1).view(np.uint8).data
            self._write(data)
        length = (self._at - begin) // np.dtype(kind).itemsize
        self._arrays.append({"name": name, "kind": kind, "at": begin, "length": length})

    def _write(self, data: bytes | memoryview) -> None:
        self._file.write(data)
        while len(data):
            room = PIECE - (self._at - HEAD) % PIECE
            part = data[:room]
            self._sum = zlib.crc32(part, self._sum)
            self._at += len(part)
            if len(part) == room:
                self._sums.append(self._sum)
                self._sum = 0
            data = data[room:]

    def close(self, facts: dict[str, Any]) -> None:
        """Write the directory with facts, and give the file its name."""
        if (self._at - HEAD) % PIECE:
            self._sums.append(self._sum)
        listed = json.dumps({"facts": facts, "arrays": self._arrays}).encode()
        sums = np.array(self._sums, dtype="<u4").tobytes()
        directory = struct.pack("<Q", len(listed)) + listed + sums
        self._file.write(directory)
        head = _HEAD.pack(
            MAGIC, VERSION, zlib.crc32(directory), self._at, len(directory),
            self._at + len(directory),
        )  # fmt: skip
        self._file.seek(0)
        self._file.write(head)
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()
        self._temporary.replace(self._path)
        _keep_name(self._path.parent)


def _keep_name(folder: Path) -> None:
    """See to it that a new name outlasts the machine's end, where folders can be synchronized."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


class Container:
    """A file that `Writer` wrote.

    Raises
    ------
    GraphError
        If it is none, is cut short, or its directory is damaged.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            with path.open("rb") as file:
                size = os.fstat(file.fileno()).st_size
                head = file.read(HEAD)
                at, length, total, wanted = self._checked_head(head, size)
                self._map = mmap.mmap(file.fileno(), total, access=mmap.ACCESS_READ)
        except OSError as error:
            raise GraphError(f"{path}: {error.strerror or error}") from None
        directory = self._map[at : at + length]
        if zlib.crc32(directory) != wanted:
            raise GraphError(f"{path}: is damaged from byte {at:,} on (its directory)")
        (listed,) = struct.unpack_from("<Q", directory)
        told = json.loads(directory[8 : 8 + listed])
        self.facts: dict[str, Any] = told["facts"]
        self._arrays = {one["name"]: one for one in told["arrays"]}
        self._end = at
        self._sums = np.frombuffer(directory, dtype="<u4", offset=8 + listed)
        self._checked = np.zeros(len(self._sums), dtype=bool)
        self._whole = False

    def _checked_head(self, head: bytes, size: int) -> tuple[int, int, int, int]:
        if head[: len(MAGIC)] != MAGIC[: len(head)] or not head:
            raise GraphError(f"{self.path}: is no store of links")
        if len(head) < HEAD:
            raise GraphError(f"{self.path}: is cut short: it ends after byte {size:,}")
        _, version, wanted, at, length, total = _HEAD.unpack_from(head)
        if version != VERSION:
            raise GraphError(f"{self.path}: is a store of version {version}; {VERSION} is read")
        if size < total:
            raise GraphError(f"{self.path}: is cut short: {size:,} bytes of {total:,}")
        fits = HEAD <= at <= at + length == total
        if size > total or not fits or any(head[_HEAD.size :]):
            raise GraphError(f"{self.path}: is damaged (its head: bytes 0 to {HEAD})")
        return at, length, total, wanted

    @property
    def size(self) -> int:
        """Bytes of the file."""
        return len(self._map)

    def __contains__(self, name: str) -> bool:
        return name in self._arrays

    def bytes_of(self, name: str) -> int:
        """Return the bytes of an array; 0 if there is none of that name."""
        told = self._arrays.get(name)
        return told["length"] * np.dtype(told["kind"]).itemsize if told else 0

    def array(self, name: str) -> Array:
        """Return an array, which cannot be written; nothing of it has been checked."""
        told = self._arrays[name]
        return np.frombuffer(self._map, dtype=told["kind"], count=told["length"], offset=told["at"])

    def check(self, name: str, first: int = 0, last: int | None = None) -> None:
        """Raise GraphError unless elements ``first`` to ``last`` of an array are as written."""
        if self._whole:
            return
        told = self._arrays[name]
        size = np.dtype(told["kind"]).itemsize
        low = told["at"] + first * size
        high = told["at"] + (told["length"] if last is None else min(last, told["length"])) * size
        for piece in range((low - HEAD) // PIECE, (max(high, low + 1) - 1 - HEAD) // PIECE + 1):
            if piece < len(self._sums) and not self._checked[piece]:
                self._check_piece(piece)

    def _check_piece(self, piece: int) -> None:
        begin = HEAD + piece * PIECE
        end = min(begin + PIECE, self._end)
        if zlib.crc32(self._map[begin:end]) != self._sums[piece]:
            raise GraphError(
                f"{self.path}: is damaged between bytes {begin:,} and {end:,} "
                f"({', '.join(self._within(begin, end))}): the checksum is another"
            )
        self._checked[piece] = True

    def _within(self, begin: int, end: int) -> list[str]:
        return [
            name for name, told in self._arrays.items()
            if told["at"] < end and begin < told["at"] + max(self.bytes_of(name), 1)
        ] or ["between arrays"]  # fmt: skip

    def verify(self, tell: Callable[[str], None] | None = None) -> None:
        """Check the whole file; raise GraphError if anything is damaged."""
        for piece in range(len(self._sums)):
            if not self._checked[piece]:
                self._check_piece(piece)
            if tell and piece % 256 == 0:
                tell(f"{piece:,} of {len(self._sums):,} MB")
        self._whole = True
