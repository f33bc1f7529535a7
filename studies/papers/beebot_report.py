"""The report on Table 2 of [BeeBot]: which ratios are reproduced, which not, and why."""

from __future__ import annotations

import numpy as np

from counterpoint.studies.comparison.statistics import Mean

from . import assumptions_report, table2_findings
from .beebot import (
    AS_PRINTED,
    INITIAL,
    PRINTED,
    RULES,
    STEP,
    STEPS,
    TOGETHER,
    TRIED,
    BeeBot,
    printed_ratio,
)
from .report import (
    Figure,
    Line,
    Report,
    Section,
    Table,
)
from .statistics import correlation, ratio, with_interval
from .table2_findings import R2, R3


def report(study: BeeBot) -> Report:
    """Return the report on the measured figures."""
    return Report(
        "beebot",
        "Table 2 of BeeBot: external links found by R1, R2 and R3",
        "Pechnikov and Chernobrovkin, an adaptive crawler for external hyperlinks (2011/12).",
        f"{study.budget:,} pages of ten sites, {len(study.seeds)} webs of each set. Intervals are "
        "95%, Student's, over webs; of ratios (mean over mean, the same webs) by the delta method.",
        (
            *table2_findings.findings(study),
            *assumptions_report.findings(study),
        ),
        (
            _table2(study),
            _parameters(study),
            _printed(study),
            _single(study),
            _starvation(study),
            *(_experiment(study, web) for web in TRIED),
            _together(study),
            *assumptions_report.sections(study),
        ),
        f"counterpoint papers beebot --seeds {len(study.seeds)}",
    )


def _table2(study: BeeBot) -> Section:
    rows = []
    for web, printed in PRINTED.items():
        for rule, paper in zip(("R1", R2, R3), printed, strict=True):
            row = (
                web if rule == "R1" else "",
                rule[:2],
                f"{paper:,}",
                with_interval(study.mean(web, rule), 0),
            )
            if rule == "R1":
                rows.append((*row, "", "", ""))
                continue
            rows.append((*row, f"{printed_ratio(web, rule):.2f}",
                         with_interval(study.ratio(web, rule)),
                         "yes" if study.holds(web, rule) else "no"))  # fmt: skip
    note = (f"R2 with n = {STEP}, R3 with m = {INITIAL}, the defaults; the paper gives neither. "
            "Inside: whether the interval of the ratio contains it.")  # fmt: skip
    return Section(
        "Table 2",
        ("In the profiles institutes and universities, the distribution of links over pages is "
         "fitted to the paper's R1, and the links on the first 200 pages of the sites of Table 1 "
         "to R1 on sample, where each site has 200 pages. So R1 is no evidence. R2 and R3 are not "
         "fitted.",),
        (Table(("set", "rule", "paper", "here", "paper /R1", "here /R1", "inside"), tuple(rows),
               note),),
    )  # fmt: skip


def _parameters(study: BeeBot) -> Section:
    rows = tuple(
        (_as_printed(rule), *(with_interval(study.ratio(web, rule)) for web in PRINTED))
        for rule in RULES[1:]
    )
    return Section("Ratios to R1 for other n and m", (), (Table(("rule", *PRINTED), rows),))


def _as_printed(rule: str) -> str:
    return rule.replace(",step=", ", n = ").replace(",initial=", ", m = ")


def _printed(study: BeeBot) -> Section:
    rows: list[tuple[str, ...]] = []
    more = [web for web, (paper, *_) in PRINTED.items()
            if _least(study.mean(web, AS_PRINTED[0])) > paper]  # fmt: skip
    for web, printed in PRINTED.items():
        for rule, mended, paper in zip(AS_PRINTED, ("R1", R2, R3), printed, strict=True):
            rows.append((web if mended == "R1" else "", mended[:2], f"{paper:,}",
                         with_interval(study.mean(web, mended), 0),
                         with_interval(study.mean(web, rule), 0),
                         f"{study.pages(web, rule).value:,.0f}"))  # fmt: skip
    return Section(
        "The rules as printed",
        (f"As printed, R1 scans N - [N/K] pages in its second phase, R2 up to n and R3 one page "
         f"more than N = {study.budget:,}, and a rule stops where the site that it chose has no "
         f"page left. Sets on which R1 as printed finds more than in the paper: "
         f"{', '.join(more) or 'none'}. If the paper's sites were like these, its program did not "
         "scan so many pages there.",),
        (Table(("set", "rule", "paper", "corrected", "as printed", "pages"), tuple(rows)),),
    )  # fmt: skip


def _least(found: Mean) -> float:
    return found.value - (found.half or 0.0)


def _single(study: BeeBot) -> Section:
    webs, rows, figures = len(study.seeds), [], []
    for web in PRINTED:
        lines = []
        for rule in (R2, R3):
            ratios = sorted(study.single(web, rule))
            places = tuple((k + 0.5) / webs for k in range(webs))
            lines.append(Line(f"{rule[:2]} over R1", places, tuple(ratios)))
            rows.append((web if rule == R2 else "", rule[:2], f"{ratios[0]:.2f}",
                         f"{np.median(ratios):.2f}", f"{ratios[-1]:.2f}",
                         f"{printed_ratio(web, rule):.2f}",
                         f"{study.as_low(web, rule)}"))  # fmt: skip
        levels = tuple((f"paper's {rule[:2]}/R1", printed_ratio(web, rule)) for rule in (R2, R3))
        figures.append(Figure(f"Single webs: {web}", "share of the webs", "ratio to R1",
                              tuple(lines), levels))  # fmt: skip
    return Section(
        "Single webs",
        ("Each of the paper's figures comes from one web. So the paper's ratio may be in the range "
         "of single webs, although it is outside the interval of the mean.",),
        (Table(("set", "rule", "least", "median", "greatest", "paper", "webs at most the paper's"),
               tuple(rows)),),
        tuple(figures),
    )  # fmt: skip


