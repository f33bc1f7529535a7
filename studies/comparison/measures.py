"""Measures an order of visits: curves over its steps, and their final values.

All measures are computed after the crawl, from the order of visits alone. So measuring does not
slow the crawl down, and an order has the same values wherever it comes from.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from counterpoint.crawler.evaluation.measures import LEVELS, Interpolation, measured
from counterpoint.crawler.policy.protocol import Pages, Scope

from .planted import Planted

Array = np.ndarray[Any, Any]

INTERPOLATION = Interpolation.TREC_EVAL_9
"""How the 11-point graph is interpolated."""


@dataclass(frozen=True)
class Measure:
    """A measure that is computed for each run.

    Attributes
    ----------
    name : str
        Its name in JSON.
    title : str
        Its name in tables and diagrams.
    share : bool
        Whether its values are shares, from 0 to 1.
    best : str
        "most" or "least": whether large or small values are better.
    revisits : bool
        Whether it applies to crawls that revisit pages.
    of_reach : bool
        Whether it is a share of what a policy can reach, so that only policies that can reach the
        same pages are compared by it.
    of_capture : bool
        Whether it applies to captured webs alone.
    """

    name: str
    title: str
    share: bool = False
    best: str = "most"
    revisits: bool = False
    of_reach: bool = False
    of_capture: bool = False


MEASURES = (
    Measure("external", "external links"),
    Measure("pages", "pages fetched"),
    Measure("outside", "asked outside of the capture", best="least", of_capture=True),
    Measure("quantity", "coverage by quantity: of the reachable pages", share=True, of_reach=True),
    Measure("quality", "coverage by quality: of their PageRank mass", share=True, of_reach=True),
    Measure("top", "coverage by quality: of the 5% with the highest PageRank", share=True,
            of_reach=True),
    Measure("index_precision", "precision: relevant pages, of the answer", share=True),
    Measure("index_recall", "recall: relevant pages in the answer, of the reachable", share=True,
            of_reach=True),
    Measure("index_f", "F: of precision and recall of the answer", share=True),
    Measure("ndcg", "nDCG of the answer", share=True),
    Measure("map", "MAP: average precision of the answer", share=True),
    Measure("precision", "harvest rate: relevant pages, of those fetched", share=True),
    Measure("recall", "recall of the crawl: of the reachable relevant pages", share=True,
            of_reach=True),
    Measure("frontier", "pages found and not fetched", best="least"),
    Measure("freshness", "freshness, mean over time", share=True, revisits=True),
    Measure("age", "age of the copies in hours, mean over time", best="least", revisits=True),
    Measure("q", "Q, mean over time", revisits=True),
    Measure("q_share", "Q, of what it is if all copies are fresh", share=True, revisits=True),
)  # fmt: skip

ANSWER = 1000
"""The number of best pages of an index that are its answer: as many as TREC evaluates."""

TOPICAL = ("index_precision", "index_recall", "index_f", "ndcg", "map", "precision")
"""The measures in the overview of topical crawls."""

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
        The scope of the policy; it determines which pages were reachable.
    order : int64[n]
        Pages in the order of visits.
    came : bool[n]
        Whether each page was fetched successfully.
    steps : int64[k]
        The number of visits at each point of the curves; after the last visit a curve is constant.

    Returns
    -------
    dict of str to float64[k]
        The curves by the names of `MEASURES`.
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
    found |= planted.further(order, steps)
    if planted.topical:
        relevant = summed(planted.relevant[order])
        found["precision"] = relevant / np.maximum(pages, 1)
        found["recall"] = relevant / max(1, int(planted.relevant[reachable].sum()))
        found["frontier"] = _waiting(planted, scope, order, came)[at]
    return found


def _waiting(planted: Planted, scope: Scope, order: Pages, came: Array) -> Array:
    """Return how many pages were found and not yet fetched, after 0, 1, 2, ... visits.

    The parameters are those of `discovery`.
    """
    known = np.zeros(planted.web.pages, dtype=np.bool_)
    known[planted.starts(scope)] = True
    found = [int(known.sum())]
    for page, is_there in zip(order.tolist(), came.tolist(), strict=True):
        links = planted.links_of(scope, page) if is_there else order[:0]
        found.append(found[-1] + int((~known[links]).sum()) - 1)
        known[links] = True
    return np.array(found, dtype=np.float64)


def answered(
    planted: Planted, scope: Scope, index: Sequence[int]
) -> tuple[dict[str, float], Array]:
    """Return the measures of an index and its 11-point graph, over its first `ANSWER` pages.

    Parameters
    ----------
    planted : Planted
        The web.
    scope : Scope
        The scope of the policy.
    index : sequence of int
        Pages, the best first.

    Returns
    -------
    dict of str to float
        Values by the names of `MEASURES`.
    float64[11]
        Precision at each of the `LEVELS` of recall, with the interpolation `INTERPOLATION`.
    """
    relevant = np.flatnonzero(planted.relevant & planted.reachable(scope))
    judged = {str(page): 1 for page in relevant.tolist()}
    values = measured([str(page) for page in index[:ANSWER]], judged, interpolation=INTERPOLATION)
    names = {"index_precision": "set_P", "index_recall": "set_recall", "index_f": "set_F",
             "ndcg": "ndcg", "map": "map"}  # fmt: skip
    points = np.array([values[f"iprec_at_recall_{level:.2f}"] for level in LEVELS])
    return {name: values[theirs] for name, theirs in names.items()}, points


def by_site(planted: Planted, order: Pages) -> Array:
    """Return the number of visits to each site of the target set; the last item: other hosts."""
    return np.bincount(planted.of_site[order], minlength=len(planted.sites) + 1)
