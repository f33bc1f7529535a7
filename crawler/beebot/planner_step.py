"""What a step of the planner returns."""

from __future__ import annotations

from typing import NamedTuple

from counterpoint.crawler.fetching.job import Job, Lease

from .stored_answer import StoredAnswer


class PlannerStep(NamedTuple):
    """The result of a step of the planner: what to fetch next.

    Attributes
    ----------
    jobs : list of Job
        New jobs to fetch, in addition to those of earlier steps.
    more : bool
        Whether the planner must be called again before anything is fetched.
    ended : str
        Why the crawl has ended; "": it has not ended.
    failed : bool
        Whether the policy broke a rule for policies.
    stored : tuple of StoredAnswer
        The answers that this step stored.
    lease : Lease or None
        Which hosts may be requested; None: all, since no other process crawls the store.
    again : float or None
        Seconds after which the planner must be called again, even if no answer comes.
    busy : bool
        Whether this process has anything to fetch.
    taken : int
        How many of the answers were stored, the first ones; the others must be passed again.
    due : float or None
        When the next visit is due, in seconds since 1970, if that is later; None: now.
    """

    jobs: list[Job]
    more: bool = False
    ended: str = ""
    failed: bool = False
    stored: tuple[StoredAnswer, ...] = ()
    lease: Lease | None = None
    again: float | None = None
    busy: bool = True
    taken: int = 0
    due: float | None = None