def _starvation(study: BeeBot) -> Section:
    rows = []
    for web in PRINTED:
        for n in STEPS:
            rows.append((web if n == STEPS[0] else "", str(n), *_starved(study, web, n)))
    figures = tuple(
        Figure(
            f"Starvation and R2/R1: {web}, n = {STEP}",
            "share of the links on sites never visited again", "R2 over R1 on a web",
            (Line("a web", tuple(run.starved[STEP].links for run in study.webs[web]),
                  tuple(study.single(web, R2)), dots=True),),
        )
        for web in PRINTED
        if np.mean([run.starved[STEP].links for run in study.webs[web]]) >= 0.01
    )  # fmt: skip
    return Section(
        "R2 never returns to a site whose first n pages are empty",
        ("Sites: the number of sites to which R2 never returned. Links: their share of the links "
         f"on the first {study.budget:,} pages of all sites. Richest: on how many webs the site "
         "with the most links is one of them. There, others: R2/R1 on these webs and on the other "
         "webs. Correlation: of R2/R1 with the share of links, over webs.",),
        (Table(("set", "n", "sites", "links", "richest", "there", "others", "correlation"),
               tuple(rows)),),
        figures,
    )  # fmt: skip


def _starved(study: BeeBot, web: str, n: int) -> tuple[str, ...]:
    runs, rule = study.webs[web], f"R2,step={n}"
    left = [run.starved[n] for run in runs]
    found = correlation([one.links for one in left], study.single(web, rule))
    there = [k for k, one in enumerate(left) if one.richest]
    elsewhere = [k for k in range(len(left)) if k not in there]
    return (
        f"{np.mean([one.sites for one in left]):.1f}",
        f"{np.mean([one.links for one in left]):.1%}",
        f"{len(there)}",
        _over_r1(study, web, rule, there),
        _over_r1(study, web, rule, elsewhere),
        "-" if found is None else f"{found[0]:.2f} [{found[1]:.2f}, {found[2]:.2f}]",
    )


def _over_r1(study: BeeBot, web: str, rule: str, places: list[int]) -> str:
    if not places:
        return "-"
    values, others = study.values(web, rule), study.values(web, "R1")
    return f"{ratio([values[k] for k in places], [others[k] for k in places]).value:.2f}"


def _experiment(study: BeeBot, web: str) -> Section:
    richest, poorest = study.tried(web, "R2"), study.tried(web, "R2", richest=False)
    r3 = study.tried(web, "R3")
    rows = tuple(
        (str(k), *map(with_interval, cells))
        for k, cells in enumerate(zip(richest, r3, poorest, strict=True))
    )
    xs = tuple(float(k) for k in range(len(richest)))
    lines = tuple(
        Line(name, xs, tuple(m.value for m in some), tuple(m.half or 0.0 for m in some))
        for name, some in (("R2, the richest begin empty", richest), ("R2, the poorest", poorest),
                           ("R3, the richest", r3))
    )  # fmt: skip
    paper = printed_ratio(web, R2)
    return Section(
        f"Experiment: {web} with k universities that begin with {STEP} empty pages",
        (f"In each of k universities, the first {STEP} pages without external links are moved "
         "before all other pages. The pages and their links stay the same; only the order changes. "
         f"Ratios to R1 with n = {STEP} and m = {INITIAL}; the paper has {paper:.2f} for R2 and "
         f"{printed_ratio(web, R3):.2f} for R3.",
         "Starvation alone can make R2 as bad as in the paper, if so many of the paper's "
         "universities began with empty pages. It is not known whether they did."),
        (Table(("k", "R2, the k richest", "R3, the k richest", "R2, the k poorest"), rows),),
        (Figure(f"Ratios to R1 if k universities of {web} begin empty", "k", "over R1", lines,
                (("paper's R2/R1", paper),)),),
    )  # fmt: skip


def _together(study: BeeBot) -> Section:
    rows = []
    for k, pair in enumerate(TOGETHER):
        (sample,), universities = study.together("sample", k), study.together("universities", k)
        for j, found in enumerate(universities):
            first = (" and ".join(pair), with_interval(sample)) if j == 0 else ("", "")
            rows.append((*first, str(j), with_interval(found)))
    least = min(one.value for k in range(len(TOGETHER))
                for one in study.together("universities", k))  # fmt: skip
    return Section(
        "Experiment: the same universities begin empty in both sets",
        ("The universities of sample are five of the ten of universities. Two choices among the "
         "five that bring R2/R1 on sample near to the paper's "
         f"{printed_ratio('sample', R2):.2f}; they were chosen on such webs. On universities, "
         "others that are not in Table 1 can begin empty as well, the ones with the most links "
         "first. The paper has "
         f"{printed_ratio('universities', R2):.2f} there; the least ratio here is {least:.2f}.",),
        (Table(("begin empty", "sample", "others", "universities"), tuple(rows)),),
    )  # fmt: skip
