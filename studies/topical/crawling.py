"""Runs topical crawlers in a space, and evaluates their answers."""

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
"""The number of first pages of an answer in which navigation pages are counted: as many as a start
page and its menu."""


@dataclass(frozen=True)
class TopicalCrawl:
    """A crawl, and the answer that it gives.

    Attributes
    ----------
    name : str
        The name of the crawler in the experiment.
    order : int64[n]
        The fetched pages, in the order of visits.
    answer : tuple of int
        Pages, the best first.
    growth, waiting : tuple of int
        Pages fetched, and pages found and not fetched, at the beginning of each iteration; for a
        crawler without iterations, at the beginning of each level.
    seconds : float
        Processor time of the scheduler's decisions and of the ranking, in seconds.
    """

    name: str
    order: Pages = field(repr=False)
    answer: tuple[int, ...]
    growth: tuple[int, ...]
    waiting: tuple[int, ...]
    seconds: float


@dataclass(frozen=True)
class AnswerQuality:
    """The quality of an answer.

    Attributes
    ----------
    size : int
        Number of pages of the answer.
    precision, recall, recall_of_all : float
        `recall` counts the relevant pages in all answers that were judged together, since the
        experts of [HITS] judged only returned pages; `recall_of_all` counts all relevant pages of
        the web.
    navigation : float
        The share of navigation pages among the first `TOP` pages of the answer: all pages of their
        host link to them.
    points : float64[11]
        Precision at levels of recall from 0 to 1, over the relevant pages in all answers.
    """

    size: int
    precision: float
    recall: float
    recall_of_all: float
    navigation: float
    points: Array = field(compare=False)


def judge_answers(
    space: Space, task: Task, answers: Sequence[Sequence[int]]
) -> list[AnswerQuality]:
    """Judge answers to one task together.

    Parameters
    ----------
    space : Space
    task : Task
    answers : sequence of sequence of int
        The pages of each answer, the best first.
    """
    about = space.planted.web.relevant_to(task.topic)
    every = int(about.sum())
    pool = {str(page): 1 for page in sorted(set().union(*answers)) if about[page]}
    found = []
    for answer in answers:
        values = measured([str(page) for page in answer], pool, interpolation=INTERPOLATION)
        points = np.array([values[f"iprec_at_recall_{level:.2f}"] for level in LEVELS])
        head = list(answer[:TOP])
        found.append(AnswerQuality(
            len(answer), values["set_P"], values["set_recall"],
            values["num_rel_ret"] / max(1, every),
            float(space.navigation[head].mean()) if head else 0.0, points,
        ))  # fmt: skip
    return found


def crawled(
    space: Space, task: Task, name: str, policy: str, budget: int, size: int | None = None
) -> TopicalCrawl:
    """Crawl a space for a task.

    Parameters
    ----------
    space : Space
    task : Task
    name : str
        The name of the crawler in the experiment.
    policy : str
        The policy, as users name it.
    budget : int
        Pages that it may fetch.
    size : int, optional
        The number of best pages of its index that are its answer; by default all.

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
    waiting = _waiting(space, task, order, growth)
    return TopicalCrawl(name, order, tuple(index[:size]), growth, waiting, seconds)


def standing(space: Space, fetched: list[int]) -> list[int]:
    """Return fetched pages in the standard crawler's order: they are ranked by HITS once."""
    links = {page: space.planted.links_of(Scope.WEB, page) for page in fetched}
    return ranked(links, fetched)


class _Timed:
    """A wrapper of a scheduler that measures its processor time, and records its steps."""

    def __init__(self, scheduler: Scheduler) -> None:
        self.why = ""
        self._scheduler: Any = scheduler
        self._has_steps = isinstance(getattr(scheduler, "steps", None), int)
        self.seconds = 0.0
        self.came: list[int] = []
        self.growth: list[int] = []

    def next(self) -> Any:
        """Return the scheduler's next request."""
        begun = time.process_time()
        request = self._scheduler.next()
        self.seconds += time.process_time() - begun
        self.why = self._scheduler.why
        return request

    def observe(self, outcome: Outcome) -> None:
        """Pass the outcome to the scheduler."""
        begun = time.process_time()
        self._scheduler.observe(outcome)
        self.seconds += time.process_time() - begun

    def note(self, outcome: Outcome) -> None:
        """Record a fetched page, and how many were fetched when the scheduler's step began."""
        if outcome.status == 200:
            self.came.append(outcome.page)
        if self._has_steps:
            self.growth += [len(self.came)] * (self._scheduler.steps - len(self.growth))


def _levels(space: Space, task: Task, order: Pages) -> tuple[int, ...]:
    """Return how many fetched pages are at most 0, 1, 2, ... links from the start pages."""
    level = dict.fromkeys(task.starts, 0)
    for page in order.tolist():
        deeper = level[page] + 1
        for link in space.planted.links_of(Scope.WEB, page).tolist():
            level.setdefault(link, deeper)
    counts = np.bincount([level[page] for page in order.tolist()])
    return tuple(np.cumsum(counts).tolist())


def _waiting(space: Space, task: Task, order: Pages, growth: Sequence[int]) -> tuple[int, ...]:
    """Return how many pages were found and not fetched after given numbers of fetched pages.

    Parameters
    ----------
    space : Space
    task : Task
    order : int64[n]
        The fetched pages.
    growth : sequence of int
        Ascending numbers of fetched pages.
    """
    known = np.zeros(space.planted.web.pages, dtype=np.bool_)
    known[list(task.starts)] = True
    found, done = [], 0
    for end in growth:
        for page in order[done:end].tolist():
            known[space.planted.links_of(Scope.WEB, page)] = True
        done = end
        found.append(int(known.sum()) - end)
    return tuple(found)
