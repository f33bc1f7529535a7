"""The report on S.C.E.N.T.: Q against DeltaS and the harvest, and how near the maximum it comes."""

from __future__ import annotations

from counterpoint.studies.comparison.statistics import Mean, mean

from .report import ANSWERED, IN_PART, NOT_REPRODUCED, REPRODUCED, Finding, Report
from .scent import CASES, CLAIMED, DELTAS, INTERVAL, Scent, ScentCase
from .scent_sections import (
    as_points,
    as_share,
    cases,
    closely,
    formal,
    harvests,
    maxima,
    online,
    sweep,
)
from .visiting import HARVESTS

BASE = CASES[0]
COSTLY, PASSING, SHARED, ALL = CASES[7:]


def report(study: Scent) -> Report:
    """Return the report on the measured figures."""
    return Report(
        "scent",
        "S.C.E.N.T.: Q against DeltaS",
        "Sotnik, the S.C.E.N.T. crawling algorithm. Its formulas are lost in our copy; Q is our "
        "reading: the sum over all documents, deleted ones included, of log(1 + ActualSize) - "
        "log(1 + DeletedSize).",
        f"Sites of {study.pages:,} pages in all, visited in {study.runs:,} runs, "
        f"{INTERVAL / 3600:g} h from one to the next; {len(study.seeds)} webs of each kind. N is "
        "the time of a run, over that of visits to all pages. Q is taken right after each run of "
        "the second half. Intervals are 95%, Student's, over webs; of ratios by the delta method. "
        "Where DeltaS is called tuned, it is the best on the other webs of its kind.",
        (_unvisited(study), _uniform(study), _between(study), _claimed(study), _matters(study),
         _printed(study),
         _harvest(study), _online(study), _estimates(study), _per_second(study), _together(study)),
        (maxima(study), closely(study, BASE), cases(study), sweep(study), harvests(study),
         online(study), formal(study)),
        f"counterpoint papers scent --seeds {len(study.seeds)}",
    )  # fmt: skip


def _unvisited(study: Scent) -> Finding:
    share, never = study.share(BASE, "to_static", 0), study.share(BASE, "never", 0)
    cut = mean(study.rows(BASE, "forgotten").tolist())
    fewer = share.value + (share.half or 0.0) < BASE.kinds[0].static
    most = never.value > 0.5
    return Finding(
        "DeltaS = 0: pages found unchanged several times are no longer visited", "so",
        f"pages that never change get {share.value:.1%} of the visits, being "
        f"{BASE.kinds[0].static:.0%} of the pages; {never.value:.1%} of them get none",
        REPRODUCED if most else IN_PART if fewer else NOT_REPRODUCED,
        "" if most else "a scent that is halved never becomes 0. Ablation: if a visit leaves "
        f"nothing of the old scent, {cut.value:.1%} of them get none",
    )  # fmt: skip


def _uniform(study: Scent) -> Finding:
    alike = [case for case in study.sites if not case.by_size and not case.kinds[0].passing]
    spread = max(run.spread for case in alike for run in study.sites[case])
    return Finding(
        "DeltaS large: the site is visited uniformly", "so",
        f"with {DELTAS[-1]:g} no two pages differ by more than {spread:.0f} visits, where all "
        "visits cost the same and no page dies",
        REPRODUCED if spread <= 1 else NOT_REPRODUCED,
    )  # fmt: skip


def _between(study: Scent) -> Finding:
    inner = [case for case in study.sites if study.inner_is_best(case)]
    others = [f"{c.name}: {DELTAS[study.best(c)]:g}" for c in study.sites if c not in inner]
    gains = [study.gain_over_ends(case) for case in inner]
    least = [min(pair, key=lambda one: one.value) for pair in gains]
    return Finding(
        "the best DeltaS lies between", "so",
        f"in {len(inner)} of {len(study.sites)} cases a tuned DeltaS is better than both ends",
        IN_PART if inner and others else REPRODUCED if inner else NOT_REPRODUCED,
        (f"there it gains {as_points(min(m.value for m in least))} to "
         f"{as_points(max(m.value for m in least))} points of the limit over the better end; "
         if inner else "")
        + (f"the best of those tried is, with {'; '.join(others)}" if others else ""),
    )  # fmt: skip


