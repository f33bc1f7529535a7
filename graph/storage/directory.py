"""The directory of a container, as it is read: nothing in it is used before it is checked.

A checksum shows damage, not intention: the author of a hostile file can write right checksums
as well. So every place, length and count is compared with the size of the file here, and with each
other where they are used (`store`, `packed`, `texts`).
"""

from __future__ import annotations

import json
import re
import struct
from typing import Any, NamedTuple

import numpy as np

from counterpoint.compiling import Array

ITEM_SIZES = {"u1": 1, "<u4": 4, "<u8": 8}
"""The NumPy types of arrays, and the bytes of an element."""

LARGEST = 1 << 16
"""The JSON of a directory has at most so many bytes; that of a store has about 2,000."""

_NAME = re.compile("[a-z.]{1,40}")

_LENGTH = struct.Struct("<Q")


class DirectoryError(ValueError):
    """A directory is invalid; the message says what is wrong, without the file."""


class Entry(NamedTuple):
    """What the directory says about an array: its NumPy type, first byte, and elements."""

    kind: str
    at: int
    length: int

    @property
    def size(self) -> int:
        """The number of bytes of an element."""
        return ITEM_SIZES[self.kind]

    @property
    def end(self) -> int:
        """The first byte after the array."""
        return self.at + self.length * self.size


class Directory(NamedTuple):
    """A directory whose arrays are within the file.

    Attributes
    ----------
    facts : dict
        The facts; they are not checked (see `count`).
    entries : dict
        The arrays.
    sums : uint32
        The checksum of each piece.
    """

    facts: dict[str, Any]
    entries: dict[str, Entry]
    sums: Array


def directory_of(data: bytes, first: int, end: int, pieces: int) -> Directory:
    """Read a directory.

    Parameters
    ----------
    data : bytes
        The directory.
    first, end : int
        The arrays are between these bytes of the file.
    pieces : int
        How many checksums there must be.

    Raises
    ------
    DirectoryError
        If it is invalid.
    """
    size = _LENGTH.unpack_from(data)[0] if len(data) >= _LENGTH.size else 0
    if not 0 < size <= min(LARGEST, len(data) - _LENGTH.size):
        raise DirectoryError("its size is wrong")
    try:
        document = json.loads(data[_LENGTH.size : _LENGTH.size + size])
        facts, listed = document["facts"], document["arrays"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise DirectoryError("it is not JSON with facts and arrays") from None
    if not isinstance(facts, dict) or not isinstance(listed, list):
        raise DirectoryError("it is not JSON with facts and arrays")
    entries: dict[str, Entry] = {}
    for one in listed:
        name, entry = _entry(one, first, end)
        if name in entries:
            raise DirectoryError(f"{name} is there twice")
        entries[name] = entry
        first = entry.end
    sums = data[_LENGTH.size + size :]
    if len(sums) != 4 * pieces:
        raise DirectoryError(f"it has {len(sums) / 4:g} checksums, not {pieces:,}")
    return Directory(facts, entries, np.frombuffer(sums, dtype="<u4"))


def _entry(one: Any, first: int, end: int) -> tuple[str, Entry]:
    if not isinstance(one, dict):
        raise DirectoryError("an array is not described")
    name, kind = one.get("name"), one.get("kind")
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise DirectoryError(f"{ascii(name)[:40]} names no array")
    if not isinstance(kind, str) or kind not in ITEM_SIZES:
        raise DirectoryError(f"{name} has the type {ascii(kind)[:40]}")
    entry = Entry(kind, count(one, "at"), count(one, "length"))
    if not first <= entry.at <= entry.end <= end or entry.at % entry.size:
        raise DirectoryError(f"{name} is not between bytes {first:,} and {end:,}")
    return name, entry


def count(facts: Any, name: str, most: int = 1 << 62) -> int:
    """Return a whole number from 0 to ``most`` out of facts.

    Raises
    ------
    DirectoryError
        If it is missing, or is anything else.
    """
    found = facts.get(name) if isinstance(facts, dict) else None
    if not isinstance(found, int) or isinstance(found, bool) or not 0 <= found <= most:
        raise DirectoryError(f"{name} is not a number from 0 to {most:,}")
    return found
