"""Which policies are crawled again on which webs, and how far a measure may move."""

from __future__ import annotations

from dataclasses import dataclass

from counterpoint.crawler.policy.protocol import Scope
from counterpoint.crawler.schedulers.catalogue import POLICIES
from counterpoint.sim_web.profile import load
from counterpoint.studies.comparison.plan import Plan

SEEDS = 3
BAND = 0.02
"""By which share of its baseline the mean of a measure may move."""


@dataclass(frozen=True)
class Case:
    """Policies that are crawled on the same webs.

    Attributes
    ----------
    profile : str
        Of the webs.
    budget : int
        Pages that each run may fetch.
    web_pages : int
        Of each web.
    policies : tuple of str
        By the names of `counterpoint.crawler.schedulers.finding.find`.
    """

    profile: str
    budget: int
    web_pages: int
    policies: tuple[str, ...]

    @property
    def plan(self) -> Plan:
        """The comparison that runs the case."""
        return Plan(
            self.policies, load(self.profile), self.budget, self.web_pages, range(SEEDS),
            orders=True,
        )  # fmt: skip


def _named(*scopes: Scope, reads: bool = False) -> tuple[str, ...]:
    """Return all policies of some scopes, those that read or the others."""
    return tuple(
        name for name, policy in POLICIES.items()
        if policy.scope in scopes and policy.reads == reads
    )  # fmt: skip


_SITES, _WEB, _AGAIN = _named(Scope.SITE), _named(Scope.WEB), _named(Scope.KNOWN)

_SEARCHING = ("breadth-first", "hits", "tfidf", "tfidf+hits")
"""The crawlers of [HITS], and those that its authors announced."""

CASES: tuple[Case, ...] = (
    Case("institutes", 1000, 20_000, _SITES),
    Case("universities", 1000, 20_000, _SITES + _WEB),
    Case("sample", 1000, 20_000, _SITES),
    Case("broder-1999", 1000, 20_000, _WEB),
    Case("topical", 1000, 10_000, _WEB + _named(Scope.WEB, reads=True)),
    Case("regional", 1000, 10_000, _SEARCHING),
    Case("local", 1000, 10_000, _SEARCHING),
    Case("living", 3000, 500, _AGAIN),
)
"""Every policy is in one of them at least."""
