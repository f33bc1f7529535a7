"""Indices of crawls that look for something: what is judged, and what an index may not hold."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.evaluation.indices import index_of
from counterpoint.crawler.policy.protocol import NONE, Outcome, Request, Scope
from counterpoint.sim_web.profile import load
from counterpoint.sim_web.world import topics
from counterpoint.studies.comparison.comparison import as_json, compare
from counterpoint.studies.comparison.measures import ANSWER, TOPICAL, answered, discovery
from counterpoint.studies.comparison.plan import Plan
from counterpoint.studies.comparison.planted import Planted
from counterpoint.studies.comparison.plots import plots
from counterpoint.studies.comparison.table import lines

POLICIES = ("breadth_first", "hits", "tfidf")
PLAN = Plan(POLICIES, load("topical"), 60, 2000, range(2))


class Indexed:
    """A scheduler with an index of a test's."""

    why = ""

    def __init__(self, index: list[int]) -> None:
        self._index = index

    def next(self) -> Request | None:
        """Ask for nothing."""

    def observe(self, outcome: Outcome) -> None:
        """Learn nothing."""

    def index(self) -> list[int]:
        """Return what the test gave."""
        if self._index == [99]:
            raise ValueError("no index today")
        return self._index


def test_an_index_holds_what_came_and_once() -> None:
    """A page that was never fetched judged as found; one that is counted twice."""
    assert index_of(Indexed([2, 1]), [1, 2, 3], lambda page: NONE) == [2, 1]
    for wrong, said in (([1, 4], "page 4, which did not come"), ([1, 1], "twice"), ([99], "today")):
        with pytest.raises(CrawlError, match=said):
            index_of(Indexed(wrong), [1, 2, 3], lambda page: NONE)


def test_a_perfect_answer_is_told_to_be_one() -> None:
    """Judgments of another topic; relevant pages that cannot be reached."""
    planted = Planted(PLAN, 1)
    assert (planted.relevant == planted.web.relevant_to(planted.topic)).all()
    assert planted.query == topics.query(planted.web, planted.topic)
    best = np.flatnonzero(planted.relevant & planted.reachable(Scope.WEB)).tolist()
    told, points = answered(planted, Scope.WEB, best)
    assert len(best) < ANSWER
    assert set(told.values()) == {1.0}
    assert (points == 1.0).all()
    others = np.flatnonzero(~planted.relevant).tolist()
    told, points = answered(planted, Scope.WEB, others[:10])
    assert set(told.values()) == {0.0}
    assert (points == 0.0).all()


def test_the_frontier_is_what_was_found_and_not_fetched() -> None:
    """A page that is counted though it was fetched, or found twice."""
    planted = Planted(PLAN, 0)
    starts = planted.starts(Scope.WEB)
    order, known = list(starts[:3]), set(starts)
    counts = []
    for k, page in enumerate(order, 1):
        known.update(planted.links_of(Scope.WEB, page).tolist())
        counts.append(len(known) - k)
    found = discovery(planted, Scope.WEB, np.array(order), np.ones(3, bool), np.array([1, 2, 3]))
    assert found["frontier"].tolist() == counts


def test_a_search_is_compared() -> None:
    """A policy without an answer; figures that depend on the processes; lines that are too long."""
    found = compare(PLAN, 2)
    assert not found.fell
    for policy in found.policies:
        assert all(len(policy.values(name)) == 2 for name in TOPICAL)
        assert len(policy.points()) == 11
        assert policy.curve("map") == []
    told = list(lines(found))
    assert any(line.startswith("%") and "harvest" in line for line in told)
    assert max(map(len, told)) <= 80
    assert plots(found)[0].title.startswith("precision at recall")
    one = as_json(found)["policies"][0]
    assert one["precision_at_recall"]["interpolation"] == "trec_eval-9"
    assert len(one["precision_at_recall"]["mean"]) == 11


def test_curves_stand_in_the_terminal() -> None:
    """A curve on a scale of its own; a graph of recall without its figures."""
    told = list(lines(compare(PLAN, 1)))
    start = told.index("precision at recall (trec_eval-9)")
    assert told[start + 1].endswith("; recall: 0 to 1")
    rows = [line.split(None, 2) for line in told[start + 2 : start + 5]]
    assert [name for name, _, _ in rows] == list(POLICIES)
    highest = max(int(row[2].split()[0]) for row in rows)
    for _, curve, figures in rows:
        assert len(curve) == len(figures.split()) == 11
        first = int(figures.split()[0])
        assert abs("▁▂▃▄▅▆▇█".index(curve[0]) - 8 * first / highest) <= 1
    start = told.index("pages found and not fetched", start)
    assert told[start + 1].endswith("; pages fetched: 1 to 60")
    assert all(len(line.split()[1]) == len(PLAN.grid) for line in told[start + 2 : start + 5])


def test_two_webs_that_differ_leave_the_columns_apart() -> None:
    """An interval of two webs that is so wide that it runs into the next column."""
    found = compare(PLAN, 1)
    apart = tuple(
        replace(policy, runs=tuple(
            replace(run, final=run.final | dict.fromkeys(TOPICAL, float(run.seed)))
            for run in policy.runs
        ))
        for policy in found.policies
    )  # fmt: skip
    told = list(lines(replace(found, policies=apart)))
    rows = told[told.index(next(line for line in told if line.startswith("%"))) + 1 :][:3]
    assert [row.split() for row in rows] == [[name, *["50.0", "±635"] * 6] for name in POLICIES]
    assert max(map(len, told)) <= 80


def test_policies_that_differ_in_a_parameter_are_told_apart() -> None:
    """Rows of the same name, because a name is cut where names begin to differ."""
    names = (
        "tfidf+hits,mix=sum", "tfidf+hits,mix=links", "tfidf,centroid=0.5", "bm25,centroid=0.5",
        "tests.studies.comparison.policies:Queue", "tests.studies.comparison.policies:Stack",
    )  # fmt: skip
    found = compare(PLAN, 1)
    one = found.policies[0]
    told = list(lines(replace(found, policies=tuple(replace(one, name=name) for name in names))))
    assert max(map(len, told)) <= 80
    heads = {"%": 1, "harvest rate": 2, "precision at recall": 2, "why the runs ended": 1}
    for title, rows in heads.items():
        at = next(k for k, line in enumerate(told) if line.startswith(title)) + rows
        shown = [line.split()[0] for line in told[at : at + len(names)]]
        assert len(set(shown)) == len(names)
        assert all(short[0] in ("…", name[0]) and short[-1] == name[-1]
                   for short, name in zip(shown, names, strict=True))  # fmt: skip


def test_what_looks_for_nothing_has_no_answer() -> None:
    """Measures of an index on a web without topics."""
    found = compare(Plan(("breadth-first",), load("broder-1999"), 20, 1000, range(1)), 1)
    assert not found.policies[0].values("map")
    assert not found.policies[0].points()
    assert "precision_at_recall" not in as_json(found)["policies"][0]
