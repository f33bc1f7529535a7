"""Table 2 of [BeeBot], told: what comes out again, what does not, and why."""

from __future__ import annotations

import numpy as np

from counterpoint.studies.comparison.statistics import mean

from .beebot import INITIAL, PRINTED, RULES, STEP, STEPS, TRIED, BeeBot, printed_ratio
from .report import (
    IN_PART,
    NOT_REPRODUCED,
    REPRODUCED,
    Figure,
    Finding,
    Line,
    Report,
    Section,
    Table,
)
from .statistics import correlation, ratio, told

R2, R3 = f"R2,step={STEP}", f"R3,initial={INITIAL}"


def report(of: BeeBot) -> Report:
    """Return what the figures say."""
    return Report(
        "beebot",
        "Table 2 of BeeBot: external links found by R1, R2 and R3",
        "Pechnikov and Chernobrovkin, an adaptive crawler for external hyperlinks (2011/12).",
        f"{of.budget:,} pages of ten sites, {len(of.seeds)} webs of each set. Intervals are 95%, "
        "Student's, over webs; of ratios (mean over mean, the same webs) by the delta method.",
        tuple(_finding(of, web, rule) for web in PRINTED for rule in (R2, R3)),
        (_table2(of), _parameters(of), _single(of), _starvation(of), _experiment(of)),
        f"counterpoint papers beebot --seeds {len(of.seeds)}",
    )


def _finding(of: BeeBot, web: str, rule: str) -> Finding:
    others = [one for one in RULES if one[:2] == rule[:2]]
    ratios = [of.ratio(web, one).value for one in others]
    low, webs = of.as_low(web, rule), len(of.seeds)
    if of.holds(web, rule):
        answer = REPRODUCED
    elif any(of.holds(web, one) for one in others) or 0 < low < webs:
        answer = IN_PART
    else:
        answer = NOT_REPRODUCED
    here = f"{told(of.ratio(web, rule))}"
    if max(ratios) - min(ratios) > 0.005:
        here += f"; {min(ratios):.2f} to {max(ratios):.2f} by {'n' if rule == R2 else 'm'}"
    return Finding(f"{rule[:2]}/R1 on {web}", f"{printed_ratio(web, rule):.2f}", here,
                   answer, "" if answer == REPRODUCED else _why(of, web, rule))  # fmt: skip


def _why(of: BeeBot, web: str, rule: str) -> str:
    """Say how far off the paper's ratio is, and what was found about it."""
    paper, low, webs = printed_ratio(web, rule), of.as_low(web, rule), len(of.seeds)
    if 0 < low < webs:
        return (f"one web differs from the next: {low} of {webs} have a ratio of at most "
                f"{paper:.2f}, {webs - low} a greater one")  # fmt: skip
    said = f"no web of {webs} has a ratio as {'low' if low == 0 else 'high'}"
    if web == TRIED and rule == R2 and (k := _reached_at(of)) is not None:
        starved = mean([float(run.starved[STEP].sites) for run in of.webs[web]])
        said += (f"; R2 leaves {starved.value:.1f} sites unvisited there on average, and in the "
                 f"experiment it takes the {k} richest to fall to {paper:.2f}")  # fmt: skip
    r1 = of.mean(web, "R1")
    if abs(r1.value - PRINTED[web][0]) > 0.2 * PRINTED[web][0]:
        said += f"; R1 itself finds {r1.value:,.0f} links here, {PRINTED[web][0]:,} in the paper"
    return said


def _reached_at(of: BeeBot) -> int | None:
    """Return how many of the richest sites must begin empty for the ratio to be the paper's."""
    values = [one.value for one in of.tried(True)]
    return next((k for k, v in enumerate(values) if v <= printed_ratio(TRIED, R2)), None)


def _table2(of: BeeBot) -> Section:
    rows = []
    for web, printed in PRINTED.items():
        for rule, paper in zip(("R1", R2, R3), printed, strict=True):
            row = (web if rule == "R1" else "", rule[:2], f"{paper:,}", told(of.mean(web, rule), 0))
            if rule == "R1":
                rows.append((*row, "", "", ""))
                continue
            rows.append((*row, f"{printed_ratio(web, rule):.2f}", told(of.ratio(web, rule)),
                         "yes" if of.holds(web, rule) else "no"))  # fmt: skip
    note = (f"R2 with n = {STEP}, R3 with m = {INITIAL}, the defaults; the paper gives neither. "
            "In it: whether the interval of the ratio contains the paper's.")  # fmt: skip
    return Section(
        "Table 2",
        ("Where the links of the profiles institutes and universities stand is fitted to the "
         "paper's R1, so R1 there is no evidence of anything; R2 and R3 are not fitted, and "
         "nothing is in sample.",),
        (Table(("set", "rule", "paper", "here", "paper /R1", "here /R1", "in it"), tuple(rows),
               note),),
    )  # fmt: skip


def _parameters(of: BeeBot) -> Section:
    rows = tuple(
        (_as_printed(rule), *(told(of.ratio(web, rule)) for web in PRINTED)) for rule in RULES[1:]
    )
    return Section("Ratios to R1 for other n and m", (), (Table(("rule", *PRINTED), rows),))


