"""How many of the important pages were fetched, and how many external links were found."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from counterpoint.sim_web.measure.kernels import passed_along

from .reached import Covered, covered
from .truth import LinkArrays, PlantedWeb

DAMPING = 0.85
TOLERANCE = 1e-10
ITERATIONS = 200
TOPS = (1, 5, 15)
"""The important pages are so many per cent with the greatest PageRank; 5 and 15 are from [COV]."""

_PAGES_AT_ONCE = 1 << 20


@dataclass(frozen=True)
class Ranks:
    """PageRank of a whole web.

    Attributes
    ----------
    values : float64, shape (pages,)
        The PageRank of each page; the values sum to 1.
    iterations : int
        The number of iterations of the power method.
    residual : float
        The sum of the absolute differences between the last two vectors.
    """

    values: NDArray[np.float64]
    iterations: int
    residual: float


@dataclass(frozen=True)
class Quality:
    """Quality coverage.

    Attributes
    ----------
    mass : float
        The sum of the PageRank of the fetched pages.
    top : dict of str to Covered
        The coverage of the most important 1, 5 and 15 per cent of the pages ("1%", "5%", "15%").
    damping, iterations, residual
        How PageRank was computed.
    """

    mass: float
    top: dict[str, Covered]
    damping: float
    iterations: int
    residual: float


@dataclass(frozen=True)
class ExternalLinks:
    """How many of the distinct links between hosts are on fetched pages; None: unknown."""

    found: int
    total: int | None
    share: float | None


def page_rank(offsets: NDArray[np.int64], targets: NDArray[np.int64]) -> Ranks:
    """Compute PageRank by power iteration (Page, Brin, Motwani & Winograd 1999).

    x' = 0.85 (A x + d / n) + 0.15 / n, where A divides a page's weight evenly among the distinct
    pages that it links to and d is the weight of the pages without links. The iteration ends when
    two successive vectors differ by less than 1e-10 in sum, or after 200 rounds; the result
    contains the residual.

    Parameters
    ----------
    offsets : int64, shape (pages + 1,)
    targets : int, shape (links,)
        The links of page p are ``targets[offsets[p]:offsets[p + 1]]``.
    """
    pages = len(offsets) - 1
    degrees = np.diff(offsets)
    dangling = degrees == 0
    divisors = np.maximum(degrees, 1)
    values = np.full(pages, 1.0 / pages)
    residual, rounds = np.inf, 0
    while residual >= TOLERANCE and rounds < ITERATIONS:
        moved = passed_along(offsets, targets, values / divisors)
        rest = (1 - DAMPING) + DAMPING * float(values[dangling].sum())
        new = DAMPING * moved + rest / pages
        residual = float(np.abs(new - values).sum())
        values, rounds = new, rounds + 1
    return Ranks(values, rounds, residual)


def top(ranks: NDArray[np.float64], per_cent: int) -> NDArray[np.int64]:
    """Return the most important pages, at least one; ties are broken by the lower number.

    Parameters
    ----------
    ranks : float64, shape (pages,)
        The PageRank of each page.
    per_cent : int
        How many of the pages, in per cent.
    """
    wanted = max(1, round(len(ranks) * per_cent / 100))
    return np.argsort(-ranks, kind="stable")[:wanted]


def quality(explicit: LinkArrays, pages: NDArray[np.int64]) -> Quality:
    """Return |S ∩ V'| / |S| for the important pages S, and the PageRank mass of V' ([COV])."""
    ranks = page_rank(explicit.offsets, explicit.targets)
    fetched = np.zeros(len(ranks.values), np.bool_)
    fetched[pages] = True
    tops = {}
    for per_cent in TOPS:
        important = top(ranks.values, per_cent)
        tops[f"{per_cent}%"] = covered(int(fetched[important].sum()), len(important))
    mass = float(ranks.values[fetched].sum())
    return Quality(mass, tops, DAMPING, ranks.iterations, ranks.residual)


def host_of_pages(web: PlantedWeb) -> NDArray[np.int64]:
    """Return the host of every page."""
    sizes = [len(web.pages_of(host)) for host in range(web.hosts)]
    return np.repeat(np.arange(web.hosts), sizes)


def external_links(
    web: PlantedWeb, fetched: NDArray[np.int64], explicit: LinkArrays | None
) -> ExternalLinks:
    """Count the distinct links (source, target) between hosts on fetched pages ([BeeBot]).

    A link that a page repeats counts once.

    Parameters
    ----------
    web : PlantedWeb
        The web.
    fetched : int64, shape (fetched pages,)
        The distinct pages that were fetched.
    explicit : LinkArrays or None
        All links of the web; None if it is too large, then the total is unknown.
    """
    if explicit is None:
        return ExternalLinks(sum(_external_of(web, int(page)) for page in fetched), None, None)
    hosts = host_of_pages(web)
    counted = np.empty(web.pages, np.int64)
    for first in range(0, web.pages, _PAGES_AT_ONCE):
        last = min(first + _PAGES_AT_ONCE, web.pages)
        offsets = explicit.offsets[first : last + 1]
        sources = np.repeat(np.arange(last - first), np.diff(offsets))
        leaves = hosts[explicit.targets[offsets[0] : offsets[-1]]] != hosts[first + sources]
        counted[first:last] = np.bincount(sources[leaves], minlength=last - first)
    found, total = int(counted[fetched].sum()), int(counted.sum())
    return ExternalLinks(found, total, found / total if total else None)


def _external_of(web: PlantedWeb, page: int) -> int:
    host = web.pages_of(web.host(page))
    return sum(int(target) not in host for target in web.out_links(page))
