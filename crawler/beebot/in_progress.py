"""A plan that is crawled, and how many requests it may have in flight."""

from __future__ import annotations

from dataclasses import dataclass

from counterpoint.crawler.fetching.job import Job, Tuning
from counterpoint.crawler.store.opening import Store
from counterpoint.crawler.store.recording import Recording

from .answers import Answers
from .keeping import KeepingAnswers
from .plan import CrawlPlan, CrawlSettings
from .revisits import Revisits
from .run import CrawlRun, Visit

AHEAD = 4
"""How many jobs are handed out per connection, so that waiting hosts do not block connections."""


@dataclass
class PlanInProgress:
    """A plan that is crawled: its run, and the values that the planner compares with the store."""

    plan: CrawlPlan
    run: CrawlRun
    answers: Answers
    spent: float
    changed: str | None
    look_at: float
    is_outdated: bool = False
    again: float | None = None


def ahead_of(concurrency: int) -> int:
    """Return the largest number of requests in flight; with one at a time they keep their order."""
    return 1 if concurrency == 1 else AHEAD * concurrency


def stored_tuning(store: Store) -> Tuning:
    """Return what a store says about the pace of its crawl."""
    with store.reading() as connection:
        settings = CrawlSettings.of(dict(map(tuple, Recording(connection).read("tuning"))))
    return Tuning(settings.concurrency, settings.delay, settings.paused)


def answers_of(run: CrawlRun) -> Answers:
    """Return what stores the answers of a plan."""
    if run.plan.keeps:
        return KeepingAnswers(run)
    return Revisits(run) if run.known else Answers(run)


def job_of(visit: Visit) -> Job:
    """Return what the dispatcher must fetch for a visit."""
    return Job(visit.number, visit.address, visit.etag, visit.modified, visit.sitemap)
