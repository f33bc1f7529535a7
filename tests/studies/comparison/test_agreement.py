"""The ranks of policies on two webs, compared with SciPy and by hand."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from counterpoint.console import run
from counterpoint.crawler.policy.protocol import Scope
from counterpoint.main import counterpoint
from counterpoint.sim_web import profile
from counterpoint.studies.comparison.agreement import agreements, as_json, ranks, tau
from counterpoint.studies.comparison.agreement_lines import lines
from counterpoint.studies.comparison.comparison import Comparison, PolicyRuns
from counterpoint.studies.comparison.plan import ComparisonPlan
from counterpoint.studies.comparison.run import PolicyRun
from tests.studies.captured.webs import source

rows = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=2, max_size=12)


@given(rows)
def test_tau_is_that_of_scipy(found: list[tuple[int, int]]) -> None:
    """Ties that count as agreement, or a pair that counts twice."""
    first, second = np.array(found, dtype=float).T
    pairs = [(i, k) for i in range(len(found)) for k in range(i)]
    expected = stats.kendalltau(first, second).statistic
    mine = tau(first, second, pairs)
    assert mine == pytest.approx(expected) if mine is not None else np.isnan(expected)


def comparison(
    values: dict[str, list[float]], measure: str = "external", scope: Scope = Scope.WEB,
    others: Scope = Scope.WEB,
) -> Comparison:  # fmt: skip
    """Return a comparison whose policies have some values; the first has a scope of its own."""
    seeds = len(next(iter(values.values())))
    policies = tuple(
        PolicyRuns(name, "", scope if number == 0 else others, None, tuple(
            PolicyRun(seed, number, "", final={measure: value})
            for seed, value in enumerate(row)
        ))
        for number, (name, row) in enumerate(values.items())
    )  # fmt: skip
    plan = ComparisonPlan(tuple(values), profile.load("living"), 9, seeds=range(seeds))
    return Comparison(plan, policies)


def test_pairs_that_are_decided() -> None:
    """A difference by chance that counts, a reverse that is none, or names in the wrong order."""
    one = comparison({"a": [9, 10, 11, 9, 10], "b": [1, 2, 3, 2, 2], "c": [1, 3, 2, 2, 2],
                      "d": [30, 31, 33, 31, 31]})  # fmt: skip
    two = comparison({"a": [1, 2, 4, 2, 2], "b": [9, 10, 12, 10, 10], "c": [0, 8, 1, 0, 6],
                      "d": [40, 41, 42, 41, 41]})  # fmt: skip
    (found,) = agreements(one, two)
    assert found.same == (("d", "a"), ("d", "b"), ("d", "c"))
    assert found.reverse == (("a", "b"),)
    assert set(found.undecided) == {("a", "c"), ("b", "c")}
    assert ranks(found) == [("d", 1, 1), ("a", 2, 4), ("b", 3, 2), ("c", 3, 3)]
    assert found.tau == pytest.approx(stats.kendalltau([10, 2, 2, 31.2], [2.2, 10.2, 3, 41])[0])
    assert found.interval is not None
    assert -1 <= found.interval[0] <= found.tau <= found.interval[1] <= 1
    text = "\n".join(lines([found], ("here", "there")))
    assert "of 6 pairs 3 have the same" in text and "a before b" in text
    assert all(len(line) <= 80 for line in text.splitlines())
    assert as_json([found])[0]["reverse"] == (("a", "b"),)


def test_small_values_can_be_better() -> None:
    """A rank or a pair whose better policy is the worse one."""
    one = comparison({"a": [9, 10, 11, 9, 9], "b": [1, 2, 4, 1, 1]}, "frontier")
    (found,) = agreements(one, one)
    assert found.same == (("b", "a"),) and ranks(found) == [("b", 1, 1), ("a", 2, 2)]
    assert found.tau == 1.0 and found.interval == (1.0, 1.0)


def test_shares_of_other_pages_are_not_compared() -> None:
    """A coverage of a site that ranks above one of the whole web."""
    values = {"site": [0.9, 0.8], "a": [0.5, 0.4], "b": [0.1, 0.3]}
    one = comparison(values, "quality", Scope.SITE)
    (found,) = agreements(one, one)
    assert found.policies == ("a", "b")
    two = comparison(
        {"b": [0.9, 0.8], "c": [0.1, 0.2], "a": [0.8, 0.9], "d": [0.3, 0.1]}, "quality"
    )
    mixed = replace(two, policies=tuple(
        replace(one, scope=Scope.SITE) if one.name in "bd" else one for one in two.policies
    ))  # fmt: skip
    (both,) = agreements(mixed, mixed)
    assert ranks(both) == [("b", 1, 1), ("d", 2, 2), ("a", 1, 1), ("c", 2, 2)]
    text = " ".join("\n".join(lines([both], ("x", "y"))).split())
    assert text.endswith("ranks are among policies that reach the same pages")
    alone = comparison({"site": [0.9, 0.8], "a": [0.5, 0.4]}, "quality", Scope.SITE)
    assert agreements(alone, alone) == []


def test_nothing_to_rank() -> None:
    """A correlation of policies that are all equal, or an interval of a single seed."""
    equal = comparison({"a": [1, 2], "b": [1, 2]})
    (found,) = agreements(equal, comparison({"a": [1, 2], "b": [3, 5]}))
    assert found.tau is None and "is not defined" in "\n".join(lines([found], ("x", "y")))
    (few,) = agreements(*[comparison({"a": [1, 2, 1, 2], "b": [5, 6, 5, 6]})] * 2)
    assert few.interval is None and few.same == (("b", "a"),)
    assert "Unknown: no measure" in "\n".join(lines([], ("x", "y")))
    (single,) = agreements(*[comparison({"a": [1], "b": [2]})] * 2)
    assert single.interval is None and single.undecided == (("a", "b"),)


FAILING = """
class Failing:
    scope, about, why = "web", "fails on large pages' numbers", "nothing is left"
    def __init__(self, setting):
        self.found = list(setting.starts)
    def next(self):
        from counterpoint.crawler.policy.protocol import Request
        return Request(self.found.pop(0)) if self.found else None
    def observe(self, outcome):
        if max([0, *outcome.links]) > 20:
            raise ValueError("too large")
