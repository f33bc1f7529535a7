"""Where is a DeltaS between the ends best, and where does Q reach 98%: over a grid of sites."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from counterpoint.crawler.schedulers.costs import VisitCost
from counterpoint.studies.comparison.statistics import Mean, mean

from . import optimum
from .sites import SiteKind, Sites
from .statistics import as_json, ratio

Array = np.ndarray[Any, Any]

STATIC, PER_DAY, SHARES = (0.2, 0.6, 0.9), (0.5, 2.0, 12.0), (0.05, 0.2, 0.4)
GRID = tuple(product(STATIC, PER_DAY, SHARES))
"""The share of static pages, the changes of the others in a day, and N as a share of all pages."""

MOST = 10
"""With more seeds than this, the sweep takes the first ones only."""


def swept(
    pages: int, runs: int, interval: float, deltas: tuple[float, ...],
    job: tuple[tuple[float, float, float], int],
) -> Array:  # fmt: skip
    """Return the limit, and Q of S.C.E.N.T. for each DeltaS, float64[1 + deltas].

    Parameters
    ----------
    pages, runs : int
    interval : float
        Seconds between two runs.
    deltas : tuple of float
    job : tuple
        A point of the grid, and a seed.
    """
    (static, per_day, share), seed = job
    time = max(1.0, round(share * pages))
    sites = Sites((SiteKind(static, per_day),), pages, seed, runs, interval, VisitCost(), time)
    found = [optimum.limit(sites).value]
    found += [float(sites.scent("difference", d).q[runs // 2 :].mean()) for d in deltas]
    return np.array(found)


@dataclass(frozen=True)
class SweepPoint:
    """The results at a point of the grid.

    Attributes
    ----------
    static, per_day, share : float
    limit : float64[seeds]
    q : float64[seeds, deltas]
        Q for each DeltaS.
    """

    static: float
    per_day: float
    share: float
    limit: Array
    q: Array

    @property
    def tuned(self) -> Array:
        """Q of each seed with the DeltaS that is best on the other seeds."""
        others = self.q.sum(axis=0) - self.q
        return np.asarray(self.q[np.arange(len(self.q)), others.argmax(axis=1)])

    @property
    def of_limit(self) -> Mean:
        """Q with the tuned DeltaS over the limit."""
        return ratio(self.tuned, self.limit)

    @property
    def best(self) -> int:
        """The index of the DeltaS with the greatest mean Q."""
        return int(self.q.mean(axis=0).argmax())

    @property
    def gain(self) -> Mean:
        """How much greater Q with the tuned DeltaS is than at the better end, over the limit."""
        ends = self.q[:, [0, -1]]
        better = ends[:, int(ends.mean(axis=0).argmax())]
        return mean(((self.tuned - better) / self.limit).tolist())

    @property
    def is_inner(self) -> bool:
        """Whether the gain over the better end is above 0, with its interval."""
        return self.gain.value - (self.gain.half or 0.0) > 0

    def to_json(self) -> dict[str, Any]:
        """Return all figures."""
        return {
            "static": self.static, "per_day": self.per_day, "share": self.share, "best": self.best,
            "of_limit": as_json(self.of_limit), "gain": as_json(self.gain),
        }  # fmt: skip


def points(found: list[Array], seeds: int) -> tuple[SweepPoint, ...]:
    """Return the points of the grid.

    Parameters
    ----------
    found : list of float64[1 + deltas]
        The results of `swept` for all seeds of the first point, then of the second, and so on.
    seeds : int
        The number of seeds of each point.
    """
    rows = np.array(found).reshape(len(GRID), seeds, -1)
    return tuple(SweepPoint(*point, row[:, 0], row[:, 1:])
                 for point, row in zip(GRID, rows, strict=True))  # fmt: skip
