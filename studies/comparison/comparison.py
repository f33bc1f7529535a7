"""What a comparison found: the runs of all policies, put together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.policy.protocol import Scope
from counterpoint.crawler.schedulers.finding import Chosen, find

from .crew import Crew, Fallen
from .measures import INTERPOLATION, MEASURES, Measure
from .plan import Plan
from .run import Run
from .statistics import Against, Mean, against, mean

Tell = Callable[[str], None]


@dataclass(frozen=True)
class Compared:
    """What came of a policy.

    Attributes
    ----------
    name, about : str
        As in the plan; its own line.
    scope : Scope
    fell : str or None
        The line that names policy and step, if it failed on any web; nothing else is told then.
    runs : tuple of Run
        One for each seed, in their order.
    """

    name: str
    about: str
    scope: Scope
    fell: str | None
    runs: tuple[Run, ...]

    def values(self, measure: str) -> list[float]:
        """Return a measure at the end of each run; empty if it does not apply."""
        return [run.final[measure] for run in self.runs if measure in run.final]

    def mean(self, measure: str) -> Mean | None:
        """Return the mean of a measure; None if it does not apply."""
        found = self.values(measure)
        return mean(found) if found else None

    def against(self, other: Compared, measure: Measure) -> Against | None:
        """Compare with another policy; None if the measure does not apply to both."""
        own, others = self.values(measure.name), other.values(measure.name)
        if not own or not others:
            return None
        return against(own, others, measure.best == "most")

    def curve(self, measure: str) -> list[Mean]:
        """Return the mean of a measure at each point of the plan's grid."""
        rows = np.array([run.curves[measure] for run in self.runs if measure in run.curves])
        return [mean(column.tolist()) for column in rows.T]

    def points(self) -> list[Mean]:
        """Return the mean 11-point graph of the index; empty if nothing was looked for."""
        rows = np.array([run.points for run in self.runs if len(run.points)])
        return [mean(column.tolist()) for column in rows.T]

    def whys(self) -> list[tuple[str, int]]:
        """Return why the runs ended, with how many did so, the most frequent first."""
        counts = Counter(run.why for run in self.runs)
        return sorted(counts.items(), key=lambda one: (-one[1], one[0]))

    def sites(self) -> list[float]:
        """Return the share of the visits that went to each site, and last to all other hosts.

        A site that some webs do not have was not visited there.
        """
        total = np.zeros(max((len(run.sites) for run in self.runs), default=0))
        for run in self.runs:
            total[: len(run.sites) - 1] += run.sites[:-1]
            total[-1] += run.sites[-1]
        return [float(share) for share in total / max(1, total.sum())]


@dataclass(frozen=True)
class Comparison:
    """A plan with what came of its policies, in its order."""

    plan: Plan
    policies: tuple[Compared, ...]

    @property
    def fell(self) -> list[str]:
        """A line for each policy that failed."""
        return [policy.fell for policy in self.policies if policy.fell]

    def site_names(self) -> list[str]:
        """Return the names of the target set: the profile's, or numbers from the largest on."""
        named = self.plan.profile.sites
        if named:
            return [site.name or f"site {k + 1}" for k, site in enumerate(named)]
        sites = max((len(run.sites) - 1 for p in self.policies for run in p.runs), default=0)
        return [f"site {k + 1}" for k in range(sites)]

    def measured(self) -> list[Measure]:
        """Return the measures that apply to any of the policies."""
        return [m for m in MEASURES if any(p.values(m.name) for p in self.policies)]


def checked(plan: Plan) -> list[Chosen]:
    """Return the policies of a plan.

    Raises
    ------
    CrawlError
        If there is no such policy, or one is named twice.
    """
    twice = [name for name, count in Counter(plan.policies).items() if count > 1]
    if twice:
        raise CrawlError(f"policy '{twice[0]}' is named twice")
    return [find(name) for name in plan.policies]


def compare(plan: Plan, processes: int, tell: Tell | None = None) -> Comparison:
    """Run a plan on this machine.

    Parameters
    ----------
    plan : Plan
    processes : int
        How many webs are crawled at a time; makes no difference to what is found.
    tell : callable, optional
        Told how far it is.

    Raises
    ------
    CrawlError, WebError
        If the plan cannot be run as it is.
    """
    policies, fallen = checked(plan), Fallen(len(plan.policies))
    with Crew(plan, min(processes, len(plan.seeds))) as crew:
        return collected(plan, policies, crew.work(plan.seeds, fallen.wanted), fallen, tell)


def collected(
    plan: Plan, policies: list[Chosen], runs: Iterable[Run], fallen: Fallen, tell: Tell | None
) -> Comparison:
    """Put runs together, in whatever order they come."""
    found: dict[tuple[int, int], Run] = {}
    for run in runs:
        if run.wrong:
            raise CrawlError(run.why)
        fallen.note(run)
        found[run.policy, run.seed] = run
        if tell is not None:
            tell(f"{len(found)} of {len(plan.seeds) * len(plan.policies)} runs: "
                 f"{plan.policies[run.policy]}, seed {run.seed}")  # fmt: skip
    return Comparison(plan, tuple(
        Compared(
            plan.policies[k], one.policy.about, one.policy.scope,
            fallen.first[k].why if k in fallen.first else None,
            () if k in fallen.first else tuple(found[k, seed] for seed in plan.seeds),
        )
        for k, one in enumerate(policies)
    ))  # fmt: skip


def as_json(of: Comparison) -> dict[str, Any]:
    """Return all figures of a comparison, ready for JSON; the same for the same plan."""
    plan = of.plan
    return {
        "web": plan.profile.name,
        "web_pages": plan.pages_of_web,
        "pages": plan.budget,
        "seeds": [plan.seeds.start, plan.seeds.stop - 1],
        "steps": plan.grid.tolist(),
        "fell": of.fell,
        "policies": [_policy(of, policy) for policy in of.policies],
    }


def _policy(of: Comparison, policy: Compared) -> dict[str, Any]:
    if policy.fell:
        return {"name": policy.name, "scope": policy.scope.value, "fell": policy.fell}
    return {
        "name": policy.name,
        "scope": policy.scope.value,
        "measures": {
            measure.name: _measure(of, policy, measure)
            for measure in of.measured()
            if policy.values(measure.name)
        },
        "curves": {
            measure.name: [point.value for point in policy.curve(measure.name)]
            for measure in of.measured()
            if policy.curve(measure.name)
        },
        **_points(policy),
        "sites": dict(zip([*of.site_names(), "elsewhere"], policy.sites(), strict=True)),
        "why": dict(policy.whys()),
        "digests": {str(run.seed): run.digest for run in policy.runs},
    }


def _points(policy: Compared) -> dict[str, Any]:
    points = policy.points()
    if not points:
        return {}
    told = {"interpolation": str(INTERPOLATION), "mean": [point.value for point in points],
            "interval": [point.interval for point in points]}  # fmt: skip
    return {"precision_at_recall": told}


def _measure(of: Comparison, policy: Compared, measure: Measure) -> dict[str, Any]:
    told = policy.mean(measure.name)
    assert told is not None
    found: dict[str, Any] = {"mean": told.value, "interval": told.interval,
                             "values": policy.values(measure.name)}  # fmt: skip
    first = of.policies[0]
    if policy is not first and (beside := policy.against(first, measure)) is not None:
        found["against"] = {
            "policy": first.name,
            "difference": beside.difference.value,
            "interval": beside.difference.interval,
            "wins": beside.wins,
            "ties": beside.ties,
            "losses": beside.losses,
        }
    return found
