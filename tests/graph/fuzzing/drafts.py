"""A graph store taken apart, so that any part can be changed, and put together again.

All checksums are computed anew when a draft becomes a file: what a hostile file has wrong is never
a checksum.
"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from counterpoint.graph.storage.container import HEAD, MAGIC, PIECE, VERSION

Change = Callable[[Any], Any]


@dataclass
class Draft:
    """A file that is to be written.

    Attributes
    ----------
    facts : dict
        The facts of the directory.
    arrays : dict
        The kind and the bytes of each array, in the order of the file.
    document, text, sums, head : list of callables
        Change the directory before it is written as JSON, its JSON, the checksums of pieces, and
        the five fields of the head: version, checksum, place and size of the directory, size of
        the file.
    """

    facts: dict[str, Any]
    arrays: dict[str, tuple[str, bytes]]
    document: list[Change] = field(default_factory=list)
    text: list[Change] = field(default_factory=list)
    sums: list[Change] = field(default_factory=list)
    head: list[Change] = field(default_factory=list)

    def copy(self) -> Draft:
        """Return a draft whose changes do not change this one."""
        facts = json.loads(json.dumps(self.facts))
        return replace(self, facts=facts, arrays=dict(self.arrays),
                       document=[], text=[], sums=[], head=[])  # fmt: skip

    def written(self) -> bytes:
        """Return the file."""
        body, entries = bytearray(HEAD), []
        for name, (kind, data) in self.arrays.items():
            body += bytes(-len(body) % 64)
            length = len(data) // max(1, np.dtype(kind).itemsize)
            entries.append({"name": name, "kind": kind, "at": len(body), "length": length})
            body += data
        document = _changed({"facts": self.facts, "arrays": entries}, self.document)
        listed = _changed(json.dumps(document).encode(), self.text)
        pieces = range(HEAD, len(body), PIECE)
        checked = [zlib.crc32(body[at : at + PIECE]) for at in pieces]
        sums = _changed(np.array(checked, "<u4").tobytes(), self.sums)
        directory = struct.pack("<Q", len(listed)) + listed + sums
        total = len(body) + len(directory)
        fields = [VERSION, zlib.crc32(directory), len(body), len(directory), total]
        body[:HEAD] = struct.pack("<16sIIQQQ", MAGIC, *_changed(fields, self.head)).ljust(
            HEAD, b"\0"
        )
        return bytes(body) + directory


def _changed(value: Any, changes: list[Change]) -> Any:
    for change in changes:
        value = change(value)
    return value


def draft_of(file: bytes) -> Draft:
    """Take a valid file apart."""
    at = struct.unpack_from("<16sIIQQQ", file)[3]
    (size,) = struct.unpack_from("<Q", file, at)
    document = json.loads(file[at + 8 : at + 8 + size])
    arrays = {}
    for one in document["arrays"]:
        end = one["at"] + one["length"] * np.dtype(one["kind"]).itemsize
        arrays[one["name"]] = (one["kind"], file[one["at"] : end])
    return Draft(document["facts"], arrays)
