"""The pages that a crawler can reach from start pages if it obeys robots.txt."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from counterpoint.sim_web.generator import Web
from counterpoint.sim_web.measure.graph import MeasuredGraph
from counterpoint.sim_web.measure.kernels import extend
from counterpoint.sim_web.pages import robots
from counterpoint.sim_web.pages.address import address
from counterpoint.studies.comparison.planted import Array, Planted


def allowed_pages(web: Web, agent: str) -> Array:
    """Return whether robots.txt allows each page to an agent, bool[pages]."""
    allowed = np.ones(web.pages, dtype=np.bool_)
    for host in range(web.hosts):
        if not any(group.rules for group in robots.groups(web, host) or ()):
            continue
        for page in web.pages_of(host):
            allowed[page] = not robots.disallowed(web, address(web, page), agent)
    return allowed


def reachable(planted: Planted, starts: Sequence[int], allowed: Array) -> Array:
    """Return whether links of allowed pages lead to each allowed page, bool[pages].

    Parameters
    ----------
    planted : Planted
        The web; all of its links count.
    starts : sequence of int
        Pages that are known from the beginning.
    allowed : bool[pages]
        Whether a page may be fetched.
    """
    offsets, targets = planted.links.offsets, planted.links.targets
    reached = np.zeros(planted.web.pages, dtype=np.bool_)
    reached[list(starts)] = True
    reached &= allowed
    kept = allowed[targets]
    before = np.concatenate(([0], np.cumsum(kept, dtype=np.int64)))
    graph = MeasuredGraph(before[offsets], targets[kept].astype(np.int64))
    extend(graph.offsets, graph.targets, np.zeros_like(graph.offsets), graph.targets[:0], reached)
    return reached
