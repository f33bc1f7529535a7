"""The experiment of [HITS] on webs of the profile `editions`: the four cells, and what they need.

The parameters that the paper does not give are varied one by one: the size of the clique of main
pages, the share of links that editions share, how many editions other articles have, how many pages
are linked from every page, how many links an edition has besides, and the sites elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from counterpoint.sim_web.profile import load
from counterpoint.studies.comparison.statistics import Mean, against, mean
from counterpoint.studies.topical.community import Community
from counterpoint.studies.topical.editions import (
    ANEW,
    CELLS,
    STOP,
    WARM,
    Cell,
    CellResult,
    Job,
    experiment,
    focused_only,
)

from .printed import FOCUSED, PRINTED, STANDARD
from .statistics import as_json, column_means
from .study import Tell, run_all

AXES: dict[str, tuple[float, ...]] = {
    "mains": (0, 100, 105, 110, 140, 160, 180, 200),
    "footers": (2, 5, 8, 9, 10, 12),
    "common": (200, 400, 1000),
    "shared": (0, 0.5, 1),
    "links": (0, 5, 20, 60),
    "mean_pages": (1, 5),
}
"""The values of the keys that are varied one by one; they include the values of the profile."""

GRID: dict[str, tuple[float, ...]] = {
    "mains": (140, 160, 180, 190, 200),
    "shared": (0, 0.5, 1),
}
"""The values of the two keys that are varied together."""

SURE = 0.1
"""Half of the width of an interval that is narrow enough to say that a figure agrees."""

Runs = tuple[dict[Cell, CellResult], ...]
Point = tuple[str, float]


@dataclass(frozen=True)
class Editions:
    """The results on webs of the profile `editions`.

    Attributes
    ----------
    webs : tuple of dict of (str, int) to CellResult
        The results by space and topic, one mapping for each seed.
    varied : dict of (str, float) to tuple of dict
        The same for other values of a key, on fewer webs.
    grid : dict of (float, float) to tuple of dict
        The precision of the focused crawler by size of the clique and share of shared links.
    """

    webs: Runs
    varied: dict[Point, Runs]
    grid: dict[tuple[float, float], tuple[dict[Cell, float], ...]]

    def runs(self, point: Point | None) -> Runs:
        """Return the results at a point: on all webs where the profile has this value itself."""
        if point is None or point[1] == default_of(point[0]):
            return self.webs
        return self.varied[point]

    def precision(self, cell: Cell, crawler: str, point: Point | None = None) -> Mean:
        """Return the precision of a crawler's answer, of the standard one in the paper's iteration.

        Parameters
        ----------
        cell : (str, int)
        crawler : str
            `FOCUSED` or `STANDARD`.
        point : (str, float), optional
            A key and its value; by default the profile is unchanged.
        """
        if crawler == FOCUSED:
            return self.mean(cell, lambda one: one.precision[WARM], point)
        return self.mean(cell, lambda one: one.standard[STOP - 1], point)

    def mean(
        self, cell: Cell, value: Callable[[CellResult], float], point: Point | None = None
    ) -> Mean:
        """Return the mean of a value over the webs."""
        runs = self.runs(point)
        return mean([float(value(run[cell])) for run in runs])

    def at_grid(self, mains: float, shared: float, cell: Cell) -> Mean:
        """Return the focused crawler's precision at a point of the grid."""
        return mean([run[cell] for run in self.grid[mains, shared]])

    def community(self, cell: Cell, name: str) -> dict[str, Mean]:
        """Return the mean of each measure of a community."""
        found: list[Community] = [run[cell].communities[name] for run in self.webs]
        return {what: mean([float(getattr(one, what)) for one in found])
                for what in ("density", "members", "conductance")}  # fmt: skip

    def anew(self, cell: Cell) -> Mean:
        """Return what steps that begin with ones add to the precision, paired by web."""
        return against(
            [run[cell].precision[ANEW] for run in self.webs],
            [run[cell].precision[WARM] for run in self.webs],
        ).difference

    def rows(self, cell: Cell, what: str, point: Point | None = None) -> tuple[Mean, ...]:
        """Return the means of a row of `CellResult`: ``standard``, ``found`` or ``growth``."""
        runs = self.runs(point)
        found = [getattr(run[cell], what) for run in runs]
        longest = max(map(len, found))
        levelled = [[*one, *one[-1:] * (longest - len(one))] for one in found]
        return column_means(np.array(levelled, dtype=np.float64))

    def flattening(self, cell: Cell, point: Point | None = None) -> float:
        """Return what the last third of many steps adds, as a part of what the first third adds."""
        row = [one.value for one in self.rows(cell, "growth", point)]
        third = len(row) // 3
        return (row[-1] - row[-1 - third]) / max(row[third] - row[0], 1.0)

    def agrees(self, cell: Cell, crawler: str, point: Point | None = None) -> bool:
        """Return whether the interval contains the paper's precision, and is narrow."""
        found, printed = self.precision(cell, crawler, point), PRINTED[cell].of(crawler)[1]
        if (half := found.half) is None:  # one web
            return False
        off = abs(found.value - printed)
        return half <= SURE and off <= half + PRINTED[cell].rounded(crawler) + 1e-9

    def to_json(self) -> dict[str, Any]:
        """Return all figures."""
        return {
            "webs": len(self.webs),
            "rounded": {name: [PRINTED[cell].rounded(name) for cell in CELLS]
                        for name in (FOCUSED, STANDARD)},
            "cells": [self._cell(cell) for cell in CELLS],
            "varied": [
                {"key": key, "value": value, "space": cell[0], "topic": cell[1],
                 **{name: as_json(self.precision(cell, name, (key, value)))
                    for name in (FOCUSED, STANDARD)},
                 **({"flattening": self.flattening(cell, (key, value))} if key == "links" else {})}
                for key, value in self.varied for cell in CELLS
            ],
            "grid": [
                {"mains": mains, "shared": shared, "space": cell[0], "topic": cell[1],
                 FOCUSED: as_json(self.at_grid(mains, shared, cell))}
                for mains, shared in self.grid for cell in CELLS
            ],
        }  # fmt: skip

    def _cell(self, cell: Cell) -> dict[str, Any]:
        return {
            "space": cell[0],
            "topic": cell[1],
            **{name: as_json(self.precision(cell, name)) for name in (FOCUSED, STANDARD)},
            "pages": as_json(self.mean(cell, lambda one: one.pages)),
            "anew": as_json(self.anew(cell)),
            "iterations": [as_json(one) for one in self.rows(cell, "standard")],
            "found": [as_json(one) for one in self.rows(cell, "found")],
            "growth": [as_json(one) for one in self.rows(cell, "growth")],
            "communities": {
                name: {what: as_json(one) for what, one in self.community(cell, name).items()}
                for name in self.webs[0][cell].communities
            },
        }


