"""What a crawl reached: pages, hosts, components of the bow-tie, levels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .reading import Requests
from .truth import COMPONENTS, WebTruth

POINTS = 240
"""How many points a curve has at most."""


@dataclass(frozen=True)
class CurvePoint:
    """How many pages and hosts a crawl had reached at a time.

    Attributes
    ----------
    time : float
        Seconds since the crawl's first request.
    requests, pages, hosts : int
        The number of requests that had begun, and of the distinct pages and hosts that they
        fetched.
    """

    time: float
    requests: int
    pages: int
    hosts: int


@dataclass(frozen=True)
class Covered:
    """How much of a part of the web was fetched; ``pages`` and ``share`` are None if unknown."""

    fetched: int
    pages: int | None
    share: float | None


@dataclass(frozen=True)
class Levels:
    """In which order the levels of pages were fetched.

    Attributes
    ----------
    mean : float or None
        The mean level of the fetched pages. Pages that no internal links reach have no level.
    tenths : tuple of float or None
        The mean level of each tenth of these pages, in the order of their first fetch. It rises in
        a breadth-first crawl, and does not in a depth-first one.
    """

    mean: float | None
    tenths: tuple[float | None, ...]


def first_fetches(requests: Requests) -> NDArray[np.int64]:
    """Return the numbers of the requests that fetched a page for the first time, in order.

    A GET of a page's own address or of an alias fetches the page if the answer has status 200.
    """
    fetched = np.flatnonzero(requests.pages())
    _, first = np.unique(requests.page[fetched], return_index=True)
    return np.sort(fetched[first])


def curve(requests: Requests, hosts: NDArray[np.int64]) -> tuple[CurvePoint, ...]:
    """Return how many pages and hosts were reached, over time and requests ([COV]: quantity).

    Parameters
    ----------
    requests : Requests
        In the order of their beginnings.
    hosts : int64, shape (first fetches,)
        The host of the page of each first fetch, in the order of `first_fetches`.
    """
    total = len(requests)
    if not total:
        return ()
    first = first_fetches(requests)
    _, new = np.unique(hosts, return_index=True)
    first_of_hosts = np.sort(first[new])
    shown = np.unique(np.linspace(0, total - 1, min(total, POINTS)).round().astype(np.int64))
    begun = requests.started[0]
    return tuple(
        CurvePoint(float(requests.started[k] - begun), int(k) + 1, int(pages), int(found))
        for k, pages, found in zip(
            shown,
            np.searchsorted(first, shown, side="right"),
            np.searchsorted(first_of_hosts, shown, side="right"),
            strict=True,
        )
    )


def coverage(truth: WebTruth, fetched: Sequence[int]) -> tuple[Covered, dict[str, Covered]]:
    """Return the coverage of the web and of each component of its bow-tie.

    Quantity coverage is |V'| / |V| ([COV]), where V' are the distinct pages fetched with 200. A
    component's is the share of its own pages.
    """
    web = truth.web
    found = np.bincount(
        np.fromiter((web.component(int(page)) for page in fetched), np.int64, len(fetched)),
        minlength=len(COMPONENTS),
    )
    parts = {name: covered(int(found[k]), truth.sizes[k]) for k, name in enumerate(COMPONENTS)}
    return covered(len(fetched), web.pages), parts


def covered(fetched: int, pages: int | None) -> Covered:
    """Return the coverage of a part; its share is None if the part is empty or unknown."""
    return Covered(fetched, pages, fetched / pages if pages else None)


def levels(truth: WebTruth, fetched: Sequence[int]) -> Levels:
    """Return the mean level of pages in the order of their first fetch ([BeeBot]: page level)."""
    all_levels = [truth.web.level(int(page)) for page in fetched]
    known = np.array([level for level in all_levels if level >= 0], dtype=np.float64)
    tenths = np.array_split(known, 10) if len(known) >= 10 else []
    mean = float(known.mean()) if len(known) else None
    return Levels(mean, tuple(float(one.mean()) for one in tenths))
