"""Measures S.C.E.N.T.'s Q as a function of DeltaS, on a site with a static and a dynamic part.

The paper makes three claims. With DeltaS = 0, pages that were found unchanged several times are no
longer visited. With a large DeltaS, the site is visited uniformly. In between there is a best
DeltaS, with which Q reaches up to 98% of the maximum. The paper does not say which maximum, so this
study uses two: an oracle that knows the changed pages at each run and visits the N pages with the
largest gain at that time; and an index in which every copy is fresh, which no schedule can surpass.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from counterpoint.sim_web.profile import load
from counterpoint.studies.comparison.plan import ComparisonPlan
from counterpoint.studies.comparison.planted import Oracle, Planted
from counterpoint.studies.comparison.statistics import Mean, mean

from .statistics import as_json, column_means, ratio
from .study import Tell, run_all
from .visits import Site

Array = np.ndarray[Any, Any]

DELTAS = (0.0, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 1000.0)
CLAIMED = 0.98
PAGES, RUNS = 240, 400
INTERVAL = 3600.0
"""Seconds between two runs."""


class ScentCase(NamedTuple):
    """A site and a budget.

    Attributes
    ----------
    static : float
        The share of pages that never change.
    per_day : float
        The mean number of changes per day of the other pages.
    share : float
        N as a share of all pages.
    """

    static: float
    per_day: float
    share: float


CASES = (
    ScentCase(0.6, 2.0, 0.05),
    ScentCase(0.6, 2.0, 0.025),
    ScentCase(0.6, 2.0, 0.1),
    ScentCase(0.2, 2.0, 0.05),
    ScentCase(0.9, 2.0, 0.05),
    ScentCase(0.95, 24.0, 0.05),
    ScentCase(0.95, 24.0, 0.1),
)
"""The cases. The first has the rates of change of the profile ``living``, and is studied in more
detail."""


@dataclass(frozen=True)
class SiteResult:
    """The results of policies on one site. Q is the mean over the second half of the runs.

    Attributes
    ----------
    fresh, informed, uniform : float
        Q of a fresh index, of the oracle, and of a round robin.
    corrected, printed : float64[deltas]
        Q of S.C.E.N.T. for each DeltaS; `printed` is empty if the printed rule was not run.
    to_static, printed_to_static : float64[deltas]
        The share of the visits in the second half to pages that never change.
    never : float64[deltas]
        The share of the never-changing pages that were not visited in the second half.
    spread : float
        With the largest DeltaS, the difference between the visits of the most and of the least
        visited page.
    curves : float64[3, runs]
        Q divided by that of a fresh index after each run, with DeltaS = 0, with the best DeltaS,
        and with the largest.
    """

    fresh: float
    informed: float
    uniform: float
    corrected: Array
    printed: Array
    to_static: Array
    printed_to_static: Array
    never: Array
    spread: float
    curves: Array


def visited(pages: int, runs: int, job: tuple[ScentCase, int]) -> SiteResult:
    """Run the policies on one site.

    Parameters
    ----------
    pages : int
        Number of pages of the site.
    runs : int
        Number of runs.
    job : tuple of (ScentCase, int)
        The case and the seed of the site.
    """
    case, seed = job
    profile = load("living")
    profile = replace(
        profile, change=replace(profile.change, static=case.static, per_day=case.per_day)
    )
    planted = Planted(ComparisonPlan((), profile, 1, pages), seed)
    site = Site(planted, max(1, round(case.share * pages)), runs, INTERVAL)
    static = np.array([Oracle(planted).rate(page) == 0 for page in range(pages)])
    half = runs // 2

    def late_mean(values: Array) -> float:
        return float(values[half:].mean())

    def late(order: Array) -> Array:
        return order[half * site.batch :]

    best = np.array([site.best(run) for run in range(runs)])
    orders = [site.order_of(_policy("scent", site, delta), seed) for delta in DELTAS]
    values = [site.value(order) for order in orders]
    printed = []
    if case == CASES[0]:
        printed = [site.order_of(_policy("scent-printed", site, d), seed) for d in DELTAS]
    counts = [np.bincount(late(order), minlength=pages) for order in orders]
    top = int(np.argmax([late_mean(one) for one in values]))
    return SiteResult(
        late_mean(best),
        late_mean(site.value(site.informed())),
        late_mean(site.value(site.order_of("uniform", seed))),
        np.array([late_mean(one) for one in values]),
        np.array([late_mean(site.value(order)) for order in printed]),
        np.array([static[late(order)].mean() for order in orders]),
        np.array([static[late(order)].mean() for order in printed]),
        np.array([(count[static] == 0).mean() for count in counts]),
        float(counts[-1].max() - counts[-1].min()),
        np.array([values[k] / best for k in (0, top, -1)]),
    )


def _policy(name: str, site: Site, delta: float) -> str:
    return f"{name},batch={site.batch},delta={delta:g}"


@dataclass(frozen=True)
class Scent:
    """The results of the study.

    Attributes
    ----------
    seeds : range
    pages, runs : int
        Number of pages and of runs of each site.
    sites : dict of ScentCase to tuple of SiteResult
        One result per seed.
    """

    seeds: range
    pages: int
    runs: int
    sites: dict[ScentCase, tuple[SiteResult, ...]]

    def of_informed(self, case: ScentCase, k: int) -> Mean:
        """Return Q with the k-th DeltaS divided by that of the oracle."""
        return ratio(*self._with_reference(case, k, "informed"))

    def of_fresh(self, case: ScentCase, k: int) -> Mean:
        """Return Q with the k-th DeltaS divided by that of a fresh index."""
        return ratio(*self._with_reference(case, k, "fresh"))

    def printed(self, case: ScentCase, k: int) -> Mean:
        """Return Q of the printed rule with the k-th DeltaS divided by that of the oracle."""
        runs = self.sites[case]
        return ratio([float(r.printed[k]) for r in runs], [r.informed for r in runs])

    def over(self, case: ScentCase, name: str, other: str) -> Mean:
        """Return the ratio of two of ``uniform``, ``informed`` and ``fresh``."""
        runs = self.sites[case]
        return ratio([getattr(r, name) for r in runs], [getattr(r, other) for r in runs])

    def share(self, case: ScentCase, name: str, k: int) -> Mean:
        """Return the mean of ``to_static``, ``printed_to_static`` or ``never``, k-th DeltaS."""
        return mean([float(getattr(run, name)[k]) for run in self.sites[case]])

    def best(self, case: ScentCase) -> int:
        """Return the index of the DeltaS with the greatest mean Q."""
        return int(np.argmax([self.of_fresh(case, k).value for k in range(len(DELTAS))]))

    def curves(self, case: ScentCase) -> list[tuple[Mean, ...]]:
        """Return Q divided by that of a fresh index, after each run.

        There are three curves: with DeltaS = 0, with the best DeltaS of each site, and with the
        largest DeltaS.
        """
        rows = np.array([run.curves for run in self.sites[case]])
        return [column_means(rows[:, k]) for k in range(rows.shape[1])]

    def _with_reference(
        self, case: ScentCase, k: int, other: str
    ) -> tuple[list[float], list[float]]:
        runs = self.sites[case]
        return [float(r.corrected[k]) for r in runs], [getattr(r, other) for r in runs]

    def to_json(self) -> dict[str, Any]:
        """Return all figures."""
        places = range(len(DELTAS))
        return {
            "seeds": [self.seeds.start, self.seeds.stop - 1],
            "pages": self.pages,
            "runs": self.runs,
            "deltas": list(DELTAS),
            "cases": [
                {
                    **case._asdict(),
                    "of_oracle": [as_json(self.of_informed(case, k)) for k in places],
                    "of_fresh": [as_json(self.of_fresh(case, k)) for k in places],
                    "printed_of_oracle": [
                        as_json(self.printed(case, k)) for k in places if case == CASES[0]
                    ],
                    "to_static": [as_json(self.share(case, "to_static", k)) for k in places],
                    "never": [as_json(self.share(case, "never", k)) for k in places],
                    "oracle_of_fresh": as_json(self.over(case, "informed", "fresh")),
                    "uniform_of_oracle": as_json(self.over(case, "uniform", "informed")),
                }
                for case in self.sites
            ],
        }


def study(
    seeds: range, processes: int = 1, tell: Tell | None = None,
    *, pages: int = PAGES, runs: int = RUNS,
) -> Scent:  # fmt: skip
    """Run the policies on one site per case and seed.

    Parameters
    ----------
    seeds : range
    processes : int
        How many sites are studied at the same time.
    tell : callable, optional
        Called with a line of text about the progress.
    pages, runs : int
        Number of pages and of runs of each site.
    """
    jobs = list(product(CASES, seeds))
    found = run_all(partial(visited, pages, runs), jobs, processes, tell, "site")
    return Scent(seeds, pages, runs, {
        case: tuple(one for job, one in zip(jobs, found, strict=True) if job[0] == case)
        for case in CASES
    })  # fmt: skip
