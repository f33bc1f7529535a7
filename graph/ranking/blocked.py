"""PageRank block by block, for vectors and links that are larger than memory.

The pages are divided into blocks. A file for each block contains the links to its pages, ordered by
their sources (Haveliwala, Efficient computation of PageRank, 1999). An iteration reads each file
and the old vector sequentially, and keeps one block of the new vector in memory. Except for
rounding, it gives the same values as `pagerank`.

[COV] computes its weights block by block with an approximation: the weight of each page outside the
current block is replaced by the average, and the vector is scaled to sum 1. The option ``average``
does the same.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np

from counterpoint.compiling import Array, Number, compiled
from counterpoint.files.outputs import named
from counterpoint.graph.csr import Csr, Graph
from counterpoint.graph.errors import GraphError
from counterpoint.graph.storage.pages import Tell

from .pagerank import DAMPING, MOST, TOLERANCE, PageRank, must_rank, rule
from .products import Run

BLOCK = 1 << 24
"""The number of pages of a block."""

PAIRS = 1 << 20
"""How many links are read at a time."""

STRETCH = 1 << 16
"""The links of how many pages are written at a time."""

OUTSIDE = ("exact", "average")
"""The ways to treat pages outside the current block."""

VECTORS = ("scores", "coming", "passed", "share")
"""The names of the files of vectors."""


class Disk(NamedTuple):
    """A graph and its vectors in files.

    Attributes
    ----------
    folder : Path
        The folder of the files.
    pages, block : int
        The number of pages, in all and of a block.
    scores, coming, passed : float64, shape (pages,)
        Memory-mapped: the weights, the next weights, and the weight that a page passes along each
        of its links.
    share : float64, shape (pages,)
        Memory-mapped: the share of its weight that a page passes along each link.
    """

    folder: Path
    pages: int
    block: int
    scores: Array
    coming: Array
    passed: Array
    share: Array

    def blocks(self) -> Iterator[tuple[int, int]]:
        """Yield the first page of each block, and the first one after it."""
        for first in range(0, self.pages, self.block):
            yield first, min(first + self.block, self.pages)

    def pairs(self, first: int) -> Iterator[tuple[Array, Array]]:
        """Yield the links to the block that begins at page ``first``.

        Yields
        ------
        uint32, uint32
            The sources, and the targets as indices within the block.
        """
        path = self.folder / _name(first)
        with path.open("rb") as file:
            while True:
                found = np.fromfile(file, np.uint32, 2 * PAIRS)
                if not len(found):
                    return
                yield found[0::2], found[1::2]


def blocked_pagerank(
    graph: Graph, folder: str | os.PathLike[str] | None = None, *, block: int = BLOCK,
    outside: str = "exact", damping: float = DAMPING, tolerance: float = TOLERANCE,
    most: int = MOST, tell: Tell = None,
) -> PageRank:  # fmt: skip
    """Return the PageRank of all pages, with memory for one block.

    Parameters
    ----------
    graph : Graph
    folder : path or None
        The folder of the files, which take 8 bytes for each link and 32 bytes for each page. The
        scores are mapped from one of them, which stays. None: a temporary folder; then the scores
        are returned in memory.
    block : int
        The number of pages of a block; each takes 16 bytes of memory.
    outside : str
        ``exact``, or ``average`` as in [COV].
    damping, tolerance, most, tell
        As in `pagerank`.

    Raises
    ------
    GraphError
        If a parameter is out of range.
    """
    must_rank(damping, tolerance, most)
    if block < 1 or outside not in OUTSIDE:
        raise GraphError(f"a block of {block:,} pages, {outside}: must be at least one page, and "
                         f"{' or '.join(OUTSIDE)}")  # fmt: skip
    if folder is None:
        with TemporaryDirectory() as made:
            found = blocked_pagerank(graph, made, block=block, outside=outside, damping=damping,
                                     tolerance=tolerance, most=most, tell=tell)  # fmt: skip
            return PageRank(**{**vars(found), "scores": np.array(found.scores)})
    if not graph.nodes:
        return PageRank(np.empty(0), Run(rule(tolerance, most), (), True), 0.0, 0)
    place = Path(folder)
    try:
        disk = _written(graph, place, block)
        return _iterated(disk, outside == "exact", damping, tolerance, most, tell)
    finally:
        for first in range(0, graph.nodes, block):
            (place / _name(first)).unlink(missing_ok=True)
        for name in VECTORS[1:]:
            (place / f"{name}.f64").unlink(missing_ok=True)


def _iterated(
    disk: Disk, exact: bool, damping: float, tolerance: float, most: int, tell: Tell
) -> PageRank:
    dangling = sum(int((disk.share[a:b] == 0).sum()) for a, b in disk.blocks())
    lost = dangling / disk.pages
    residuals: list[float] = []
    while not residuals or (residuals[-1] > tolerance and len(residuals) < most):
        everywhere = (1 - damping + damping * lost) / disk.pages
        whole = 0.0
        for first, last in disk.blocks():
            sums = np.zeros(last - first)
            for sources, places in disk.pairs(first):
                if exact:
                    _added(sources, places, disk.passed, sums)
                else:
                    _added_within(sources, places, disk.passed, disk.share, sums, first, last)
            sums *= damping
            sums += everywhere
            disk.coming[first:last] = sums
            whole += float(sums.sum())
        scale = 1.0 if exact else 1 / whole
        change, lost = _taken_over(disk.scores, disk.coming, disk.passed, disk.share, scale)
        residuals.append(change)
        if tell:
            tell(f"iteration {len(residuals)}, residual {change:.1e}")
    bound = residuals[-1] * damping / (1 - damping) if exact else np.inf
    run = Run(rule(tolerance, most), tuple(residuals), residuals[-1] <= tolerance)
    return PageRank(disk.scores, run, bound, dangling)


def _written(graph: Graph, folder: Path, block: int) -> Disk:
    """Write the links of a graph into the file of their target's block, and the first vectors."""
    folder.mkdir(parents=True, exist_ok=True)
    pages = graph.nodes
    scores, coming, passed, share = (_vector(folder / f"{name}.f64", pages) for name in VECTORS)
    disk = Disk(folder, pages, block, scores, coming, passed, share)
    for first, _ in disk.blocks():
        (folder / _name(first)).write_bytes(b"")
    for first, rows in graph.out.chunks():
        for at in range(0, rows.nodes, STRETCH):
            part = np.arange(at, min(at + STRETCH, rows.nodes), dtype=np.uint32)
            _spread(disk, first + at, rows.lists(part))
    for first, last in disk.blocks():
        scores[first:last] = 1 / pages
        passed[first:last] = share[first:last] / pages
    return disk