"""
"""A policy that fails on the larger web alone."""


def test_compare_as_a_user_types_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A second web that is not crawled, begins elsewhere, or is missing in an output."""
    monkeypatch.chdir(tmp_path)
    source(tmp_path)
    Path("mine.toml").write_text("[captured]\nfiles = ['x.warc.gz']\n")
    Path("like.toml").write_text("pages = 60\n[hosts]\nmean_pages = 30\n")
    options = ["--web", "mine.toml", "--beside", "like.toml", "--pages", "6", "--seeds", "2"]
    policies = ["compare", "breadth-first", "depth-first"]
    assert run(counterpoint, [*policies, *options, "--html", "x.html"]) == 0
    text = capsys.readouterr().out
    assert "like: 2 webs of 60 pages" in text and "Do policies rank on like as on mine?" in text
    assert "rank on like as on mine?" in Path("x.html").read_text()
    assert run(counterpoint, [*policies, *options, "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["beside"]["web"] == "like" and found["web"] == "mine"
    assert {one["measure"] for one in found["agreement"]} >= {"external", "pages"}
    Path("failing.py").write_text(FAILING)
    monkeypatch.syspath_prepend(str(tmp_path))
    assert run(counterpoint, ["compare", "breadth-first", "failing:Failing", *options]) == 1
    err = capsys.readouterr().err
    assert "counterpoint: like: failing:Failing" in err and "To reproduce" in err
    for more, message in (
        (["opic"], "--beside: a rank needs two policies or more"),
        (["opic", "R1", "--format", "junit"], "--beside: --format junit has no ranks"),
        (["opic", "a=cmd:true"], "--beside: ranks policies only, and no crawlers (cmd:)"),
    ):
        assert run(counterpoint, ["compare", *more, *options]) == 2
        assert message in capsys.readouterr().err
