"""Compares the regret of R3 with the theory of UCB1 (Auer, Cesa-Bianchi, Fischer 2002) and on webs.

On arms whose rewards are 0 or 1, Xmax is 1, so R3 *is* UCB1, and the theorem must hold: after n
steps the expected regret is at most 8 ln n * sum of 1/D(i) + (1 + pi^2/3) * sum of D(i), where D(i)
is the difference between the mean rewards of the best arm and of arm i. On webs the rewards are
neither identically distributed nor unlimited, so the regret is measured against the best allocation
of n pages to sites.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from counterpoint.sim_web.profile import load
from counterpoint.studies.comparison.plan import ComparisonPlan
from counterpoint.studies.comparison.planted import Planted
from counterpoint.studies.comparison.statistics import Mean, mean

from .arms import best_totals, found_so_far, play, rows_of
from .statistics import as_json, column_means, ratio
from .study import Tell, run_all

Array = np.ndarray[Any, Any]

DISTRIBUTIONS = {
    "1": (0.9, 0.6),
    "11": (0.9, *[0.6] * 9),
    "12": (0.9, *[0.8] * 3, *[0.7] * 3, *[0.6] * 3),
}
"""The probability of reward 1 of each arm, by the number of the distribution in the experiments of
Auer, Cesa-Bianchi and Fischer."""

STEPS = 20_000
SETS = ("institutes", "universities", "sample")
BUDGET = 2000
RULES = ("equal-quanta", "R1", "R2", "R3", "thompson", "gittins")
MYOPIC = "gittins,discount=0,horizon=1"
"""The rule of Gittins without foresight: the site with the highest expected yield is next."""

TENTH = "discounted-ucb,discount=1,exploration=0.005"
"""R3 with a tenth of the second term; with an exploration of 0.5 this policy is R3."""

COMPARED = ("R2", "thompson", MYOPIC)
"""The rules with which that of Gittins is compared web by web."""

ABLATED = ("R3", "thompson", "gittins", MYOPIC)
"""The rules that also scan the same pages in random order."""


def gaps(chances: tuple[float, ...]) -> Array:
    """Return D(i) of each arm: the difference between the best mean reward and its own."""
    return max(chances) - np.array(chances)


def bound(chances: tuple[float, ...], n: Array | float) -> Array:
    """Return the upper bound of UCB1's expected regret after n steps (Theorem 1)."""
    worse = gaps(chances)[gaps(chances) > 0]
    return np.asarray(8 * np.log(n) * (1 / worse).sum() + (1 + math.pi**2 / 3) * worse.sum())


def lowest_slope(chances: tuple[float, ...]) -> float:
    """Return the asymptotic lower bound of regret per ln n of good policies (Lai, Robbins 1985).

    It is the sum of D(i) / KL(i), where KL(i) is the divergence of arm i from the best arm.
    """
    best, total = max(chances), 0.0
    for p in chances:
        if p < best:
            kl = p * math.log(p / best) + (1 - p) * math.log((1 - p) / (1 - best))
            total += (best - p) / kl
    return total


def checkpoints(steps: int) -> Array:
    """Return the steps at which regret is recorded, nearly evenly spaced on a logarithmic scale."""
    return np.unique(np.rint(np.geomspace(min(10, steps), steps, 41)).astype(np.int64))


def stationary(steps: int, job: tuple[str, int]) -> Array:
    """Return the regret of R3 at each checkpoint: the sum of D(i) over the previous steps.

    Parameters
    ----------
    steps : int
    job : tuple of (str, int)
        The name of the distribution, and the seed.
    """
    name, seed = job
    chances = DISTRIBUTIONS[name]
    chance = np.random.default_rng([seed, 0xA5, int(name)])
    rows = [(chance.random(steps) < p).astype(np.int64) for p in chances]
    sites = play("R3,initial=1", rows, steps, seed).sites
    regret: Array = np.cumsum(gaps(chances)[sites])
    found: Array = regret[checkpoints(steps) - 1]
    return found


@dataclass(frozen=True)
class RegretWeb:
    """The results of the rules on the sites of one web.

    Attributes
    ----------
    best : int64[budget]
        Links that the best allocation finds in 1, 2, ... pages.
    found : dict of str to int64[budget]
        Links that each rule has found after each page.
    single : int
        Links that the best single site has.
    trust : float
        sqrt(2 ln n / t), where n is the budget and t an even share of it.
    reward : float
        The largest mean / Xmax of a site over its even share of pages.
    least, most : int
        The fewest and the most pages that R3 gave to a site.
    ablations : dict of str to int
        Links that `MYOPIC` and `TENTH` find.
    mixed : dict of str to int
        Links that rules find where the pages of each site come in random order, and under
        "best" those of the best allocation there.
    """

    best: Array
    found: dict[str, Array]
    single: int
    trust: float
    reward: float
    least: int
    most: int
    ablations: dict[str, int]
    mixed: dict[str, int]

    def links(self, rule: str) -> int:
        """Return the links that a rule of `RULES`, `MYOPIC` or `TENTH` finds."""
        return self.ablations[rule] if rule in self.ablations else int(self.found[rule][-1])