def _vector(path: Path, pages: int) -> Array:
    """Return a mapped vector of zeros whose disk space is reserved.

    Without the reservation, a full disk would kill the process when it writes to the vector.
    """
    with named(path), path.open("wb") as file:
        if hasattr(os, "posix_fallocate"):  # not on every system
            os.posix_fallocate(file.fileno(), 0, 8 * pages)
        else:
            file.truncate(8 * pages)
    return np.memmap(path, np.float64, "r+")


def _spread(disk: Disk, first: int, rows: Csr) -> None:
    """Append the links of pages from ``first`` on to the files of their targets' blocks."""
    links = np.diff(rows.offsets).astype(np.int64)
    with np.errstate(divide="ignore"):
        disk.share[first : first + rows.nodes] = np.where(links > 0, 1 / links, 0.0)
    sources = np.repeat(np.arange(first, first + rows.nodes, dtype=np.uint32), links)
    home = rows.targets // np.uint32(min(disk.block, 2**32 - 1))
    order = np.argsort(home, kind="stable")
    bounds = np.searchsorted(home[order], np.arange(-(-disk.pages // disk.block) + 1))
    for number, (begin, _) in enumerate(disk.blocks()):
        chosen = order[bounds[number] : bounds[number + 1]]
        if len(chosen):
            pairs = np.empty((len(chosen), 2), np.uint32)
            pairs[:, 0], pairs[:, 1] = sources[chosen], rows.targets[chosen] - np.uint32(begin)
            path = disk.folder / _name(begin)
            with named(path), path.open("ab") as file:
                file.write(pairs.data)


def _name(first: int) -> str:
    return f"links-to-{first}.u32"


@compiled
def _taken_over(
    scores: Array, coming: Array, passed: Array, share: Array, scale: float
) -> tuple[float, float]:
    """Replace the old scores by the new ones, multiplied by ``scale``.

    Parameters
    ----------
    scores, coming, passed, share
        As in `Disk`.
    scale : float

    Returns
    -------
    float, float
        The sum of the absolute differences, and the weight of the pages without links.
    """
    change, lost = 0.0, 0.0
    for page in range(np.uint64(0), np.uint64(len(scores))):
        new = coming[page] * scale
        change += abs(new - scores[page])
        scores[page] = new
        passed[page] = new * share[page]
        if share[page] == 0.0:
            lost += new
    return change, lost


@compiled
def _added(sources: Array, places: Array, passed: Array, sums: Array) -> None:
    for k in range(len(sources)):
        sums[places[k]] += passed[sources[k]]


@compiled
def _added_within(
    sources: Array,
    places: Array,
    passed: Array,
    share: Array,
    sums: Array,
    first: Number,
    last: Number,
) -> None:
    """Add the weights that links pass to a block, with average weights for pages outside it.

    Parameters
    ----------
    sources, places : uint32
        The links, as `Disk.pairs` yields them.
    passed, share
        As in `Disk`.
    sums : float64, shape (pages of the block,)
        Gets the sums.
    first, last : int
        The block contains the pages ``first`` to ``last - 1``.
    """
    average = 1 / len(share)
    for k in range(len(sources)):
        if first <= sources[k] < last:
            sums[places[k]] += passed[sources[k]]
        else:
            sums[places[k]] += average * share[sources[k]]
