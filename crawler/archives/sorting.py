"""Sorts lines that do not fit into memory: sorted runs in temporary files, which are merged."""

from __future__ import annotations

import heapq
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

RUN = 1 << 23
"""The bytes of lines that are sorted in memory."""
_OVERHEAD = 64
"""The bytes that Python needs for a line, besides its own."""
WAYS = 32
"""The most files that are merged at a time."""


def _order(line: bytes) -> bytes:
    """Return the key and the time of a line, by which it is sorted."""
    return line[: line.find(b" {")]


class ExternalSorter:
    """Sorts lines of an index by key and time; equal ones stay in the order in which they came.

    Parameters
    ----------
    folder : Path
        Where the temporary files are; they have no names there.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lines: list[bytes] = []
        self._size = 0
        self._levels: list[list[BinaryIO]] = [[]]

    def add(self, line: bytes) -> None:
        """Add a line; raise OSError if it cannot be written."""
        self._lines.append(line)
        self._size += len(line) + _OVERHEAD
        if self._size > RUN:
            self._spill()

    def _spill(self) -> None:
        self._lines.sort(key=_order)
        self._keep(0, self._lines)
        self._lines, self._size = [], 0

    def _keep(self, level: int, lines: Iterable[bytes]) -> None:
        """Write a run. Runs of one level are merged to one of the next, in their order."""
        file: BinaryIO = tempfile.TemporaryFile(dir=self._folder)  # noqa: SIM115
        file.writelines(lines)
        file.seek(0)
        if level == len(self._levels):
            self._levels.append([])
        self._levels[level].append(file)
        if len(self._levels[level]) == WAYS:
            runs, self._levels[level] = self._levels[level], []
            self._keep(level + 1, heapq.merge(*runs, key=_order))
            _close(runs)

    def sorted(self) -> Iterator[bytes]:
        """Yield all lines in order; nothing can be added any more."""
        self._lines.sort(key=_order)
        runs = [file for level in reversed(self._levels) for file in level]
        try:
            yield from heapq.merge(*runs, self._lines, key=_order)
        finally:
            self.close()

    def close(self) -> None:
        """Delete the temporary files."""
        for level in self._levels:
            _close(level)
        self._levels, self._lines = [[]], []


def _close(files: list[BinaryIO]) -> None:
    for file in files:
        file.close()
