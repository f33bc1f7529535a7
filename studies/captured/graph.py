"""A captured web as the source of a graph store."""

from __future__ import annotations

import numpy as np

from counterpoint.graph.storage.arrays import Arrays

from .building import Tell, arrays_of
from .settings import CapturedSource

LEAST = 5
"""A page that was not captured is in the graph if so many captured pages link to it, as for the
link store of a crawl."""


def graph_of(source: CapturedSource, least: int = LEAST, tell: Tell | None = None) -> Arrays:
    """Return the graph of a captured web, with addresses; the pages of a host are side by side.

    Parameters
    ----------
    source : CapturedSource
    least : int
        How many captured pages must link to a page that was not captured, so that it is in the
        graph. Pages on other hosts than those with captured pages are not.
    tell : callable, optional
        Gets a line of text on the progress.

    Raises
    ------
    CrawlError
        If a file cannot be read, or no page was captured.
    """
    arrays = arrays_of(source, tell)
    linked = np.bincount(arrays.targets, minlength=arrays.pages)
    kept = np.flatnonzero(arrays.captured | (linked >= least))
    kept = kept[np.argsort(arrays.host[kept], kind="stable")]
    new = np.full(arrays.pages, -1)
    new[kept] = np.arange(len(kept))
    sources = new[np.repeat(np.arange(arrays.pages), np.diff(arrays.offsets))]
    targets = new[arrays.targets]
    there = (sources >= 0) & (targets >= 0)
    sources, targets = sources[there], targets[there]
    order = np.argsort(sources, kind="stable")
    offsets = np.searchsorted(sources[order], np.arange(len(kept) + 1))
    return Arrays.of_addresses(
        offsets, targets[order], [str(arrays.addresses[page]) for page in kept.tolist()]
    )
