"""The tables and plots of the report on S.C.E.N.T."""

from __future__ import annotations

from counterpoint.studies.comparison.statistics import Mean

from .report import Figure, Line, Section, Table
from .scent import CLAIMED, DELTAS, Scent, ScentCase
from .statistics import with_interval
from .visiting import HARVESTS

FORMAL = 7
"""The number of the first case with a part of the formal statement."""


def as_share(mean: Mean) -> str:
    """Return a share in per cent with half its interval."""
    return with_interval(Mean(100 * mean.value, None if mean.half is None else 100 * mean.half), 1)


def as_points(value: float) -> str:
    """Return a difference of shares in points of per cent."""
    return f"{100 * value:.1f}"


def maxima(study: Scent) -> Section:
    """Return the section on the three maxima."""
    rows = tuple(
        (case.name, as_share(study.over(case, "limit", "fresh")),
         as_share(study.over(case, "informed", "fresh")),
         as_share(study.over(case, "planned", "limit")),
         as_share(study.over(case, "uniform", "limit")))
        for case in study.sites
    )  # fmt: skip
    return Section(
        "The maximum",
        ("The limit is the best allocation for the same costs, a knapsack of rates: the greatest "
         "expected Q of a crawler that knows how often each page changes, but not when. The oracle "
         "knows at each run what each visit gains, and takes what gains most for its time. No "
         "schedule is better than a fresh index.",
         "Visits by the index that belongs to the limit reach it (column index), so it is no idle "
         "bound; the difference between limit and oracle is the worth of knowing when."),
        (Table(("site", "limit/fresh %", "oracle/fresh %", "index/limit %", "uniform/limit %"),
               rows, "A day: mean changes of a page that changes; change rates are distributed as "
               "in the profile living. Index: visits by Whittle's index with the true rates."),),
    )  # fmt: skip


def closely(study: Scent, case: ScentCase) -> Section:
    """Return the section on one case."""
    places = range(len(DELTAS))
    rows = tuple(
        (f"{DELTAS[k]:g}", as_share(study.at(case, k)), as_share(study.at(case, k, "informed")),
         as_share(study.at(case, k, "informed", "size")),
         as_share(study.share(case, "to_static", k)),
         as_share(study.share(case, "printed_to_static", k)))
        for k in places
    )  # fmt: skip
    uniform = study.over(case, "uniform", "limit").value
    levels = (("estimated", study.over(case, "estimated", "limit").value), ("uniform", uniform))
    runs = tuple(float(k + 1) for k in range(study.runs))
    names = ("DeltaS = 0", "the best DeltaS", f"DeltaS = {DELTAS[-1]:g}")
    static = case.kinds[0].static
    return Section(
        f"One case in detail: {case.name}",
        (),
        (Table(("DeltaS", "of limit %", "of oracle %", "printed %", "to static %", "printed %"),
               rows, "Printed: of the oracle, with the size as the harvest. To static: the share "
               f"of the visits to pages that never change, which are {static:.0%} of all pages."),),
        (Figure("Q against DeltaS, by harvest", "DeltaS", "Q over the limit",
                tuple(_line(name, [study.at(case, k, "limit", name) for k in places])
                      for name in HARVESTS), levels, "x"),
         Figure("Q over the runs", "run", "Q over that of a fresh index",
                tuple(Line(name, runs, tuple(m.value for m in some),
                           tuple(m.half or 0.0 for m in some))
                      for name, some in zip(names, study.curves(case), strict=True)))),
    )  # fmt: skip


def cases(study: Scent) -> Section:
    """Return the section on DeltaS in all cases."""
    rows, places = [], range(len(DELTAS))
    for case in study.sites:
        zero, large = study.gain_over_ends(case)
        rows.append((
            case.name, f"{DELTAS[study.best(case)]:g}", as_share(study.of(case, "difference")),
            as_share(zero), as_share(large), "yes" if study.inner_is_best(case) else "no",
            as_share(study.of(case, "difference", "informed")),
            as_share(study.of(case, "difference", "fresh")),
        ))  # fmt: skip
    lines = tuple(_line(c.name, [study.at(c, k) for k in places]) for c in study.sites)
    claimed = (("98%", CLAIMED),)
    return Section(
        "DeltaS: where an inner one is best, and where 98% is reached",
        ("Gains are those of the tuned DeltaS over DeltaS = 0 and over the largest one, in points "
         "of the limit, paired by web. An inner DeltaS is called best if both are above 0.",
         "Ablation: the oracle knows when pages change, the limit only how often. The last two "
         "columns compare the same visits with the oracle and with an index that is always fresh."),
        (Table(("site", "best", "of limit %", "over 0", "over 1000", "inner", "of oracle %",
                "of fresh %"), tuple(rows),
               f"DeltaS of {', '.join(f'{d:g}' for d in DELTAS)} were tried."),),
        (Figure("Q against DeltaS, one site", "DeltaS", "Q over the limit", lines[:FORMAL],
                claimed, "x"),
         Figure("Q against DeltaS, with costs, births and several sites", "DeltaS",
                "Q over the limit", (lines[0], *lines[FORMAL:]), claimed, "x")),
    )  # fmt: skip