def _as_printed(rule: str) -> str:
    return rule.replace(",step=", ", n = ").replace(",initial=", ", m = ")


def _single(of: BeeBot) -> Section:
    webs, rows, figures = len(of.seeds), [], []
    for web in PRINTED:
        lines = []
        for rule in (R2, R3):
            ratios = sorted(of.single(web, rule))
            places = tuple((k + 0.5) / webs for k in range(webs))
            lines.append(Line(f"{rule[:2]} over R1", places, tuple(ratios)))
            rows.append((web if rule == R2 else "", rule[:2], f"{ratios[0]:.2f}",
                         f"{np.median(ratios):.2f}", f"{ratios[-1]:.2f}",
                         f"{printed_ratio(web, rule):.2f}", f"{of.as_low(web, rule)}"))  # fmt: skip
        levels = tuple((f"paper's {rule[:2]}/R1", printed_ratio(web, rule)) for rule in (R2, R3))
        figures.append(Figure(f"Single webs: {web}", "share of the webs", "ratio to R1",
                              tuple(lines), levels))  # fmt: skip
    return Section(
        "Single webs",
        ("Each of the paper's figures is of one web, so its ratio may lie where a single web's "
         "does though the interval of the mean is elsewhere.",),
        (Table(("set", "rule", "least", "median", "greatest", "paper", "webs at most the paper's"),
               tuple(rows)),),
        tuple(figures),
    )  # fmt: skip


def _starvation(of: BeeBot) -> Section:
    rows = []
    for web in PRINTED:
        for n in STEPS:
            rows.append((web if n == STEPS[0] else "", str(n), *_starved(of, web, n)))
    figures = tuple(
        Figure(
            f"Starvation and R2/R1: {web}, n = {STEP}",
            "share of the links on sites never visited again", "R2 over R1 on a web",
            (Line("a web", tuple(run.starved[STEP].links for run in of.webs[web]),
                  tuple(of.single(web, R2)), dots=True),),
        )
        for web in PRINTED
        if np.mean([run.starved[STEP].links for run in of.webs[web]]) >= 0.01
    )  # fmt: skip
    return Section(
        "R2 never returns to a site whose first n pages are empty",
        ("How many sites R2 never returned to, and what share of the links on the first "
         f"{of.budget:,} pages of all sites they hold; on how many webs the site with the most "
         "links is one of them, and R2/R1 there and on the other webs; the correlation, over "
         "webs, of R2/R1 with that share.",),
        (Table(("set", "n", "sites", "links", "richest", "there", "others", "correlation"),
               tuple(rows)),),
        figures,
    )  # fmt: skip


def _starved(of: BeeBot, web: str, n: int) -> tuple[str, ...]:
    runs, rule = of.webs[web], f"R2,step={n}"
    left = [run.starved[n] for run in runs]
    found = correlation([one.links for one in left], of.single(web, rule))
    there = [k for k, one in enumerate(left) if one.richest]
    elsewhere = [k for k in range(len(left)) if k not in there]
    return (
        f"{np.mean([one.sites for one in left]):.1f}",
        f"{np.mean([one.links for one in left]):.1%}",
        f"{len(there)}",
        _over_r1(of, web, rule, there),
        _over_r1(of, web, rule, elsewhere),
        "-" if found is None else f"{found[0]:.2f} [{found[1]:.2f}, {found[2]:.2f}]",
    )


def _over_r1(of: BeeBot, web: str, rule: str, places: list[int]) -> str:
    if not places:
        return "-"
    values, others = of.values(web, rule), of.values(web, "R1")
    return f"{ratio([values[k] for k in places], [others[k] for k in places]).value:.2f}"


def _experiment(of: BeeBot) -> Section:
    richest, poorest = of.tried(True), of.tried(False)
    rows = tuple(
        (str(k), told(a), told(b)) for k, (a, b) in enumerate(zip(richest, poorest, strict=True))
    )
    xs = tuple(float(k) for k in range(len(richest)))
    lines = tuple(
        Line(name, xs, tuple(m.value for m in some), tuple(m.half or 0.0 for m in some))
        for name, some in (("the richest begin empty", richest), ("the poorest", poorest))
    )
    paper = printed_ratio(TRIED, R2)
    return Section(
        f"Experiment: {TRIED} with k sites that begin with {STEP} empty pages",
        (f"An experiment, and no fit: of k sites the {STEP} pages without external links that come "
         "first are put before all others. Pages and links stay what they are; only their order "
         f"changes. R2/R1 with n = {STEP}; the paper has {paper:.2f}.",
         "It shows that starvation is enough to make R2 as bad as the paper found it, if about so "
         "many of its sites began with empty pages. Whether they did is not known."),
        (Table(("k", "the k richest", "the k poorest"), rows),),
        (Figure("R2/R1 if k sites begin empty", "k", "R2 over R1", lines,
                (("paper", paper),)),),
    )  # fmt: skip
