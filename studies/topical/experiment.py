"""The experiment of [HITS]: two topics in two spaces, the standard crawler and the focused one.

Beside them the two that the authors announced, and the focused one with one voice for each host,
so that links of navigation do not outweigh what authors meant. The focused crawlers make `STEPS`
steps; the standard one goes on until the web is exhausted; the two that read fetch as many pages as
the focused one, and at most `READ`. Answers are as long as the focused one's.
"""

from __future__ import annotations

from dataclasses import dataclass

from .crawling import Crawled, Judged, crawled, judged, standing
from .spaces import Space, Task

SPACES = ("regional", "local")
TOPICS = 2
STEPS = 12
"""Of the focused crawler: with 10 authorities a step, about as many pages as in [HITS], at most."""

LONG = 60
"""Steps over which the focused crawler's growth is watched: its index is as long as [HITS]'s before
it flattens."""

READ = 1000
"""Pages that crawlers which read may fetch."""

DRIFT = 6
"""Iterations after which the standard crawler's answer is looked at."""

STANDARD, FOCUSED, DIVIDED = "standard", "focused", "divided"
WORDS, BOTH = "TF-IDF", "TF-IDF + HITS"
CRAWLERS = (STANDARD, FOCUSED, DIVIDED, WORDS, BOTH)
_OTHERS = {DIVIDED: f"hits,steps={STEPS},divided=true", WORDS: "tfidf", BOTH: "tfidf+hits"}


@dataclass(frozen=True)
class Searched:
    """A topic in a space, looked for by all crawlers.

    Attributes
    ----------
    space : str
    topic : int
        0: the first of the space's topics; 1: the second.
    relevant : int
        Pages about it in the web.
    results : float
        Precision of the start set.
    crawls : dict of str to Crawled
    answers : dict of str to Judged
        Both by the names of `CRAWLERS`.
    drift : tuple of float
        Precision of the standard crawler's answer had it ended before each of the first
        iterations; last, that of its answer.
    long : tuple of int
        Pages that the focused crawler has fetched at the beginning of each of `LONG` steps.
    """

    space: str
    topic: int
    relevant: int
    results: float
    crawls: dict[str, Crawled]
    answers: dict[str, Judged]
    drift: tuple[float, ...]
    long: tuple[int, ...]


def searched(job: tuple[str, int, int | None]) -> tuple[Searched, ...]:
    """Make the experiment in the space of a name and a seed, on a web of so many pages."""
    name, seed, pages = job
    space = Space(name, seed, pages)
    return tuple(_looked_for(space, task, k) for k, task in enumerate(space.tasks(TOPICS)))


def _looked_for(space: Space, task: Task, number: int) -> Searched:
    web = space.planted.web
    focused = crawled(space, task, FOCUSED, f"hits,steps={STEPS}", web.pages)
    size, cost = len(focused.answer), len(focused.order)
    crawls = {STANDARD: crawled(space, task, STANDARD, "breadth-first", web.pages, size),
              FOCUSED: focused}  # fmt: skip
    for called, policy in _OTHERS.items():
        budget = web.pages if called == DIVIDED else min(cost, READ)
        crawls[called] = crawled(space, task, called, policy, budget, size)
    answers = judged(space, task, [one.answer for one in crawls.values()])
    about = web.relevant_to(task.topic)
    whole = crawls[STANDARD]
    drift = [
        float(about[standing(space, whole.order[:end].tolist())[:size]].mean())
        for end in whole.growth[: min(DRIFT, len(whole.growth) - 1)]
    ]
    long = crawled(space, task, FOCUSED, f"hits,steps={LONG}", web.pages).growth
    return Searched(
        space.name, number, int(about.sum()), float(about[list(task.starts)].mean()), crawls,
        dict(zip(crawls, answers, strict=True)), (*drift, answers[0].precision),
        long,
    )  # fmt: skip
