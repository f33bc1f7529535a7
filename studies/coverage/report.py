"""A study of estimators, told: for a terminal of 80 columns and for a page alike."""

from __future__ import annotations

import math
from itertools import pairwise

from counterpoint.crawler.coverage.samplers import REACHABLE
from counterpoint.studies.papers.report import (
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

from .estimators import QUANTITY, TOPICS, Estimator, kinds
from .study import ENDS, TELLING, Judged, Study
from .truth import GRID, PARTS, TOPICAL

BY_NAME = {one.name: one for one in QUANTITY}

HONEST = 0.9
"""An interval of 95% that contains the truth less often than so is not to be believed."""

TITLES = {
    "quantity": "Coverage by quantity",
    **{signal: f"Coverage of the top {part:.0%} by {signal}" for signal, part in PARTS.items()},
    **{
        what: f"Coverage of the top {PARTS[signal]:.0%} of topics by {signal}"
        for what, signal in TOPICAL.items()
    },
}


def report(of: Study, command: str) -> Report:
    """Return what the figures say; ``command`` is what makes them again."""
    plan = of.plan
    webs = len(of.plan.seeds)
    return Report(
        "coverage",
        "Which estimator of coverage to believe",
        "Samplers and estimates of Meng Tao's evaluation (Tianwang), corrections of ours, and "
        "capture-recapture, against the truth.",
        f"{plan.profile.name}: {webs} web{'s' * (webs != 1)} of {plan.crawls.pages_of_web:,} "
        f"pages; {', '.join(of.policies)} fetch {plan.budget:,} each, from "
        f"{'the sites' if plan.profile.sites else f'the {plan.sites} largest hosts'} on. Every "
        "web is sampled "
        f"{plan.repeats} times: {plan.draws:,} addresses, {plan.starts} searches of "
        f"{plan.size:,} pages from pages that are widely known. Error is the estimate less the "
        "truth; requests are addresses asked and pages fetched.",
        _findings(of),
        (_truths(of), *(_estimators(of, what) for what in kinds(plan.profile)), _thresholds(of),
         *((_by_policy(of),) if len(of.policies) > 1 else ()), _meaning()),
        command,
    ) if of.webs else Report(
        "coverage", "Which estimator of coverage to believe", "", "No crawl came to its end.",
        (), (), command,
    )  # fmt: skip


def _findings(of: Study) -> tuple[Finding, ...]:
    always = (_believe, _sites, _expansion, _factor, _rivals, _falls, _flattens)
    topical = (_topics,) if of.plan.profile.themes.count > 1 else ()
    return tuple(told(of) for told in (*always, *topical))


def percent(value: float | None, digits: int = 1, signed: bool = False) -> str:
    """Return a share as people read it; a dash for what is not known."""
    if value is None or math.isnan(value):
        return "-"
    return f"{100 * value:{'+' if signed else ''}.{digits}f}%"


def _error(of: Judged) -> str:
    half = "" if of.bias.half is None else f" ± {percent(of.bias.half)}"
    return f"{percent(of.bias.value, 1, True)}{half}"


def _unbiased(of: Judged) -> bool:
    """Tell whether the interval of the mean error contains 0."""
    return of.bias.half is not None and abs(of.bias.value) <= of.bias.half


def _believe(of: Study) -> Finding:
    ranked = of.ranked("quantity")
    best, found = ranked[0]
    honest = [
        one.name
        for one, told in ranked
        if told.contains is not None and told.contains >= HONEST and told.told >= TELLING
    ]
    return Finding(
        "random IP or breadth-first tells the coverage", "so",
        f"{best.name} errs least: {percent(found.rmse)} (root mean square), mean error "
        f"{_error(found)}, {found.requests:,.0f} requests",
        REPRODUCED if best.name in ("random-ip", "random-ip-slope", "searches-0.9")
        else NOT_REPRODUCED,
        f"95% intervals that contain the truth in {HONEST:.0%} or more: "
        f"{', '.join(honest) or 'of none'}",
    )  # fmt: skip


def _sites(of: Study) -> Finding:
    found = of.overall(BY_NAME["random-ip-sites"])
    whole = of.overall(BY_NAME["whole-sites"])
    return Finding(
        "random IP counts sites, not pages", "a weakness",
        f"mean error {_error(found)} with a page of each site, {_error(whole)} with all of them",
        REPRODUCED if abs(whole.bias.value) < abs(found.bias.value) else NOT_REPRODUCED,
        f"default pages count as sites not covered: with them {_error(_of(of, 'random-ip'))}, two "
        "errors that may cancel or not",
    )  # fmt: skip


def _of(of: Study, name: str) -> Judged:
    return of.overall(BY_NAME[name])


def _expansion(of: Study) -> Finding:
    before, once, twice = (
        _of(of, name) for name in ("random-ip-sites", "expanded-once", "expanded-twice")
    )
    better = abs(once.bias.value) < abs(before.bias.value)
    return Finding(
        "taking the links of the pages sampled corrects that", "so",
        f"mean error {_error(before)} before, {_error(once)} after one expansion, "
        f"{_error(twice)} after two",
        (REPRODUCED if _unbiased(once) else IN_PART) if better else NOT_REPRODUCED,
        "" if better else "links lead to what is linked to much, and so do crawls",
    )  # fmt: skip


def _factor(of: Study) -> Finding:
    plain, printed, reach = (
        _of(of, name) for name in ("searches", "searches-0.9", "searches-reach")
    )
    weak = sum(web.weak for web in of.webs) / len(of.webs)
    share = sum(web.reach for web in of.webs) / len(of.webs)
    return Finding(
        f"breadth-first times {REACHABLE:g}, the largest component, is the coverage", "so",
        f"mean error {_error(plain)} as it is, {_error(printed)} times {REACHABLE:g}, "
        f"{_error(reach)} times the share reachable from each start",
        REPRODUCED if _unbiased(printed) else
        IN_PART if abs(printed.bias.value) < 0.02 else NOT_REPRODUCED,
        f"the largest weak component has {percent(weak)} of the pages, but links, followed "
        f"forward, lead from a start to {percent(share)} on average, and a sample of the first of "
        "those is near what crawls fetch first",
    )  # fmt: skip


def _rivals(of: Study) -> Finding:
    found = {name: _of(of, name) for name in ("chapman", "chao", "chao-crawl")}
    told = "; ".join(f"{name} {_error(one)}" for name, one in found.items())
    best = min(found.values(), key=lambda one: one.rmse)
    least = of.ranked("quantity")[0][1].rmse
    return Finding(
        "capture-recapture of the samples does better", "not tried",
        f"mean error of the coverage: {told}",
        REPRODUCED if best.rmse <= least else NOT_REPRODUCED,
        "the samples meet in the pages that everything links to, so the web seems too small; the "
        "crawl beside small samples is too unlike them for Chao's bound to be one",
    )  # fmt: skip


def _falls(of: Study) -> Finding:
    falling, above, curves = 0, 0, len(of.policies)
    for policy in range(curves):
        values = [point.value for point in of.curve("pagerank", policy, True)]
        falling += all(later <= earlier + 1e-9 for earlier, later in pairwise(values))
        above += values[GRID.index(0.05)] > values[-1]
    return Finding(
        "quality by PageRank falls towards quantity as the threshold is relaxed", "so",
        f"the true curve falls at every step for {falling} of {curves} crawlers; of the top 5% "
        f"more is covered than of all for {above}",
        REPRODUCED if falling == curves else IN_PART if above == curves else NOT_REPRODUCED,
        "" if falling == curves else "a crawler that does not prefer what is linked to much has "
        "no reason to",
    )  # fmt: skip


def _flattens(of: Study) -> Finding:
    near, far = (
        [of.knee("pagerank", policy, True, end) for policy in range(len(of.policies))]
        for end in ENDS
    )
    at = sum(one is not None and 0.04 <= one <= 0.06 for one in (*near, *far))
    return Finding(
        "the curve flattens at 5%", "so",
        f"knees of the true curves up to {ENDS[0]:.0%}: {_list(near)}; up to {ENDS[1]:.0%}: "
        f"{_list(far)}",
        REPRODUCED if at == len(near) + len(far) else IN_PART if at else NOT_REPRODUCED,
        "where the knee is depends on where the curve ends",
    )  # fmt: skip


def _topics(of: Study) -> Finding:
    found = {one.name: of.overall(one) for one in TOPICS}
    told = "; ".join(f"{name} {_error(one)}" for name, one in found.items())
    good = [one for name, one in found.items() if not name.endswith("own")]
    own = [one for name, one in found.items() if name.endswith("own")]
    worse = all(abs(a.bias.value) > abs(b.bias.value) for a, b in zip(own, good, strict=True))
    return Finding(
        "what is around answers to queries tells quality by hubs and authorities", "so",
        f"mean error: {told}",
        REPRODUCED if all(map(_unbiased, good)) else IN_PART,
        "the paper does not say who answered; the crawl that is judged must not, for it finds what "
        "it has" if worse else "",
    )  # fmt: skip


def _list(values: list[float | None]) -> str:
    return ", ".join("none" if one is None else f"{100 * one:.4g}%" for one in values)


def _truths(of: Study) -> Section:
    rows = [
        (name, *(percent(sum(values) / len(values)) for values in
                 (of.truth(what, place) for what in ("quantity", *PARTS))))
        for place, name in enumerate(of.policies)
    ]  # fmt: skip
    heads = ("", "pages", *(f"{signal} {part:.0%}" for signal, part in PARTS.items()))
    return Section("What is true", (), (Table(heads, tuple(rows)),))


def _estimators(of: Study, what: str) -> Section:
    ranked = of.ranked(what)
    rows = [(one.name, *_row(found)) for one, found in ranked]
    figures = (_scatter(of, ranked, what),) if what == "quantity" else ()
    return Section(
        TITLES[what],
        (),
        (Table(("", "mean error", "deviation", "rms error", "in 95%", "requests"),
               tuple(rows)),),
        figures,
    )  # fmt: skip


def _row(found: Judged) -> tuple[str, ...]:
    return (_error(found), percent(found.deviation), percent(found.rmse),
            percent(found.contains, 0), f"{found.requests:,.0f}")  # fmt: skip


def _scatter(of: Study, ranked: list[tuple[Estimator, Judged]], what: str) -> Figure:
    """Return error against cost, a dot for each estimator that comes to figures."""
    dots = tuple(
        Line(one.name, (found.requests,), (found.rmse,), dots=True)
        for one, found in ranked[:8]
        if found.told >= TELLING
    )
    return Figure(
        f"{TITLES[what]}: the eight that err least", "requests", "root mean square error", dots
    )


def _thresholds(of: Study) -> Section:
    rows, figures = [], []
    for signal in PARTS:
        lines = []
        for place, name in enumerate(of.policies):
            for true in (True, False):
                points = of.curve(signal, place, true)
                ys = tuple(point.value for point in points)
                lines.append(
                    Line(name if true else f"{name}, estimated", GRID, ys, dashed=not true)
                )
        figures.append(Figure(f"Quality by {signal}", "threshold", "covered", tuple(lines),
                              logarithmic="x"))  # fmt: skip
    for place, name in enumerate(of.policies):
        points = of.curve("pagerank", place, True)
        at = {part: point.value for part, point in zip(GRID, points, strict=True)}
        rows.append((name, *(percent(at[part]) for part in SHOWN)))
    heads = ("PageRank, true", *(f"{100 * part:g}%" for part in SHOWN))
    return Section("Quality against the threshold", (), (Table(heads, tuple(rows)),),
                   tuple(figures))  # fmt: skip


SHOWN = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)


def _by_policy(of: Study) -> Section:
    rows = []
    for one, _ in of.ranked("quantity"):
        cells = [
            percent(of.judged(one, place).bias.value, 1, True) for place in range(len(of.policies))
        ]
        rows.append((one.name, *cells))
    tables = tuple(
        Table(("", *of.policies[first : first + 4]),
              tuple((row[0], *row[1 + first : 5 + first]) for row in rows))
        for first in range(0, len(of.policies), 4)
    )  # fmt: skip
    return Section("Mean error of each crawl's coverage", (), tables)


def _meaning() -> Section:
    """Say what each estimator is."""
    return Section(
        "What they are", tuple(f"{one.name} ({one.whose}): {one.about}" for one in QUANTITY)
    )
