"""Repeats the experiment of Blekanov and Bondarenko with the focused and the standard crawler.

The webs of the profile `editions` are of the kind that the addresses printed in [HITS] show. Those
of `regional` and `local` are other webs, on which more crawlers are compared.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from counterpoint.studies.comparison.measures import INTERPOLATION
from counterpoint.studies.comparison.statistics import Mean, against, mean
from counterpoint.studies.topical.experiment import (
    CRAWLERS,
    SPACES,
    TOPICS,
    TopicResult,
    searched,
    without_menu,
)

from . import editions
from .editions import Editions
from .printed import PRINTED
from .statistics import as_json, column_means
from .study import Tell, run_all

CELLS = tuple(PRINTED)

FEW = 10
"""One web of so many is taken where a parameter of a web is changed."""

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
    editions : Editions, optional
        The results on webs of the profile `editions`.
    asked : int
        The number of seeds of the command, of which two thirds are taken.
    menus : tuple of tuple of (float, float)
        For some webs of the local space, the focused crawler's precision with the menu and without
        it, for each topic.
    """

    seeds: range
    pages: int
    cells: dict[tuple[str, int], tuple[TopicResult, ...]]
    editions: Editions | None = None
    asked: int = 0
    menus: tuple[tuple[tuple[float, float], ...], ...] = ()

    def menu(self, topic: int, *, without: bool) -> Mean:
        """Return the focused crawler's precision in the local space with the menu, or without."""
        return mean([run[topic][without] for run in self.menus])

    def density(self, cell: tuple[str, int], what: str) -> Mean | None:
        """Return the mean of a measure of the pages about a topic; None if it was not measured."""
        found = [one.community for one in self.cells[cell] if one.community is not None]
        return mean([float(getattr(one, what)) for one in found]) if found else None

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
            "menus": [{"topic": topic, "with": as_json(self.menu(topic, without=False)),
                       "without": as_json(self.menu(topic, without=True))}
                      for topic in range(TOPICS) if self.menus],
            "editions": self.editions and self.editions.to_json(),
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
    """Run the experiment on two webs for three seeds, and its variations on fewer.

    Parameters
    ----------
    seeds : range
    processes : int
        How many webs are crawled at the same time.
    tell : callable, optional
        Called with a line of text about the progress.
    pages : int
        Number of pages of each web; the webs with editions have 9 of 10 pages.
    """
    taken = seeds[: max(2, 2 * len(seeds) // 3)]
    few = seeds[: max(2, len(seeds) // FEW)]
    jobs = [(space, seed, pages) for seed, space in product(taken, SPACES)]
    found = run_all(searched, jobs, processes, tell, "space")
    cells = {
        (space, topic): tuple(
            one[topic] for job, one in zip(jobs, found, strict=True) if job[0] == space
        )
        for space, topic in CELLS
    }
    a_third = seeds[: max(1, len(seeds) // 3)]
    menus = run_all(without_menu, [(seed, pages) for seed in a_third], processes, tell, "menu")
    with_editions = editions.measured(taken, few, processes, tell, pages=9 * pages // 10)
    return Hits(taken, pages, cells, with_editions, len(seeds), tuple(menus))
