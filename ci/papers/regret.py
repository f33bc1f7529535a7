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

from counterpoint.ci.comparison.plan import Plan
from counterpoint.ci.comparison.planted import Planted
from counterpoint.ci.comparison.statistics import Mean, mean
from counterpoint.sim_web.profile import load

from .arms import best_totals, found_so_far, play, rows_of
from .report import NOT_REPRODUCED, REPRODUCED, Figure, Finding, Line, Report, Section, Table
from .statistics import as_json, column_means, ratio, told
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

    def report(self) -> Report:
        """Return what the figures say."""
        return Report(
            "regret",
            "Regret of R3 against the theory of UCB1",
            "Auer, Cesa-Bianchi, Fischer, Finite-time analysis of the multiarmed bandit problem "
            "(2002), which [BeeBot] takes R3 from.",
            f"{len(self.seeds)} seeds; {self.steps:,} steps on arms, {self.budget:,} pages of each "
            "web. Intervals are 95%, Student's, over seeds; of ratios by the delta method.",
            _findings(self),
            (_arms(self), _webs(self), _why(self)),
            f"counterpoint papers regret --seeds {len(self.seeds)}",
        )


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


def _findings(of: Regret) -> tuple[Finding, ...]:
    above = [name for name in DISTRIBUTIONS if not of.below(name)]
    steep = [n for n in DISTRIBUTIONS if of.slope(n).value > _slope_of_bound(n)]
    ratios = ", ".join(told(of.decade(name)) for name in DISTRIBUTIONS)
    return (
        Finding("regret is below the bound at every step told", "always",
                f"on {len(DISTRIBUTIONS) - len(above)} of {len(DISTRIBUTIONS)} distributions",
                NOT_REPRODUCED if above else REPRODUCED),
        Finding("regret grows as ln n", "at most 8 sum of 1/D per ln n",
                f"tenfold n multiplies it by {ratios}",
                NOT_REPRODUCED if steep else REPRODUCED,
                "linear growth would be a factor of 10"),
    )  # fmt: skip


def _slope_of_bound(name: str) -> float:
    worse = gaps(DISTRIBUTIONS[name])
    return float(8 * (1 / worse[worse > 0]).sum())


def _arms(of: Regret) -> Section:
    points = checkpoints(of.steps)
    rows, figures = [], []
    for name, chances in DISTRIBUTIONS.items():
        means, limits = column_means(of.arms[name]), bound(chances, points)
        slopes = (told(of.slope(name), 1), f"{_slope_of_bound(name):,.1f}",
                  f"{lowest_slope(chances):.1f}")  # fmt: skip
        rows.append((name, told(means[-1], 1),
                     f"{limits[-1]:,.0f}", *slopes))  # fmt: skip
        xs = tuple(float(n) for n in points)
        figures.append(Figure(
            f"Distribution {name}: {_arms_in_words(chances)}", "steps", "regret",
            (Line("R3", xs, tuple(m.value for m in means), tuple(m.half or 0.0 for m in means)),
             Line("bound (Theorem 1)", xs, tuple(limits.tolist()), dashed=True)),
            logarithmic="xy",
        ))  # fmt: skip
    arms = "; ".join(f"{name}: {_arms_in_words(one)}" for name, one in DISTRIBUTIONS.items())
    note = ("Slope: regret per ln n over the last tenfold of steps; of the bound; and the least "
            "that is possible in the end (Lai and Robbins 1985).")  # fmt: skip
    return Section(
        "Arms with rewards 0 or 1: R3 is UCB1",
        ("Xmax is 1 from the first reward on, and before it all means are 0: the index of R3 is "
         "that of UCB1 at every step.",
         f"Chances of a reward, by the numbers of distributions in the paper: {arms}."),
        (Table(("distribution", "regret", "bound", "slope", "bound's", "least"), tuple(rows),
               note),),
        tuple(figures),
    )  # fmt: skip


def _arms_in_words(chances: tuple[float, ...]) -> str:
    counts = {p: chances.count(p) for p in dict.fromkeys(chances)}
    return ", ".join(f"{n} x {p}" if n > 1 else f"{p}" for p, n in counts.items())


def _webs(of: Regret) -> Section:
    rows, figures = [], []
    for web, runs in of.webs.items():
        best = mean([float(run.best[-1]) for run in runs])
        single = ratio([float(run.single) for run in runs], [float(r.best[-1]) for r in runs])
        shares = [f"{of.share(web, rule).value:.1%}" for rule in RULES]
        rows.append((web, told(best, 0), f"{single.value:.1%}", *shares))
        figures.append(_growth(of, web))
    return Section(
        "Webs: regret against the best allocation",
        ("Pages of a site come in a fixed order, so all that a rule decides is how many pages each "
         "site gets. The best allocation of n pages is found in hindsight, for each n; regret is "
         "what it finds less what the rule found. No bound applies: yields fall as a site is "
         "scanned, and the best allocation knows where.",),
        (Table(("set", "best", "one site", *RULES), tuple(rows),
               f"Links found in {of.budget:,} pages by the best allocation; of these, how many "
               "the best single site has, and each rule found."),),
        tuple(figures),
    )  # fmt: skip


def _growth(of: Regret, web: str) -> Figure:
    runs = of.webs[web]
    at = np.unique(np.rint(np.linspace(1, of.budget, 60)).astype(np.int64))
    xs = tuple(float(n) for n in at)
    lines = []
    for rule in RULES:
        means = column_means(np.array([(run.best - run.found[rule])[at - 1] for run in runs]))
        lines.append(Line(rule, xs, tuple(m.value for m in means),
                          tuple(m.half or 0.0 for m in means)))  # fmt: skip
    return Figure(f"Regret on {web}", "pages", "links fewer than the best", tuple(lines))


def _why(of: Regret) -> Section:
    rows = tuple(
        (
            web,
            f"{np.mean([run.reward for run in runs]):.3f}",
            f"{np.mean([run.trust for run in runs]):.3f}",
            f"{np.mean([run.least for run in runs]):.0f}",
            f"{np.mean([run.most for run in runs]):.0f}",
        )
        for web, runs in of.webs.items()
    )
    share = of.budget // 10
    return Section(
        "Why R3 is so close to equal shares there",
        ("The index is mean/Xmax + sqrt(2 ln n / t). Xmax is the largest number of links on one "
         "page; the more unevenly links lie, the less the means count beside the second term, "
         "which alone would give every site the same number of pages.",),
        (Table(("set", "best mean/Xmax", "second term", "least pages", "most pages"), rows,
               f"The largest mean/Xmax of a site and the second term after {share:,} pages of each "
               "site; then the pages that R3 gave the sites with fewest and with most."),),
    )  # fmt: skip
