"""S.C.E.N.T., told: what DeltaS does to Q, and how near Q comes to the maximum."""

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
from .scent import CASES, CLAIMED, DELTAS, INTERVAL, Case, Scent
from .statistics import told

BASE = CASES[0]


def report(of: Scent) -> Report:
    """Return what the figures say."""
    return Report(
        "scent",
        "S.C.E.N.T.: Q against DeltaS",
        "Sotnik, the S.C.E.N.T. crawling algorithm. Its formulas are lost in our copy; Q is our "
        "reading: the sum over all pages of log(1 + ActualSize) - log(1 + DeletedSize).",
        f"Sites of {of.pages:,} pages, visited in {of.runs:,} runs of N pages, {INTERVAL / 3600:g} "
        f"h from one to the next; {len(of.seeds)} sites of each kind. Q is taken right after each "
        "run of the second half. Intervals are 95%, Student's, over sites; of ratios by the "
        "delta method.",
        (_unvisited(of), _uniform(of), _between(of), _claimed(of), _printed(of)),
        (_maximum(of), _closely(of), _cases(of)),
        f"counterpoint papers scent --seeds {len(of.seeds)}",
    )  # fmt: skip


def in_words(case: Case) -> str:
    """Return what a case is."""
    return f"static {case.static:.0%}, {case.per_day:g} a day, N {case.share:.1%}"


def _unvisited(of: Scent) -> Finding:
    share, never = of.share(BASE, "to_static", 0), of.share(BASE, "never", 0)
    fewer = share.value + (share.half or 0.0) < BASE.static
    most = never.value > 0.5
    return Finding(
        "DeltaS = 0: pages found unchanged several times are no longer visited", "so",
        f"pages that never change get {share.value:.1%} of the visits, being {BASE.static:.0%} of "
        f"the pages; {never.value:.1%} of them get none",
        REPRODUCED if most else IN_PART if fewer else NOT_REPRODUCED,
        "" if most else "a scent that is only halved never is 0: the page is visited more rarely, "
        "whenever no other smells stronger",
    )  # fmt: skip


def _uniform(of: Scent) -> Finding:
    spread = max(run.spread for runs in of.sites.values() for run in runs)
    return Finding(
        "DeltaS large: the site is visited uniformly", "so",
        f"with {DELTAS[-1]:g} no two pages differ by more than {spread:.0f} visits",
        REPRODUCED if spread <= 1 else NOT_REPRODUCED,
    )  # fmt: skip


def _between(of: Scent) -> Finding:
    inner = [case for case in of.sites if 0 < of.best(case) < len(DELTAS) - 1]
    others = [f"{in_words(c)}: {DELTAS[of.best(c)]:g}" for c in of.sites if c not in inner]
    return Finding(
        "the best DeltaS lies between", "so",
        f"in {len(inner)} of {len(of.sites)} cases",
        IN_PART if inner and others else REPRODUCED if inner else NOT_REPRODUCED,
        f"of those tried the best is, with {'; '.join(others)}" if others else "",
    )  # fmt: skip


def _claimed(of: Scent) -> Finding:
    reached = [case for case in of.sites if _reached(of, case)]
    best = [of.of_informed(case, of.best(case)).value for case in of.sites]
    cases = "; ".join(in_words(case) for case in reached)
    return Finding(
        "well tuned, Q reaches up to 98% of the maximum", "up to 98%",
        f"{min(best):.1%} to {max(best):.1%}; 98% in {len(reached)} of {len(of.sites)} cases",
        REPRODUCED if reached else NOT_REPRODUCED,
        f"reached with {cases}" if reached else
        "it cannot be foreseen which pages will have changed",
    )  # fmt: skip


def _printed(of: Scent) -> Finding:
    printed, corrected = of.printed(BASE, 0), of.of_informed(BASE, 0)
    worse = printed.value + (printed.half or 0.0) < corrected.value - (corrected.half or 0.0)
    share = of.share(BASE, "printed_to_static", 0)
    return Finding(
        "the harvest is of the difference, not of the size (erratum)", "prints the size",
        f"with DeltaS = 0: Q {printed.value:.1%} as printed, {corrected.value:.1%} as corrected",
        REPRODUCED if worse else NOT_REPRODUCED,
        f"as printed, {share.value:.1%} of the visits go to pages that never change",
    )  # fmt: skip


