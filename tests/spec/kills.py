"""The mutants of crawlers, and of memories that keep opacity and lose progress."""

from __future__ import annotations

from tests.spec.crawl import kills as of_crawlers

OF_PROGRESS: dict[str, dict[str, tuple[int | None, str]]] = {
    "window-progress": {
        "always-aborts": (2, "progressiveness"),
        "aborts-at-locks-in-any-order": (16, "livelock-freedom"),
    },
    "tl2-progress": {"aborts-at-any-lock": (5, "progressiveness")},
    "norec-progress": {"releases-for-readers": (15, "livelock-freedom")},
    "jvstm-progress": {"gives-way-to-readers": (10, "livelock-freedom")},
    "dstm-progress": {"gives-way-to-owners": (6, "obstruction-freedom")},
    "mcrt-progress": {"aborts-at-any-owner": (4, "progressiveness")},
}
"""The first violated property, and its number of steps."""

KILLS = {**of_crawlers.KILLS, **OF_PROGRESS}

SURVIVE_ELSEWHERE = {
    *of_crawlers.SURVIVE_CRAWLING,
    "aborts-at-locks-in-any-order",
    "releases-for-readers",
    "gives-way-to-readers",
    "gives-way-to-owners",
}
"""Mutants that only other bounds than the default ones show."""