def _reached(study: Scent, case: ScentCase, other: str) -> bool:
    return study.of(case, "difference", other).value >= CLAIMED


def _claimed(study: Scent) -> Finding:
    inner = [case for case in study.sites if study.inner_is_best(case)]
    words = {"limit": "the limit", "informed": "the oracle", "fresh": "a fresh index"}
    reached = {name: [c for c in study.sites if _reached(study, c, name)] for name in words}
    both = [c for c in inner if any(c in some for some in reached.values())]
    values = [study.of(c, "difference").value for c in inner]
    planned = as_share(study.over(BASE, "planned", "limit"))
    here = "; ".join(f"98% of {word} in {len(reached[name])}" for name, word in words.items())
    where = "; ".join(c.name for c in study.sites if any(c in some for some in reached.values()))
    span = f"{min(values):.1%} to {max(values):.1%} of the limit" if values else "nothing"
    return Finding(
        "well tuned, Q reaches up to 98% of the maximum", "up to 98%",
        f"{here}, of {len(study.sites)} cases; in {len(both)} of the {len(inner)} where an inner "
        f"DeltaS is best",
        REPRODUCED if both else IN_PART if where else NOT_REPRODUCED,
        (f"it is reached with {where}; " if where else "")
        + f"where an inner DeltaS is best, Q is {span}. Ablation: visits by the true rates, "
        f"without scents, have {planned}% of it in the first case",
    )  # fmt: skip


def _matters(study: Scent) -> Finding:
    reached = [point for point in study.sweep if point.of_limit.value >= CLAIMED]
    both = [point for point in reached if point.is_inner]
    gains = [point.gain.value for point in both]
    low = [point for point in study.sweep if point.of_limit.value < CLAIMED and point.is_inner]
    most = max((point.gain.value for point in low), default=0.0)
    return Finding(
        "98% is reached where an inner DeltaS is best", "says both of one site",
        f"on a grid of {len(study.sweep)} sites, 98% of the limit is reached on {len(reached)}, "
        f"and on {len(both)} of them a tuned DeltaS is surely better than both ends"
        + (f", by at most {as_points(max(gains))} points" if gains else ""),
        IN_PART if both else NOT_REPRODUCED,
        f"where less is reached and an inner DeltaS is best ({len(low)} sites), it gains up to "
        f"{as_points(most)} points: the more DeltaS matters, the less of the limit is reached"
        if low and most > max(gains, default=0.0) else "",
    )  # fmt: skip


def _printed(study: Scent) -> Finding:
    printed, corrected = study.at(BASE, 0, "informed", "size"), study.at(BASE, 0, "informed")
    worse = printed.value + (printed.half or 0.0) < corrected.value - (corrected.half or 0.0)
    share = study.share(BASE, "printed_to_static", 0)
    return Finding(
        "the harvest depends on the difference, not on the size (erratum)", "prints the size",
        f"with DeltaS = 0: Q {printed.value:.1%} of the oracle's as printed, "
        f"{corrected.value:.1%} as corrected",
        REPRODUCED if worse else NOT_REPRODUCED,
        f"as printed, {share.value:.1%} of the visits go to pages that never change",
    )  # fmt: skip


