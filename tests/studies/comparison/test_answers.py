"""Indices of topical crawls: how they are judged, and which pages an index may contain."""

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
from counterpoint.studies.comparison.plan import ComparisonPlan
from counterpoint.studies.comparison.planted import Planted
from counterpoint.studies.comparison.plots import plots
from counterpoint.studies.comparison.table import lines

POLICIES = ("breadth_first", "hits", "tfidf")
PLAN = ComparisonPlan(POLICIES, load("topical"), 60, 2000, range(2))


class Indexed:
    """A scheduler with a given index."""

    why = ""

    def __init__(self, index: list[int]) -> None:
        self._index = index

    def next(self) -> Request | None:
        """Request nothing."""

    def observe(self, outcome: Outcome) -> None:
        """Ignore the outcome."""

    def index(self) -> list[int]:
        """Return the given index."""
        if self._index == [99]:
            raise ValueError("no index today")
        return self._index


def test_an_index_contains_fetched_pages_once() -> None:
    """A page that was never fetched judged as found; a page that counts twice."""
    assert index_of(Indexed([2, 1]), [1, 2, 3], lambda page: NONE) == [2, 1]
    for wrong, message in (
        ([1, 4], "page 4, which did not come"),
        ([1, 1], "twice"),
        ([99], "today"),
    ):
        with pytest.raises(CrawlError, match=message):
            index_of(Indexed(wrong), [1, 2, 3], lambda page: NONE)


def test_a_perfect_answer_has_perfect_scores() -> None:
    """Judgments of another topic; relevant pages that cannot be reached."""
    planted = Planted(PLAN, 1)
    assert (planted.relevant == planted.web.relevant_to(planted.topic)).all()
    assert planted.query == topics.query(planted.web, planted.topic)
    best = np.flatnonzero(planted.relevant & planted.reachable(Scope.WEB)).tolist()
    shares, points = answered(planted, Scope.WEB, best)
    assert len(best) < ANSWER
    assert set(shares.values()) == {1.0}
    assert (points == 1.0).all()
    others = np.flatnonzero(~planted.relevant).tolist()
    shares, points = answered(planted, Scope.WEB, others[:10])
    assert set(shares.values()) == {0.0}
    assert (points == 0.0).all()


def test_the_frontier_is_known_and_unfetched() -> None:
    """A page in the frontier although it was fetched, or a page that counts twice."""
    planted = Planted(PLAN, 0)
    starts = planted.starts(Scope.WEB)
    order, known = list(starts[:3]), set(starts)
    counts = []
    for k, page in enumerate(order, 1):
        known.update(planted.links_of(Scope.WEB, page).tolist())
        counts.append(len(known) - k)
    found = discovery(planted, Scope.WEB, np.array(order), np.ones(3, bool), np.array([1, 2, 3]))
    assert found["frontier"].tolist() == counts


@pytest.mark.long
def test_a_search_is_compared() -> None:
    """A policy without an answer; figures that depend on the processes; lines that are too long."""
    found = compare(PLAN, 2)
    assert not found.fell
    for policy in found.policies:
        assert all(len(policy.values(name)) == 2 for name in TOPICAL)
        assert len(policy.points()) == 11
        assert policy.curve("map") == []
    printed = list(lines(found))
    assert any(line.startswith("%") and "harvest" in line for line in printed)
    assert max(map(len, printed)) <= 80
    assert plots(found)[0].title.startswith("precision at recall")
    one = as_json(found)["policies"][0]
    assert one["precision_at_recall"]["interpolation"] == "trec_eval-9"
    assert len(one["precision_at_recall"]["mean"]) == 11


