"""Runs a comparison, and collects the runs of all policies as its result."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.policy.protocol import Scope
from counterpoint.crawler.schedulers.finding import ChosenPolicy, find

from .measures import INTERPOLATION, MEASURES, Measure
from .plan import ComparisonPlan
from .pool import FailedPolicies, WorkerPool
from .run import PolicyRun
from .size import all_visits, must_end, must_fit
from .statistics import Mean, PairedComparison, against, mean

Tell = Callable[[str], None]


@dataclass(frozen=True)
class PolicyRuns:
    """The runs of one policy.

    Attributes
    ----------
    name, about : str
        Its name in the plan, and its description in one line.
    scope : Scope
    fell : str or None
        A line that names the policy and the step, if it failed on any web; there are no runs then.
    runs : tuple of PolicyRun
        One run per seed, in the order of seeds.
    timed_out : bool
        Whether it failed only because a step took too long: then it is unknown how it crawls.
    beyond : bool
        Whether it follows links out of the sites that the profile names, as a foreign crawler does.
    """

    name: str
    about: str
    scope: Scope
    fell: str | None
    runs: tuple[PolicyRun, ...]
    timed_out: bool = False
    beyond: bool = False

    def values(self, measure: str) -> list[float]:
        """Return a measure at the end of each run; empty if it does not apply."""
        return [run.final[measure] for run in self.runs if measure in run.final]

    def mean(self, measure: str) -> Mean | None:
        """Return the mean of a measure; None if it does not apply."""
        found = self.values(measure)
        return mean(found) if found else None

    def unknown(self, measure: str) -> float | None:
        """Return the mean share of a measure that rests on what is unknown; None: on nothing."""
        found = [run.unknown[measure] for run in self.runs if measure in run.unknown]
        return sum(found) / len(found) if found else None

    def against(self, other: PolicyRuns, measure: Measure) -> PairedComparison | None:
        """Compare with another policy by a measure.

        The result is None if the measure does not apply to both, or is a share of different pages.
        """
        own, others = self.values(measure.name), other.values(measure.name)
        if not own or not others or (measure.of_reach and not self.reaches_as(other)):
            return None
        return against(own, others, measure.best == "most")

    def reaches_as(self, other: PolicyRuns) -> bool:
        """Return whether another policy can reach the same pages."""
        return (self.scope, self.beyond) == (other.scope, other.beyond)

    def curve(self, measure: str) -> list[Mean]:
        """Return the mean of a measure at each point of the plan's grid."""
        rows = np.array([run.curves[measure] for run in self.runs if measure in run.curves])
        return [mean(column.tolist()) for column in rows.T]

    def points(self) -> list[Mean]:
        """Return the mean 11-point graph of the index; empty if the web has no topics."""
        rows = np.array([run.points for run in self.runs if len(run.points)])
        return [mean(column.tolist()) for column in rows.T]

    def whys(self) -> list[tuple[str, int]]:
        """Return why the runs ended, each reason with its number of runs, most frequent first."""
        counts = Counter(run.why for run in self.runs)
        return sorted(counts.items(), key=lambda one: (-one[1], one[0]))

    def sites(self) -> list[float]:
        """Return the share of the visits to each site; the last item is for all other hosts.

        If a web does not have a site, the site has no visits there.
        """
        total = np.zeros(max((len(run.sites) for run in self.runs), default=0))
        for run in self.runs:
            total[: len(run.sites) - 1] += run.sites[:-1]
            total[-1] += run.sites[-1]
        return [float(share) for share in total / max(1, total.sum())]


@dataclass(frozen=True)
class Comparison:
    """The result of a comparison.

    Attributes
    ----------
    plan : ComparisonPlan
    policies : tuple of PolicyRuns
        In the plan's order.
    base : int
        The place of the policy with which all others are compared.
    """

    plan: ComparisonPlan
    policies: tuple[PolicyRuns, ...]
    base: int = 0

    @property
    def first(self) -> PolicyRuns:
        """The policy with which all others are compared, by default the first one."""
        return self.policies[self.base]

    @property
    def fell(self) -> list[str]:
        """One line for each policy that broke a rule for policies."""
        return [one.fell for one in self.policies if one.fell and not one.timed_out]

    @property
    def unknown(self) -> list[str]:
        """One line for each policy of which a step took too long."""
        return [one.fell for one in self.policies if one.fell and one.timed_out]

    def site_names(self) -> list[str]:
        """Return the names of the sites of the target set.

        If the profile names no sites, they are numbered, the largest first.
        """
        named = self.plan.profile.sites
        if named:
            return [site.name or f"site {k + 1}" for k, site in enumerate(named)]
        sites = max((len(run.sites) - 1 for p in self.policies for run in p.runs), default=0)
        return [f"site {k + 1}" for k in range(sites)]

    def measured(self) -> list[Measure]:
        """Return the measures that apply to at least one of the policies."""
        return [m for m in MEASURES if any(p.values(m.name) for p in self.policies)]


def checked(plan: ComparisonPlan) -> list[ChosenPolicy]:
    """Return the policies of a plan.

    Raises
    ------
    CrawlError
        If a policy does not exist, or is named twice, or if the runs would be too long.
    """
    twice = [name for name, count in Counter(plan.policies).items() if count > 1]
    if twice:
        raise CrawlError(f"policy '{twice[0]}' is named twice")
    found = [find(name) for name in plan.policies]
    must_end(plan, [one.policy.scope for one in found])
    return found