def default_of(key: str) -> float:
    """Return the value of a key in the profile."""
    profile = load("editions")
    section = profile.hosts if key == "mean_pages" else profile.articles
    return float(getattr(section, key))


def measured(
    seeds: range, few: range, processes: int = 1, tell: Tell | None = None, *,
    pages: int | None = None,
) -> Editions:  # fmt: skip
    """Run the experiment.

    Parameters
    ----------
    seeds, few : range
        The seeds of the webs of the profile, and of the webs on which a key has another value.
    processes : int
        How many webs are crawled at the same time.
    tell : callable, optional
        Called with a line of text about the progress.
    pages : int, optional
        The number of pages of each web; by default that of the profile.
    """
    sizes = tuple((PRINTED[cell].focused[0], PRINTED[cell].standard[0]) for cell in CELLS)
    points = [(key, value) for key, values in AXES.items() for value in values
              if value != default_of(key)]  # fmt: skip
    corners = [(mains, shared) for mains in GRID["mains"] for shared in GRID["shared"]]
    jobs = [Job(seed, sizes, (), pages, whole=True) for seed in seeds]
    jobs += [Job(seed, sizes, (point,), pages, whole=point[0] == "links")
             for point in points for seed in few]  # fmt: skip
    found = run_all(experiment, jobs, processes, tell, "web with editions")
    of_grid = run_all(
        focused_only,
        [Job(seed, sizes, (("mains", mains), ("shared", shared)), pages)
         for mains, shared in corners for seed in few],
        processes, tell, "web with other editions",
    )  # fmt: skip
    rest, size = found[len(seeds) :], len(few)
    return Editions(
        tuple(found[: len(seeds)]),
        {point: tuple(rest[k * size : (k + 1) * size]) for k, point in enumerate(points)},
        {corner: tuple(of_grid[k * size : (k + 1) * size]) for k, corner in enumerate(corners)},
    )
