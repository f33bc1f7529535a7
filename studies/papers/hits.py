"""Repeats the experiment of Blekanov and Bondarenko with the focused and the standard crawler."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from counterpoint.studies.comparison.measures import INTERPOLATION
from counterpoint.studies.comparison.statistics import Mean, against, mean
from counterpoint.studies.topical.experiment import CRAWLERS, SPACES, TOPICS, TopicResult, searched

from .statistics import as_json, column_means
from .study import Tell, run_all

PRINTED = {
    ("regional", 0): ("Nobel prize", (117, 0.93), (117, 0.93)),
    ("local", 0): ("Nobel prize", (95, 0.90), (100, 0.02)),
    ("regional", 1): ("Quantum computer", (45, 0.73), (48, 0.71)),
    ("local", 1): ("Quantum computer", (41, 0.71), (73, 0.0)),
}
"""The paper's results by space and topic: the query, and the pages and the precision of the focused
and of the standard crawler."""

COLLECTED = 150_000
"""The least number of pages that the paper's standard crawler had collected by iteration 4."""

CELLS = tuple(PRINTED)

Value = Callable[[TopicResult], float]


@dataclass(frozen=True)
class Hits:
    """The results of the study.

    Attributes
    ----------
    seeds : range
    pages : int
        Number of pages of each web.
    cells : dict of (str, int) to tuple of TopicResult
        By space and topic, one result per seed.
    """

    seeds: range
    pages: int
    cells: dict[tuple[str, int], tuple[TopicResult, ...]]

    def mean(self, cell: tuple[str, int], value: Value) -> Mean:
        """Return the mean of a value over the webs of a cell."""
        return mean([value(one) for one in self.cells[cell]])

    def of(self, cell: tuple[str, int], crawler: str, what: str) -> Mean:
        """Return the mean of an attribute of `AnswerQuality`.

        Parameters
        ----------
        cell : tuple of (str, int)
            The space and the topic.
        crawler : str
            One of `CRAWLERS`.
        what : str
            The attribute.
        """
        return self.mean(cell, lambda one: float(getattr(one.answers[crawler], what)))

    def fetched(self, cell: tuple[str, int], crawler: str) -> Mean:
        """Return the mean number of pages that a crawler fetched."""
        return self.mean(cell, lambda one: float(len(one.crawls[crawler].order)))

    def difference(self, cell: tuple[str, int], crawler: str, other: str) -> Mean:
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
        """Return the mean number of pages at each iteration in a space.

        A crawl that has ended keeps its last value.

        Parameters
        ----------
        space : str
        crawler : str
            One of `CRAWLERS`.
        what : {"growth", "waiting"}
            Pages fetched, or pages found and not fetched.
        """
        return self._by_web(space, lambda one: tuple(getattr(one.crawls[crawler], what)))

    def drift(self, space: str) -> tuple[Mean, ...]:
        """Return the precision of the standard crawler's answer after each iteration."""
        return self._by_web(space, lambda one: one.drift)

    def long(self, space: str) -> tuple[Mean, ...]:
        """Return the number of pages that the focused crawler has fetched at each of many steps."""
        return self._by_web(space, lambda one: one.long)

    def seconds(self, space: str, crawler: str) -> Mean:
        """Return the mean processor time of a crawler, in seconds."""
        return self._by_web(space, lambda one: (one.crawls[crawler].seconds,))[0]

    def _by_web(
        self, space: str, row: Callable[[TopicResult], tuple[float, ...]]
    ) -> tuple[Mean, ...]:
        """Return the mean of rows over webs; shorter rows are continued with their last value.

        Topics of a web share its links. So a web counts as one observation: the mean of its topics.
        """
        rows = [[row(one) for one in self.cells[space, topic]] for topic in range(TOPICS)]
        longest = max(len(one) for of_topic in rows for one in of_topic)
        levelled = [[(*one, *one[-1:] * (longest - len(one))) for one in of_topic]
                    for of_topic in rows]  # fmt: skip
        return column_means(np.array(levelled, dtype=np.float64).mean(axis=0))

    def to_json(self) -> dict[str, Any]:
        """Return all figures except computation times, which differ from run to run."""
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
    """Run the experiment on one web per space and seed.

    Parameters
    ----------
    seeds : range
    processes : int
        How many webs are crawled at the same time.
    tell : callable, optional
        Called with a line of text about the progress.
    pages : int
        Number of pages of each web.
    """
    jobs = [(space, seed, pages) for seed, space in product(seeds, SPACES)]
    found = run_all(searched, jobs, processes, tell, "space")
    cells = {
        (space, topic): tuple(
            one[topic] for job, one in zip(jobs, found, strict=True) if job[0] == space
        )
        for space, topic in CELLS
    }
    return Hits(seeds, pages, cells)
