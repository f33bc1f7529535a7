"""S.C.E.N.T.'s Q against DeltaS, on a site with a static and a dynamic part.

The paper claims three things: with DeltaS = 0 pages that were found unchanged several times are
no longer visited; with DeltaS large the site is visited uniformly; in between there is a best
DeltaS, with which Q reaches up to 98% of the maximum. It does not say of which maximum, so there
are two here: an oracle that knows at each run what has changed and visits the N pages that gain
most at that moment, and an index in which every copy is fresh, which no schedule can surpass.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from counterpoint.sim_web.profile import load
from counterpoint.studies.comparison.plan import Plan
from counterpoint.studies.comparison.planted import Known, Planted
from counterpoint.studies.comparison.statistics import Mean, mean

from .statistics import as_json, column_means, ratio
from .study import Tell, collected
from .visits import Site

Array = np.ndarray[Any, Any]

DELTAS = (0.0, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 1000.0)
CLAIMED = 0.98
PAGES, RUNS = 240, 400
INTERVAL = 3600.0
"""Seconds between two runs."""


class Case(NamedTuple):
    """A site and a budget.

    Attributes
    ----------
    static : float
        Share of pages that never change.
    per_day : float
        How often the others change, on average.
    share : float
        N, of all pages.
    """

    static: float
    per_day: float
    share: float


CASES = (
    Case(0.6, 2.0, 0.05),
    Case(0.6, 2.0, 0.025),
    Case(0.6, 2.0, 0.1),
    Case(0.2, 2.0, 0.05),
    Case(0.9, 2.0, 0.05),
    Case(0.95, 24.0, 0.05),
    Case(0.95, 24.0, 0.1),
)
"""The first has the changes of the profile living, and is looked at closely."""


@dataclass(frozen=True)
class Visited:
    """What policies made of one site. Q is the mean over the runs of the second half.

    Attributes
    ----------
    fresh, informed, uniform : float
        Q of an index that is fresh; of the oracle; of a round robin.
    corrected, printed : float64[deltas]
        Q of S.C.E.N.T. by its DeltaS; printed: empty where it was not run.
    to_static, printed_to_static : float64[deltas]
        Share of the visits of the second half that went to pages that never change.
    never : float64[deltas]
        Share of the pages that never change which were not visited at all in the second half.
    spread : float
        With the largest DeltaS: visits of the page visited most often less those of the page
        visited least often.
    curves : float64[3, runs]
        Q over that of a fresh index after each run: with DeltaS = 0, the best, and the largest.
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


def visited(pages: int, runs: int, job: tuple[Case, int]) -> Visited:
    """Let the policies visit the site of a case and a seed."""
    case, seed = job
    profile = load("living")
    profile = replace(
        profile, change=replace(profile.change, static=case.static, per_day=case.per_day)
    )
    planted = Planted(Plan((), profile, 1, pages), seed)
    site = Site(planted, max(1, round(case.share * pages)), runs, INTERVAL)
    static = np.array([Known(planted).rate(page) == 0 for page in range(pages)])
    half = runs // 2

    def of(values: Array) -> float:
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
    top = int(np.argmax([of(one) for one in values]))
    return Visited(
        of(best),
        of(site.value(site.informed())),
        of(site.value(site.order_of("uniform", seed))),
        np.array([of(one) for one in values]),
        np.array([of(site.value(order)) for order in printed]),
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
    """What was measured.

    Attributes
    ----------
    seeds : range
    pages, runs : int
        Of each site.
    sites : dict of Case to tuple of Visited
        One for each seed.
    """

    seeds: range
    pages: int
    runs: int
    sites: dict[Case, tuple[Visited, ...]]

    def of_informed(self, case: Case, k: int) -> Mean:
        """Return Q with the k-th DeltaS over that of the oracle."""
        return ratio(*self._beside(case, k, "informed"))

    def of_fresh(self, case: Case, k: int) -> Mean:
        """Return Q with the k-th DeltaS over that of a fresh index."""
        return ratio(*self._beside(case, k, "fresh"))

    def printed(self, case: Case, k: int) -> Mean:
        """Return Q of the printed rule with the k-th DeltaS over that of the oracle."""
        runs = self.sites[case]
        return ratio([float(r.printed[k]) for r in runs], [r.informed for r in runs])

    def over(self, case: Case, name: str, other: str) -> Mean:
        """Return the ratio of two of ``uniform``, ``informed`` and ``fresh``."""
        runs = self.sites[case]
        return ratio([getattr(r, name) for r in runs], [getattr(r, other) for r in runs])

    def share(self, case: Case, name: str, k: int) -> Mean:
        """Return the mean of ``to_static``, ``printed_to_static`` or ``never``."""
        return mean([float(getattr(run, name)[k]) for run in self.sites[case]])

    def best(self, case: Case) -> int:
        """Return the place of the DeltaS with the greatest mean Q."""
        return int(np.argmax([self.of_fresh(case, k).value for k in range(len(DELTAS))]))

    def curves(self, case: Case) -> list[tuple[Mean, ...]]:
        """Return Q over that of a fresh index after each run, for DeltaS 0, the best, the largest.

        The best is that of each site.
        """
        rows = np.array([run.curves for run in self.sites[case]])
        return [column_means(rows[:, k]) for k in range(rows.shape[1])]

    def _beside(self, case: Case, k: int, other: str) -> tuple[list[float], list[float]]:
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
    """Visit a site for each seed of each case."""
    jobs = list(product(CASES, seeds))
    found = collected(partial(visited, pages, runs), jobs, processes, tell, "site")
    return Scent(seeds, pages, runs, {
        case: tuple(one for job, one in zip(jobs, found, strict=True) if job[0] == case)
        for case in CASES
    })  # fmt: skip
