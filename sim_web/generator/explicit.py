"""A web as arrays: the implicit form, written out."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from zipfile import BadZipFile

import numpy as np

from counterpoint.compiling import Array
from counterpoint.sim_web.errors import WebError

from .numbers import Numbers
from .packing import links_of_pages, packed

CHUNK = 1 << 15
"""Pages that are written out at a time."""


@dataclass(frozen=True)
class Explicit:
    """Links in compressed sparse rows.

    Attributes
    ----------
    offsets : int64[pages + 1]
        Where a page's links begin.
    targets : uint32[links] or int64[links]
        The pages they lead to, each page's in the order of appearance.
    """

    offsets: Array
    targets: Array

    @property
    def pages(self) -> int:
        """Number of pages."""
        return len(self.offsets) - 1

    @property
    def links(self) -> int:
        """Number of distinct links."""
        return len(self.targets)

    def out_links(self, page: int) -> Array:
        """Return the pages that a page links to, int64."""
        return self.targets[self.offsets[page] : self.offsets[page + 1]].astype(np.int64)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the arrays as an .npz file; a file of that name is replaced when all is written."""
        goal = Path(path)
        written = goal.with_name(goal.name + ".part")
        try:
            with written.open("wb") as file:
                np.savez(file, offsets=self.offsets, targets=self.targets)
            written.replace(goal)
        finally:
            written.unlink(missing_ok=True)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Explicit:
        """Return the web that `save` wrote; raise WebError if the file is no such web."""
        try:
            with open(path, "rb") as file, np.load(file, allow_pickle=False) as held:
                web = cls(held["offsets"], held["targets"])
        except (OSError, KeyError, ValueError, EOFError, BadZipFile) as error:
            raise WebError(f"{path}: is no saved web ({error})") from None
        web.check(str(path))
        return web

    def check(self, name: str) -> None:
        """Raise WebError unless the arrays are those of a graph."""
        ends = self.offsets.ndim == self.targets.ndim == 1 and len(self.offsets) > 0
        if not ends or self.offsets[0] != 0 or self.offsets[-1] != len(self.targets):
            raise WebError(f"{name}: is no saved web (offsets do not fit the links)")
        if (np.diff(self.offsets) < 0).any() or (
            len(self.targets) > 0
            and not 0 <= int(self.targets.min()) <= int(self.targets.max()) < self.pages
        ):
            raise WebError(f"{name}: is no saved web (an id is out of range)")


def written_out(
    numbers: Numbers, pages: int, told: Callable[[int], None] | None = None
) -> Explicit:
    """Return all links of a web; ``told`` gets the number of pages done."""
    kind = np.uint32 if pages <= 1 << 32 else np.int64
    offsets = np.zeros(pages + 1, dtype=np.int64)
    parts = []
    starts, held = range(0, pages, CHUNK), packed(numbers)
    with ThreadPoolExecutor(os.cpu_count() or 1) as threads:
        made = threads.map(
            lambda first: links_of_pages(*held, first, 1, min(CHUNK, pages - first)), starts
        )
        for first, (counts, targets) in zip(starts, made, strict=True):
            offsets[first + 1 : first + 1 + len(counts)] = counts
            parts.append(targets.astype(kind))
            if told:
                told(first + len(counts))
    np.cumsum(offsets, out=offsets)
    return Explicit(offsets, np.concatenate(parts))
