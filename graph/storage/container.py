"""A file of named arrays, memory-mapped, with a version and checksums, written atomically.

    head        64 bytes: magic, version, place and size of the directory, its checksum, file's size
    arrays      each begins at a multiple of 64 bytes, in the order in which they were written
    directory   JSON: facts, and for each array its name, type, place and length; then the checksums
                (CRC-32) of all pieces of 2^20 bytes from the end of the head to the directory

Opening a file checks the directory and the file's size, which takes the same time for small and
large files. A piece is checked at the first access to it.
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

from .directory import ITEM_SIZES, DirectoryError, directory_of

MAGIC = b"\x89CPGRAPH\r\n\x1a\n\x00\x00\x00\x00"
"""Sixteen bytes with which no text begins, and which a transfer in text mode would change."""

VERSION = 1

HEAD, PIECE = 64, 1 << 20
_HEAD = struct.Struct("<16sIIQQQ")
_ALIGNED = 64


def must_be_replaceable(path: Path) -> None:
    """Check that a store may be written to a path.

    Raises
    ------
    GraphError
        If there is a folder, a device, or a file that is neither a container nor empty.
    """
    if not path.exists():
        return
    if not path.is_file():
        raise GraphError(f"{path}: is in the way: it is not a regular file")
    with path.open("rb") as file:
        head = file.read(len(MAGIC))
    if head != MAGIC[: len(head)]:
        raise GraphError(f"{path}: is in the way: it is not a store of links")


class Writer:
    """Writes a container to a temporary file, which is renamed when it is complete.

    Parameters
    ----------
    path : Path
        The final name. An existing file stays unchanged until the new one is complete.
    temporary : Path
        The temporary file, on the same file system.
    """

    def __init__(self, path: Path, temporary: Path) -> None:
        self._path, self._temporary = path, temporary
        self._file: BinaryIO = temporary.open("wb")
        self._file.write(bytes(HEAD))
        self._at, self._sum = HEAD, 0
        self._sums: list[int] = []
        self._arrays: list[dict[str, Any]] = []

    def add(self, name: str, kind: str, pieces: Iterator[Array] | list[Array]) -> None:
        """Write an array.

        Parameters
        ----------
        name : str
            The name of the array.
        kind : str
            Its NumPy type, such as ``<u4``.
        pieces : iterator or list of arrays
            The consecutive pieces of the array.
        """
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
        """Write the directory with the facts, and rename the file to its final name."""
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
    """Make a new name durable (a crash of the machine cannot undo it), where the system can."""
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
        If the file is not a container, is incomplete, or its directory is damaged.
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
            raise GraphError(f"{path}: {error.strerror or error}") from error
        directory = self._map[at : at + length]
        if zlib.crc32(directory) != wanted:
            raise GraphError(f"{path}: is damaged from byte {at:,} on (its directory)")
        try:
            found = directory_of(directory, HEAD, at, -(-(at - HEAD) // PIECE))
        except DirectoryError as error:
            raise self.damaged(error) from None
        self.facts, self._arrays, self._sums = found
        self._end = at
        self._checked = bytearray(len(self._sums))  # is read faster than an array
        self._whole = False

    def _checked_head(self, head: bytes, size: int) -> tuple[int, int, int, int]:
        if head[: len(MAGIC)] != MAGIC[: len(head)] or not head:
            raise GraphError(f"{self.path}: is not a store of links")
        if len(head) < HEAD:
            raise GraphError(f"{self.path}: is incomplete: it ends after byte {size:,}")
        _, version, wanted, at, length, total = _HEAD.unpack_from(head)
        if version != VERSION:
            raise GraphError(
                f"{self.path}: is a store of version {version}; only version {VERSION} can be read"
            )
        if size < total:
            raise GraphError(f"{self.path}: is incomplete: it has {size:,} bytes of {total:,}")
        fits = HEAD <= at <= at + length == total
        if size > total or not fits or any(head[_HEAD.size :]):
            raise GraphError(f"{self.path}: is damaged (its head: bytes 0 to {HEAD})")
        return at, length, total, wanted

    def damaged(self, reason: object) -> GraphError:
        """Return an error which says what is wrong with the directory."""
        return GraphError(f"{self.path}: is damaged (its directory: {reason})")

    @property
    def size(self) -> int:
        """The number of bytes of the file."""
        return len(self._map)

    def __contains__(self, name: str) -> bool:
        return name in self._arrays

    def bytes_of(self, name: str) -> int:
        """Return the number of bytes of an array; 0 if there is none of that name."""
        entry = self._arrays.get(name)
        return entry.end - entry.at if entry else 0

    def must_have(self, name: str, kind: str, length: int | None = None, least: int = 0) -> int:
        """Check that there is an array of a type and a length; return its length.

        Parameters
        ----------
        name, kind : str
            The name and the NumPy type.
        length : int or None
            The number of elements; None: at least ``least``.
        least : int

        Raises
        ------
        GraphError
            If there is none.
        """
        entry = self._arrays.get(name)
        if entry is None or entry.kind != kind:
            raise self.damaged(f"it has no array {name} of the type {kind}")
        if entry.length < least or (length is not None and entry.length != length):
            wanted = f"at least {least:,}" if length is None else f"{length:,}"
            raise self.damaged(f"{name} has {entry.length:,} elements, not {wanted}")
        return entry.length

    def array(self, name: str) -> Array:
        """Return a read-only array without checking its checksums."""
        kind, at, length = self._arrays[name]
        return np.frombuffer(self._map, dtype=kind, count=length, offset=at)

    def check(self, name: str, first: int = 0, last: int | None = None) -> None:
        """Check the checksums of the pieces that contain some elements of an array.

        Parameters
        ----------
        name : str
            The array.
        first, last : int
            The elements are ``first`` to ``last - 1``; by default all.

        Raises
        ------
        GraphError
            If a checksum is wrong.
        """
        if self._whole:
            return
        kind, at, length = self._arrays[name]
        size = ITEM_SIZES[kind]
        low = at + (first if first < length else length) * size  # faster than min
        high = at + (length if last is None or last > length else last) * size
        for piece in range((low - HEAD) // PIECE, (max(high, low + 1) - 1 - HEAD) // PIECE + 1):
            if piece < len(self._sums) and not self._checked[piece]:
                self._check_piece(piece)

    def _check_piece(self, piece: int) -> None:
        begin = HEAD + piece * PIECE
        end = min(begin + PIECE, self._end)
        if zlib.crc32(self._map[begin:end]) != self._sums[piece]:
            raise GraphError(
                f"{self.path}: is damaged between bytes {begin:,} and {end:,} "
                f"({', '.join(self._within(begin, end))}): the checksum is wrong"
            )
        self._checked[piece] = 1

    def _within(self, begin: int, end: int) -> list[str]:
        return [
            name for name, entry in self._arrays.items()
            if entry.at < end and begin < max(entry.end, entry.at + 1)
        ] or ["between arrays"]  # fmt: skip

    def verify(self, tell: Callable[[str], None] | None = None) -> None:
        """Check the whole file; raise GraphError if anything is damaged."""
        for piece in range(len(self._sums)):
            if not self._checked[piece]:
                self._check_piece(piece)
            if tell and piece % 256 == 0:
                tell(f"{piece:,} of {len(self._sums):,} MB")
        self._whole = True
