"""The level of a page: the least number of links within its host from the host's start page."""

from __future__ import annotations

import numpy as np

from counterpoint.compiling import Array

from .graph import MeasuredGraph
from .kernels import first_levels


def levels(graph: MeasuredGraph, starts: Array) -> tuple[Array, int]:
    """Return the level of each page, and the number of links within hosts.

    The level is -1 if no path within the host leads from the start page to the page.

    Parameters
    ----------
    graph : MeasuredGraph
        A graph in which the pages of a host are consecutive.
    starts : int64, shape (hosts,)
        The first page of each host, which is its start page; ascending from 0.
    """
    starts = np.asarray(starts, dtype=np.int64)
    host = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, graph.pages)))
    level, within = first_levels(graph.offsets, graph.targets, host.astype(np.int32), starts)
    return level, int(within)
