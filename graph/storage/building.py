"""The folder of a build, which keeps the complete parts if the build is interrupted."""

from __future__ import annotations

import contextlib
import fcntl
import itertools
import json
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from counterpoint.compiling import Array
from counterpoint.graph.errors import GraphError

from .codes import BLOCK
from .sorting import write_whole

PLAN, LOCK = "plan.json", "lock"
"""The file that says what is built, and the lock that marks a build's folder: it is created first
and removed last."""


@contextlib.contextmanager
def folder_of(path: Path, plan: dict[str, Any]) -> Iterator[Path]:
    """Yield the folder in which a store is built.

    The folder stays if the build is interrupted, or the system fails (a full disk). It is removed
    if the build succeeds, and if the source is invalid: then its parts are useless.

    Parameters
    ----------
    path : Path
        The store.
    plan : dict
        What is built. Parts of a build with another plan are removed.

    Raises
    ------
    GraphError
        If the folder exists and is not that of a build, or another process builds the same store.
    KeyboardInterrupt
        If there was one in the context; it says that the folder stays.
    """
    folder = path.with_name(path.name + ".building")
    if not path.parent.is_dir():
        raise GraphError(f"{path}: there is no folder {path.parent}")
    if folder.exists() and not (folder / LOCK).exists() and any(folder.iterdir()):
        raise GraphError(f"{folder}: is in the way: it is not an unfinished build")
    folder.mkdir(exist_ok=True)
    with (folder / LOCK).open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise GraphError(f"{path}: is being built by another process") from None
        text = json.dumps(plan, sort_keys=True)
        if _read(folder / PLAN) != text:
            _emptied(folder)
            write_whole(folder / PLAN, [np.frombuffer(text.encode(), dtype=np.uint8)])
        try:
            yield folder
        except KeyboardInterrupt:
            raise KeyboardInterrupt(
                f"{folder} keeps what was done, and the same command resumes it"
            ) from None
        except ValueError:  # the graph, or the crawl from which it is built, is invalid
            _removed(folder)
            raise
        _removed(folder)


def _removed(folder: Path) -> None:
    _emptied(folder)
    (folder / LOCK).unlink()
    folder.rmdir()


def _read(path: Path) -> str:
    return path.read_text() if path.exists() else ""


def _emptied(folder: Path) -> None:
    """Remove all but the lock; the plan first, because without it no part is reused."""
    (folder / PLAN).unlink(missing_ok=True)
    for path in folder.iterdir():
        if path.is_dir():
            shutil.rmtree(path)
        elif path.name != LOCK:
            path.unlink()


def bytes_of_pages(pages: int) -> int:
    """Return about how many bytes a store has for its pages, without their links and addresses."""
    return 2 * (pages * 8 // BLOCK + pages // 4)


def must_fit(path: Path, folder: Path, pages: int) -> None:
    """Refuse to build a store whose disk has no room for its pages, even if no page has links.

    Parameters
    ----------
    path : Path
        The store.
    folder : Path
        The folder in which it is built; for a while both contain all parts.
    pages : int
        The number of pages.

    Raises
    ------
    GraphError
        If the disk has too little room.
    """
    done = sum(one.stat().st_size for one in folder.iterdir())
    needed, free = 2 * bytes_of_pages(pages), shutil.disk_usage(folder).free + done
    if needed > free:
        raise GraphError(
            f"{path}: {pages:,} pages need {in_units(needed)} of disk even without links, and "
            f"there are {in_units(free)}"
        )


def in_units(number: int) -> str:
    """Return a number of bytes in GB or MB."""
    return f"{number / 1e9:,.1f} GB" if number >= 1e9 else f"{number / 1e6:,.1f} MB"


def counted_parts(
    step: str, parts: int, tell: Callable[[str], None] | None
) -> Callable[[object], None]:
    """Return a function that says, each time it is called, that one more part of a step is done."""
    done = itertools.count(1)

    def say(_: object) -> None:
        number = next(done)
        if tell:
            tell(f"{step}: part {number} of {parts}")

    return say


class Part(NamedTuple):
    """A part of a store that is being built: links or texts with their index.

    Attributes
    ----------
    facts : int64
        Some numbers about the part.
    starts : uint64
        Where blocks begin in ``data``.
    data : uint8 or uint64
        The compressed links or texts.
    """

    facts: Array
    starts: Array
    data: Array

    def save(self, path: Path) -> None:
        """Write the part; its file gets its name when it is complete."""
        sizes = np.array([len(self.facts), len(self.starts)], dtype=np.int64)
        write_whole(path, [sizes, self.facts, self.starts, self.data])

    @classmethod
    def load(cls, path: Path, kind: str) -> Part:
        """Return a part whose data is memory-mapped; ``kind`` is the NumPy type of the data."""
        with path.open("rb") as file:
            few, many = np.fromfile(file, dtype=np.int64, count=2).tolist()
            facts = np.fromfile(file, dtype=np.int64, count=few)
            starts = np.fromfile(file, dtype=np.uint64, count=many)
            at = file.tell()
        if at == os.path.getsize(path):
            return cls(facts, starts, np.empty(0, dtype=kind))
        return cls(facts, starts, np.memmap(path, dtype=kind, mode="r", offset=at).view(np.ndarray))
