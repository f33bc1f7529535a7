"""The report on a study of estimators of coverage."""

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
from .study import ENDS, TELLING, CoverageStudy, EstimatorResult
from .truth import GRID, PARTS, TOPICAL

BY_NAME = {one.name: one for one in QUANTITY}

HONEST = 0.9
"""A 95% interval that contains the truth less often than this is not reliable."""

TITLES = {
    "quantity": "Coverage by quantity",
    **{signal: f"Coverage of the top {part:.0%} by {signal}" for signal, part in PARTS.items()},
    **{
        what: f"Coverage of the top {PARTS[signal]:.0%} of topics by {signal}"
        for what, signal in TOPICAL.items()
    },
}


def report(study: CoverageStudy, command: str) -> Report:
    """Return the report on a study; ``command`` is the command line that repeats it."""
    plan = study.plan
    webs = len(study.plan.seeds)
    return Report(
        "coverage",
        "Which estimator of coverage to believe",
        "Samplers and estimators of Meng Tao's evaluation (Tianwang), our corrections, and "
        "capture-recapture, compared with the truth.",
        f"{plan.profile.name}: {webs} web{'s' * (webs != 1)} of {plan.crawls.pages_of_web:,} "
        f"pages; {', '.join(study.policies)} fetch {plan.budget:,} each, from "
        f"{'the sites' if plan.profile.sites else f'the {plan.sites} largest hosts'} on. Every "
        "web is sampled "
        f"{plan.repeats} times: {plan.draws:,} addresses, and {plan.starts} searches of "
        f"{plan.size:,} pages from well-known pages (those with the most in-links). Error: the "
        "estimate less the truth. Requests: the requested addresses and the fetched pages.",
        _findings(study),
        (_truths(study), *(_estimators(study, what) for what in kinds(plan.profile)),
         _thresholds(study), *((_by_policy(study),) if len(study.policies) > 1 else ()),
         _meaning()),
        command,
    ) if study.webs else Report(
        "coverage", "Which estimator of coverage to believe", "", "No crawl was completed.",
        (), (), command,
    )  # fmt: skip


def _findings(study: CoverageStudy) -> tuple[Finding, ...]:
    always = (_believe, _sites, _expansion, _factor, _predicted, _rivals, _falls, _flattens)
    topical = (_topics,) if study.plan.profile.themes.count > 1 else ()
    return tuple(finding(study) for finding in (*always, *topical))


def percent(value: float | None, digits: int = 1, signed: bool = False) -> str:
    """Return a share in per cent; a dash if it is unknown."""
    if value is None or math.isnan(value):
        return "-"
    return f"{100 * value:{'+' if signed else ''}.{digits}f}%"


def _error(result: EstimatorResult) -> str:
    half = "" if result.bias.half is None else f" ± {percent(result.bias.half)}"
    return f"{percent(result.bias.value, 1, True)}{half}"


def _unbiased(result: EstimatorResult) -> bool:
    """Return whether the interval of the mean error contains 0."""
    return result.bias.half is not None and abs(result.bias.value) <= result.bias.half


def _believe(study: CoverageStudy) -> Finding:
    ranked = study.ranked("quantity")
    best, found = ranked[0]
    honest = [
        one.name
        for one, result in ranked
        if result.contains is not None and result.contains >= HONEST and result.success >= TELLING
    ]
    return Finding(
        "random IP or breadth-first estimates the coverage", "so",
        f"{best.name} has the least error: {percent(found.rmse)} (root mean square), mean error "
        f"{_error(found)}, {found.requests:,.0f} requests",
        REPRODUCED if best.name in ("random-ip", "random-ip-slope", "searches-0.9")
        else NOT_REPRODUCED,
        f"estimators whose 95% intervals contain the truth in at least {HONEST:.0%}: "
        f"{', '.join(honest) or 'none'}",
    )  # fmt: skip


def _sites(study: CoverageStudy) -> Finding:
    found = study.overall(BY_NAME["random-ip-sites"])
    whole = study.overall(BY_NAME["whole-sites"])
    return Finding(
        "random IP counts sites, not pages", "a weakness",
        f"mean error {_error(found)} with a page of each site, {_error(whole)} with all of them",
        REPRODUCED if abs(whole.bias.value) < abs(found.bias.value) else NOT_REPRODUCED,
        f"default pages count as sites that are not covered; with them the mean error is "
        f"{_error(_of(study, 'random-ip'))}: the two errors may cancel",
    )  # fmt: skip


def _of(study: CoverageStudy, name: str) -> EstimatorResult:
    return study.overall(BY_NAME[name])


