"""What is crawled, what is sampled, and how often."""

from __future__ import annotations

from dataclasses import dataclass

from counterpoint.sim_web.profile import Profile
from counterpoint.studies.comparison.plan import DEFAULT_SITES, STEP_LIMIT, Plan


@dataclass(frozen=True)
class CoveragePlan:
    """Crawls of webs, and samples of them. All that comes of it is a pure function of it.

    Attributes
    ----------
    policies : tuple of str
        As the user named them.
    profile : Profile
        Of the webs.
    budget : int
        Pages that each crawl may fetch.
    web_pages : int or None
        Of each web; None: as many as the profile says.
    seeds : range
        A web for each.
    repeats : int
        How often each web is sampled anew.
    draws : int
        Addresses that are asked for a sample by random IP.
    size : int
        Pages of a breadth-first sample.
    starts : int
        Breadth-first samples, each from a start page of its own; [COV] has five.
    sites : int
        How many sites the crawls start from, where the profile names none.
    step_limit : float
        Seconds that a policy may take for a step.
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
    def crawls(self) -> Plan:
        """The plan of the crawls."""
        return Plan(self.policies, self.profile, self.budget, self.web_pages, self.seeds,
                    self.sites, step_limit=self.step_limit, orders=True)  # fmt: skip
