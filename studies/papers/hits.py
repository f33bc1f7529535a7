"""The experiment of Blekanov and Bondarenko: the focused crawler and the standard one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from counterpoint.studies.comparison.measures import INTERPOLATION
from counterpoint.studies.comparison.statistics import Mean, against, mean
from counterpoint.studies.topical.experiment import CRAWLERS, SPACES, TOPICS, Searched, searched

from .statistics import as_json, column_means
from .study import Tell, collected

PRINTED = {
    ("regional", 0): ("Nobel prize", (117, 0.93), (117, 0.93)),
    ("local", 0): ("Nobel prize", (95, 0.90), (100, 0.02)),
    ("regional", 1): ("Quantum computer", (45, 0.73), (48, 0.71)),
    ("local", 1): ("Quantum computer", (41, 0.71), (73, 0.0)),
}
"""By space and topic: the query; pages and precision of the focused and the standard crawler."""

COLLECTED = 150_000
"""Pages that the standard crawler of the paper had collected by the 4th iteration, at least."""

CELLS = tuple(PRINTED)

Value = Callable[[Searched], float]


@dataclass(frozen=True)
class Hits:
    """What was measured.

    Attributes
    ----------
    seeds : range
    pages : int
        Of each web.
    cells : dict of (str, int) to tuple of Searched
        By space and topic, one for each seed.
    """

    seeds: range
    pages: int
    cells: dict[tuple[str, int], tuple[Searched, ...]]

    def mean(self, cell: tuple[str, int], value: Value) -> Mean:
        """Return the mean of something over the webs of a cell."""
        return mean([value(one) for one in self.cells[cell]])

    def of(self, cell: tuple[str, int], crawler: str, what: str) -> Mean:
        """Return the mean of an attribute of `Judged`."""
        return self.mean(cell, lambda one: float(getattr(one.answers[crawler], what)))

    def fetched(self, cell: tuple[str, int], crawler: str) -> Mean:
        """Return the mean of how many pages a crawler fetched."""
        return self.mean(cell, lambda one: float(len(one.crawls[crawler].order)))

    def beside(self, cell: tuple[str, int], crawler: str, other: str) -> Mean:
        """Return the difference of two crawlers' precision, paired by web."""
        runs = self.cells[cell]
        return against(
            [run.answers[crawler].precision for run in runs],
            [run.answers[other].precision for run in runs],
        ).difference

    def points(self, cell: tuple[str, int], crawler: str) -> tuple[Mean, ...]:
        """Return the 11-point graph of a crawler."""
        return column_means(np.array([run.answers[crawler].points for run in self.cells[cell]]))

    def growth(self, space: str, crawler: str, what: str = "growth") -> tuple[Mean, ...]:
        """Return pages fetched (or ``waiting``) at each iteration in a space.

        A crawl that has ended stays as it is.
        """
        return self._by_web(space, lambda one: tuple(getattr(one.crawls[crawler], what)))

    def drift(self, space: str) -> tuple[Mean, ...]:
        """Return the precision of the standard crawler's answer after each iteration."""
        return self._by_web(space, lambda one: one.drift)

    def long(self, space: str) -> tuple[Mean, ...]:
        """Return pages fetched by the focused crawler at each of many steps."""
        return self._by_web(space, lambda one: one.long)

    def seconds(self, space: str, crawler: str) -> Mean:
        """Return the computation time of a crawler, in seconds of the processor."""
        return self._by_web(space, lambda one: (one.crawls[crawler].seconds,))[0]

    def _by_web(self, space: str, row: Callable[[Searched], tuple[float, ...]]) -> tuple[Mean, ...]:
        """Return the mean of rows over webs; shorter ones go on with their last value.

        Topics of a web share its links, so that a web counts as one observation: their mean.
        """
        rows = [[row(one) for one in self.cells[space, topic]] for topic in range(TOPICS)]
        longest = max(len(one) for of_topic in rows for one in of_topic)
        levelled = [[(*one, *one[-1:] * (longest - len(one))) for one in of_topic]
                    for of_topic in rows]  # fmt: skip
        return column_means(np.array(levelled, dtype=np.float64).mean(axis=0))

    def to_json(self) -> dict[str, Any]:
        """Return all figures but computation times, which are not the same twice."""
        return {
            "seeds": [self.seeds.start, self.seeds.stop - 1],
            "pages": self.pages,
            "interpolation": str(INTERPOLATION),
            "cells": [self._cell(cell) for cell in CELLS],
            "growth": {space: {name: [as_json(one) for one in self.growth(space, name)]
                               for name in CRAWLERS} for space in SPACES},
            "waiting": {space: {name: [as_json(one) for one in self.growth(space, name, "waiting")]
                                for name in CRAWLERS} for space in SPACES},
            "long": {space: [as_json(one) for one in self.long(space)] for space in SPACES},
            "drift": {space: [as_json(one) for one in self.drift(space)] for space in SPACES},
        }  # fmt: skip

    def _cell(self, cell: tuple[str, int]) -> dict[str, Any]:
        query, focused, standard = PRINTED[cell]
        return {
            "space": cell[0],
            "topic": cell[1],
            "paper": {"query": query, "focused": focused, "standard": standard},
            "relevant": as_json(self.mean(cell, lambda one: one.relevant)),
            "results": as_json(self.mean(cell, lambda one: one.results)),
            "crawlers": {
                name: {
                    "fetched": as_json(self.fetched(cell, name)),
                    **{what: as_json(self.of(cell, name, what))
                       for what in ("size", "precision", "recall", "recall_of_all", "navigation")},
                    "precision_at_recall": [as_json(one) for one in self.points(cell, name)],
                }
                for name in CRAWLERS
            },
        }  # fmt: skip


def study(
    seeds: range, processes: int = 1, tell: Tell | None = None, *, pages: int = 20_000
) -> Hits:
    """Make the experiment on a web of each space for each seed."""
    jobs = [(space, seed, pages) for seed, space in product(seeds, SPACES)]
    found = collected(searched, jobs, processes, tell, "space")
    cells = {
        (space, topic): tuple(
            one[topic] for job, one in zip(jobs, found, strict=True) if job[0] == space
        )
        for space, topic in CELLS
    }
    return Hits(seeds, pages, cells)
