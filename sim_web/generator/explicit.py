"""A web in arrays: all links written out."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from counterpoint.compiling import Array
from counterpoint.files.outputs import replacing
from counterpoint.sim_web.errors import WebError
from counterpoint.threads import for_each

from .numbers import Numbers
from .packing import links_of_pages, packed

CHUNK = 1 << 15
"""How many pages are written out at a time."""


@dataclass(frozen=True)
class Explicit:
    """All links of a web in compressed sparse rows.

    Attributes
    ----------
    offsets : int64, shape (pages + 1,)
        The links of page p are ``targets[offsets[p]:offsets[p + 1]]``.
    targets : uint32 or int64, shape (links,)
        The targets of the links, in the order in which they are on the pages.
    """

    offsets: Array
    targets: Array

    @property
    def pages(self) -> int:
        """The number of pages."""
        return len(self.offsets) - 1

    @property
    def links(self) -> int:
        """The number of distinct links."""
        return len(self.targets)

    def out_links(self, page: int) -> Array:
        """Return the pages to which a page links, int64."""
        return self.targets[self.offsets[page] : self.offsets[page + 1]].astype(np.int64)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the arrays to an .npz file; an existing file is replaced at the end."""
        with replacing(Path(path)) as written, written.open("wb") as file:
            np.savez(file, offsets=self.offsets, targets=self.targets)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Explicit:
        """Return the web that `save` wrote; raise WebError if the file is not such a web."""
        try:
            with open(path, "rb") as file, np.load(file, allow_pickle=False) as arrays:
                web = cls(arrays["offsets"], arrays["targets"])
        except MemoryError:
            raise
        except Exception as error:  # zipfile and NumPy raise whatever wrong bytes lead them to
            reason = " ".join(str(error).split())[:200]
            raise WebError(f"{path}: is not a saved web ({reason})") from None
        web.check(str(path))
        return web

    def check(self, name: str) -> None:
        """Raise WebError unless the arrays describe a graph; ``name`` is for the message."""
        if not all(isinstance(a, np.ndarray) for a in (self.offsets, self.targets)):
            raise WebError(f"{name}: is not a saved web (it has something else than arrays)")
        whole = all(a.dtype.kind in "iu" or not a.size for a in (self.offsets, self.targets))
        ends = whole and self.offsets.ndim == self.targets.ndim == 1 and len(self.offsets) > 0
        if not ends or self.offsets[0] != 0 or self.offsets[-1] != len(self.targets):
            raise WebError(f"{name}: is not a saved web (the offsets do not match the links)")
        if (self.offsets[1:] < self.offsets[:-1]).any() or (
            len(self.targets) > 0
            and not 0 <= int(self.targets.min()) <= int(self.targets.max()) < self.pages
        ):
            raise WebError(f"{name}: is not a saved web (an id is out of range)")


def written_out(
    numbers: Numbers, pages: int, report: Callable[[int], None] | None = None
) -> Explicit:
    """Compute all links of a web.

    Parameters
    ----------
    numbers : Numbers
    pages : int
        The number of pages of the web.
    report : callable, optional
        Gets the number of finished pages from time to time.
    """
    kind = np.uint32 if pages <= 1 << 32 else np.int64
    offsets = np.zeros(pages + 1, dtype=np.int64)
    parts = []
    starts, arrays = range(0, pages, CHUNK), packed(numbers)

    def made(first: int) -> tuple[int, Array, Array]:
        return first, *links_of_pages(*arrays, first, 1, min(CHUNK, pages - first))

    def put(result: tuple[int, Array, Array]) -> None:
        first, counts, targets = result
        offsets[first + 1 : first + 1 + len(counts)] = counts
        parts.append(targets.astype(kind))
        if report:
            report(first + len(counts))

    for_each(made, starts, os.cpu_count() or 1, put)
    np.cumsum(offsets, out=offsets)
    return Explicit(offsets, np.concatenate(parts))
