"""External sorting of links that do not fit into memory: sorted runs on disk, and merging them.

A link is a key of 64 bits. Its upper half is the page by which links are sorted, its lower half the
other page.
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
"""Links are counted in so many ranges of pages, to divide them into parts of equal size."""


class Rows(NamedTuple):
    """The links of consecutive pages.

    Attributes
    ----------
    offsets : int64, shape (pages + 1,)
        Where the links of each page begin, and the end.
    targets : uint32, shape (links,)
    """

    offsets: Array
    targets: Array


def counts_of(offsets: Array) -> Array:
    """Return the length of each row: the differences of successive offsets, int64."""
    bounds = offsets.astype(np.int64)
    return bounds[1:] - bounds[:-1]


@compiled
def backward_keys(offsets: Array, targets: Array, first: Number, keys: Array) -> None:
    """Write the keys of links, with the target in the upper half.

    Parameters
    ----------
    offsets, targets
        The links in rows.
    first : int
        The page of the first row.
    keys : uint64, shape (links,)
        Gets the keys.
    """
    up = np.uint64(32)
    for i in range(len(offsets) - 1):
        page = np.uint64(first + i)
        for k in range(offsets[i], offsets[i + 1]):
            keys[k] = (np.uint64(targets[k]) << up) | page


_DIGIT = 11
"""The number of bits of a digit of the radix sort."""


@compiled
def _distributed(keys: Array, into: Array, base: np.uint64, shift: np.uint64) -> None:
    """Sort keys by one digit, stably.

    Parameters
    ----------
    keys, into : uint64
        The keys, and the array that gets them in order.
    base : uint64
        Is subtracted from a key before its digit is taken.
    shift : uint64
        The lowest bit of the digit.
    """
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
    """Return keys in ascending order; ``keys`` is overwritten.

    This is a radix sort from the lowest digit on. NumPy's sort takes 60 ns for a key here, one
    digit takes 5 ns.

    Parameters
    ----------
    keys : uint64
    first, last : int
        The pages in the upper halves are ``first`` to ``last - 1``.
    pages : int
        The pages in the lower halves are below this number.
    by_second : bool
        False: keys with equal upper halves are in order already.
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
    """Write rows with renumbered targets, each ascending and each link once.

    Parameters
    ----------
    offsets : int64, shape (rows + 1,)
        Gets the offsets of the written rows.
    targets : int
        The links that are read.
    begins, ends : int64, shape (rows,)
        Where each row begins and ends in ``targets``.
    numbers : uint32
        The new number of each target; empty: the targets stay as they are.
    into : uint32
        Gets the targets.

    Returns
    -------
    int
        How many links there are.
    """
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
    order : int64 or None
        The indices of the returned rows, in their order; None: all.
    numbers : uint32, shape (pages,) or None
        The new number of each target; None: the targets stay as they are.
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
    """Write sorted keys as rows, each link once; return the number of links.

    ``first`` is the page of the first row.
    """
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
    """Return sorted keys of pages ``first`` to ``last - 1`` as rows; equal keys give one link."""
    offsets = np.zeros(last - first + 1, dtype=np.int64)
    targets = np.empty(len(keys), dtype=np.uint32)
    count = _rows(keys, first, offsets, targets)
    return Rows(offsets, targets[:count])


class Runs:
    """Sorted runs of keys, each a file.

    Parameters
    ----------
    folder : Path
        The folder of the files.
    kind : str
        The beginning of their names.
    """

    def __init__(self, folder: Path, kind: str) -> None:
        self._folder, self._kind = folder, kind

    def path(self, number: int) -> Path:
        """Return the file of a run."""
        return self._folder / f"{self._kind}-{number:06}.run"

    def has(self, number: int) -> bool:
        """Return whether a run exists; then it is complete."""
        return self.path(number).exists()

    def write(self, number: int, keys: Array) -> None:
        """Write sorted keys as a run."""
        write_whole(self.path(number), [keys])

    def opened(self, count: int, pages: int, in_order: bool = False) -> MergedRuns:
        """Return the links of the first ``count`` runs together.

        Parameters
        ----------
        count : int
            How many runs.
        pages : int
            The number of pages.
        in_order : bool
            As in `MergedRuns`.
        """
        paths = [self.path(number) for number in range(count)]
        return MergedRuns([_mapped(path) for path in paths], pages, in_order)


def _mapped(path: Path) -> Array:
    if path.stat().st_size == 0:
        return np.empty(0, dtype=np.uint64)
    return np.memmap(path, dtype=np.uint64, mode="r").view(np.ndarray)


def write_whole(path: Path, arrays: Sequence[Array]) -> None:
    """Write arrays to a file that gets its name when it is complete."""
    written = path.with_name(path.name + ".part")
    with written.open("wb") as file:
        for array in arrays:  # ndarray.tofile would not say that the disk is full
            file.write(np.ascontiguousarray(array).data)
    os.replace(written, path)


class MergedRuns:
    """The links of several runs, merged on access.

    Parameters
    ----------
    runs : list of uint64 arrays
        Sorted keys.
    pages : int
        The number of pages.
    in_order : bool
        Whether the lower halves in a run are all below those of the next run.

    Attributes
    ----------
    pages : int
        The number of pages.
    links : int
        The number of keys; equal ones count several times.
    """

    def __init__(self, runs: list[Array], pages: int, in_order: bool) -> None:
        self._runs, self.pages, self._in_order = runs, pages, in_order
        self.links = sum(map(len, runs))

    def rows(self, first: int, last: int) -> Rows:
        """Return the links of pages ``first`` to ``last - 1``, each list ascending."""
        ends = np.array([first, last], dtype=np.uint64) << np.uint64(32)
        slices = []
        for run in self._runs:
            low, high = np.searchsorted(run, ends)
            slices.append(run[low:high])
        keys = np.concatenate([*slices, np.empty(0, dtype=np.uint64)])
        keys = sorted_keys(keys, first, last, self.pages, not self._in_order)
        return rows_of(keys, first, last)

    def parts(self, most: int) -> list[tuple[int, int]]:
        """Divide the pages into ranges of at most ``most`` links and pages.

        A range consists of whole cells, so that a cell with more links makes a larger range.
        """
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
