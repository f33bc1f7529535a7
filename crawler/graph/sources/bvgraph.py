"""Graphs in WebGraph's format BVGraph, read by the package webgraph (an extra)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from crawler.errors import CrawlError
from crawler.graph.arrays import Arrays
from crawler.graph.pages import Tell

from .numbered import identity


class BVGraph:
    """A graph of WebGraph: files of one name that end in ``.graph``, ``.properties`` and ``.ef``.

    Parameters
    ----------
    path : Path
        One of them, or their name without the ending.
    """

    def __init__(self, path: Path) -> None:
        known = (".graph", ".properties", ".ef", ".offsets")
        self._base = path.with_suffix("") if path.suffix in known else path
        self.name = f"bvgraph {identity(self._base.with_suffix('.graph'))}"

    def read(self, folder: Path, tell: Tell) -> Arrays:
        """Return the pages; their links must fit memory."""
        try:
            from webgraph import BvGraph
        except ImportError:
            raise CrawlError(
                "BVGraph is read by the package webgraph: pip install webgraph"
            ) from None
        try:
            graph: Any = BvGraph(str(self._base))
        except Exception as error:  # its errors have no class of their own
            said = str(error).partition("\n")[0]
            raise CrawlError(f"{self._base}: cannot be read by webgraph ({said})") from None
        degrees = np.asarray(graph.outdegrees(), dtype=np.int64)
        offsets = np.concatenate([[0], np.cumsum(degrees)])
        targets = np.empty(int(offsets[-1]), dtype=np.uint32)
        for page in range(graph.num_nodes()):
            targets[offsets[page] : offsets[page + 1]] = list(graph.successors(page))
            if tell and page % 100_000 == 0:
                tell(f"read {page:,} of {graph.num_nodes():,} pages")
        return Arrays(offsets, targets, name=self.name)
