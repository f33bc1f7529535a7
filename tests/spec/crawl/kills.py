"""The property that first breaks each mutant of a crawler, and after how many steps.

None stands for a property that no run violates.
"""

from __future__ import annotations

KILLS: dict[str, dict[str, tuple[int | None, str]]] = {
    "frontier": {
        "queued-twice": (2, "done-is-fetched-or-given-up"),
        "lost-on-restart": (2, "nothing-is-lost"),
        "restart-keeps-the-count": (2, "the-count-is-right"),
        "failure-is-not-counted-down": (2, "the-count-is-right"),
        "one-too-many": (8, "no-more-in-flight-than-allowed"),
        "tries-for-ever": (None, "a-page-is-given-up"),
        "gives-up-at-once": (2, "done-is-fetched-or-given-up"),
        "last-page-starves": (3, "no-deadlock"),
        "queues-unlinked-pages": (3, "nothing-before-it-was-discovered"),
        "reads-one-link-only": (2, "nothing-is-lost"),
    },
    "breadth-first": {
        "last-in-first-out": (8, "order-by-level"),
        "short-queue": (6, "no-deadlock"),
        "level-of-the-deepest": (7, "one-level-down"),
        "level-never-counted": (2, "one-level-down"),
        "waits-for-deeper-levels": (8, "levels-are-distances"),
        "takes-any-answer": (8, "levels-are-distances"),
    },
    "focused-hits": {
        "least-hub-first": (16, "the-greatest-hubs-first"),
        "expands-by-authority": (16, "the-greatest-hubs-first"),
        "ties-go-to-the-last": (16, "the-greatest-hubs-first"),
        "expands-one-more-than-c": (16, "at-most-c-a-step"),
        "expanded-pages-stay": (9, "each-step-expands"),
        "follows-all-that-wait": (17, "only-what-chosen-hubs-lead-to"),
        "follows-at-once": (2, "only-what-chosen-hubs-lead-to"),
        "least-authority-first": (12, "the-greatest-authorities-first"),
        "hubs-go-to-the-index": (12, "the-greatest-authorities-first"),
        "indexed-unfetched": (5, "the-index-holds-only-fetched-pages"),
        "failed-pages-are-fetched": (4, "hubs-were-fetched"),
        "indexed-again": (12, "at-most-c-a-step"),
        "indexes-too-many": (12, "at-most-c-a-step"),
        "makes-the-index-anew": (12, "nothing-leaves-the-index"),
        "chooses-too-early": (5, "all-is-weighed-before-it-is-chosen"),
        "goes-on-for-nothing": (6, "each-step-expands"),
        "asks-again-for-ever": (2, "only-what-chosen-hubs-lead-to"),
        "weighs-in-between": (2, "weighed-at-the-end"),
    },
    "scent": {
        "weakest-first": (1, "the-strongest-is-next"),
        "short-list": (0, "the-strongest-is-next"),
        "only-the-visited-gain": (1, "halved-and-then-harvested"),
        "halved-only-if-changed": (1, "halved-and-then-harvested"),
        "never-halved": (1, "halved-and-then-harvested"),
        "harvest-is-halved-too": (1, "halved-and-then-harvested"),
        "unchanged-brings-something": (7, "unchanged-is-left"),
        "ends-too-early": (1, "exactly-a-batch"),
        "visits-the-same-twice": (3, "no-deadlock"),
        "flags-are-never-cleared": (1, "exactly-a-batch"),
        "ties-go-to-the-last": (0, "the-strongest-is-next"),
    },
    "scent-for-ever": {
        "only-the-visited-gain": (3, "the-first-page-is-visited-for-ever"),
        "stops-to-gain": (3, "the-first-page-is-visited-for-ever"),
        "each-visit-harvests": (8, "the-first-page-is-left"),
        "the-visited-gain-more": (2, "visits-never-differ-by-two"),
    },
    "frontier-for-ever": {
        "answers-only-in-peace": (2, "the-crawl-ends"),
        "restarts-empty-the-queue": (2, "the-crawl-ends"),
    },
    "scent-in-time": {
        "stops-when-the-time-is-up": (5, "time-is-never-overspent"),
        "sizes-cost-nothing": (3, "what-is-spent-is-the-cost"),
        "connections-cost-nothing": (1, "what-is-spent-is-the-cost"),
        "ends-at-the-first-that-does-not-fit": (4, "no-time-is-wasted"),
        "one-page-an-iteration": (1, "no-time-is-wasted"),
        "time-is-not-renewed": (2, "what-is-spent-is-the-cost"),
        "cheapest-first": (2, "the-strongest-is-next"),
        "only-half-the-time": (1, "the-strongest-is-next"),
        "the-first-always-fits": (3, "time-is-never-overspent"),
    },
    "retrieval": {
        "recall-of-the-collection": (0, "all-found-is-full-recall"),
        "recall-is-precision": (0, "all-found-is-full-recall"),
        "counts-what-is-missed": (1, "no-fault-is-full-precision"),
    },
}

SURVIVE_CRAWLING = {
    "follows-all-that-wait",
    "ends-too-early",
    "visits-the-same-twice",
    "the-first-always-fits",
    "each-visit-harvests",
    "the-visited-gain-more",
}
"""The violations at the default bounds."""
