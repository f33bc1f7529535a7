"""Refuses comparisons that would never end, or for which there is no memory, before they begin."""

from __future__ import annotations

from collections.abc import Sequence

from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.policy.protocol import Scope
from counterpoint.sim_web.describe.memory import available

from .plan import ComparisonPlan

MOST_VISITS = 10**9
"""The most visits of a run; at some ten thousand in a second they take half a day."""

YEARS = 1_000
"""The longest virtual time of a run that revisits pages: the work on changes grows with it."""

BYTES = 60
"""Bytes that a visit takes until a run is measured; 42 were measured."""


def visits(plan: ComparisonPlan, scope: Scope) -> int:
    """Return the most visits of a run: only policies that know all pages visit one again."""
    return plan.budget if scope is Scope.KNOWN else min(plan.budget, plan.pages_of_web)


def must_end(plan: ComparisonPlan, scopes: Sequence[Scope]) -> None:
    """Refuse a plan with too many visits, or too long a virtual time.

    Parameters
    ----------
    plan : ComparisonPlan
    scopes : sequence of Scope
        The scopes of its policies.

    Raises
    ------
    CrawlError
        If there are more than `MOST_VISITS`, or more than `YEARS`.
    """
    if plan.budget > MOST_VISITS:
        raise CrawlError(f"{plan.budget:,} pages for each run are more than {MOST_VISITS:,}")
    if Scope.KNOWN in scopes:
        rate = plan.visits_per_day or plan.pages_of_web
        if plan.budget > 365.25 * YEARS * rate:
            raise CrawlError(
                f"{plan.budget:,} visits at {rate:g} a day take more than {YEARS:,} years of "
                "virtual time, which is the limit"
            )


def must_fit(plan: ComparisonPlan, scopes: Sequence[Scope], processes: int) -> None:
    """Refuse a plan whose visits do not fit into the memory that is available here.

    Raises
    ------
    CrawlError
        If they do not fit.
    """
    most = max((visits(plan, scope) for scope in scopes), default=0)
    need, have = BYTES * most * min(processes, len(plan.seeds)), available()
    if need > have:
        raise CrawlError(
            f"{most:,} visits in each of {min(processes, len(plan.seeds))} runs at the same time "
            f"need about {need / 1e9:,.1f} GB, and {have / 1e9:,.1f} GB are available"
        )


def all_visits(plan: ComparisonPlan, scopes: Sequence[Scope]) -> int:
    """Return the most visits of all runs together."""
    return len(plan.seeds) * sum(visits(plan, scope) for scope in scopes)
