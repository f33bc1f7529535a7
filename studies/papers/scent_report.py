"""The report on S.C.E.N.T.: how Q depends on DeltaS, and how near it comes to the maximum."""

from __future__ import annotations

from counterpoint.studies.comparison.statistics import Mean

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
from .scent import CASES, CLAIMED, DELTAS, INTERVAL, Scent, ScentCase
from .statistics import with_interval

BASE = CASES[0]


def report(study: Scent) -> Report:
    """Return the report on the measured figures."""
    return Report(
        "scent",
        "S.C.E.N.T.: Q against DeltaS",
        "Sotnik, the S.C.E.N.T. crawling algorithm. Its formulas are lost in our copy; Q is our "
        "reading: the sum over all pages of log(1 + ActualSize) - log(1 + DeletedSize).",
        f"Sites of {study.pages:,} pages, visited in {study.runs:,} runs of N pages, "
        f"{INTERVAL / 3600:g} h from one to the next; {len(study.seeds)} sites of each kind. Q is "
        "taken right after each "
        "run of the second half. Intervals are 95%, Student's, over sites; of ratios by the "
        "delta method.",
        (_unvisited(study), _uniform(study), _between(study), _claimed(study), _printed(study)),
        (_maximum(study), _closely(study), _cases(study)),
        f"counterpoint papers scent --seeds {len(study.seeds)}",
    )  # fmt: skip


def in_words(case: ScentCase) -> str:
    """Return the description of a case."""
    return f"static {case.static:.0%}, {case.per_day:g} a day, N {case.share:.1%}"


def _unvisited(study: Scent) -> Finding:
    share, never = study.share(BASE, "to_static", 0), study.share(BASE, "never", 0)
    fewer = share.value + (share.half or 0.0) < BASE.static
    most = never.value > 0.5
    return Finding(
        "DeltaS = 0: pages found unchanged several times are no longer visited", "so",
        f"pages that never change get {share.value:.1%} of the visits, being {BASE.static:.0%} of "
        f"the pages; {never.value:.1%} of them get none",
        REPRODUCED if most else IN_PART if fewer else NOT_REPRODUCED,
        "" if most else "a scent that is halved never becomes 0: the page is visited more rarely, "
        "namely when no other page has a stronger scent",
    )  # fmt: skip


def _uniform(study: Scent) -> Finding:
    spread = max(run.spread for runs in study.sites.values() for run in runs)
    return Finding(
        "DeltaS large: the site is visited uniformly", "so",
        f"with {DELTAS[-1]:g} no two pages differ by more than {spread:.0f} visits",
        REPRODUCED if spread <= 1 else NOT_REPRODUCED,
    )  # fmt: skip


def _between(study: Scent) -> Finding:
    inner = [case for case in study.sites if 0 < study.best(case) < len(DELTAS) - 1]
    others = [f"{in_words(c)}: {DELTAS[study.best(c)]:g}" for c in study.sites if c not in inner]
    return Finding(
        "the best DeltaS lies between", "so",
        f"in {len(inner)} of {len(study.sites)} cases",
        IN_PART if inner and others else REPRODUCED if inner else NOT_REPRODUCED,
        f"of those tried the best is, with {'; '.join(others)}" if others else "",
    )  # fmt: skip


def _claimed(study: Scent) -> Finding:
    reached = [case for case in study.sites if _reached(study, case)]
    best = [study.of_informed(case, study.best(case)).value for case in study.sites]
    cases = "; ".join(in_words(case) for case in reached)
    return Finding(
        "well tuned, Q reaches up to 98% of the maximum", "up to 98%",
        f"{min(best):.1%} to {max(best):.1%}; 98% in {len(reached)} of {len(study.sites)} cases",
        REPRODUCED if reached else NOT_REPRODUCED,
        f"reached with {cases}" if reached else
        "no policy can know which pages will have changed",
    )  # fmt: skip


def _printed(study: Scent) -> Finding:
    printed, corrected = study.printed(BASE, 0), study.of_informed(BASE, 0)
    worse = printed.value + (printed.half or 0.0) < corrected.value - (corrected.half or 0.0)
    share = study.share(BASE, "printed_to_static", 0)
    return Finding(
        "the harvest depends on the difference, not on the size (erratum)", "prints the size",
        f"with DeltaS = 0: Q {printed.value:.1%} as printed, {corrected.value:.1%} as corrected",
        REPRODUCED if worse else NOT_REPRODUCED,
        f"as printed, {share.value:.1%} of the visits go to pages that never change",
    )  # fmt: skip