def _expansion(study: CoverageStudy) -> Finding:
    before, once, twice = (
        _of(study, name) for name in ("random-ip-sites", "expanded-once", "expanded-twice")
    )
    better = abs(once.bias.value) < abs(before.bias.value)
    return Finding(
        "adding the pages that sampled pages link to corrects this", "so",
        f"mean error {_error(before)} before, {_error(once)} after one expansion, "
        f"{_error(twice)} after two",
        (REPRODUCED if _unbiased(once) else IN_PART) if better else NOT_REPRODUCED,
        "" if better else "links lead to pages with many in-links, and crawls fetch these too",
    )  # fmt: skip


def _factor(study: CoverageStudy) -> Finding:
    plain, printed, reach = (
        _of(study, name) for name in ("searches", "searches-0.9", "searches-reach")
    )
    weak = sum(web.weak for web in study.webs) / len(study.webs)
    share = sum(web.reach for web in study.webs) / len(study.webs)
    return Finding(
        f"breadth-first times {REACHABLE:g}, the largest component, is the coverage", "so",
        f"mean error {_error(plain)} without a factor, {_error(printed)} times {REACHABLE:g}, "
        f"{_error(reach)} times the share reachable from each start",
        REPRODUCED if _unbiased(printed) else
        IN_PART if abs(printed.bias.value) < 0.02 else NOT_REPRODUCED,
        f"the largest weak component has {percent(weak)} of the pages; but a start page reaches "
        f"only {percent(share)} on average, by links forward; and the first pages "
        "of a search are similar to those that crawls fetch first",
    )  # fmt: skip


def _predicted(study: CoverageStudy) -> Finding:
    tenth, whole = _of(study, "fronts-search-tenth"), _of(study, "fronts-search")
    nearer = abs(whole.bias.value) < abs(tenth.bias.value)
    return Finding(
        "a search that begins at random addresses comes near the coverage if it is large",
        "predicted",
        f"mean error {_error(tenth)} with the first tenth of the pages, {_error(whole)} with all",
        (REPRODUCED if _unbiased(whole) else IN_PART) if nearer else NOT_REPRODUCED,
        "" if nearer and _unbiased(whole) else
        f"the same start pages without their links (random-ip-sites) have a mean error of "
        f"{_error(_of(study, 'random-ip-sites'))}",
    )  # fmt: skip


def _rivals(study: CoverageStudy) -> Finding:
    found = {name: _of(study, name) for name in ("chapman", "chao", "chao-crawl")}
    errors = "; ".join(f"{name} {_error(one)}" for name, one in found.items())
    best = min(found.values(), key=lambda one: one.rmse)
    least = study.ranked("quantity")[0][1].rmse
    return Finding(
        "capture-recapture of the samples does better", "not tried",
        f"mean error of the coverage: {errors}",
        REPRODUCED if best.rmse <= least else NOT_REPRODUCED,
        "the samples overlap in pages with many in-links, so the web seems too small; and the "
        "crawl differs too much from the small samples for Chao's bound to be valid",
    )  # fmt: skip


def _falls(study: CoverageStudy) -> Finding:
    falling, above, curves = 0, 0, len(study.policies)
    for policy in range(curves):
        values = [point.value for point in study.curve("pagerank", policy, True)]
        falling += all(later <= earlier + 1e-9 for earlier, later in pairwise(values))
        above += values[GRID.index(0.05)] > values[-1]
    return Finding(
        "quality by PageRank falls towards quantity as the threshold is relaxed", "so",
        f"the true curve falls at every step for {falling} of {curves} crawlers; for {above}, "
        "the coverage of the top 5% is above that of all pages",
        REPRODUCED if falling == curves else IN_PART if above == curves else NOT_REPRODUCED,
        "" if falling == curves else "a crawler that does not prefer pages with many in-links "
        "need not cover more of them",
    )  # fmt: skip


def _flattens(study: CoverageStudy) -> Finding:
    near, far = (
        [study.knee("pagerank", policy, True, end) for policy in range(len(study.policies))]
        for end in ENDS
    )
    at = sum(one is not None and 0.04 <= one <= 0.06 for one in (*near, *far))
    return Finding(
        "the curve flattens at 5%", "so",
        f"knees of the true curves up to {ENDS[0]:.0%}: {_list(near)}; up to {ENDS[1]:.0%}: "
        f"{_list(far)}",
        REPRODUCED if at == len(near) + len(far) else IN_PART if at else NOT_REPRODUCED,
        "the place of the knee depends on where the curve ends",
    )  # fmt: skip


