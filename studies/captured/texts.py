"""The documents of a captured web in each of their versions, as policies and measures need them.

A version begins with the first capture that has it; the first one of a page was there before. Its
size is that of the whole document in bytes, and two versions differ by the lines that only one of
them has.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .arrays import CapturedArrays

Array = np.ndarray[Any, Any]


class CapturedTexts:
    """The sizes and differences of the versions of documents.

    Parameters
    ----------
    arrays : CapturedArrays
    """

    def __init__(self, arrays: CapturedArrays) -> None:
        self._arrays = arrays

    def versions(self, pages: Array, times: Array) -> Array:
        """Return the version of each page at its time, int64, shape (n,)."""
        found = np.zeros(len(pages), dtype=np.int64)
        offsets, since = self._arrays.version_offsets, self._arrays.since
        for k in np.flatnonzero(np.diff(offsets)[pages] > 1):
            low, high = offsets[pages[k]], offsets[pages[k] + 1]
            found[k] = max(0, int(np.searchsorted(since[low:high], times[k], "right")) - 1)
        return found

    def times(self, pages: Array, versions: Array) -> Array:
        """Return when each page got a version, float64, shape (n,); infinite: it never does."""
        offsets = self._arrays.version_offsets
        at = offsets[pages] + versions
        there = at < offsets[np.asarray(pages) + 1]
        found: Array = np.where(there, self._arrays.since[np.where(there, at, 0)], np.inf)
        return found

    def compared(self, pages: Array, old: Array, new: Array) -> tuple[Array, Array]:
        """Return the sizes of the new versions, and the bytes that only one of two versions has."""
        at = self._arrays.version_offsets[pages]
        sizes = self._arrays.sizes[at + new]
        other = np.zeros(len(pages), dtype=np.int64)
        for k in np.flatnonzero(old != new):
            other[k] = self._difference(int(at[k] + old[k]), int(at[k] + new[k]))
        return sizes, other

    def visited(self, page: int, time: float, before: int = -1) -> tuple[int, int, int]:
        """Return the version of a page at a time, its size, and its difference to another version.

        Parameters
        ----------
        page : int
        time : float
            Seconds after the first capture of the web.
        before : int
            The other version; -1: there is none, and the difference is 0.
        """
        pages = np.array([page])
        now = self.versions(pages, np.array([time]))
        old = now if before < 0 else np.array([before])
        sizes, other = self.compared(pages, old, now)
        return int(now[0]), int(sizes[0]), int(other[0])

    def _difference(self, one: int, other: int) -> int:
        """Return the bytes of the lines that only one of two versions has."""
        counts: dict[int, int] = {}
        sizes: dict[int, int] = {}
        for version, sign in ((one, 1), (other, -1)):
            low, high = self._arrays.line_offsets[version : version + 2]
            hashes = self._arrays.line_hashes[low:high].tolist()
            for name, size in zip(hashes, self._arrays.line_sizes[low:high].tolist(), strict=True):
                counts[name] = counts.get(name, 0) + sign
                sizes[name] = size
        return sum(abs(count) * sizes[name] for name, count in counts.items())
