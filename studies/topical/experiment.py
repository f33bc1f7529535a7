"""The experiment of [HITS]: the standard and the focused crawler, for two topics in two spaces.

Three more crawlers take part: the two that the authors announced, and a focused crawler in which
each host has one vote, so that navigation links do not outweigh the links that authors chose. The
focused crawlers make `STEPS` steps, and the standard crawler continues until the web is exhausted.
The two crawlers that read texts fetch as many pages as the focused one, and at most `READ`. All
answers are as long as the focused crawler's.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np

from counterpoint.graph.csr import csr
from counterpoint.sim_web.profile import load

from .community import Community, community
from .crawling import AnswerQuality, TopicalCrawl, crawled, judge_answers, standing
from .spaces import Space, Task

SPACES = ("regional", "local")
TOPICS = 2
STEPS = 12
"""Steps of the focused crawler: with 10 authorities per step, it fetches at most about as many
pages as in [HITS]."""

LONG = 60
"""Steps of a longer crawl that shows the focused crawler's growth: its index becomes as long as
that of [HITS] before it stops growing."""

READ = 1000
"""The most pages that crawlers that read texts may fetch."""

DRIFT = 6
"""Number of first iterations before which the standard crawler's answer is evaluated."""

STANDARD, FOCUSED, DIVIDED = "standard", "focused", "divided"
WORDS, BOTH = "TF-IDF", "TF-IDF + HITS"
CRAWLERS = (STANDARD, FOCUSED, DIVIDED, WORDS, BOTH)
_OTHERS = {DIVIDED: f"hits,steps={STEPS},divided=true", WORDS: "tfidf", BOTH: "tfidf+hits"}


@dataclass(frozen=True)
class TopicResult:
    """The results of all crawlers for a topic in a space.

    Attributes
    ----------
    space : str
    topic : int
        0: the first of the space's topics; 1: the second.
    relevant : int
        Number of pages of the web about the topic.
    results : float
        Precision of the start set.
    crawls : dict of str to TopicalCrawl
    answers : dict of str to AnswerQuality
        Both by the names of `CRAWLERS`.
    drift : tuple of float
        Precision of the answer that the standard crawler would give if it ended before each of the
        first iterations; the last item is the precision of its real answer.
    long : tuple of int
        Pages that the focused crawler has fetched at the beginning of each of `LONG` steps.
    community : Community, optional
        How dense and how cut off the pages about the topic are.
    """

    space: str
    topic: int
    relevant: int
    results: float
    crawls: dict[str, TopicalCrawl]
    answers: dict[str, AnswerQuality]
    drift: tuple[float, ...]
    long: tuple[int, ...]
    community: Community | None = None


def searched(job: tuple[str, int, int | None]) -> tuple[TopicResult, ...]:
    """Run the experiment in one space.

    Parameters
    ----------
    job : tuple of (str, int, int or None)
        The name of the space, its seed, and the number of pages (None: as the profile says).

    Returns
    -------
    tuple of TopicResult
        One for each topic.
    """
    name, seed, pages = job
    space = Space(name, seed, pages)
    return tuple(_looked_for(space, task, k) for k, task in enumerate(space.tasks(TOPICS)))


def _looked_for(space: Space, task: Task, number: int) -> TopicResult:
    web = space.planted.web
    focused = crawled(space, task, FOCUSED, f"hits,steps={STEPS}", web.pages)
    size, cost = len(focused.answer), len(focused.order)
    crawls = {STANDARD: crawled(space, task, STANDARD, "breadth-first", web.pages, size),
              FOCUSED: focused}  # fmt: skip
    for called, policy in _OTHERS.items():
        budget = web.pages if called == DIVIDED else min(cost, READ)
        crawls[called] = crawled(space, task, called, policy, budget, size)
    answers = judge_answers(space, task, [one.answer for one in crawls.values()])
    about = web.relevant_to(task.topic)
    whole = crawls[STANDARD]
    drift = [
        float(about[standing(space, whole.order[:end].tolist())[:size]].mean())
        for end in whole.growth[: min(DRIFT, len(whole.growth) - 1)]
    ]
    long = crawled(space, task, FOCUSED, f"hits,steps={LONG}", web.pages).growth
    web_links = space.planted.links
    return TopicResult(
        space.name, number, int(about.sum()), float(about[list(task.starts)].mean()), crawls,
        dict(zip(crawls, answers, strict=True)), (*drift, answers[0].precision),
        long, community(csr(web_links.offsets, web_links.targets), np.flatnonzero(about)),
    )  # fmt: skip


def without_menu(job: tuple[int, int | None]) -> tuple[tuple[float, float], ...]:
    """Return the focused crawler's precision with the menu of the local space, and without it.

    Parameters
    ----------
    job : tuple of (int, int or None)
        The seed of the web, and the number of pages (None: as the profile says).

    Returns
    -------
    tuple of (float, float)
        One pair for each topic.
    """
    seed, pages = job
    profile = load("local")
    found = []
    for navigation in (profile.hosts.navigation, 0.0):
        hosts = dataclasses.replace(profile.hosts, navigation=navigation)
        space = Space("local", seed, pages, dataclasses.replace(profile, hosts=hosts))
        web = space.planted.web
        found.append([
            float(web.relevant_to(task.topic)[list(one.answer)].mean()) if one.answer else 0.0
            for task in space.tasks(TOPICS)
            for one in [crawled(space, task, FOCUSED, f"hits,steps={STEPS}", web.pages)]
        ])  # fmt: skip
    return tuple(zip(*found, strict=True))
