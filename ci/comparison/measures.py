"""How good an order of visits is: curves over its steps, and what they end at.

Everything is computed from the order alone, after the crawl, so that measuring costs the crawl
nothing and the same order is measured alike wherever it comes from.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from crawler.protocol import Pages, Scope

from .planted import Planted

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Measure:
    """A figure that is measured of each run.

    Attributes
    ----------
    name : str
        As in JSON.
    title : str
        As people read it.
    share : bool
        Whether it is a share, from 0 to 1.
    best : str
        "most" or "least".
    revisits : bool
        Whether it is one of crawls that come again.
    """

    name: str
    title: str
    share: bool = False
    best: str = "most"
    revisits: bool = False


MEASURES = (
    Measure("external", "external links"),
    Measure("pages", "pages fetched"),
    Measure("quantity", "coverage by quantity: of the reachable pages", share=True),
    Measure("quality", "coverage by quality: of their PageRank mass", share=True),
    Measure("top", "coverage by quality: of the 5% with the highest PageRank", share=True),
    Measure("precision", "precision: relevant pages, of those fetched", share=True),
    Measure("recall", "recall: of the reachable relevant pages", share=True),
    Measure("freshness", "freshness, mean over time", share=True, revisits=True),
    Measure("age", "age of the copies in hours, mean over time", best="least", revisits=True),
    Measure("q", "Q, mean over time", revisits=True),
    Measure("q_share", "Q, of what it is if all copies are fresh", share=True, revisits=True),
)

BY_NAME = {measure.name: measure for measure in MEASURES}


def discovery(
    planted: Planted, scope: Scope, order: Pages, came: Array, steps: Array
) -> dict[str, Array]:
    """Return the curves of a crawl that discovers pages.

    Parameters
    ----------
    planted : Planted
        The web.
    scope : Scope
        Of the policy, which says what was reachable.
    order : int64[n]
        Pages in the order of visits.
    came : bool[n]
        Whether the page came.
    steps : int64[k]
        After how many visits each point is; beyond the last visit a curve is level.

    Returns
    -------
    dict of str to float64[k]
        By the names of `MEASURES`.
    """
    at = np.minimum(steps, len(order))

    def summed(values: Array) -> Array:
        return np.concatenate(([0.0], np.cumsum(np.where(came, values, 0))))[at]

    important = np.zeros(planted.web.pages, dtype=np.bool_)
    important[planted.important(scope)] = True
    reachable = planted.reachable(scope)
    pages = summed(np.ones(len(order)))
    found = {
        "external": summed(planted.external[order]),
        "pages": pages,
        "quantity": pages / reachable.sum(),
        "quality": summed(planted.ranks[order]) / planted.ranks[reachable].sum(),
        "top": summed(important[order]) / important.sum(),
    }
    if planted.topical:
        relevant = summed(planted.relevant[order])
        found["precision"] = relevant / np.maximum(pages, 1)
        found["recall"] = relevant / max(1, int(planted.relevant[reachable].sum()))
    return found


def by_site(planted: Planted, order: Pages) -> Array:
    """Return how many visits each site of the target set got, and all other hosts together."""
    return np.bincount(planted.of_site[order], minlength=len(planted.sites) + 1)