def _reached(study: Scent, case: ScentCase) -> list[float]:
    """Return each DeltaS with which Q is at least 98% of the oracle's."""
    return [d for k, d in enumerate(DELTAS) if study.of_informed(case, k).value >= CLAIMED]


def _maximum(study: Scent) -> Section:
    rows = tuple(
        (in_words(case), _share(study.over(case, "informed", "fresh")),
         _share(study.over(case, "uniform", "informed")))
        for case in study.sites
    )  # fmt: skip
    return Section(
        "The maximum",
        ("The oracle knows at each run which pages have changed, and how, and visits the N pages "
         "that gain most at that moment. No schedule is better than a fresh index, so the maximum "
         "of Q for N pages per run lies between the two. Where the oracle reaches 100% of a fresh "
         "index, it is the maximum.",),
        (Table(("site", "oracle/fresh %", "uniform/oracle %"), rows,
               "N: pages of a run, as a share of all pages. A day: mean changes of a page that "
               "changes; the change rates are distributed as in the profile living."),),
    )  # fmt: skip


def _closely(study: Scent) -> Section:
    rows = tuple(
        (
            f"{delta:g}",
            _share(study.of_informed(BASE, k)),
            _share(study.printed(BASE, k)),
            _share(study.share(BASE, "to_static", k)),
            _share(study.share(BASE, "printed_to_static", k)),
        )
        for k, delta in enumerate(DELTAS)
    )
    corrected = [study.of_informed(BASE, k) for k in range(len(DELTAS))]
    printed = [study.printed(BASE, k) for k in range(len(DELTAS))]
    levels = (("uniform", study.over(BASE, "uniform", "informed").value), ("98%", CLAIMED))
    runs = tuple(float(k + 1) for k in range(study.runs))
    names = ("DeltaS = 0", "the best DeltaS", f"DeltaS = {DELTAS[-1]:g}")
    return Section(
        f"One case in detail: {in_words(BASE)}",
        (),
        (Table(("DeltaS", "Q corrected %", "Q printed %", "to static %", "printed %"), rows,
               "Q: share of the oracle's Q. To static: the share of the visits to pages that never "
               f"change, which are {BASE.static:.0%} of all pages."),),
        (Figure("Q against DeltaS", "DeltaS", "Q over that of the oracle",
                (_line("corrected", corrected), _line("printed", printed)), levels, "x"),
         Figure("Q over the runs", "run", "Q over that of a fresh index",
                tuple(Line(name, runs, tuple(m.value for m in some),
                           tuple(m.half or 0.0 for m in some))
                      for name, some in zip(names, study.curves(BASE), strict=True)))),
    )  # fmt: skip


def _cases(study: Scent) -> Section:
    rows = []
    for case in study.sites:
        k, reached = study.best(case), _reached(study, case)
        rows.append((in_words(case), _share(study.of_informed(case, 0)), f"{DELTAS[k]:g}",
                     _share(study.of_informed(case, k)), _span(reached)))  # fmt: skip
    lines = tuple(
        _line(in_words(case), [study.of_informed(case, k) for k in range(len(DELTAS))])
        for case in study.sites
    )
    return Section(
        "Other sites and budgets",
        ("The best DeltaS has the greatest mean Q of those tried, on the same sites: "
         f"{', '.join(f'{d:g}' for d in DELTAS)}.",
         "Changes follow a Poisson process, so no scent can predict which pages will have changed "
         "by the next run, except where nearly all pages that ever change have changed. This is "
         "the case if a small part of the site changes at about every run."),
        (Table(("site", "DeltaS 0 %", "best", "its Q %", "98% at"), tuple(rows),
               "Q: share of the oracle's Q."),),
        (Figure("Q against DeltaS, all sites", "DeltaS", "Q over that of the oracle", lines,
                (("98%", CLAIMED),), "x"),),
    )  # fmt: skip


def _line(name: str, means: list[Mean]) -> Line:
    return Line(name, DELTAS, tuple(m.value for m in means), tuple(m.half or 0.0 for m in means))


def _span(reached: list[float]) -> str:
    if not reached:
        return "none"
    return f"{reached[0]:g}" if len(reached) == 1 else f"{reached[0]:g} to {reached[-1]:g}"


def _share(mean: Mean) -> str:
    """Return a share in per cent with half its interval."""
    return with_interval(Mean(100 * mean.value, None if mean.half is None else 100 * mean.half), 1)
