"""Judges the log of a crawler's run by the truth about the web."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from counterpoint.crawler.policy.protocol import Scope
from counterpoint.crawler.worlds.crawl import digest_of
from counterpoint.sim_web.pages import robots
from counterpoint.sim_web.referee import RequestLog, judge, read, read_header
from counterpoint.sim_web.referee.known import truth_of
from counterpoint.sim_web.referee.reached import first_fetches
from counterpoint.studies.comparison.measures import by_site, discovery
from counterpoint.studies.comparison.plan import ComparisonPlan
from counterpoint.studies.comparison.planted import Array, Planted
from counterpoint.studies.comparison.run import PolicyRun

from .links import followed
from .measures import EMPTY, LARGE, Value, values_of
from .reach import allowed_pages, reachable
from .runs import RunFacts, Subject

SHOWN = 3
"""How many examples are kept of what is wrong."""


class OpenWeb(Planted):
    """A web of which a crawler sees everything, also outside of the sites that a profile names."""

    def _part(self, scope: Scope) -> tuple[Array, Array]:
        if scope is Scope.WEB:
            return self.links.offsets, self.links.targets.astype(np.int64)
        return super()._part(scope)


def plan_of(subject: Subject) -> ComparisonPlan:
    """Return the plan of a comparison with the same webs and the same budget."""
    budget = subject.pages or subject.pages_of_web
    return ComparisonPlan((subject.name,), subject.profile, budget, subject.web_pages)


@dataclass(frozen=True)
class JudgedLog:
    """What the log of a run says: its measures, the order of its requests, details."""

    values: dict[str, Value]
    order: tuple[str, ...]
    facts: RunFacts
    crawl: PolicyRun | None


class LogJudge:
    """Judges logs of crawls on one web.

    Parameters
    ----------
    planted : Planted
        The web.
    """

    def __init__(self, planted: Planted) -> None:
        self._planted, self._web = planted, planted.web
        self._truth = truth_of(planted.web)

    def judge(
        self,
        path: Path,
        budget: int | None,
        starts: Sequence[int] | None,
        plan: ComparisonPlan | None,
    ) -> JudgedLog:
        """Judge a log.

        Parameters
        ----------
        path : Path
            The log.
        budget : int or None
            Judge only up to the request that fetched so many different pages; None: everything.
        starts : sequence of int or None
            The pages that the crawler knew at the beginning; None: the first one that it fetched.
        plan : ComparisonPlan or None
            The plan whose measures of policies are wanted; None: none.
        """
        with path.open("rb") as file:
            header = read_header(file, str(path))
            log = read(file, str(path), header, self._truth)
        lines = _in_order(path)
        log, lines = _cut(log, lines, budget)
        if not lines:
            return JudgedLog({}, (), RunFacts(), None)
        fetched = log.requests.page[first_fetches(log.requests)]
        starts = fetched[:1].tolist() if starts is None else starts
        facts = self._facts(log, lines, fetched, starts)
        values = values_of(judge(log, self._truth), header.real_time)
        values |= _shares(facts)
        order = tuple(
            line["url"] if line["method"] == "GET" else f"{line['method']} {line['url']}"
            for line in lines
        )
        crawl = None if plan is None or not len(fetched) else self._as_policy(plan, fetched)
        return JudgedLog(values, order, facts, crawl)

    def _facts(
        self, log: RequestLog, lines: list[dict[str, Any]], fetched: Array, starts: Sequence[int]
    ) -> RunFacts:
        web, planted = self._web, self._planted
        agent = Counter(line["agent"] for line in lines).most_common(1)[0][0]
        forbidden = [
            line["url"] for line, wrong in zip(lines, log.requests.disallowed, strict=True) if wrong
        ]
        counts = by_site(planted, fetched)
        names = [web.name(site) for site in planted.sites]
        starving: list[str] = []
        count = got = None
        if self._truth.small:
            reached = reachable(planted, starts, allowed_pages(web, agent))
            count, got = int(reached.sum()), int(reached[fetched].sum())
            reach = np.bincount(planted.of_site[reached], minlength=len(names) + 1)
            starving = [name for name, could, did in zip(names, reach, counts, strict=False)
                        if could and not did]  # fmt: skip
        return RunFacts(
            tuple(dict.fromkeys(forbidden))[:SHOWN],
            tuple(starving),
            dict(zip([*names, "elsewhere"], counts.tolist(), strict=True)),
            followed(
                web, fetched.tolist(), {line["url"] for line in lines}, starts,
                lambda url: not robots.disallowed(web, url, agent),
            ),
            count,
            got,
        )  # fmt: skip

    def _as_policy(self, plan: ComparisonPlan, fetched: Array) -> PolicyRun:
        """Return a crawl as the run of a policy that made the same visits."""
        order = fetched[: plan.budget]
        came = np.ones(len(order), dtype=np.bool_)
        curves = discovery(
            self._planted, Scope.WEB, order, came, np.append(plan.grid, max(len(order), 1))
        )
        return PolicyRun(
            seed=self._web.seed,
            policy=0,
            why="the budget is spent" if len(order) == plan.budget else "it stopped by itself",
            steps=len(order),
            digest=digest_of(order),
            sites=by_site(self._planted, order),
            final={name: float(curve[-1]) for name, curve in curves.items()},
            curves={name: curve[:-1] for name, curve in curves.items()},
            order=order if plan.orders else order[:0],
            came=came if plan.orders else came[:0],
        )


def _shares(facts: RunFacts) -> dict[str, Value]:
    found: dict[str, Value] = {
        f"followed.{kind}": links.share for kind, links in facts.followed.items()
    }
    found["starving-sites"] = found["coverage.reachable"] = LARGE
    if facts.reachable is not None and facts.reached is not None:
        found["starving-sites"] = float(len(facts.starving))
        found["coverage.reachable"] = facts.reached / facts.reachable if facts.reachable else EMPTY
    return found


def _in_order(path: Path) -> list[dict[str, Any]]:
    """Return the records of a log in the order in which the requests began."""
    lines = path.read_bytes().splitlines(keepends=True)[1:]
    records = [json.loads(line) for line in lines if line.endswith(b"\n")]
    return sorted(records, key=lambda one: float(one["started"]))


def _cut(
    log: RequestLog, lines: list[dict[str, Any]], budget: int | None
) -> tuple[RequestLog, list[dict[str, Any]]]:
    """Return a log, and its records, up to the request that fetched the last page of a budget."""
    first = first_fetches(log.requests)
    if budget is None or len(first) <= budget:
        return log, lines
    last = int(first[budget - 1]) + 1
    return replace(log, requests=log.requests.only(np.arange(last))), lines[:last]