MANY = 10_000_000
"""So many visits take minutes, and are announced."""


def compare(
    plan: ComparisonPlan, processes: int, tell: Tell | None = None, announce: Tell | None = None
) -> Comparison:
    """Run a plan on this machine.

    Parameters
    ----------
    plan : ComparisonPlan
    processes : int
        How many webs are crawled at the same time; the result does not depend on it.
    tell : callable, optional
        Called with a line of text about the progress.
    announce : callable, optional
        Called with a line of text on the number of visits, if there are `MANY` or more.

    Raises
    ------
    CrawlError, WebError
        If the plan cannot be run.
    """
    policies, fallen = checked(plan), FailedPolicies(len(plan.policies))
    scopes = [one.policy.scope for one in policies]
    must_fit(plan, scopes, processes)
    if announce and all_visits(plan, scopes) >= MANY:
        announce(f"up to {all_visits(plan, scopes):,} visits will be made")
    with WorkerPool(plan, min(processes, len(plan.seeds))) as pool:
        return collected(plan, policies, pool.work(plan.seeds, fallen.wanted), fallen, tell)


def collected(
    plan: ComparisonPlan,
    policies: list[ChosenPolicy],
    runs: Iterable[PolicyRun],
    fallen: FailedPolicies,
    tell: Tell | None,
) -> Comparison:
    """Collect runs, which may come in any order.

    Parameters
    ----------
    plan : ComparisonPlan
    policies : list of ChosenPolicy
        The policies of the plan.
    runs : iterable of PolicyRun
    fallen : FailedPolicies
        Failed runs are recorded here, so that later webs can skip the policy.
    tell : callable or None
        Called with a line of text about the progress.

    Raises
    ------
    CrawlError
        If a policy could not be created as the user asked.
    """
    found: dict[tuple[int, int], PolicyRun] = {}
    for run in runs:
        if run.wrong:
            raise CrawlError(run.why)
        fallen.note(run)
        found[run.policy, run.seed] = run
        if tell is not None:
            tell(f"{len(found)} of {len(plan.seeds) * len(plan.policies)} runs: "
                 f"{plan.policies[run.policy]}, seed {run.seed}")  # fmt: skip
    return Comparison(plan, tuple(
        PolicyRuns(
            plan.policies[k], one.policy.about, one.policy.scope,
            fallen.first[k].why if k in fallen.first else None,
            () if k in fallen.first else tuple(found[k, seed] for seed in plan.seeds),
            k in fallen.first and fallen.first[k].timed_out,
        )
        for k, one in enumerate(policies)
    ))  # fmt: skip


def as_json(comparison: Comparison) -> dict[str, Any]:
    """Return the figures of a comparison for JSON; they depend on the plan only."""
    plan = comparison.plan
    return {
        "web": plan.profile.name,
        "web_pages": plan.pages_of_web,
        "pages": plan.budget,
        "seeds": [plan.seeds[0], plan.seeds[-1]],
        "steps": plan.grid.tolist(),
        "fell": comparison.fell,
        "unknown": comparison.unknown,
        "policies": [_policy(comparison, policy) for policy in comparison.policies],
    }


def _policy(comparison: Comparison, policy: PolicyRuns) -> dict[str, Any]:
    if policy.fell:
        answer = "unknown" if policy.timed_out else "fell"
        return {"name": policy.name, "scope": policy.scope.value, answer: policy.fell}
    return {
        "name": policy.name,
        "scope": policy.scope.value,
        "measures": {
            measure.name: _measure(comparison, policy, measure)
            for measure in comparison.measured()
            if policy.values(measure.name)
        },
        "curves": {
            measure.name: [point.value for point in policy.curve(measure.name)]
            for measure in comparison.measured()
            if policy.curve(measure.name)
        },
        **_points(policy),
        "sites": dict(zip([*comparison.site_names(), "elsewhere"], policy.sites(), strict=True)),
        "why": dict(policy.whys()),
        "digests": {str(run.seed): run.digest for run in policy.runs},
    }


def _points(policy: PolicyRuns) -> dict[str, Any]:
    points = policy.points()
    if not points:
        return {}
    graph = {"interpolation": str(INTERPOLATION), "mean": [point.value for point in points],
             "interval": [point.interval for point in points]}  # fmt: skip
    return {"precision_at_recall": graph}


def _measure(comparison: Comparison, policy: PolicyRuns, measure: Measure) -> dict[str, Any]:
    own = policy.mean(measure.name)
    assert own is not None
    found: dict[str, Any] = {"mean": own.value, "interval": own.interval,
                             "values": policy.values(measure.name)}  # fmt: skip
    if (unknown := policy.unknown(measure.name)) is not None:
        found["unknown"] = unknown
    first = comparison.first
    if policy is not first and (paired := policy.against(first, measure)) is not None:
        found["against"] = {
            "policy": first.name,
            "difference": paired.difference.value,
            "interval": paired.difference.interval,
            "wins": paired.wins,
            "ties": paired.ties,
            "losses": paired.losses,
        }
    return found
