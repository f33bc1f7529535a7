"""Regret of R3 against the theory of UCB1 (Auer, Cesa-Bianchi, Fischer 2002), and on webs.

On arms whose rewards are 0 or 1 Xmax is 1, so R3 *is* UCB1, and the theorem must hold: after n
steps the expected regret is at most 8 ln n * sum of 1/D(i) + (1 + pi^2/3) * sum of D(i), D(i)
being by how much arm i is worse than the best. On webs rewards are neither identically
distributed nor endless, so regret is measured against the best that any allocation of n pages to
sites could have found.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from counterpoint.sim_web.profile import load
from counterpoint.studies.comparison.plan import Plan
from counterpoint.studies.comparison.planted import Planted
from counterpoint.studies.comparison.statistics import Mean, mean

from .arms import best_totals, found_so_far, play, rows_of
from .statistics import as_json, column_means, ratio
from .study import Tell, collected

Array = np.ndarray[Any, Any]

DISTRIBUTIONS = {
    "1": (0.9, 0.6),
    "11": (0.9, *[0.6] * 9),
    "12": (0.9, *[0.8] * 3, *[0.7] * 3, *[0.6] * 3),
}
"""Chances of a reward of 1; numbered as in the experiments of Auer, Cesa-Bianchi and Fischer."""

STEPS = 20_000
SETS = ("institutes", "universities", "sample")
BUDGET = 2000
RULES = ("equal-quanta", "R1", "R2", "R3")


def gaps(chances: tuple[float, ...]) -> Array:
    """Return by how much each arm is worse than the best."""
    return max(chances) - np.array(chances)


def bound(chances: tuple[float, ...], n: Array | float) -> Array:
    """Return what the expected regret of UCB1 after n steps is at most (Theorem 1)."""
    worse = gaps(chances)[gaps(chances) > 0]
    return np.asarray(8 * np.log(n) * (1 / worse).sum() + (1 + math.pi**2 / 3) * worse.sum())


def lowest_slope(chances: tuple[float, ...]) -> float:
    """Return the regret per ln n that no good policy can go below in the end (Lai, Robbins 1985).

    It is the sum of D(i) / KL(i), with the divergence of arm i from the best.
    """
    best, total = max(chances), 0.0
    for p in chances:
        if p < best:
            kl = p * math.log(p / best) + (1 - p) * math.log((1 - p) / (1 - best))
            total += (best - p) / kl
    return total


def checkpoints(steps: int) -> Array:
    """Return the steps at which regret is told: about evenly on a logarithmic scale."""
    return np.unique(np.rint(np.geomspace(min(10, steps), steps, 41)).astype(np.int64))


def stationary(steps: int, job: tuple[str, int]) -> Array:
    """Return the regret of R3 at each checkpoint: the sum of D(i) over the steps made."""
    name, seed = job
    chances = DISTRIBUTIONS[name]
    chance = np.random.default_rng([seed, 0xA5, int(name)])
    rows = [(chance.random(steps) < p).astype(np.int64) for p in chances]
    sites = play("R3,initial=1", rows, steps, seed).sites
    regret: Array = np.cumsum(gaps(chances)[sites])
    found: Array = regret[checkpoints(steps) - 1]
    return found


@dataclass(frozen=True)
class Crawled:
    """The rules on the sites of one web.

    Attributes
    ----------
    best : int64[budget]
        What the best allocation finds in n pages.
    found : dict of str to int64[budget]
        What each rule found.
    single : int
        What the best single site brings.
    trust : float
        sqrt(2 ln n / t) for n the budget and t an even share of it.
    reward : float
        The largest mean / Xmax of a site on its even share.
    least, most : int
        Pages that R3 gave the sites with fewest and most.
    """

    best: Array
    found: dict[str, Array]
    single: int
    trust: float
    reward: float
    least: int
    most: int


def crawled(budget: int, job: tuple[str, int]) -> Crawled:
    """Let the rules crawl the sites of the web of a seed."""
    name, seed = job
    rows = rows_of(Planted(Plan((), load(name), budget), seed), budget)
    share = max(1, budget // len(rows))
    played = {rule: play(rule, rows, budget, seed) for rule in RULES}
    pages = np.bincount(played["R3"].sites, minlength=len(rows))
    most = max(int(row[:share].max()) for row in rows)
    return Crawled(
        best_totals(rows, budget)[1:],
        {rule: found_so_far(rows, one.sites) for rule, one in played.items()},
        max(int(row.sum()) for row in rows),
        math.sqrt(2 * math.log(budget) / share),
        max(float(row[:share].mean()) for row in rows) / max(1, most),
        int(pages.min()),
        int(pages.max()),
    )


@dataclass(frozen=True)
class Regret:
    """What was measured.

    Attributes
    ----------
    seeds : range
    steps, budget : int
        Of arms; of webs.
    arms : dict of str to float64[seeds, checkpoints]
        Regret on each distribution.
    webs : dict of str to list of Crawled
        The rules on each set of sites.
    """

    seeds: range
    steps: int
    budget: int
    arms: dict[str, Array]
    webs: dict[str, list[Crawled]]

    def decade(self, name: str) -> Mean:
        """Return the regret after all steps over that after a tenth of them."""
        rows, points = self.arms[name], checkpoints(self.steps)
        tenth = int(np.abs(points - self.steps / 10).argmin())
        return ratio(rows[:, -1], rows[:, tenth])

    def slope(self, name: str) -> Mean:
        """Return the growth per ln n over the last tenfold of the steps."""
        rows, points = self.arms[name], checkpoints(self.steps)
        tenth = int(np.abs(points - self.steps / 10).argmin())
        width = math.log(points[-1] / points[tenth])
        return mean(((rows[:, -1] - rows[:, tenth]) / width).tolist())

    def below(self, name: str) -> bool:
        """Tell whether the interval of the regret is below the bound at all checkpoints."""
        limits = bound(DISTRIBUTIONS[name], checkpoints(self.steps)).tolist()
        return all(
            one.value + (one.half or 0.0) <= limit
            for one, limit in zip(column_means(self.arms[name]), limits, strict=True)
        )

    def share(self, web: str, rule: str) -> Mean:
        """Return what a rule found, of what the best allocation finds."""
        runs = self.webs[web]
        return ratio([float(run.found[rule][-1]) for run in runs],
                     [float(run.best[-1]) for run in runs])  # fmt: skip

    def to_json(self) -> dict[str, Any]:
        """Return all figures."""
        points = checkpoints(self.steps)
        return {
            "seeds": [self.seeds.start, self.seeds.stop - 1],
            "arms": {
                name: {
                    "chances": list(DISTRIBUTIONS[name]),
                    "steps": points.tolist(),
                    "regret": [as_json(one) for one in column_means(rows)],
                    "bound": bound(DISTRIBUTIONS[name], points).tolist(),
                    "slope": as_json(self.slope(name)),
                    "lowest_slope": lowest_slope(DISTRIBUTIONS[name]),
                    "tenfold": as_json(self.decade(name)),
                }
                for name, rows in self.arms.items()
            },
            "webs": {
                web: {rule: as_json(self.share(web, rule)) for rule in RULES} for web in self.webs
            },
        }


def study(
    seeds: range, processes: int = 1, tell: Tell | None = None,
    *, steps: int = STEPS, budget: int = BUDGET,
) -> Regret:  # fmt: skip
    """Measure the regret of R3 on arms, and of all rules on webs."""
    on_arms = list(product(DISTRIBUTIONS, seeds))
    on_webs = list(product(SETS, seeds))
    arms = collected(partial(stationary, steps), on_arms, processes, tell, "arms, run")
    webs = collected(partial(crawled, budget), on_webs, processes, tell)
    return Regret(
        seeds,
        steps,
        budget,
        {
            name: np.array([row for job, row in zip(on_arms, arms, strict=True) if job[0] == name])
            for name in DISTRIBUTIONS
        },
        {
            name: [one for job, one in zip(on_webs, webs, strict=True) if job[0] == name]
            for name in SETS
        },
    )
