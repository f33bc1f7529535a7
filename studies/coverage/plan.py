"""The plan of a study of coverage: crawls, samples, repetitions."""

from __future__ import annotations

from dataclasses import dataclass

from counterpoint.sim_web.profile import Profile
from counterpoint.studies.comparison.plan import DEFAULT_SITES, STEP_LIMIT, ComparisonPlan


@dataclass(frozen=True)
class CoveragePlan:
    """Crawls of webs, and samples of these webs. All results are a pure function of the plan.

    Attributes
    ----------
    policies : tuple of str
        The policies, as the user named them.
    profile : Profile
        The profile of the webs.
    budget : int
        Pages that each crawl may fetch.
    web_pages : int or None
        Pages of each web; None: as the profile says.
    seeds : range
        There is one web per seed.
    repeats : int
        How many times each web is sampled.
    draws : int
        Number of addresses that are requested for a sample by random IP.
    size : int
        Pages of a breadth-first sample.
    starts : int
        Number of breadth-first samples, each from another start page; [COV] has five.
    sites : int
        If the profile names no sites, crawls start at this number of the largest hosts.
    step_limit : float
        Seconds of processor time that a policy may take for a step.
    """

    policies: tuple[str, ...]
    profile: Profile
    budget: int
    web_pages: int | None = None
    seeds: range = range(1)
    repeats: int = 10
    draws: int = 2000
    size: int = 1000
    starts: int = 5
    sites: int = DEFAULT_SITES
    step_limit: float = STEP_LIMIT

    @property
    def crawls(self) -> ComparisonPlan:
        """The plan of the crawls."""
        return ComparisonPlan(self.policies, self.profile, self.budget, self.web_pages, self.seeds,
                    self.sites, step_limit=self.step_limit, orders=True)  # fmt: skip
