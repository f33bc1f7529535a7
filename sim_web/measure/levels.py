"""The levels of pages: how many links within its host a page is below the host's start page."""

from __future__ import annotations

import numpy as np

from .graph import Graph
from .kernels import Array, first_levels


def levels(graph: Graph, starts: Array) -> Array:
    """Return the level of each page; -1: no links within its host lead there from the start page.

    Parameters
    ----------
    graph : Graph
        The pages of a host follow one another.
    starts : int64[hosts]
        The first page of each host, rising from 0; it is the host's start page.
    """
    starts = np.asarray(starts, dtype=np.int64)
    host = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, graph.pages)))
    return first_levels(graph.offsets, graph.targets, host.astype(np.int32), starts)
