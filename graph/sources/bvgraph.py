"""Reads graphs in WebGraph's format BVGraph, with the optional package webgraph."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from counterpoint.compiling import Array
from counterpoint.graph.errors import GraphError
from counterpoint.graph.storage.arrays import Arrays
from counterpoint.graph.storage.pages import Tell

from .numbered import identity

ENDINGS = (".graph", ".properties", ".ef", ".offsets")
"""The suffixes of the files of a graph."""


def base_of(path: Path) -> Path:
    """Return the common name of the files of a graph, without the suffix."""
    return path.with_suffix("") if path.suffix in ENDINGS else path


class BVGraph:
    """A graph of WebGraph: files of one name with ``.graph``, ``.properties`` and ``.ef``.

    Parameters
    ----------
    path : Path
        One of these files, or their name without the suffix.
    """

    def __init__(self, path: Path) -> None:
        self._base, self.nodes = base_of(path), 0
        self.name = f"bvgraph {identity(self._base.with_suffix('.graph'))}"

    def read(self, folder: Path, tell: Tell) -> Arrays:
        """Return the pages; their links must fit into memory."""
        try:
            from webgraph import BvGraph
        except ImportError:
            raise GraphError(
                "BVGraph is read by the package webgraph: pip install webgraph"
            ) from None
        try:
            offsets, targets = _read(BvGraph(str(self._base)), tell)
        except (KeyboardInterrupt, SystemExit, MemoryError):
            raise
        except BaseException as error:  # a damaged file makes it panic, which is not an Exception
            reason = str(error).partition("\n")[0]
            raise GraphError(f"{self._base}: webgraph cannot read it ({reason})") from None
        return Arrays(offsets, targets, name=self.name)


def _read(graph: Any, tell: Tell) -> tuple[Array, Array]:
    degrees = np.asarray(graph.outdegrees(), dtype=np.int64)
    # The links of a page are distinct. Their bits give no bound: a page may copy the list of
    # another one, however long, by a few bits.
    if not ((degrees >= 0) & (degrees <= len(degrees))).all():
        raise ValueError("a page has more links than there are pages")
    offsets = np.concatenate([[0], np.cumsum(degrees)])
    targets = np.empty(int(offsets[-1]), dtype=np.uint32)
    for page, degree in enumerate(degrees.tolist()):
        begin = int(offsets[page])
        targets[begin : begin + degree] = np.fromiter(graph.successors(page), np.uint32, degree)
        if tell and page % 100_000 == 0:
            tell(f"read {page:,} of {len(degrees):,} pages")
    return offsets, targets