def _harvest(study: Scent) -> Finding:
    cases = list(study.sites)
    gains = {
        name: [study.gain(c, name, study.tuned(c)) for c in cases]
        for name in HARVESTS if name not in ("difference", "size")
    }  # fmt: skip
    most = {name: max(rows, key=lambda one: one.value) for name, rows in gains.items()}
    least = {name: min(rows, key=lambda one: one.value) for name, rows in gains.items()}
    better = [
        f"{name} in {count}" for name, rows in gains.items()
        if (count := sum(m.value - (m.half or 0.0) > 0 for m in rows))
    ]  # fmt: skip
    size = [study.gain(c, "size", study.tuned(c)).value for c in cases]
    name = max(most, key=lambda one: most[one].value)
    other = min(least, key=lambda one: least[one].value)
    return Finding(
        "which CalcInfo is best", "open",
        f"each with its tuned DeltaS: beside the logarithm of the difference the others gain at "
        f"most {as_points(most[name].value)} points of the limit ({name}) and lose at most "
        f"{as_points(-least[other].value)} ({other}); as printed (size) it loses up to "
        f"{as_points(-min(size))}",
        ANSWERED,
        f"surely better than difference: {', '.join(better) or 'none'} of {len(cases)} cases",
    )  # fmt: skip


def _online(study: Scent) -> Finding:
    lost = {name: [study.gain(c, "difference", study.rows(c, name)).value for c in study.sites]
            for name in ("bandit", "model", "seeing")}  # fmt: skip
    spans = {name: f"{as_points(min(some))} to {as_points(max(some))}"
             for name, some in lost.items()}  # fmt: skip
    return Finding(
        "which DeltaS is best, chosen while the crawler runs", "open",
        f"against the tuned DeltaS, a bandit on harvests loses {spans['bandit']} points of the "
        f"limit, a model with estimated rates {spans['model']}",
        ANSWERED,
        f"ablation: a bandit that is rewarded by Q itself loses {spans['seeing']}",
    )  # fmt: skip


def _estimates(study: Scent) -> Finding:
    gains = [study.gain(c, "difference", study.rows(c, "estimated")) for c in study.sites]
    better = [gain for gain in gains if _is_above(gain, -1)]
    values = [study.over(c, "estimated", "limit").value for c in study.sites]
    scents = [study.of(c, "difference").value for c in study.sites]
    return Finding(
        "scents, or estimated rates of change", "does not compare",
        f"visits by estimated rates, without scents, have {min(values):.1%} to {max(values):.1%} "
        f"of the limit; S.C.E.N.T. tuned has {min(scents):.1%} to {max(scents):.1%}",
        ANSWERED,
        f"estimates are surely better in {len(better)} of {len(study.sites)} cases; only the order "
        "of visits differs",
    )  # fmt: skip


def _is_above(mean: Mean, sign: int) -> bool:
    return sign * mean.value - (mean.half or 0.0) > 0


def _per_second(study: Scent) -> Finding:
    gains = [study.gain(c, "per_second", study.tuned(c)) for c in (COSTLY, ALL)]
    sure = all(_is_above(gain, 1) for gain in gains)
    shown = " and ".join(f"{100 * g.value:+.1f} ± {100 * (g.half or 0):.1f}" for g in gains)
    return Finding(
        "a visit costs A x size + B, and pages are ordered by scent alone", "so",
        f"ordered by scent per second instead, Q is {shown} points of the limit "
        f"({COSTLY.name}; {ALL.name})",
        IN_PART if sure else REPRODUCED,
        "the paper's order leaves the costs out, which its own formula 4 counts" if sure else "",
    )  # fmt: skip


def _together(study: Scent) -> Finding:
    gains = [study.gain(c, "difference", study.tuned(c, "apart")) for c in (SHARED, ALL)]
    shown = " and ".join(f"{100 * g.value:+.1f} ± {100 * (g.half or 0):.1f}" for g in gains)
    sure = all(_is_above(gain, 1) for gain in gains)
    return Finding(
        "several sites share one budget of time", "so",
        f"against equal parts of the time for each site, to share it gains {shown} points of the "
        f"limit ({SHARED.name}; {ALL.name})",
        REPRODUCED if sure else IN_PART,
    )  # fmt: skip
