"""Ranks pages by the links among them: PageRank, in-degree, hub and authority weights."""

from __future__ import annotations

from typing import Any

import numpy as np

from counterpoint.crawler.policy.protocol import Pages
from counterpoint.graph.csr import both, csr
from counterpoint.graph.ranking.hits import hits
from counterpoint.graph.ranking.pagerank import pagerank

from .samplers import Web

Array = np.ndarray[Any, Any]

SIGNALS = ("pagerank", "in-degree", "hub", "authority")


def among(web: Web, pages: Pages) -> tuple[Array, Array]:
    """Return the links among some pages as a graph in compressed sparse rows.

    Parameters
    ----------
    web : Web
    pages : int64[n]
        Distinct pages.

    Returns
    -------
    offsets : int64[n + 1]
    targets : int64 array
        Linked pages, as indices into `pages`.
    """
    ascending = np.argsort(pages)
    ordered = pages[ascending]
    offsets, targets = np.zeros(len(pages) + 1, dtype=np.int64), []
    for place, page in enumerate(pages.tolist()):
        links = web.links(page)
        at = np.minimum(np.searchsorted(ordered, links), len(pages) - 1)
        kept = ascending[at[ordered[at] == links]]
        targets.append(kept)
        offsets[place + 1] = offsets[place] + len(kept)
    return offsets, np.concatenate(targets) if targets else np.zeros(0, dtype=np.int64)


def weights(offsets: Array, targets: Array) -> dict[str, Array]:
    """Return the weights of the pages by each of the `SIGNALS`, float64[n] each.

    Parameters
    ----------
    offsets, targets : int64 arrays
        A graph in compressed sparse rows.
    """
    graph = both(csr(offsets, targets))
    weights = hits(graph)
    return {
        "pagerank": pagerank(graph).scores,
        "in-degree": np.bincount(targets, minlength=graph.nodes).astype(np.float64),
        "hub": weights.hubs,
        "authority": weights.authorities,
    }
