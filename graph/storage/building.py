"""The folder of a build: what is done stays done, whatever ends the build."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from counterpoint.compiling import Array
from counterpoint.graph.errors import GraphError

from .sorting import write_whole

PLAN, LOCK = "plan.json", "lock"
"""What is built, and the mark of a folder of ours: made first, removed last."""


@contextlib.contextmanager
def folder_of(path: Path, plan: dict[str, Any]) -> Iterator[Path]:
    """Yield the folder in which a store is built; it is kept if the build is killed.

    It is kept as well if the system fails (a full disk), and removed if the source is not as it
    must be: what was made of that is of no use.

    Parameters
    ----------
    path : Path
        The store to be.
    plan : dict
        What is built. What a build with another plan left is removed.

    Raises
    ------
    GraphError
        If the folder is somebody else's, or another process builds the same store.
    """
    folder = path.with_name(path.name + ".building")
    if not path.parent.is_dir():
        raise GraphError(f"{path}: there is no folder {path.parent}")
    if folder.exists() and not (folder / LOCK).exists() and any(folder.iterdir()):
        raise GraphError(f"{folder}: is in the way: it is no unfinished build")
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
        except ValueError:  # of a graph, or of a crawl from which it is built
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
    """Remove all but the lock; the plan first, for without it no part is resumed."""
    (folder / PLAN).unlink(missing_ok=True)
    for path in folder.iterdir():
        if path.is_dir():
            shutil.rmtree(path)
        elif path.name != LOCK:
            path.unlink()


class Part(NamedTuple):
    """A part of what is built: a row of facts, and arrays of 64-bit numbers and of bytes.

    Attributes
    ----------
    facts : int64[]
    starts : uint64[]
    data : uint8[] or uint64[]
    """

    facts: Array
    starts: Array
    data: Array

    def save(self, path: Path) -> None:
        """Write a part; its file is there when it is whole."""
        sizes = np.array([len(self.facts), len(self.starts)], dtype=np.int64)
        write_whole(path, [sizes, self.facts, self.starts, self.data])

    @classmethod
    def load(cls, path: Path, kind: str) -> Part:
        """Return a part, its data mapped; ``kind``: their type."""
        with path.open("rb") as file:
            few, many = np.fromfile(file, dtype=np.int64, count=2).tolist()
            facts = np.fromfile(file, dtype=np.int64, count=few)
            starts = np.fromfile(file, dtype=np.uint64, count=many)
            at = file.tell()
        if at == os.path.getsize(path):
            return cls(facts, starts, np.empty(0, dtype=kind))
        return cls(facts, starts, np.memmap(path, dtype=kind, mode="r", offset=at).view(np.ndarray))
