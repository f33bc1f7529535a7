"""What must come out for the crawl schedulers, each spec in three engines at least."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from counterpoint.models.checking.engines import Options

from .job import Job

SMALL = Options(runs=100)
"""Random runs are many enough to find what is wrong here, and few enough for a gate."""

SAFE = (
    "never-twice",
    "nothing-before-it-was-discovered",
    "nothing-is-lost",
    "no-more-in-flight-than-allowed",
    "done-stays-done",
    "no-deadlock",
    "ranges",
)
"""What random runs are asked: not all of them reach the witnesses."""


def _without_gain(**more: Any) -> Mapping[str, Any]:
    """Return parameters of S.C.E.N.T. for a page that never changes beside one that may."""
    return {"delta-s": 0, "pages": 2, "static": 1, "iterations": 6, **more}


PRINTED = _without_gain(harvest="size")
"""The harvest is the size of the page."""

FRONTIER: tuple[Job, ...] = (
    Job(
        "frontier",
        {},
        "exhaustive",
        "Nothing is fetched twice, too early or never, whatever fails and is interrupted.",
        states=2894,
    ),
    Job(
        "frontier",
        {"pages": 5, "concurrency": 3, "retries": 0},
        "exhaustive",
        "Nor with 5 pages and 3 requests in flight.",
        states=2596,
    ),
    Job("frontier", {"pages": 3}, "exhaustive", "The same with 3 pages.", states=334),
    Job(
        "frontier",
        {"pages": 3},
        "bounded",
        "z3 finds nothing wrong in runs of at most 10 steps.",
        options=Options(steps=10),
    ),
    Job("frontier", {"pages": 3}, "stateful", "Nor do random runs.", only=SAFE, options=SMALL),
)

BREADTH_FIRST: tuple[Job, ...] = (
    Job(
        "breadth-first",
        {},
        "exhaustive",
        "Of 6 pages, two in flight, a request falls one level behind at most.",
        states=427,
    ),
    Job(
        "breadth-first",
        {"pages": 7, "concurrency": 3},
        "exhaustive",
        "Of 7 pages two levels, however many are in flight.",
        states=1852,
    ),
    Job(
        "breadth-first",
        {"concurrency": 1},
        "exhaustive",
        "One request at a time: levels never fall, and are the fewest links.",
        states=180,
    ),
    Job(
        "breadth-first",
        {"answers": "in-order"},
        "exhaustive",
        "So it is if answers are taken in the order of requests.",
        states=222,
    ),
    Job(
        "breadth-first",
        {"next-level": "after-the-level"},
        "exhaustive",
        "And if a level waits for the one before it.",
        states=297,
    ),
    Job("breadth-first", {"pages": 4}, "exhaustive", "The same with 4 pages.", states=49),
    Job(
        "breadth-first",
        {"pages": 4},
        "bounded",
        "z3 finds nothing wrong in all runs of 4 pages.",
        options=Options(steps=8),
    ),
    Job(
        "breadth-first",
        {"pages": 4},
        "stateful",
        "Nor do random runs.",
        only=(*SAFE, "order-by-level", "levels-are-distances", "one-level-down"),
        options=SMALL,
    ),
    *(
        Job(
            "breadth-first",
            {"pages": 4, "order": "lifo"},
            engine,
            "A stack for a queue: a level comes too late.",
            violated={"order-by-level": steps},
            only=only,
            options=options,
        )
        for engine, steps, only, options in (
            ("exhaustive", 6, (), Options()),
            ("bounded", 6, (), Options(steps=8)),
            ("stateful", None, ("order-by-level",), SMALL),
        )
    ),
)

FOCUSED: tuple[Job, ...] = (
    Job(
        "focused-hits",
        {},
        "exhaustive",
        "The best authorities fetched are indexed, the best hubs expanded, whatever HITS says.",
        states=2486,
    ),
    Job(
        "focused-hits",
        {"pages": 4, "hubs": 3},
        "exhaustive",
        "So it is with 4 pages: the frontier grows by c hubs a step, and the crawl ends.",
        states=70_434,
    ),
    Job(
        "focused-hits",
        {"pages": 5, "c": 2, "authorities": 2, "concurrency": 2},
        "exhaustive",
        "So it is with 5 pages, two chosen in a step, two in flight.",
        states=93_270,
    ),
    Job(
        "focused-hits",
        {"pages": 4, "steps": 2},
        "exhaustive",
        "And if it ends after two steps.",
        states=19_296,
    ),
    Job(
        "focused-hits",
        {"pages": 4, "crawler": "standard"},
        "exhaustive",
        "The standard crawler expands in the order of discovery and weighs at the end.",
        states=1100,
    ),
    Job(
        "focused-hits",
        {},
        "bounded",
        "z3 finds nothing wrong in runs of at most 21 steps.",
        options=Options(steps=21),
    ),
    Job(
        "focused-hits",
        {},
        "stateful",
        "Nor do random runs.",
        only=(
            *SAFE,
            "the-greatest-hubs-first",
            "the-greatest-authorities-first",
            "the-index-holds-only-fetched-pages",
            "the-frontier-grows-by-c-hubs",
            "it-gets-on",
        ),
        options=SMALL,
    ),
)

SCENT: tuple[Job, ...] = (
    Job(
        "scent",
        {},
        "exhaustive",
        "With a gain each page is visited within 8 iterations, and no scent exceeds 8.",
        states=1943,
    ),
    Job(
        "scent",
        {"batch": 2},
        "exhaustive",
        "So it is with two visits in an iteration, within 6.",
        states=1_113_809,
    ),
    Job(
        "scent",
        {"delta-s": 2},
        "exhaustive",
        "With a gain of twice the harvest pages are visited in turn.",
        states=2047,
    ),
    Job(
        "scent",
        {"delta-s": 4, "changes": 3, "initial": 5, "iterations": 9},
        "exhaustive",
        "So they are with larger changes.",
        states=6278,
    ),
    Job(
        "scent",
        {"delta-s": 0},
        "exhaustive",
        "Without gain an unchanged page is left, if the harvest is what has changed.",
        states=2047,
    ),
    *(
        Job(
            "scent",
            _without_gain(),
            engine,
            "So is one that never changes.",
            states=34 if engine == "exhaustive" else None,
            only=only,
            options=options,
        )
        for engine, only, options in (
            ("exhaustive", (), Options()),
            ("bounded", (), Options(steps=6)),
            ("stateful", ("unchanged-is-left", "scent-is-bounded", "exactly-a-batch"), SMALL),
        )
    ),
    *(
        Job(
            "scent",
            PRINTED,
            engine,
            "It is visited for ever if the harvest is the size, as printed.",
            violated={"unchanged-is-left": steps},
            only=only,
            options=options,
        )
        for engine, steps, only, options in (
            ("exhaustive", 5, (), Options()),
            ("bounded", 5, (), Options(steps=6)),
            ("stateful", None, ("unchanged-is-left",), SMALL),
        )
    ),
    Job("scent", {}, "induction", "Gap and bound are kept for ever."),
    Job(
        "scent",
        {"pages": 4, "batch": 2, "changes": 4, "initial": 9},
        "induction",
        "So they are with more pages, visits and changes.",
    ),
    Job("scent", {"delta-s": 0}, "induction", "Without gain an unchanged page is left for ever."),
)

RETRIEVAL: tuple[Job, ...] = (
    Job("retrieval", {}, "exhaustive", "Recall and precision are what they should.", states=256),
    Job(
        "retrieval",
        {},
        "bounded",
        "z3 says the same of all runs.",
        options=Options(steps=4),
    ),
    Job("retrieval", {}, "stateful", "And random runs.", options=SMALL),
    *(
        Job(
            "retrieval",
            {"b": "all"},
            engine,
            "With b as printed no answer is wholly precise.",
            violated={"no-fault-is-full-precision": steps},
            only=only,
            options=options,
        )
        for engine, steps, only, options in (
            ("exhaustive", 1, (), Options()),
            ("bounded", 1, (), Options(steps=4)),
            ("stateful", None, ("no-fault-is-full-precision",), SMALL),
        )
    ),
)

JOBS: tuple[Job, ...] = (*FRONTIER, *BREADTH_FIRST, *FOCUSED, *SCENT, *RETRIEVAL)