def sweep(study: Scent) -> Section:
    """Return the section on the grid of sites."""
    rows = tuple(
        (f"{point.static:.0%}", f"{point.per_day:g}", f"{point.share:.0%}",
         f"{DELTAS[point.best]:g}", as_share(point.of_limit), as_share(point.gain),
         "yes" if point.is_inner else "no")
        for point in study.sweep
    )  # fmt: skip
    return Section(
        "A grid of sites: can an inner DeltaS be best and Q reach 98%?",
        (f"The same with {len(study.sweep[0].limit)} webs for each point. Gain: over the better of "
         "the two ends, in points of the limit. It says how much DeltaS matters.",),
        (Table(("static", "a day", "N", "best", "of limit %", "gain", "inner"), rows),),
    )  # fmt: skip


def harvests(study: Scent) -> Section:
    """Return the section on the harvests."""
    rows = tuple(
        (case.name, *(as_share(study.of(case, name)) for name in HARVESTS)) for case in study.sites
    )
    return Section(
        "CalcInfo: which harvest",
        ("Each with its tuned DeltaS, as a share of the limit. Difference: the logarithm of the "
         "changed bytes; size: that of the page, as printed; bytes: the changed bytes; changed: 1 "
         "for any change; share: the changed part of the text; worth: what the visit adds to Q; "
         "pace: difference over the runs after the last visit. DeltaS is in units of the mean "
         "harvest of a change.",),
        (Table(("site", *(f"{name} %" for name in HARVESTS)), rows),),
    )  # fmt: skip


def online(study: Scent) -> Section:
    """Return the section on choices while the crawler runs."""
    names = ("bandit", "seeing", "model", "estimated", "planned")
    rows = tuple(
        (case.name, as_share(study.of(case, "difference")),
         *(as_share(study.over(case, name, "limit")) for name in names))
        for case in study.sites
    )  # fmt: skip
    return Section(
        "DeltaS on line, and without scents",
        ("Bandit: DeltaS by UCB1 on the harvest of 20 runs each. Seeing: the same, rewarded by Q "
         "itself, which no crawler sees. Model: the DeltaS that keeps most "
         "copies fresh by estimated rates, where the interval between visits falls linearly with "
         "the harvest. Estimated: no scents; Whittle's index with estimated rates. Index: the same "
         "with the true rates.",),
        (Table(("site", "tuned %", "bandit %", "seeing %", "model %", "estimated %", "index %"),
               rows, "Shares of the limit."),),
    )  # fmt: skip


def formal(study: Scent) -> Section:
    """Return the section on costs and on the Q of several sites."""
    rows, each = [], []
    for case in study.sites:
        if case.by_size or len(case.kinds) > 1:
            names = ("difference", "per_second", "apart")
            rows.append((case.name, *(as_share(study.of(case, name)) for name in names)))
        if len(case.kinds) > 1:
            means = study.rows(case, "of_sites").mean(axis=0)
            each += [
                (f"{case.name}: site {j + 1}", *(f"{100 * means[k, j]:.1f}" for k in range(4)))
                for j in range(len(case.kinds))
            ]
    return Section(
        "Costs, and several sites",
        ("A visit costs A x size + B. Per second: pages are ordered by their scent over that cost. "
         "Apart: each site has an equal part of the time.",),
        (Table(("site", "by scent %", "per second %", "apart %"), tuple(rows),
               "Shares of the limit, with a tuned DeltaS each."),
         Table(("Q(j) over that of fresh copies", "shared %", "apart %", "uniform %", "index %"),
               tuple(each), "Sites in the order of their rates of change, the slowest first.")),
    )  # fmt: skip


def _line(name: str, means: list[Mean]) -> Line:
    return Line(name, DELTAS, tuple(m.value for m in means), tuple(m.half or 0.0 for m in means))
