"""Crawlers that look for something in a space, and what came of them."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.evaluation.indices import index_of
from counterpoint.crawler.evaluation.measures import LEVELS, measured
from counterpoint.crawler.policy.protocol import Outcome, Pages, Scheduler, Scope
from counterpoint.crawler.schedulers.finding import find
from counterpoint.crawler.schedulers.weights import ranked
from counterpoint.crawler.worlds.crawl import crawl
from counterpoint.sim_web.answer import SECONDS_PER_REQUEST
from counterpoint.studies.comparison.measures import INTERPOLATION
from counterpoint.studies.comparison.world import World

from .spaces import Space, Task

Array = np.ndarray[Any, Any]

TOP = 13
"""Pages at the head of an answer that are looked at for navigation: a start page and its menu."""


@dataclass(frozen=True)
class Crawled:
    """A crawl, and the answer that it gives.

    Attributes
    ----------
    name : str
        The crawler, as the experiment calls it.
    order : int64[n]
        The pages that came, in the order of visits.
    answer : tuple of int
        Pages, the best first.
    growth, waiting : tuple of int
        Pages fetched, and pages found and not fetched, at the beginning of each iteration; empty
        if the crawler has no iterations.
    seconds : float
        Of the processor, for the scheduler's decisions and the ranking.
    """

    name: str
    order: Pages = field(repr=False)
    answer: tuple[int, ...]
    growth: tuple[int, ...]
    waiting: tuple[int, ...]
    seconds: float


@dataclass(frozen=True)
class Judged:
    """An answer, judged.

    Attributes
    ----------
    size : int
        Pages of the answer.
    precision, recall, recall_of_all : float
        Recall is of the relevant pages in any answer that was judged with it, as [HITS]'s experts
        judged what was returned; and of all that are relevant in the web.
    navigation : float
        Share of the first `TOP` pages that all pages of their host link to.
    points : float64[11]
        Precision at recalls from 0 to 1, of the relevant pages in any answer.
    """

    size: int
    precision: float
    recall: float
    recall_of_all: float
    navigation: float
    points: Array = field(compare=False)


def judged(space: Space, task: Task, answers: Sequence[Sequence[int]]) -> list[Judged]:
    """Judge answers to one task together."""
    about = space.planted.web.relevant_to(task.topic)
    every = int(about.sum())
    pool = {str(page): 1 for page in sorted(set().union(*answers)) if about[page]}
    found = []
    for answer in answers:
        told = measured([str(page) for page in answer], pool, interpolation=INTERPOLATION)
        points = np.array([told[f"iprec_at_recall_{level:.2f}"] for level in LEVELS])
        head = list(answer[:TOP])
        found.append(Judged(
            len(answer), told["set_P"], told["set_recall"], told["num_rel_ret"] / max(1, every),
            float(space.navigation[head].mean()) if head else 0.0, points,
        ))  # fmt: skip
    return found


def crawled(
    space: Space, task: Task, name: str, policy: str, budget: int, size: int | None = None
) -> Crawled:
    """Let a crawler crawl a space for a task.

    Parameters
    ----------
    space : Space
    task : Task
    name : str
        How the crawler is called.
    policy : str
        As users write it.
    budget : int
        Pages that it may fetch.
    size : int, optional
        How many pages of its index are its answer; by default all.

    Raises
    ------
    CrawlError
        If the policy breaks a rule for policies.
    """
    planted, chosen = space.planted, find(policy)
    scheduler = chosen.scheduler(task.starts, budget, space.seed, query=task.query,
                                 hosts=planted.host.item)  # fmt: skip
    world = World(planted, Scope.WEB, SECONDS_PER_REQUEST, budget, reads=chosen.policy.reads)
    timed = _Timed(scheduler)
    ended = crawl(name, timed, world, task.starts, budget, on_outcome=timed.note)
    if ended.failed:
        raise CrawlError(ended.why)
    order = np.array(timed.came, dtype=np.int64)
    begun = time.process_time()
    index = index_of(scheduler, order.tolist(), lambda page: planted.links_of(Scope.WEB, page))
    seconds = timed.seconds + time.process_time() - begun
    growth = tuple(timed.growth) if timed.growth else _levels(space, task, order)
    return Crawled(name, order, tuple(index[:size]), growth, _waiting(space, task, order, growth),
                   seconds)  # fmt: skip


def standing(space: Space, fetched: list[int]) -> list[int]:
    """Return a collection as the standard crawler ranks it: by HITS, once."""
    links = {page: space.planted.links_of(Scope.WEB, page) for page in fetched}
    return ranked(links, fetched)


class _Timed:
    """A scheduler whose time is taken, and whose steps are looked at."""

    def __init__(self, scheduler: Scheduler) -> None:
        self.why = ""
        self._scheduler: Any = scheduler
        self._has_steps = isinstance(getattr(scheduler, "steps", None), int)
        self.seconds = 0.0
        self.came: list[int] = []
        self.growth: list[int] = []

    def next(self) -> Any:
        """Pass the question on."""
        begun = time.process_time()
        asked = self._scheduler.next()
        self.seconds += time.process_time() - begun
        self.why = self._scheduler.why
        return asked

    def observe(self, outcome: Outcome) -> None:
        """Pass the outcome on."""
        begun = time.process_time()
        self._scheduler.observe(outcome)
        self.seconds += time.process_time() - begun

    def note(self, outcome: Outcome) -> None:
        """Look at what came, and at the step that the scheduler is at."""
        if outcome.status == 200:
            self.came.append(outcome.page)
        if self._has_steps:
            self.growth += [len(self.came)] * (self._scheduler.steps - len(self.growth))


def _levels(space: Space, task: Task, order: Pages) -> tuple[int, ...]:
    """Return how many pages of an order are at most so many links from the start, from 0 on."""
    level = dict.fromkeys(task.starts, 0)
    for page in order.tolist():
        deeper = level[page] + 1
        for link in space.planted.links_of(Scope.WEB, page).tolist():
            level.setdefault(link, deeper)
    counts = np.bincount([level[page] for page in order.tolist()])
    return tuple(np.cumsum(counts).tolist())


def _waiting(space: Space, task: Task, order: Pages, growth: Sequence[int]) -> tuple[int, ...]:
    """Return how many pages were found and not fetched when so many pages had come."""
    known = np.zeros(space.planted.web.pages, dtype=np.bool_)
    known[list(task.starts)] = True
    found, done = [], 0
    for end in growth:
        for page in order[done:end].tolist():
            known[space.planted.links_of(Scope.WEB, page)] = True
        done = end
        found.append(int(known.sum()) - end)
    return tuple(found)
