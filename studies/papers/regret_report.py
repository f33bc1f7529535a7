"""The report on the figures of `regret`."""

from __future__ import annotations

import numpy as np

from counterpoint.studies.comparison.statistics import Mean, mean

from .regret import (
    ABLATED,
    COMPARED,
    DISTRIBUTIONS,
    RULES,
    TENTH,
    Regret,
    bound,
    checkpoints,
    gaps,
    lowest_slope,
)
from .report import NOT_REPRODUCED, REPRODUCED, Figure, Finding, Line, Report, Section, Table
from .statistics import column_means, ratio, with_interval


def report(study: Regret) -> Report:
    """Return the report on the measured figures."""
    return Report(
        "regret",
        "Regret of R3 against the theory of UCB1",
        "Auer, Cesa-Bianchi, Fischer, Finite-time analysis of the multiarmed bandit problem "
        "(2002), which [BeeBot] takes R3 from.",
        f"{len(study.seeds)} seeds; {study.steps:,} steps on arms, {study.budget:,} pages of each "
        "web. Intervals are 95%, Student's, over seeds; of ratios by the delta method.",
        _findings(study),
        (_arms(study), _webs(study), _index(study), _why(study)),
        f"counterpoint papers regret --seeds {len(study.seeds)}",
    )


def _findings(study: Regret) -> tuple[Finding, ...]:
    above = [name for name in DISTRIBUTIONS if not study.below(name)]
    steep = [n for n in DISTRIBUTIONS if study.slope(n).value > _slope_of_bound(n)]
    ratios = ", ".join(with_interval(study.decade(name)) for name in DISTRIBUTIONS)
    return (
        Finding("regret is below the bound at every recorded step", "always",
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


def _arms(study: Regret) -> Section:
    points = checkpoints(study.steps)
    rows, figures = [], []
    for name, chances in DISTRIBUTIONS.items():
        means, limits = column_means(study.arms[name]), bound(chances, points)
        slopes = (with_interval(study.slope(name), 1), f"{_slope_of_bound(name):,.1f}",
                  f"{lowest_slope(chances):.1f}")  # fmt: skip
        rows.append((name, with_interval(means[-1], 1),
                     f"{limits[-1]:,.0f}", *slopes))  # fmt: skip
        xs = tuple(float(n) for n in points)
        figures.append(Figure(
            f"Distribution {name}: {_arms_in_words(chances)}", "steps", "regret",
            (Line("R3", xs, tuple(m.value for m in means), tuple(m.half or 0.0 for m in means)),
             Line("bound (Theorem 1)", xs, tuple(limits.tolist()), dashed=True)),
            logarithmic="xy",
        ))  # fmt: skip
    arms = "; ".join(f"{name}: {_arms_in_words(one)}" for name, one in DISTRIBUTIONS.items())
    note = ("Slope: regret per ln n over the last tenfold of steps; bound's: the slope of the "
            "bound; least: the smallest slope that is possible in the limit (Lai and Robbins "
            "1985).")  # fmt: skip
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


def _webs(study: Regret) -> Section:
    bests = [mean([float(run.best[-1]) for run in runs]) for runs in study.webs.values()]
    singles = [
        ratio([float(run.single) for run in runs], [float(run.best[-1]) for run in runs])
        for runs in study.webs.values()
    ]
    rows = (
        ("links of the best", *(with_interval(one, 0) for one in bests)),
        ("one site", *(f"{one.value:.1%}" for one in singles)),
        *((rule, *(f"{study.share(web, rule).value:.1%}" for web in study.webs)) for rule in RULES),
    )
    figures = [_growth(study, web) for web in study.webs]
    return Section(
        "Webs: regret against the best allocation",
        ("The order of the pages of a site is fixed, so a rule decides only how many pages each "
         "site gets. The best allocation of n pages is computed in hindsight, for each n; regret "
         "is the number of links that it finds less the number that the rule found. No bound "
         "applies: yields fall while a site is scanned, and the best allocation knows where.",),
        (Table(("", *study.webs), rows,
               f"Best: links that the best allocation finds in {study.budget:,} pages. The other "
               "rows: the share of these that the best single site has, and that each rule "
               "found."),),
        tuple(figures),
    )  # fmt: skip


def _index(study: Regret) -> Section:
    gains = tuple(
        (web, *(with_interval(_points(study.gain(web, "gittins", other)), 1) for other in COMPARED))
        for web in study.webs
    )
    mixed = tuple(
        (web, f"{study.share(web, 'gittins').value:.1%}",
         *(with_interval(_points(study.mixed(web, rule)), 1) for rule in ABLATED))
        for web in study.webs
    )  # fmt: skip
    return Section(
        "The index of Gittins, and what it lacks on webs",
        ("[BeeBot] calls the sample mean of R2 an index of Gittins. The policy `gittins` computes "
         "the index itself: Poisson counts with a Gamma prior, discount 0.99. Two ablations. "
         "Without foresight (discount 0) the site with the highest expected yield is next: the "
         "difference is what the index adds to a mean. With the pages of each site in random "
         "order they are alike, as the index takes them to be. The best allocation is another one "
         "then, so the two shares of a rule are not shares of the same number.",),
        (Table(("gittins minus", "R2", "thompson", "no foresight"), gains,
               "Points of the best allocation, on the same webs."),
         Table(("pages mixed", "in order", *(_short(rule) for rule in ABLATED)), mixed,
               "Links found in percent of those of the best allocation for the random order; in "
               "order: those of gittins with the pages in their own order.")),
        ablation=True,
    )  # fmt: skip


def _points(share: Mean) -> Mean:
    return Mean(100 * share.value, None if share.half is None else 100 * share.half)


def _short(rule: str) -> str:
    return "no foresight" if "," in rule else rule


def _growth(study: Regret, web: str) -> Figure:
    runs = study.webs[web]
    at = np.unique(np.rint(np.linspace(1, study.budget, 60)).astype(np.int64))
    xs = tuple(float(n) for n in at)
    lines = []
    for rule in RULES:
        means = column_means(np.array([(run.best - run.found[rule])[at - 1] for run in runs]))
        lines.append(Line(rule, xs, tuple(m.value for m in means),
                          tuple(m.half or 0.0 for m in means)))  # fmt: skip
    return Figure(f"Regret on {web}", "pages", "links fewer than the best", tuple(lines))


def _why(study: Regret) -> Section:
    rows = tuple(
        (
            web,
            f"{np.mean([run.reward for run in runs]):.3f}",
            f"{np.mean([run.trust for run in runs]):.3f}",
            f"{np.mean([run.least for run in runs]):.0f}",
            f"{np.mean([run.most for run in runs]):.0f}",
            f"{study.share(web, 'R3').value:.1%}",
            f"{study.ablated(web, TENTH).value:.1%}",
        )
        for web, runs in study.webs.items()
    )
    share = study.budget // 10
    return Section(
        "Why R3 is so close to equal shares there",
        ("The index is mean/Xmax + sqrt(2 ln n / t). Xmax is the largest number of links on one "
         "page. The more unevenly links are distributed, the less the means count compared with "
         "the second term, which alone would give every site the same number of pages. The "
         "ablation is R3 with a tenth of the second term: if that term keeps R3 close to equal "
         "shares, it finds more.",),
        (Table(("set", "mean/Xmax", "second term", "least", "most", "R3", "R3, tenth"), rows,
               f"The largest mean/Xmax of a site and the second term after {share:,} pages of each "
               "site; then the pages that R3 gave the sites with fewest and with most, and the "
               "share of the best allocation that R3 finds, and R3 with a tenth of the second "
               "term."),),
    )  # fmt: skip