def _topics(study: CoverageStudy) -> Finding:
    found = {one.name: study.overall(one) for one in TOPICS}
    errors = "; ".join(f"{name} {_error(one)}" for name, one in found.items())
    good = [one for name, one in found.items() if not name.endswith("own")]
    own = [one for name, one in found.items() if name.endswith("own")]
    worse = all(abs(a.bias.value) > abs(b.bias.value) for a, b in zip(own, good, strict=True))
    return Finding(
        "the pages around answers to queries show the quality by hubs and authorities", "so",
        f"mean error: {errors}",
        REPRODUCED if all(map(_unbiased, good)) else IN_PART,
        "the paper does not say which engine answered; it must not be the judged crawl, which "
        "finds only its own pages" if worse else "",
    )  # fmt: skip


def _list(values: list[float | None]) -> str:
    return ", ".join("none" if one is None else f"{100 * one:.4g}%" for one in values)


def _truths(study: CoverageStudy) -> Section:
    rows = []
    hidden = study.plan.profile.forms.hidden > 0
    for place, name in enumerate(study.policies):
        truths = [study.truth(what, place) for what in ("quantity", *PARTS)]
        if hidden:
            truths.insert(1, study.truth_with_hidden(place))
        rows.append((name, *(percent(sum(values) / len(values)) for values in truths)))
    more = ("with hidden",) if hidden else ()
    heads = ("", "pages", *more, *(f"{signal} {part:.0%}" for signal, part in PARTS.items()))
    return Section("True coverage", (), (Table(heads, tuple(rows)),))


def _estimators(study: CoverageStudy, what: str) -> Section:
    ranked = study.ranked(what)
    rows = [(one.name, *_row(found)) for one, found in ranked]
    figures = (_scatter(study, ranked, what),) if what == "quantity" else ()
    return Section(
        TITLES[what],
        (),
        (Table(("", "mean error", "deviation", "rms error", "in 95%", "requests"),
               tuple(rows)),),
        figures,
    )  # fmt: skip


def _row(found: EstimatorResult) -> tuple[str, ...]:
    return (_error(found), percent(found.deviation), percent(found.rmse),
            percent(found.contains, 0), f"{found.requests:,.0f}")  # fmt: skip


def _scatter(
    study: CoverageStudy, ranked: list[tuple[Estimator, EstimatorResult]], what: str
) -> Figure:
    """Return a plot of error against cost, with a dot for each estimator that gives estimates."""
    dots = tuple(
        Line(one.name, (found.requests,), (found.rmse,), dots=True)
        for one, found in ranked[:8]
        if found.success >= TELLING
    )
    return Figure(
        f"{TITLES[what]}: the eight smallest errors", "requests", "root mean square error", dots
    )


def _thresholds(study: CoverageStudy) -> Section:
    rows, figures = [], []
    for signal in PARTS:
        lines = []
        for place, name in enumerate(study.policies):
            for true in (True, False):
                points = study.curve(signal, place, true)
                ys = tuple(point.value for point in points)
                lines.append(
                    Line(
                        name if true else f"{name}, estimated",
                        GRID,
                        ys,
                        dashed=not true,
                        colour=place,
                    )
                )
        figures.append(Figure(f"Quality by {signal}", "threshold", "covered", tuple(lines),
                              logarithmic="x"))  # fmt: skip
    for place, name in enumerate(study.policies):
        points = study.curve("pagerank", place, True)
        at = {part: point.value for part, point in zip(GRID, points, strict=True)}
        rows.append((name, *(percent(at[part]) for part in SHOWN)))
    heads = ("PageRank, true", *(f"{100 * part:g}%" for part in SHOWN))
    return Section("Quality against the threshold", (), (Table(heads, tuple(rows)),),
                   tuple(figures))  # fmt: skip


SHOWN = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)


def _by_policy(study: CoverageStudy) -> Section:
    rows = []
    for one, _ in study.ranked("quantity"):
        cells = [
            percent(study.errors_of(one, place).bias.value, 1, True)
            for place in range(len(study.policies))
        ]
        rows.append((one.name, *cells))
    tables = tuple(
        Table(("", *study.policies[first : first + 4]),
              tuple((row[0], *row[1 + first : 5 + first]) for row in rows))
        for first in range(0, len(study.policies), 4)
    )  # fmt: skip
    return Section("Mean error of each crawl's coverage", (), tables)


def _meaning() -> Section:
    """Return the descriptions of all estimators."""
    return Section(
        "The estimators", tuple(f"{one.name} ({one.whose}): {one.about}" for one in QUANTITY)
    )
