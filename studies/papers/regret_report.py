"""What the figures of `regret` say."""

from __future__ import annotations

import numpy as np

from counterpoint.studies.comparison.statistics import mean

from .regret import DISTRIBUTIONS, RULES, Regret, bound, checkpoints, gaps, lowest_slope
from .report import NOT_REPRODUCED, REPRODUCED, Figure, Finding, Line, Report, Section, Table
from .statistics import column_means, ratio, told


def report(of: Regret) -> Report:
    """Return what the figures say."""
    return Report(
        "regret",
        "Regret of R3 against the theory of UCB1",
        "Auer, Cesa-Bianchi, Fischer, Finite-time analysis of the multiarmed bandit problem "
        "(2002), which [BeeBot] takes R3 from.",
        f"{len(of.seeds)} seeds; {of.steps:,} steps on arms, {of.budget:,} pages of each "
        "web. Intervals are 95%, Student's, over seeds; of ratios by the delta method.",
        _findings(of),
        (_arms(of), _webs(of), _why(of)),
        f"counterpoint papers regret --seeds {len(of.seeds)}",
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
