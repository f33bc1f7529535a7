"""Whether a set of pages is a thematic community (Gibson, Kleinberg and Raghavan).

In [HITS] a thematic community is a set of pages of which each has more links to pages of the
community than to pages outside. How nearly a set is one is measured by how dense the links within
it are, and by how much it is cut off from the rest of the web.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from counterpoint.graph.csr import Csr

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Community:
    """How dense a set of pages is within, and how cut off.

    Attributes
    ----------
    density : float
        Links within the set, of all that are possible.
    members : float
        The share of the pages that have more links to pages of the set than to others.
    conductance : float
        Links between the set and the rest, in both directions, of the ends of links at the pages of
        the set (or of the rest, if these have fewer): 0 for a set that is cut off, 1 for a set
        without links within.
    """

    density: float
    members: float
    conductance: float


def community(links: Csr, pages: Array) -> Community:
    """Measure a set of pages.

    Parameters
    ----------
    links : Csr
        All links of the web.
    pages : int64[n]
        Distinct pages; of no page, all measures are 0.
    """
    if not len(pages):
        return Community(0.0, 0.0, 0.0)
    inside = np.zeros(links.nodes, dtype=np.bool_)
    inside[pages] = True
    degrees: Array = np.diff(links.offsets.astype(np.int64))
    sources_in = np.repeat(inside, degrees)
    targets_in = inside[links.targets]
    both = sources_in & targets_in
    within, leaving = int(both.sum()), int((sources_in & ~targets_in).sum())
    entering = int((targets_in & ~sources_in).sum())
    volume = 2 * within + leaving + entering
    volume = min(volume, 2 * links.links - volume)
    owners = np.repeat(np.arange(links.nodes), degrees)
    of_page = np.bincount(owners[both], minlength=links.nodes)[pages]
    possible = len(pages) * (len(pages) - 1)
    return Community(
        within / possible if possible else 0.0,
        float((2 * of_page > degrees[pages]).mean()),
        (leaving + entering) / volume if volume else 0.0,
    )