def crawled(budget: int, job: tuple[str, int]) -> RegretWeb:
    """Run the rules on the sites of one web.

    Parameters
    ----------
    budget : int
        Number of pages to scan.
    job : tuple of (str, int)
        The name of the profile, and the seed.
    """
    name, seed = job
    rows = rows_of(Planted(ComparisonPlan((), load(name), budget), seed), budget)
    share = max(1, budget // len(rows))
    played = {rule: play(rule, rows, budget, seed) for rule in RULES}
    pages = np.bincount(played["R3"].sites, minlength=len(rows))
    most = max(int(row[:share].max()) for row in rows)
    return RegretWeb(
        best_totals(rows, budget)[1:],
        {rule: found_so_far(rows, one.sites) for rule, one in played.items()},
        max(int(row.sum()) for row in rows),
        math.sqrt(2 * math.log(budget) / share),
        max(float(row[:share].mean()) for row in rows) / max(1, most),
        int(pages.min()),
        int(pages.max()),
        {rule: play(rule, rows, budget, seed).total for rule in (MYOPIC, TENTH)},
        in_random_order(rows, budget, seed),
    )


def in_random_order(rows: list[Array], budget: int, seed: int) -> dict[str, int]:
    """Return the links that rules find if the pages of each site come in random order.

    Then the pages of a site are alike, as the index of Gittins, UCB1 and Thompson sampling take
    them to be, and the sites differ as before.
    """
    chance = np.random.default_rng([seed, 0x6D])
    mixed = [chance.permutation(row) for row in rows]
    found = {rule: play(rule, mixed, budget, seed).total for rule in ABLATED}
    return found | {"best": int(best_totals(mixed, budget)[-1])}


@dataclass(frozen=True)
class Regret:
    """The results of the study.

    Attributes
    ----------
    seeds : range
    steps, budget : int
        Number of steps on arms, and of pages on webs.
    arms : dict of str to float64[seeds, checkpoints]
        The regret on each distribution.
    webs : dict of str to list of RegretWeb
        The results on each set of sites.
    """

    seeds: range
    steps: int
    budget: int
    arms: dict[str, Array]
    webs: dict[str, list[RegretWeb]]

    def decade(self, name: str) -> Mean:
        """Return the regret after all steps divided by that after a tenth of the steps."""
        rows, points = self.arms[name], checkpoints(self.steps)
        tenth = int(np.abs(points - self.steps / 10).argmin())
        return ratio(rows[:, -1], rows[:, tenth])

    def slope(self, name: str) -> Mean:
        """Return the growth of regret per ln n, from a tenth of the steps to all steps."""
        rows, points = self.arms[name], checkpoints(self.steps)
        tenth = int(np.abs(points - self.steps / 10).argmin())
        width = math.log(points[-1] / points[tenth])
        return mean(((rows[:, -1] - rows[:, tenth]) / width).tolist())

    def below(self, name: str) -> bool:
        """Return whether the interval of the regret is below the bound at all checkpoints."""
        limits = bound(DISTRIBUTIONS[name], checkpoints(self.steps)).tolist()
        return all(
            one.value + (one.half or 0.0) <= limit
            for one, limit in zip(column_means(self.arms[name]), limits, strict=True)
        )

    def share(self, web: str, rule: str) -> Mean:
        """Return the links that a rule finds, as a share of those of the best allocation."""
        runs = self.webs[web]
        return ratio([float(run.found[rule][-1]) for run in runs],
                     [float(run.best[-1]) for run in runs])  # fmt: skip

    def gain(self, web: str, rule: str, other: str) -> Mean:
        """Return how much more of the best allocation a rule finds than another one.

        The interval is that of the differences on the same webs.

        Parameters
        ----------
        web : str
        rule, other : str
            Of `RULES`, `MYOPIC` or `TENTH`.
        """
        return mean([
            (run.links(rule) - run.links(other)) / max(1.0, float(run.best[-1]))
            for run in self.webs[web]
        ])  # fmt: skip

    def ablated(self, web: str, rule: str) -> Mean:
        """Return the share of a rule without one of its parts, `MYOPIC` or `TENTH`."""
        runs = self.webs[web]
        return ratio([float(run.ablations[rule]) for run in runs],
                     [float(run.best[-1]) for run in runs])  # fmt: skip

    def mixed(self, web: str, rule: str) -> Mean:
        """Return the share of a rule where the pages of each site come in random order."""
        runs = self.webs[web]
        return ratio([float(run.mixed[rule]) for run in runs],
                     [float(run.mixed["best"]) for run in runs])  # fmt: skip

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
            "gittins_minus": {
                web: {other: as_json(self.gain(web, "gittins", other)) for other in COMPARED}
                for web in self.webs
            },
            "without_foresight": {web: as_json(self.ablated(web, MYOPIC)) for web in self.webs},
            "tenth_of_second_term": {web: as_json(self.ablated(web, TENTH)) for web in self.webs},
            "in_random_order": {
                web: {rule: as_json(self.mixed(web, rule)) for rule in ABLATED} for web in self.webs
            },
        }


def study(
    seeds: range, processes: int = 1, tell: Tell | None = None,
    *, steps: int = STEPS, budget: int = BUDGET,
) -> Regret:  # fmt: skip
    """Measure the regret of R3 on arms, and of all rules on webs.

    Parameters
    ----------
    seeds : range
    processes : int
        How many runs are made at the same time.
    tell : callable, optional
        Called with a line of text about the progress.
    steps, budget : int
        Number of steps on arms, and of pages on webs.
    """
    on_arms = list(product(DISTRIBUTIONS, seeds))
    on_webs = list(product(SETS, seeds))
    arms = run_all(partial(stationary, steps), on_arms, processes, tell, "arms, run")
    webs = run_all(partial(crawled, budget), on_webs, processes, tell)
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
