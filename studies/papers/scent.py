"""Measures S.C.E.N.T.'s Q: with which DeltaS and which harvest, and how near the maximum.

The paper makes three claims. With DeltaS = 0, pages that were found unchanged several times are no
longer visited. With a large DeltaS, the site is visited uniformly. In between there is a best
DeltaS, with which Q reaches up to 98% of the maximum. The paper does not say which maximum, so this
study uses three: the limit of a crawler that knows how often pages change but not when (`optimum`);
an oracle that knows at each run what each visit gains; and an index in which every copy is fresh.

The paper leaves open which harvest (CalcInfo) and which DeltaS to take. Here every harvest is tried
with every DeltaS, and DeltaS is also chosen while the crawler runs (`tuning`). The best DeltaS of a
site is chosen on the other sites of its kind, so that it is not fitted to what it is measured on.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from counterpoint.crawler.schedulers.costs import VisitCost
from counterpoint.studies.comparison.statistics import Mean, mean

from . import optimum, scent_sweep, tuning
from .scent_sweep import SweepPoint
from .sites import SiteKind, Sites
from .statistics import as_json, column_means, ratio
from .study import Tell, run_all
from .visiting import HARVESTS, PER_SECOND, SCENT

Array = np.ndarray[Any, Any]

DELTAS = (0.0, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 1000.0)
"""Values of DeltaS, in units of the harvest ``difference``."""
CLAIMED = 0.98
PAGES, RUNS = 240, 400
INTERVAL = 3600.0
"""Seconds between two runs."""


class ScentCase(NamedTuple):
    """Sites and a budget.

    Attributes
    ----------
    name : str
    kinds : tuple of SiteKind
        How the pages of each site change.
    share : float
        The time of a run, over that of visits to all pages that are there on average.
    by_size : float
        The part of the time of a visit that depends on the page's size, on average: 0 if all
        visits take the same time.
    """

    name: str
    kinds: tuple[SiteKind, ...]
    share: float = 0.05
    by_size: float = 0.0


_NEWS, _MIXED, _ARCHIVE = SiteKind(0.2, 12.0), SiteKind(0.6, 2.0), SiteKind(0.9, 0.5)
CASES = (
    ScentCase("static 60%, 2 a day, N 5.0%", (_MIXED,)),
    ScentCase("static 60%, 2 a day, N 2.5%", (_MIXED,), 0.025),
    ScentCase("static 60%, 2 a day, N 10.0%", (_MIXED,), 0.1),
    ScentCase("static 20%, 2 a day, N 5.0%", (SiteKind(0.2, 2.0),)),
    ScentCase("static 90%, 2 a day, N 5.0%", (SiteKind(0.9, 2.0),)),
    ScentCase("static 95%, 24 a day, N 5.0%", (SiteKind(0.95, 24.0),)),
    ScentCase("static 95%, 24 a day, N 10.0%", (SiteKind(0.95, 24.0),), 0.1),
    ScentCase("visits cost by size", (_MIXED,), 0.05, 0.8),
    ScentCase("births and deaths", (SiteKind(0.6, 2.0, 0.5, 4.0),)),
    ScentCase("three sites", (_ARCHIVE, _MIXED, _NEWS)),
    ScentCase("all of these", (
        SiteKind(0.9, 0.5, 0.2, 8.0), SiteKind(0.6, 2.0, 0.5, 4.0), SiteKind(0.2, 12.0, 0.8, 2.0),
    ), 0.05, 0.8),
)  # fmt: skip
"""The cases. The first has the rates of change of the profile ``living``, and is studied in more
detail. The last four have the parts of the formal statement: costs A x size + B, births and deaths,
and several sites that share the time."""


@dataclass(frozen=True)
class SiteResult:
    """The results on the sites of one seed. Q is the mean over the second half of the runs.

    Attributes
    ----------
    fresh, informed, limit : float
        The three maxima: Q of a fresh index, of the oracle, and of the best allocation.
    planned, estimated : float
        Q of visits by the index of the best allocation, with true and with estimated rates.
    uniform : float
        Q of visits in turn.
    bandit, seeing, model : float
        Q of S.C.E.N.T. with a DeltaS that is chosen while it runs; ``seeing`` is a bandit that is
        rewarded by Q itself.
    harvests : float64[harvests, deltas]
        Q of S.C.E.N.T. by harvest and DeltaS.
    per_second, apart : float64[deltas]
        The same for ``difference``, if scents are divided by the time of a visit; and if each site
        has its own part of the time.
    to_static, printed_to_static : float64[deltas]
        The share of the visits in the second half to pages that never change.
    never : float64[deltas]
        The share of the never-changing pages that were not visited in the second half.
    forgotten : float
        The same with DeltaS = 0, if a visit leaves nothing of a scent instead of half of it.
    spread : float
        With the largest DeltaS, the difference between the visits of the most and of the least
        visited page.
    curves : float64[3, runs]
        Q divided by that of a fresh index after each run, with DeltaS = 0, with the best DeltaS,
        and with the largest.
    of_sites : float64[4, sites]
        Q of each site over that of its fresh index: S.C.E.N.T. with the best DeltaS, with the time
        shared and with it divided; visits in turn; the index with true rates.
    """

    fresh: float
    informed: float
    limit: float
    planned: float
    estimated: float
    uniform: float
    bandit: float
    seeing: float
    model: float
    harvests: Array
    per_second: Array
    apart: Array
    to_static: Array
    printed_to_static: Array
    never: Array
    forgotten: float
    spread: float
    curves: Array
    of_sites: Array


def sites_of(case: ScentCase, pages: int, runs: int, seed: int) -> Sites:
    """Return the sites of a case."""
    free = Sites(case.kinds, pages, seed, runs, INTERVAL, VisitCost(), 1.0)
    there = free.sizes[free.versions >= 0]
    cost = VisitCost(case.by_size / float(there.mean()), 1.0 - case.by_size)
    return free.at(cost, max(1.0, round(case.share * len(there) / runs)))


def visited(pages: int, runs: int, job: tuple[ScentCase, int]) -> SiteResult:
    """Run the policies on the sites of one seed.

    Parameters
    ----------
    pages : int
        Number of pages of all sites.
    runs : int
        Number of runs.
    job : tuple of (ScentCase, int)
        The case and the seed of the sites.
    """
    case, seed = job
    sites, half = sites_of(case, pages, runs, seed), runs // 2

    def late(values: Array) -> float:
        return float(values[half:].mean())

    found = optimum.values(sites)
    planned, turn = sites.planned(optimum.indices(found)), sites.in_turn()
    scents = [sites.scent("difference", delta) for delta in DELTAS]
    harvests = [[late(one.q) for one in scents]]
    printed = [sites.scent("size", delta) for delta in DELTAS]
    harvests.append([late(one.q) for one in printed])
    harvests += [[late(sites.scent(name, d).q) for d in DELTAS] for name in HARVESTS[2:]]
    second = apart = scents
    if case.by_size:
        second = [sites.scent("difference", d, PER_SECOND) for d in DELTAS]
    if len(case.kinds) > 1:
        apart = [sites.scent("difference", d, apart=True) for d in DELTAS]
    cut, static = sites.visited(SCENT, kept=0.0), sites.rates == 0
    counts = np.array([one.visits[half:].sum(axis=0) for one in scents])
    old = np.array([one.visits[half:].sum(axis=0) for one in printed])
    fresh, each = sites.fresh(), sites.fresh_by_site()[half:].mean(axis=0)
    top, own = int(np.argmax(harvests[0])), int(np.argmax([late(one.q) for one in apart]))
    return SiteResult(
        late(fresh),
        late(sites.informed().q),
        optimum.limit(sites, found).value,
        late(planned.q),
        late(tuning.estimated(sites).q),
        late(turn.q),
        late(tuning.bandit(sites, "difference", DELTAS[:-1])[0].q),
        late(tuning.bandit(sites, "difference", DELTAS[:-1], sees_q=True)[0].q),
        late(tuning.model(sites, "difference", DELTAS[:-1])[0].q),
        np.array(harvests),
        np.array([late(one.q) for one in second]),
        np.array([late(one.q) for one in apart]),
        counts[:, static].sum(axis=1) / counts.sum(axis=1),
        old[:, static].sum(axis=1) / old.sum(axis=1),
        (counts[:, static] == 0).mean(axis=1),
        float((~cut.visits[half:, static].any(axis=0)).mean()),
        float(counts[-1].max() - counts[-1].min()),
        np.array([scents[k].q / fresh for k in (0, top, -1)]),
        np.array([one.quality[half:].mean(axis=0) / each
                  for one in (scents[top], apart[own], turn, planned)]),
    )  # fmt: skip


@dataclass(frozen=True)
class Scent:
    """The results of the study.

    Attributes
    ----------
    seeds : range
    pages, runs : int
        Number of pages and of runs of each case.
    sites : dict of ScentCase to tuple of SiteResult
        One result per seed.
    sweep : tuple of SweepPoint
        A grid of sites, with fewer seeds.
    """

    seeds: range
    pages: int
    runs: int
    sites: dict[ScentCase, tuple[SiteResult, ...]]
    sweep: tuple[SweepPoint, ...]

    def rows(self, case: ScentCase, name: str) -> Array:
        """Return the results of a name, [seeds, ...]; a harvest's name stands for its row."""
        if name in HARVESTS:
            return self.rows(case, "harvests")[:, HARVESTS.index(name)]
        return np.array([getattr(run, name) for run in self.sites[case]])

    def over(self, case: ScentCase, name: str, other: str) -> Mean:
        """Return the ratio of two results that are single numbers."""
        return ratio(self.rows(case, name), self.rows(case, other))

    def at(self, case: ScentCase, k: int, other: str = "limit", name: str = "difference") -> Mean:
        """Return Q with the k-th DeltaS over another result."""
        return ratio(self.rows(case, name)[:, k], self.rows(case, other))

    def share(self, case: ScentCase, name: str, k: int) -> Mean:
        """Return the mean of ``to_static``, ``printed_to_static`` or ``never``, k-th DeltaS."""
        return mean(self.rows(case, name)[:, k].tolist())

    def best(self, case: ScentCase, name: str = "difference") -> int:
        """Return the index of the DeltaS with the greatest mean Q."""
        return int(self.rows(case, name).mean(axis=0).argmax())

    def tuned(self, case: ScentCase, name: str = "difference") -> Array:
        """Return Q of each seed, with the DeltaS that is best on the other seeds."""
        rows = self.rows(case, name)
        others = rows.sum(axis=0) - rows
        return np.asarray(rows[np.arange(len(rows)), others.argmax(axis=1)])

    def of(self, case: ScentCase, name: str, other: str = "limit") -> Mean:
        """Return Q with the tuned DeltaS over another result."""
        return ratio(self.tuned(case, name), self.rows(case, other))

    def gain(self, case: ScentCase, name: str, over: Array) -> Mean:
        """Return how much greater Q with the tuned DeltaS is than another, over the limit."""
        limit = self.rows(case, "limit")
        return mean(((self.tuned(case, name) - over) / limit).tolist())

    def gain_over_ends(self, case: ScentCase) -> tuple[Mean, Mean]:
        """Return the gain of the tuned DeltaS over DeltaS = 0 and over the largest one."""
        rows = self.rows(case, "difference")
        return self.gain(case, "difference", rows[:, 0]), self.gain(case, "difference", rows[:, -1])

    def inner_is_best(self, case: ScentCase) -> bool:
        """Return whether both gains over the ends are above 0, with their intervals."""
        return all(one.value - (one.half or 0.0) > 0 for one in self.gain_over_ends(case))

    def curves(self, case: ScentCase) -> list[tuple[Mean, ...]]:
        """Return Q divided by that of a fresh index, after each run.

        There are three curves: with DeltaS = 0, with the best DeltaS of each seed, and with the
        largest DeltaS.
        """
        rows = self.rows(case, "curves")
        return [column_means(rows[:, k]) for k in range(rows.shape[1])]

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
                    "kinds": [kind._asdict() for kind in case.kinds],
                    **{f"{name}_of_limit": as_json(self.over(case, name, "limit"))
                       for name in ("fresh", "informed", "planned", "estimated", "uniform",
                                    "bandit", "seeing", "model")},
                    "of_limit": {name: [as_json(self.at(case, k, "limit", name)) for k in places]
                                 for name in (*HARVESTS, "per_second", "apart")},
                    "tuned_of_limit": {name: as_json(self.of(case, name))
                                       for name in (*HARVESTS, "per_second", "apart")},
                    "of_oracle": [as_json(self.at(case, k, "informed")) for k in places],
                    "gain_over_ends": [as_json(one) for one in self.gain_over_ends(case)],
                    "to_static": [as_json(self.share(case, "to_static", k)) for k in places],
                    "never": [as_json(self.share(case, "never", k)) for k in places],
                }
                for case in self.sites
            ],
            "sweep": [point.to_json() for point in self.sweep],
        }  # fmt: skip


def study(
    seeds: range, processes: int = 1, tell: Tell | None = None,
    *, pages: int = PAGES, runs: int = RUNS,
) -> Scent:  # fmt: skip
    """Run the policies on the sites of each case and seed.

    Parameters
    ----------
    seeds : range
    processes : int
        How many of them are studied at the same time.
    tell : callable, optional
        Called with a line of text about the progress.
    pages, runs : int
        Number of pages and of runs of each.
    """
    jobs = list(product(CASES, seeds))
    found = run_all(partial(visited, pages, runs), jobs, processes, tell, "site")
    few = seeds[: scent_sweep.MOST]
    grid = partial(scent_sweep.swept, pages, runs, INTERVAL, DELTAS)
    swept = run_all(grid, list(product(scent_sweep.GRID, few)), processes, tell, "site of the grid")
    return Scent(seeds, pages, runs, {
        case: tuple(one for job, one in zip(jobs, found, strict=True) if job[0] == case)
        for case in CASES
    }, scent_sweep.points(swept, len(few)))  # fmt: skip
