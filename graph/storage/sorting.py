"""Links too many for memory, put in order: sorted runs on disk, read side by side.

A link is a key of 64 bits, the page by which links are sorted above the other one.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from counterpoint.compiling import Array, Number, compiled

from .codes import BLOCK

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
def backward_keys(offsets: Array, targets: Array, first: Number, keys: Array) -> None:
    """Write the keys of rows of links, the target above; rows are of pages from ``first`` on."""
    up = np.uint64(32)
    for i in range(len(offsets) - 1):
        page = np.uint64(first + i)
        for k in range(offsets[i], offsets[i + 1]):
            keys[k] = (np.uint64(targets[k]) << up) | page


_DIGIT = 11
"""Bits by which keys are distributed at a time."""


@compiled
def _distributed(keys: Array, into: Array, base: np.uint64, shift: np.uint64) -> None:
    """Write keys less a base in the order of one digit; equal ones stay in order."""
    mask = np.uint64((1 << _DIGIT) - 1)
    places = np.zeros((1 << _DIGIT) + 1, np.int64)
    for k in range(len(keys)):
        places[(((keys[k] - base) >> shift) & mask) + np.uint64(1)] += 1
    for digit in range(1 << _DIGIT):
        places[digit + 1] += places[digit]
    for k in range(len(keys)):
        digit = ((keys[k] - base) >> shift) & mask
        into[places[digit]] = keys[k]
        places[digit] += 1


def sorted_keys(keys: Array, first: int, last: int, pages: int, by_second: bool = True) -> Array:
    """Return keys in ascending order; the array given is used up.

    Digits are distributed from the lowest on. NumPy's sort takes 60 ns for a key here, one digit 5.

    Parameters
    ----------
    keys : uint64[]
    first, last : int
        Between what the upper pages are.
    pages : int
        Above all lower pages.
    by_second : bool
        False: keys with equal upper pages are in order already.
    """
    spare = np.empty_like(keys)
    base = np.uint64(first << 32)
    shifts = list(range(0, max(pages - 1, 0).bit_length(), _DIGIT)) if by_second else []
    shifts += range(32, 32 + max(last - first - 1, 0).bit_length(), _DIGIT)
    for shift in shifts:
        _distributed(keys, spare, base, np.uint64(shift))
        keys, spare = spare, keys
    return keys


_FEW = 32


@compiled
def _tidied(
    offsets: Array, targets: Array, begins: Array, ends: Array, numbers: Array, into: Array
) -> Number:
    """Write rows from given begins to ends, renumbered, each ascending and each link once."""
    count = 0
    for i in range(len(begins)):
        start = count
        for k in range(begins[i], ends[i]):
            target = numbers[targets[k]] if numbers.size > 0 else targets[k]
            into[count] = target
            count += 1
        if count - start > _FEW:
            into[start:count].sort()
        else:
            for k in range(start + 1, count):
                target = into[k]
                j = k
                while j > start and into[j - 1] > target:
                    into[j] = into[j - 1]
                    j -= 1
                into[j] = target
        kept = start
        for k in range(start, count):
            if k == start or into[k] != into[k - 1]:
                into[kept] = into[k]
                kept += 1
        count = kept
        offsets[i + 1] = count
    return count


def tidied(rows: Rows, order: Array | None, numbers: Array | None) -> Rows:
    """Return rows with each list ascending and each link once.

    Parameters
    ----------
    rows : Rows
    order : int64[] or None
        The rows wanted, in their order.
    numbers : uint32[pages] or None
        What each target becomes.
    """
    begins, ends = rows.offsets[:-1], rows.offsets[1:]
    if order is not None:
        begins, ends = begins[order], ends[order]
    offsets = np.zeros(len(begins) + 1, dtype=np.int64)
    into = np.empty(int((ends - begins).sum()), dtype=np.uint32)
    none = np.empty(0, dtype=np.uint32)
    count = _tidied(offsets, rows.targets, begins, ends, none if numbers is None else numbers, into)
    return Rows(offsets, into[:count])


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
        """Write sorted keys as a run."""
        write_whole(self.path(number), [keys])

    def opened(self, count: int, pages: int, in_order: bool = False) -> Merged:
        """Return the first ``count`` runs, to be read side by side; ``in_order``: see `Merged`."""
        paths = [self.path(number) for number in range(count)]
        return Merged([_mapped(path) for path in paths], pages, in_order)


def _mapped(path: Path) -> Array:
    if path.stat().st_size == 0:
        return np.empty(0, dtype=np.uint64)
    return np.memmap(path, dtype=np.uint64, mode="r").view(np.ndarray)


def write_whole(path: Path, arrays: Sequence[Array]) -> None:
    """Write arrays as a file that has its name only when it is whole."""
    written = path.with_name(path.name + ".part")
    with written.open("wb") as file:
        for array in arrays:  # not by NumPy, which does not say that a disk is full
            file.write(np.ascontiguousarray(array).data)
    os.replace(written, path)


class Merged:
    """The links of several runs, asked for by ranges of pages.

    Parameters
    ----------
    runs : list of uint64[]
    pages : int
    in_order : bool
        Lower pages of a run are below those of the next one.

    Attributes
    ----------
    pages : int
    links : int
        Equal ones counted as often as they occur.
    """

    def __init__(self, runs: list[Array], pages: int, in_order: bool) -> None:
        self._runs, self.pages, self._in_order = runs, pages, in_order
        self.links = sum(map(len, runs))

    def rows(self, first: int, last: int) -> Rows:
        """Return the links of pages from ``first`` to ``last``, each list ascending."""
        ends = np.array([first, last], dtype=np.uint64) << np.uint64(32)
        slices = []
        for run in self._runs:
            low, high = np.searchsorted(run, ends)
            slices.append(run[low:high])
        keys = np.concatenate([*slices, np.empty(0, dtype=np.uint64)])
        keys = sorted_keys(keys, first, last, self.pages, not self._in_order)
        return rows_of(keys, first, last)

    def parts(self, most: int) -> list[tuple[int, int]]:
        """Divide the pages into ranges of at most so many links and pages, where cells allow it."""
        cell = max(BLOCK, -(-self.pages // (CELLS * BLOCK)) * BLOCK)
        bounds = np.append(np.arange(0, self.pages, cell), self.pages)
        ends = bounds.astype(np.uint64) << np.uint64(32)
        counts = np.zeros(len(bounds) - 1, dtype=np.int64)
        for run in self._runs:
            counts += np.diff(np.searchsorted(run, ends))
        found, begin, held = [], 0, 0
        for k, count in enumerate(counts.tolist()):
            if k > begin and (held + count > most or bounds[k + 1] - bounds[begin] > most):
                found.append((int(bounds[begin]), int(bounds[k])))
                begin, held = k, 0
            held += count
        return [*found, (int(bounds[begin]), self.pages)]
