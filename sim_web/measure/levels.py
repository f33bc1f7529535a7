"""The levels of pages: how many links within its host a page is below the host's start page."""

from __future__ import annotations

import numpy as np

from counterpoint.compiling import Array

from .graph import Graph
from .kernels import first_levels


def levels(graph: Graph, starts: Array) -> tuple[Array, int]:
    """Return the level of each page, and the number of links within hosts.

    The level is -1 where no links within the host lead from the start page to the page.

    Parameters
    ----------
    graph : Graph
        The pages of a host follow one another.
    starts : int64[hosts]
        The first page of each host, rising from 0; it is the host's start page.
    """
    starts = np.asarray(starts, dtype=np.int64)
    host = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, graph.pages)))
    level, within = first_levels(graph.offsets, graph.targets, host.astype(np.int32), starts)
    return level, int(within)
