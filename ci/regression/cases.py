"""The cases of the regression gate: policies, webs, and how far a measure may move."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field

from counterpoint.sim_web.profile import load
from counterpoint.studies.comparison.plan import STEP_LIMIT, ComparisonPlan

BAND = 0.02
"""The share of its baseline by which the mean of a measure may move, unless a case says more."""

DEFAULT = "default"
"""The key of the band of all measures that are not named."""

POINTS = "points"
"""The key of the band of the graph of recall and precision."""


@dataclass(frozen=True)
class RegressionCase:
    """Policies that crawl the same webs.

    Attributes
    ----------
    web : str
        The name of a profile, or the path of a TOML file.
    budget : int
        Pages that each run may fetch.
    web_pages : int or None
        Number of pages of each web; None: as the profile says.
    policies : tuple of str
        Policies, as `counterpoint.crawler.schedulers.finding.find` names them.
    seeds : tuple of int
        The seeds of the webs, ascending.
    bands : mapping of str to float
        By measure, the share of its baseline by which its mean may move; for all others, that of
        `DEFAULT`. That of `POINTS` is a difference of precision.
    """

    web: str
    budget: int
    web_pages: int | None
    policies: tuple[str, ...]
    seeds: tuple[int, ...] = (0, 1, 2)
    bands: Mapping[str, float] = field(default_factory=dict)

    def plan(self, step_limit: float = STEP_LIMIT) -> ComparisonPlan:
        """Return the comparison that runs the case.

        Parameters
        ----------
        step_limit : float
            Seconds of processor time that a policy may take for a step.

        Raises
        ------
        WebError
            If there is no such web.
        """
        return ComparisonPlan(
            self.policies, load(self.web), self.budget, self.web_pages, self.seeds,
            step_limit=step_limit, orders=True,
        )  # fmt: skip

    def band(self, measure: str) -> float:
        """Return the share of its baseline by which a measure may move."""
        return self.bands.get(measure, self.bands.get(DEFAULT, BAND))

    def again(self, policy: str, plan: ComparisonPlan) -> str:
        """Return the command that runs one of the policies again."""
        first, number = self.seeds[0], len(self.seeds)
        if self.seeds != tuple(range(first, first + number)):
            return f"counterpoint gate {shlex.quote(f'{policy} on {plan.profile.name}')}"
        parts = ["counterpoint compare", shlex.quote(policy), "--web", shlex.quote(self.web),
                 f"--pages {self.budget} --web-pages {plan.pages_of_web}",
                 f"--seeds {number}"]  # fmt: skip
        if first:
            parts.append(f"--first-seed {first}")
        if plan.step_limit != STEP_LIMIT:
            parts.append(f"--step-limit {plan.step_limit:g}")
        return " ".join(parts)