def test_curves_are_drawn_in_the_terminal() -> None:
    """A curve on a scale of its own; a graph of recall without its figures."""
    printed = list(lines(compare(PLAN, 1)))
    start = printed.index("precision at recall (trec_eval-9)")
    assert printed[start + 1].endswith("; recall: 0 to 1")
    rows = [line.split(None, 2) for line in printed[start + 2 : start + 5]]
    assert [name for name, _, _ in rows] == list(POLICIES)
    highest = max(int(row[2].split()[0]) for row in rows)
    for _, curve, figures in rows:
        assert len(curve) == len(figures.split()) == 11
        first = int(figures.split()[0])
        assert abs("▁▂▃▄▅▆▇█".index(curve[0]) - 8 * first / highest) <= 1
    start = printed.index("pages found and not fetched", start)
    assert printed[start + 1].endswith("; pages fetched: 1 to 60")
    assert all(len(line.split()[1]) == len(PLAN.grid) for line in printed[start + 2 : start + 5])


def test_wide_intervals_keep_the_columns_apart() -> None:
    """A wide interval, of two webs that differ, that runs into the next column."""
    found = compare(PLAN, 1)
    apart = tuple(
        replace(policy, runs=tuple(
            replace(run, final=run.final | dict.fromkeys(TOPICAL, float(run.seed)))
            for run in policy.runs
        ))
        for policy in found.policies
    )  # fmt: skip
    printed = list(lines(replace(found, policies=apart)))
    rows = printed[printed.index(next(line for line in printed if line.startswith("%"))) + 1 :][:3]
    assert [row.split() for row in rows] == [[name, *["50.0", "±635"] * 6] for name in POLICIES]
    assert max(map(len, printed)) <= 80


def test_rows_show_the_differing_parameter() -> None:
    """Rows with equal names, because names are cut before the parameter in which they differ."""
    names = (
        "tfidf+hits,mix=sum", "tfidf+hits,mix=links", "tfidf,centroid=0.5", "bm25,centroid=0.5",
        "tests.studies.comparison.policies:Queue", "tests.studies.comparison.policies:Stack",
    )  # fmt: skip
    found = compare(PLAN, 1)
    one = found.policies[0]
    printed = list(lines(replace(found, policies=tuple(replace(one, name=name) for name in names))))
    assert max(map(len, printed)) <= 80
    for title in ("%", "harvest rate", "precision at recall", "why the runs ended"):
        at = next(k for k, line in enumerate(printed) if line.startswith(title))
        shown = [line.split()[0] for line in printed[at:] if line.strip()]
        assert [name for name in shown if name in names][: len(names)] == list(names)


def test_coverage_of_different_pages_is_not_compared() -> None:
    """A share of the pages of a site less a share of the pages of all sites."""
    plan = ComparisonPlan(("R1", "breadth-first", "R2"), load("universities"), 50, 2000, range(2))
    found = compare(plan, 1)
    r1, breadth, r2 = found.policies
    for measure in found.measured():
        assert r2.against(r1, measure) is not None
        assert (breadth.against(r1, measure) is None) == measure.of_reach
    text = "\n".join(lines(found))
    for title in ("coverage by quantity", "coverage by quality: of their PageRank mass"):
        table = text[text.index(title) :].partition("\n\n")[0]
        assert "(no difference: these policies cannot reach the same pages)" in table
    external = text[text.index("external links") :].partition("\n\n")[0]
    assert "no difference" not in external
    measures = as_json(found)["policies"][1]["measures"]
    assert "against" in measures["external"] and "against" not in measures["quantity"]


def test_the_base_of_the_differences_can_be_chosen() -> None:
    """Differences to the first policy though another one was named."""
    plan = ComparisonPlan(("R1", "R2"), load("universities"), 50, 2000, range(2))
    found = replace(compare(plan, 1), base=1)
    assert any("minus R2" in line for line in lines(found))
    one, two = as_json(found)["policies"]
    assert one["measures"]["external"]["against"]["policy"] == "R2"
    assert "against" not in two["measures"]["external"]


def test_a_web_without_topics_has_no_answer() -> None:
    """Measures of an index on a web without topics."""
    found = compare(ComparisonPlan(("breadth-first",), load("broder-1999"), 20, 1000, range(1)), 1)
    assert not found.policies[0].values("map")
    assert not found.policies[0].points()
    assert "precision_at_recall" not in as_json(found)["policies"][0]
