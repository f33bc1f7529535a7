"""What the gate checks of equal quanta, R1, R2 and R3."""

from __future__ import annotations

from counterpoint.models.checking.engines import Options

from .job import Job

R1_PRINTED = {"never-overspends": 6, "exhausted-sites-leave": 1, "no-deadlock": 1}
"""Two of five pages of each of three sites are six."""

R2_PRINTED = {"never-overspends": 8, "exhausted-sites-leave": 1, "no-deadlock": 1}

R3_PRINTED = {
    "never-overspends": 9,
    "no-division-by-zero": 2,
    "one-choice": 2,
    "exhausted-sites-leave": 2,
    "no-deadlock": 2,
}

SAFE = (
    "never-overspends",
    "spends-all-it-can",
    "nothing-unknown-is-scanned",
    "exhausted-sites-leave",
    "one-choice",
    "one-page-a-step",
    "no-deadlock",
    "ranges",
)
"""What random runs are asked: not all of them reach the witnesses."""

JOBS: tuple[Job, ...] = (
    Job("equal-quanta", {}, "exhaustive", "Equal quanta are fair.", states=537),
    Job(
        "equal-quanta",
        {"quantum": 5},
        "exhaustive",
        "With a quantum as large as a site, sites come one by one.",
        states=467,
    ),
    Job("r1", {}, "exhaustive", "R1 as corrected spends its budget exactly.", states=2923),
    Job(
        "r1",
        {"reading": "printed"},
        "exhaustive",
        "R1 as printed scans more than N pages, and asks exhausted sites for more.",
        violated=R1_PRINTED,
        states=10_633,
    ),
    Job(
        "r1",
        {"rest": "all-but-one-share"},
        "exhaustive",
        "N - [N/K] pages do not remain after K [N/K].",
        violated={"never-overspends": 6},
        states=15_531,
    ),
    Job(
        "r1",
        {"rounding": "nearest"},
        "exhaustive",
        "K times the nearest integer to N/K can be more than N.",
        violated={"never-overspends": 6},
        states=3307,
    ),
    Job(
        "r1",
        {"sites": 4, "budget": 10},
        "exhaustive",
        "Nothing is wrong with R1 as corrected on four sites either.",
        states=546_773,
    ),
    Job("r2", {}, "exhaustive", "R2 as corrected is right, and starves sites.", states=1975),
    Job(
        "r2",
        {"reading": "printed"},
        "exhaustive",
        "R2 as printed overspends by its last step, and asks exhausted sites for more.",
        violated=R2_PRINTED,
        states=1331,
    ),
    Job(
        "r2",
        {"stops": "after-a-step"},
        "exhaustive",
        "That the sum of t(i) is asked for between steps alone is enough to overspend.",
        violated={"never-overspends": 8},
        states=3258,
    ),
    Job(
        "r2",
        {"sites": 3, "budget": 10},
        "exhaustive",
        "Nothing is wrong with R2 as corrected on three sites.",
        states=75_752,
    ),
    Job("r3", {}, "exhaustive", "R3 as corrected is right, and starves nobody.", states=3548),
    Job(
        "r3",
        {"reading": "printed"},
        "exhaustive",
        "R3 as printed scans N + 1 pages, divides by 0, and asks exhausted sites for more.",
        violated=R3_PRINTED,
        states=2591,
    ),
    Job(
        "r3",
        {"stops": "after-it"},
        "exhaustive",
        "While n <= N it scans one page too many.",
        violated={"never-overspends": 9},
        states=4604,
    ),
    Job(
        "r3",
        {"without-links": "divides"},
        "exhaustive",
        "Where no page has had a link there is nothing to divide by.",
        violated={"one-choice": 2, "no-division-by-zero": 2, "no-deadlock": 2},
        states=3470,
    ),
    Job(
        "r3",
        {"sites": 3},
        "exhaustive",
        "Nothing is wrong with R3 as corrected on three sites.",
        states=32_301,
    ),
    Job(
        "r3",
        {"links": 1, "initial": 2, "budget": 18, "pages": 15},
        "exhaustive",
        "A site with two pages waits till 15 are scanned, and never longer.",
        states=15_927,
    ),
    Job(
        "equal-quanta",
        {"sites": 4, "budget": 60, "pages": 40, "quantum": 7},
        "induction",
        "Equal quanta are fair in every step, on four sites of up to 40 pages.",
    ),
    Job(
        "r1",
        {"sites": 5, "budget": 60, "pages": 40},
        "induction",
        "R1 as corrected is right in every step, on five sites of up to 40 pages.",
    ),
    Job(
        "r2",
        {"sites": 4, "budget": 60, "pages": 40, "step": 3},
        "induction",
        "R2 as corrected is right in every step, on four sites of up to 40 pages.",
    ),
    Job("r3", {}, "induction", "R3's bound on a wait follows from its index, in every step."),
    Job(
        "r3",
        {"sites": 3, "budget": 30, "pages": 12, "links": 1},
        "induction",
        "It does on three sites of up to 12 pages.",
        least_budget=300.0,
    ),
    *(
        Job(
            rule,
            {},
            "bounded",
            "z3 finds nothing wrong in all runs, which end with the budget.",
            options=Options(steps=steps),
        )
        for rule, steps in (("equal-quanta", 8), ("r1", 6), ("r2", 8), ("r3", 9))
    ),
    *(
        Job(
            rule,
            {},
            "stateful",
            "Nor do random runs.",
            only=SAFE,
            options=Options(runs=100),
        )
        for rule in ("equal-quanta", "r1", "r2", "r3")
    ),
    *(
        Job(
            rule,
            {"reading": "printed"},
            "bounded",
            "z3 finds the same errors, after as many steps.",
            violated=violated,
            options=Options(steps=9),
            shown=tuple(violated)[:1],
        )
        for rule, violated in (("r1", R1_PRINTED), ("r2", R2_PRINTED), ("r3", R3_PRINTED))
    ),
    Job(
        "r3",
        {"reading": "printed"},
        "stateful",
        "So do random runs in plain Python.",
        violated={"never-overspends": None, "no-division-by-zero": None},
        only=("never-overspends", "no-division-by-zero"),
        shown=("no-division-by-zero",),
    ),
)
"""In the order in which the gate begins them."""
