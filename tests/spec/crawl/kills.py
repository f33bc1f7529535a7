"""What breaks each mutant of a crawler first, and after how many steps; None: no run reaches it."""

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
        "least-hub-first": (10, "the-greatest-hub-first"),
        "expands-by-authority": (10, "the-greatest-hub-first"),
        "ties-go-to-the-last": (10, "the-greatest-hub-first"),
        "short-list": (10, "the-greatest-hub-first"),
        "indexed-again": (7, "indexed-at-most-once"),
        "hubs-go-to-the-index": (2, "good-authorities-are-in-the-index"),
        "expanded-pages-stay": (8, "done-stays-done"),
        "ranks-too-early": (7, "only-what-this-step-weighed"),
        "weighs-in-between": (1, "weighed-at-the-end"),
        "new-pages-are-expanded-at-once": (5, "only-what-this-step-weighed"),
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
    "retrieval": {
        "recall-of-the-collection": (0, "all-found-is-full-recall"),
        "recall-is-precision": (0, "all-found-is-full-recall"),
        "counts-what-is-missed": (1, "no-fault-is-full-precision"),
    },
}

SURVIVE_CRAWLING = {
    "new-pages-are-expanded-at-once",
    "ends-too-early",
    "visits-the-same-twice",
}
"""At the default bounds."""
