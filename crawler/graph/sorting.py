"""Links too many for memory, put in order: sorted runs on disk, read side by side.

A link is a key of 64 bits, the page by which links are sorted above the other one.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from .codes import BLOCK, Number
from .compiling import Array, compiled

CELLS = 4096
"""Into so many ranges of pages links are counted, to divide them into parts of equal size."""


class Rows(NamedTuple):
    """The links of consecutive pages.

    Attributes
    ----------
    offsets : int64[pages + 1]
    targets : uint32[links]
    """

    offsets: Array
    targets: Array


def counts_of(offsets: Array) -> Array:
    """Return how much lies between each of some bounds and the next, int64[]."""
    bounds = offsets.astype(np.int64)
    return bounds[1:] - bounds[:-1]


@compiled
def keys_of(offsets: Array, targets: Array, first: Number, keys: Array, swapped: Number) -> None:
    """Write the keys of rows of links, of pages from ``first`` on; ``swapped``: target above."""
    up = np.uint64(32)
    for i in range(len(offsets) - 1):
        page = np.uint64(first + i)
        for k in range(offsets[i], offsets[i + 1]):
            target = np.uint64(targets[k])
            keys[k] = (target << up) | page if swapped else (page << up) | target


@compiled
def _rows(keys: Array, first: Number, offsets: Array, targets: Array) -> Number:
    """Write sorted keys as rows, each link once; return how many links there are."""
    up, below = np.uint64(32), np.uint64(0xFFFFFFFF)
    count, page = 0, 0
    for k in range(len(keys)):
        if k > 0 and keys[k] == keys[k - 1]:
            continue
        own = np.int64(keys[k] >> up) - first
        while page < own:
            page += 1
            offsets[page] = count
        targets[count] = keys[k] & below
        count += 1
    for later in range(page + 1, len(offsets)):
        offsets[later] = count
    return count


def rows_of(keys: Array, first: int, last: int) -> Rows:
    """Return sorted keys of pages from ``first`` to ``last`` as rows; equal ones once."""
    offsets = np.zeros(last - first + 1, dtype=np.int64)
    targets = np.empty(len(keys), dtype=np.uint32)
    count = _rows(keys, first, offsets, targets)
    return Rows(offsets, targets[:count])


class Runs:
    """Sorted runs of keys, each a file.

    Parameters
    ----------
    folder : Path
    kind : str
        What their names begin with.
    """

    def __init__(self, folder: Path, kind: str) -> None:
        self._folder, self._kind = folder, kind

    def path(self, number: int) -> Path:
        """Return the file of a run."""
        return self._folder / f"{self._kind}-{number:06}.run"

    def has(self, number: int) -> bool:
        """Tell whether a run is there; then it is whole."""
        return self.path(number).exists()

    def write(self, number: int, keys: Array) -> None:
        """Sort keys, in place, and write them as a run."""
        keys.sort()
        write_whole(self.path(number), [keys])

    def opened(self, count: int, pages: int) -> Merged:
        """Return the first ``count`` runs, to be read side by side."""
        return Merged([_mapped(self.path(number)) for number in range(count)], pages)

    def remove(self, count: int) -> None:
        """Remove the first ``count`` runs."""
        for number in range(count):
            self.path(number).unlink(missing_ok=True)


def _mapped(path: Path) -> Array:
    if path.stat().st_size == 0:
        return np.empty(0, dtype=np.uint64)
    return np.memmap(path, dtype=np.uint64, mode="r").view(np.ndarray)


def write_whole(path: Path, arrays: Sequence[Array]) -> None:
    """Write arrays as a file that has its name only when it is whole."""
    written = path.with_name(path.name + ".part")
    with written.open("wb") as file:
        for array in arrays:
            array.tofile(file)
    os.replace(written, path)


class Merged:
    """The links of several runs, asked for by ranges of pages.

    Attributes
    ----------
    pages : int
    links : int
        Equal ones counted as often as they occur.
    """

    def __init__(self, runs: list[Array], pages: int) -> None:
        self._runs, self.pages = runs, pages
        self.links = sum(map(len, runs))

    def rows(self, first: int, last: int) -> Rows:
        """Return the links of pages from ``first`` to ``last``, each list ascending."""
        ends = np.array([first, last], dtype=np.uint64) << np.uint64(32)
        slices = []
        for run in self._runs:
            low, high = np.searchsorted(run, ends)
            slices.append(run[low:high])
        keys = np.concatenate([*slices, np.empty(0, dtype=np.uint64)])
        keys.sort()
        return rows_of(keys, first, last)

    def parts(self, most: int) -> list[tuple[int, int]]:
        """Divide the pages into ranges of at most so many links where ranges of cells allow it."""
        cell = max(BLOCK, -(-self.pages // (CELLS * BLOCK)) * BLOCK)
        bounds = np.append(np.arange(0, self.pages, cell), self.pages)
        ends = bounds.astype(np.uint64) << np.uint64(32)
        counts = np.zeros(len(bounds) - 1, dtype=np.int64)
        for run in self._runs:
            counts += np.diff(np.searchsorted(run, ends))
        found, begin, held = [], 0, 0
        for k, count in enumerate(counts.tolist()):
            if held and held + count > most:
                found.append((int(bounds[begin]), int(bounds[k])))
                begin, held = k, 0
            held += count
        return [*found, (int(bounds[begin]), self.pages)]