def _reached(of: Scent, case: Case) -> list[float]:
    """Return each DeltaS with which Q is at least 98% of the oracle's."""
    return [d for k, d in enumerate(DELTAS) if of.of_informed(case, k).value >= CLAIMED]


def _maximum(of: Scent) -> Section:
    rows = tuple(
        (in_words(case), _share(of.over(case, "informed", "fresh")),
         _share(of.over(case, "uniform", "informed")))
        for case in of.sites
    )  # fmt: skip
    return Section(
        "The maximum",
        ("The oracle knows at each run which pages have changed, and how, and visits the N that "
         "gain most at that moment. No schedule is better than a fresh index, so the greatest Q "
         "that N pages a run allow lies between the two: where the oracle has 100% of a fresh "
         "index, it is the maximum itself.",),
        (Table(("site", "oracle/fresh %", "uniform/oracle %"), rows,
               "N: pages of a run, of all pages. A day: changes of a page that changes, on "
               "average; how often each does is spread as in the profile living."),),
    )  # fmt: skip


def _closely(of: Scent) -> Section:
    rows = tuple(
        (
            f"{delta:g}",
            _share(of.of_informed(BASE, k)),
            _share(of.printed(BASE, k)),
            _share(of.share(BASE, "to_static", k)),
            _share(of.share(BASE, "printed_to_static", k)),
        )
        for k, delta in enumerate(DELTAS)
    )
    corrected = [of.of_informed(BASE, k) for k in range(len(DELTAS))]
    printed = [of.printed(BASE, k) for k in range(len(DELTAS))]
    levels = (("uniform", of.over(BASE, "uniform", "informed").value), ("98%", CLAIMED))
    runs = tuple(float(k + 1) for k in range(of.runs))
    names = ("DeltaS = 0", "the best DeltaS", f"DeltaS = {DELTAS[-1]:g}")
    return Section(
        f"Looked at closely: {in_words(BASE)}",
        (),
        (Table(("DeltaS", "Q corrected %", "Q printed %", "to static %", "printed %"), rows,
               "Q of that of the oracle; to static: of the visits, those to pages that never "
               f"change, which are {BASE.static:.0%} of all."),),
        (Figure("Q against DeltaS", "DeltaS", "Q over that of the oracle",
                (_line("corrected", corrected), _line("printed", printed)), levels, "x"),
         Figure("Q over the runs", "run", "Q over that of a fresh index",
                tuple(Line(name, runs, tuple(m.value for m in some),
                           tuple(m.half or 0.0 for m in some))
                      for name, some in zip(names, of.curves(BASE), strict=True)))),
    )  # fmt: skip


def _cases(of: Scent) -> Section:
    rows = []
    for case in of.sites:
        k, reached = of.best(case), _reached(of, case)
        rows.append((in_words(case), _share(of.of_informed(case, 0)), f"{DELTAS[k]:g}",
                     _share(of.of_informed(case, k)), _span(reached)))  # fmt: skip
    lines = tuple(
        _line(in_words(case), [of.of_informed(case, k) for k in range(len(DELTAS))])
        for case in of.sites
    )
    return Section(
        "Other sites and budgets",
        ("The best DeltaS is the one with the greatest mean Q of those tried, chosen on the same "
         f"sites: {', '.join(f'{d:g}' for d in DELTAS)}.",
         "Changes follow Poisson's law, so no scent can tell which pages have changed by the next "
         "run, unless nearly all that ever change have. That is the case where a small part of "
         "the site changes at about every run."),
        (Table(("site", "DeltaS 0 %", "best", "its Q %", "98% at"), tuple(rows),
               "Q of that of the oracle."),),
        (Figure("Q against DeltaS, all sites", "DeltaS", "Q over that of the oracle", lines,
                (("98%", CLAIMED),), "x"),),
    )  # fmt: skip


def _line(name: str, means: list[Mean]) -> Line:
    return Line(name, DELTAS, tuple(m.value for m in means), tuple(m.half or 0.0 for m in means))


def _span(reached: list[float]) -> str:
    if not reached:
        return "none"
    return f"{reached[0]:g}" if len(reached) == 1 else f"{reached[0]:g} to {reached[-1]:g}"


def _share(of: Mean) -> str:
    """Return a share in per cent with half its interval."""
    return told(Mean(100 * of.value, None if of.half is None else 100 * of.half), 1)
