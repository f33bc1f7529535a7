"""Runs of crawlers as the tests make them up, without running anything."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from counterpoint.ci.crawlers import CrawlerCase, CrawlerResult
from counterpoint.ci.crawlers.baseline import CrawlBaseline
from counterpoint.ci.crawlers.judging import judge_runs
from counterpoint.studies.subjects import RunFacts, SubjectRun
from counterpoint.studies.subjects.links import FollowedLinks

CASE = CrawlerCase("spider", "spider {start}", "broder-1999", 400, 1000, (7, 8), 1,
                   must=("disallowed == 0",))  # fmt: skip

ORDER = tuple(f"http://a.test/{n}" for n in range(5))


def made(seed: int = 7, repeat: int = 0, **changes: Any) -> SubjectRun:
    """Return a run; keywords replace its attributes, or measures by name with ``_`` for ``.``."""
    measures = {"pages": 100.0, "hosts": 10.0, "coverage": 0.1, "disallowed": 0.0,
                "starving-sites": 0.0, "robots": 3.0, "followed.frames": 0.5}  # fmt: skip
    for name in list(changes):
        if name in measures:
            measures[name] = changes.pop(name)
    facts = RunFacts(
        sites={"a.test": 60, "b.test": 40}, followed={"frames": FollowedLinks(8, 4, "http://f/")}
    )
    values: dict[str, Any] = {
        "measures": measures, "order": ORDER, "facts": facts, "web_digest": "w",
    } | changes  # fmt: skip
    return SubjectRun(seed, repeat, "exit", 0, 1.0, **values)


def both(**changes: Any) -> list[SubjectRun]:
    """Return a run for each seed of the case."""
    return [made(seed, **changes) for seed in CASE.seeds]


def judged(
    runs: list[SubjectRun], before: CrawlBaseline | None = None, case: CrawlerCase = CASE,
    **changes: Any,
) -> CrawlerResult:  # fmt: skip
    """Judge runs by the baseline of an unchanged crawler, or another one."""
    case = replace(case, **changes)
    if before is None:
        before = judge_runs(case, case.subject(), both(), None).now
    return judge_runs(case, case.subject(), runs, before)
