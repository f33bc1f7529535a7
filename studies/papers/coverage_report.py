"""The report on the tables of [COV]."""

from __future__ import annotations

from collections.abc import Sequence

from scipy.stats import fisher_exact

from counterpoint.crawler.coverage.samplers import REACHABLE
from counterpoint.crawler.coverage.shares import Estimate, OverSamples, share
from counterpoint.crawler.coverage.slopes import increments

from . import coverage_tables as tables
from . import random_starts_report
from .coverage import Coverage, Flattening, GrowingSample, r_squared
from .report import (
    ANSWERED,
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
from .statistics import in_percent

CORE, BEYOND, PAGES = 56_463_993, 43_166_185, 203_549_046
"""SCC, OUT and all pages of the crawl of May 1999 ([WEB])."""


def report(study: Coverage) -> Report:
    """Return the report on the computed figures."""
    return Report(
        "coverage",
        "How much a crawler covers: the tables of Tianwang's evaluation",
        "Meng Tao, Peking University: an evaluation model for search-engine coverage. Our copy has "
        "the inputs of the tables, but not the results; the table of authority weights is cut off.",
        "Each figure is computed in all ways that the text allows. Intervals are 95% intervals: "
        "Wilson's for shares, Student's for slopes and for means over samples.",
        (_even(study), _enlarged(), _slope(study), *_fits(study), _classical(study),
         _sites(study), _spread(study), _reach(study), _five(study), _falling(study), _flat(study),
         _fifteen(study), random_starts_report.finding(study.starts)),
        (_drawn(study), _growing(study), _samples(study), _topics(), _curves(study),
         random_starts_report.section(study.starts)),
        f"counterpoint papers coverage --seeds {len(study.seeds)}",
    )  # fmt: skip


def _percent(value: float, digits: int = 2) -> str:
    return f"{100 * value:.{digits}f}%"


def _within(estimate: Estimate, digits: int = 2) -> str:
    low, high = f"{100 * estimate.low:.{digits}f}", f"{100 * estimate.high:.{digits}f}"
    return f"{_percent(estimate.value, digits)} ({low} to {high})"


def _even(study: Coverage) -> Finding:
    found = study.drawn
    least, most = min(_steps()), max(_steps())
    return Finding(
        "addresses with a server are met at random: drawn against serving is a line",
        "good randomness",
        f"{1e4 * found.rate:.2f} of 10,000; a step of 100,000 has {least} to {most}, chi-square "
        f"{found.statistic:.1f} for {len(tables.DRAWN) - 1} degrees of freedom (p = "
        f"{found.chance:.3f})",
        REPRODUCED if found.chance >= 0.05 else IN_PART,
        "" if found.chance >= 0.05 else "the steps differ somewhat more than independent draws "
        f"at one rate usually do; the line has a slope of {1e4 * found.slope.slope.value:.2f}",
    )  # fmt: skip


def _enlarged() -> Finding:
    """Test the paper's own criterion: a larger sample by random IP leaves the coverage as it is."""
    half = len(tables.SERVING) // 2 - 1
    first, before = tables.COVERED[half], tables.SERVING[half]
    rest, after = tables.COVERED[-1] - first, tables.SERVING[-1] - before
    chance = float(fisher_exact([[first, before - first], [rest, after - rest]]).pvalue)
    return Finding(
        "if random IP is right, a larger sample does not change the coverage", "so",
        f"{first} of the first {before} sites are covered ({_percent(first / before, 1)}), and "
        f"{rest} of the other {after} ({_percent(rest / after, 1)}); Fisher's exact test: p = "
        f"{chance:.3f}",
        REPRODUCED if chance >= 0.05 else NOT_REPRODUCED,
        "" if chance >= 0.05 else "the two halves of the paper's own table differ",
    )  # fmt: skip


def _fits(study: Coverage) -> tuple[Finding, ...]:
    return tuple(
        Finding(
            f"the coverage {name} is nearly a line", "a value that is lost",
            f"R squared is {r_squared(sizes, covered):.3f}", ANSWERED,
        )
        for name, sizes, covered in (
            ("by random IP", tables.SERVING, tables.COVERED),
            ("after an expansion", tables.EXPANDED, tables.EXPANDED_COVERED),
        )
    )  # fmt: skip


def _steps() -> list[int]:
    return [int(step) for step in increments(tables.SERVING)]


def _slope(study: Coverage) -> Finding:
    origin, line = study.sites.lines["origin"], study.sites.lines["intercept"]
    nothing = -line.intercept / line.slope.value
    return Finding(
        "coverage by random IP is the slope of the least-squares line", "its value is lost",
        f"{_percent(origin.slope.value)} through the origin, {_percent(line.slope.value)} with an "
        "intercept",
        IN_PART,
        f"the paper does not say which line; with an intercept, the estimated coverage is 0 at "
        f"{nothing:.0f} sites and negative below, so it must be the line through the origin",
    )  # fmt: skip


def _classical(study: Coverage) -> Finding:
    more, also = (study.sites.variances[name] for name in ("origin", "intercept"))
    found, line, last = (study.contains[name] for name in ("origin", "intercept", "last"))
    return Finding(
        "ten growing samples say more than the last one alone", "taken for granted",
        f"its slope has {more:.2f} times the variance of the last share, "
        f"{_percent(study.sites.whole['wilson'].value)}; with an intercept {also:.2f} times",
        NOT_REPRODUCED if more > 1 else REPRODUCED,
        "each sample contains the previous one (the paper does not say so, but the Durbin-Watson "
        f"statistic is {study.sites.durbin_watson:.2f}, not near 2), so errors add up: the "
        f"classical 95% interval contains the truth in {in_percent(found, 0)} of "
        "samples, with "
        f"an intercept in {in_percent(line, 0)}, Wilson's of the last share in "
        f"{in_percent(last, 0)}",
    )  # fmt: skip


def _sites(study: Coverage) -> Finding:
    sites, pages = study.sites.whole["wilson"], study.expanded.whole["wilson"]
    searches = study.searches.times(REACHABLE).mean
    apart = sites.high < pages.low and pages.high < searches.low
    return Finding(
        "random IP counts sites, not pages", "so",
        f"{_within(sites, 1)} by random IP, {_within(pages, 1)} after an expansion, "
        f"{_within(searches, 1)} breadth-first times 0.9",
        REPRODUCED if apart else NOT_REPRODUCED,
        "no two of the intervals overlap, so the samplers estimate different things, and the "
        "tables cannot show which one is right" if apart else "the intervals overlap",
    )  # fmt: skip


def _spread(study: Coverage) -> Finding:
    found, single = study.searches, share(tables.SEARCHED_COVERED[0], tables.SEARCHED[0])
    return Finding(
        "breadth-first, mean and variance over five start pages", "values lost",
        f"{_percent(found.mean.value)}; variance {found.variance:.6f} (divided by n: "
        f"{found.variance_of_all:.6f})",
        IN_PART,
        "the paper does not say which variance. The five samples differ far more than samples of "
        f"independent pages would: the interval of the mean is {_within(found.mean, 1)}, the "
        f"binomial interval of a single sample {_within(single, 1)}",
    )  # fmt: skip


def _reach(study: Coverage) -> Finding:
    mean, core = study.searches.mean.value, (CORE + BEYOND) / PAGES
    return Finding(
        "times 0.9, the largest component, corrects breadth-first", "x 0.9",
        f"{_percent(mean * REACHABLE)}; variance {study.searches.times(REACHABLE).variance:.6f}",
        IN_PART,
        "about 0.91 of the pages of [WEB] are in the largest component if links can be followed "
        f"backward; a crawler follows links forward, and from the core it reaches {core:.3f} of "
        f"the pages; with this factor the coverage is {_percent(mean * core)}",
    )  # fmt: skip


def _parts(tops: Sequence[int], sizes: Sequence[int]) -> list[float]:
    return [top / size for top, size in zip(tops, sizes, strict=True)]


def _five(study: Coverage) -> Finding:
    parts = _parts(tables.TOP_RANKED, tables.SEARCHED)
    return Finding(
        "the top 5% or so by PageRank; mean and variance", "values lost",
        f"{_percent(study.ranked.mean.value)}; variance {study.ranked.variance:.6f} (divided by n: "
        f"{study.ranked.variance_of_all:.6f}); the tops are {_percent(min(parts), 1)} to "
        f"{_percent(max(parts), 1)} of the samples",
        REPRODUCED if min(parts) >= 0.035 and max(parts) < 0.065 else NOT_REPRODUCED,
    )  # fmt: skip


def _falling(study: Coverage) -> Finding:
    steps = [later < earlier for curve in study.curves.values()
             for earlier, later in zip(curve.shares, curve.shares[1:], strict=False)]  # fmt: skip
    tops = _parts(tables.TOP_RANKED_COVERED, tables.TOP_RANKED)
    whole = _parts(tables.SEARCHED_COVERED, tables.SEARCHED)
    below = [k + 1 for k, (one, other) in enumerate(zip(tops, whole, strict=True)) if one < other]
    names = ", ".join(
        f"sample {k}: {_percent(tops[k - 1], 1)} of the top, {_percent(whole[k - 1], 1)} of all"
        for k in below
    )
    answer = IN_PART if all(steps) and below else REPRODUCED if all(steps) else NOT_REPRODUCED
    return Finding(
        "quality falls towards quantity as the threshold is relaxed", "so",
        f"at {sum(steps)} of {len(steps)} steps; quality is above quantity in "
        f"{len(tops) - len(below)} of {len(tops)} samples",
        answer, f"not in {names}" if below else "",
    )  # fmt: skip


def _flat(study: Coverage) -> Finding:
    ends = [float(curve.parts[-1]) for curve in study.curves.values()]
    knees = "; ".join(
        f"sample {k}: knee at {_part(curve, 'knee')}, two lines meet at "
        f"{_part(curve, 'two lines')}, with the whole sample at the end "
        f"{_part(curve, 'knee, to the whole')}"
        for k, curve in study.curves.items()
    )
    return Finding(
        "the curve flattens at 5%", "5%", knees,
        NOT_REPRODUCED if min(ends) < 0.05 else IN_PART,
        f"the curve of sample 2 ends at {_percent(min(ends), 1)}, before 5%; the place of the knee "
        "depends on where the curve ends",
    )  # fmt: skip


def _part(flattening: Flattening, rule: str) -> str:
    found = flattening.knees[rule]
    return "none" if found is None else _percent(found, 1)


def _fifteen(study: Coverage) -> Finding:
    parts = _parts(tables.HUBS, tables.TOPICS)
    near = sum(0.13 <= part < 0.17 for part in parts)
    large = sum(0.15 * size > max(tables.HUBS) for size in tables.TOPICS)
    return Finding(
        "the top 15% or so by hub weight; mean and variance", "values lost",
        f"{_percent(study.hubs.mean.value)}; variance {study.hubs.variance:.6f} (divided by n: "
        f"{study.hubs.variance_of_all:.6f}); the tops are {_percent(min(parts), 1)} to "
        f"{_percent(max(parts), 1)} of the topics",
        NOT_REPRODUCED if near < len(parts) else REPRODUCED,
        f"{near} of {len(parts)} are from 13% to 17%; 15% of {large} of the topics is more than "
        "the largest top, so no other order of the columns can repair this"
        if near < len(parts) else "",
    )  # fmt: skip


def _drawn(study: Coverage) -> Section:
    rate = study.drawn.rate
    rows = tuple(
        (f"{drawn:,}", f"{serving:,}", f"{rate * drawn:.0f}", f"{step}",
         f"{(step - rate * tables.DRAWN[0]) / (rate * tables.DRAWN[0]) ** 0.5:+.1f}")
        for drawn, serving, step in zip(tables.DRAWN, tables.SERVING, _steps(), strict=True)
    )  # fmt: skip
    xs = tuple(float(drawn) for drawn in (0, *tables.DRAWN))
    return Section(
        "Addresses drawn, and those with a server",
        ("Expected: at the rate of the last sample. Step: how many each 100,000 addresses add, and "
         "by how many standard deviations of a Poisson number that is off.",),
        (Table(("drawn", "serving", "expected", "step", "off by"), rows),),
        (Figure("Addresses with a server", "addresses drawn", "with a server",
                (Line("paper", xs, tuple(float(one) for one in (0, *tables.SERVING)), dots=True),
                 Line("constant rate", xs, tuple(rate * x for x in xs), dashed=True))),),
    )  # fmt: skip


def _growing(study: Coverage) -> Section:
    rows = []
    for name, found in (("random IP", study.sites), ("expanded", study.expanded)):
        rows += [(name if k == 0 else "", *row) for k, row in enumerate(_of_growing(found))]
    return Section(
        "Slopes and shares",
        ("Steps: the samples that each step adds. They are independent, whether or not the whole "
         "samples are.",),
        (Table(("", "by", "coverage", "interval", "intercept"), tuple(rows)),),
        (_points("Random IP", tables.SERVING, tables.COVERED, study.sites),
         _points("After one expansion", tables.EXPANDED, tables.EXPANDED_COVERED, study.expanded)),
    )  # fmt: skip


def _of_growing(found: GrowingSample) -> list[tuple[str, str, str, str]]:
    rows = []
    for name, line in found.lines.items():
        rows.append((name, line.slope, f"{line.intercept:.2f}"))
    rows += [(f"last, {name}", one, "") for name, one in found.whole.items()]
    rows.append(("steps", found.steps.mean, ""))
    rows.append(("if independent", found.apart.mean, ""))
    return [
        (by, _percent(one.value, 3), f"{100 * one.low:.3f} to {100 * one.high:.3f}", intercept)
        for by, one, intercept in rows
    ]


def _points(
    title: str, sizes: Sequence[int], covered: Sequence[int], found: GrowingSample
) -> Figure:
    xs = (0.0, float(sizes[-1]))
    lines = [Line("samples", tuple(map(float, sizes)), tuple(map(float, covered)), dots=True)]
    for name, line in found.lines.items():
        ys = tuple(line.intercept + line.slope.value * x for x in xs)
        lines.append(Line(name, xs, ys, dashed=name == "intercept"))
    return Figure(title, "pages of the sample", "covered", tuple(lines))


def _samples(study: Coverage) -> Section:
    searches = study.searches
    rows = [
        _row("breadth-first", searches),
        _row("times 0.9", searches.times(REACHABLE)),
        _row("PageRank, top 5%", study.ranked),
        _row("hub, top 15%", study.hubs),
    ]
    shares = [
        (name, ", ".join(_percent(part, 2) for part in _parts(covered, sizes)))
        for name, covered, sizes in (
            ("breadth-first", tables.SEARCHED_COVERED, tables.SEARCHED),
            ("PageRank", tables.TOP_RANKED_COVERED, tables.TOP_RANKED),
            ("hub, 1 to 4", tables.HUBS_COVERED[:4], tables.HUBS[:4]),
            ("hub, 5 to 8", tables.HUBS_COVERED[4:], tables.HUBS[4:]),
        )
    ]
    return Section(
        "Means and variances over samples",
        (),
        (Table(("", "mean", "interval", "variance", "by n", "pooled"), tuple(rows)),
         Table(("covered", "of each sample"), tuple(shares))),
    )  # fmt: skip


def _topics() -> Section:
    near = sum(
        abs(top - answer) < abs(top - 0.15 * size)
        for answer, size, top in zip(tables.ANSWERS, tables.TOPICS, tables.HUBS, strict=True)
    )
    rows = tuple(
        (f"{k}", f"{answer:,}", f"{size:,}", f"{size / answer:.1f}", f"{top:,}",
         _percent(top / size, 1), _percent(top / answer, 0))
        for k, (answer, size, top) in enumerate(
            zip(tables.ANSWERS, tables.TOPICS, tables.HUBS, strict=True), 1)
    )  # fmt: skip
    return Section(
        "Answers to queries, and what is around them",
        ("The pages of a topic are the answer to a query with what it links to and what links to "
         f"it. In {near} of {len(rows)} topics the number of top pages is nearer to that of the "
         "answer than to 15% of the topic.",),
        (Table(("topic", "answer", "around it", "times", "top", "of all", "of the answer"), rows),),
    )  # fmt: skip


def _row(name: str, found: OverSamples) -> tuple[str, ...]:
    mean = found.mean
    return (name, _percent(mean.value, 3), f"{100 * mean.low:.2f} to {100 * mean.high:.2f}",
            f"{found.variance:.6f}", f"{found.variance_of_all:.6f}",
            _percent(found.pooled, 2))  # fmt: skip


def _curves(study: Coverage) -> Section:
    rows, lines = [], []
    for sample, curve in study.curves.items():
        added = ["", *(_percent(one, 1) for one in curve.marginal)]
        for k, (part, value) in enumerate(zip(curve.parts, curve.shares, strict=True)):
            rows.append((f"sample {sample}" if k == 0 else "", _percent(part), _percent(value),
                         added[k]))  # fmt: skip
        lines.append(Line(f"sample {sample}", tuple(curve.parts), tuple(curve.shares)))
    levels = tuple((f"sample {k}, all pages", curve.quantity) for k, curve in study.curves.items())
    return Section(
        "Quality against the threshold",
        (),
        (Table(("", "top", "covered", "of those added"), tuple(rows)),),
        (Figure("Quality coverage by PageRank", "threshold", "covered", tuple(lines), levels),),
    )
