"""The crawls of the gate: a changed policy fails and is described, an unchanged policy passes."""

from __future__ import annotations

import html
import json
import math
import os
import signal
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from counterpoint.ci import reports
from counterpoint.ci.converting import of_policy
from counterpoint.ci.regression import baseline, judging, rerun
from counterpoint.ci.regression.cases import RegressionCase
from counterpoint.ci.regression.judging import PolicyResult
from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.policy.protocol import Scope

SITES = RegressionCase(
    "universities", 300, 3000, ("equal-quanta", "R1", "R2", "R3", "breadth-first")
)
AGAIN = RegressionCase("living", 400, 100, ("scent", "uniform"))
SLIPS = "tests.ci.regression.slips"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Yield a folder with baselines of the unchanged policies."""
    place = tmp_path_factory.mktemp("baselines")
    found = rerun.run([SITES, AGAIN], place, 1)
    for one in found:
        command = f"counterpoint gate --accept '{one.name}'"
        assert one.changes == (f"it has no baseline; {command} makes it",)
    assert len(rerun.accept(found, place)) == 7
    yield place


def run_case(case: RegressionCase, folder: Path, **instead: str) -> dict[str, PolicyResult]:
    """Run a case in which slips replace policies; return the outcomes by policy."""
    replaced = {name.replace("_", "-"): f"{SLIPS}:{slip}" for name, slip in instead.items()}
    found = rerun.run([case], folder, 1, instead=replaced)
    return {one.name.partition(" on ")[0]: one for one in found}


def test_unchanged_policies_pass_with_equal_reports(folder: Path, tmp_path: Path) -> None:
    """A gate that fails by chance, or a report with a date or with another order each time."""
    few = [replace(SITES, policies=("R3", "breadth-first")), AGAIN]
    first, second = rerun.run(few, folder, 2), rerun.run(few, folder, 1)
    assert [one.answer for one in first] == ["as expected"] * 4
    shown = []
    for number, found in enumerate((first, second)):
        timeless = [replace(one, seconds=1.0) for one in found]
        reports.write(tmp_path / str(number), list(map(of_policy, timeless)), 1.0)
        shown.append((tmp_path / str(number) / "index.html").read_text())
    assert shown[0] == shown[1]
    assert rerun.accept(first, folder) == []


@pytest.fixture(scope="module")
def slipped(folder: Path) -> dict[str, PolicyResult]:
    """Return the outcome of the gate for a slip in each policy."""
    found = run_case(SITES, folder, R1="NeverDecremented", R2="OffByOne", R3="Inverted",
                equal_quanta="Starved", breadth_first="LastIn")  # fmt: skip
    return found | run_case(AGAIN, folder, scent="Truncated")


@pytest.mark.long
@pytest.mark.parametrize(
    ("policy", "causes"),
    [
        ("R1", ["step 31 visits page", "is starved: none of the visits", "external links: "]),
        ("R2", ["the order of visits changed on 3 of 3 webs: step 3 visits page"]),
        ("R3", ["step 11 visits page", "external links: "]),
        ("equal-quanta", ["is starved: none of the visits, before 10.0%"]),
        (
            "breadth-first",
            ["pages of a site are no longer visited in the order of levels: ", "after level"],
        ),
        ("scent", ["50 pages are visited at all, before 100"]),
    ],
)
def test_a_slip_is_noticed_and_described(
    slipped: dict[str, PolicyResult], policy: str, causes: list[str], tmp_path: Path
) -> None:
    """A changed order that passes, or that is only described as a changed digest."""
    one = slipped[policy]
    assert one.answer == "fell"
    for cause in causes:
        assert any(cause in change for change in one.changes), one.changes
    assert one.again.startswith(f"counterpoint compare {policy} --web ")
    assert of_policy(one).again == f"counterpoint gate '{one.name}'"
    reports.write(tmp_path / "report", [of_policy(one)], 1.0)
    shown = (tmp_path / "report" / "index.html").read_text()
    assert "<polyline" in shown
    assert of_policy(one).again in html.unescape(shown)


def test_other_policies_pass_next_to_a_slip(slipped: dict[str, PolicyResult]) -> None:
    """A policy that fails because another policy of the case has changed."""
    assert slipped["uniform"].answer == "as expected"


def test_a_policy_that_breaks_the_rules_is_named(folder: Path) -> None:
    """A policy whose crawl fails, and that passes because there is nothing to compare."""
    one = run_case(replace(SITES, policies=("breadth-first",)), folder, breadth_first="Again")
    (change,) = one["breadth-first"].changes
    assert "step 7: requested page" in change
    assert change.endswith("before: it did not fail")


@pytest.mark.long
def test_a_measure_that_moves_is_named_with_its_interval(folder: Path) -> None:
    """A measure that leaves its interval unnoticed because the order is the same."""
    one = baseline.load(folder, "universities", "R1")
    assert one is not None
    values = {**one.values, "external": [v * 1.1 for v in one.values["external"]]}
    baseline.save(folder, replace(one, values=values))
    (moved,) = rerun.run([replace(SITES, policies=("R1",))], folder, 1)
    (change,) = moved.changes
    assert change.startswith("external links: ")
    assert "95% interval" in change
    assert "(-9.1%)" in change
    assert len(rerun.accept([moved], folder)) == 1
    assert baseline.load(folder, "universities", "R1") == one


def test_a_changed_curve_is_named(folder: Path) -> None:
    """A curve that changes, except at its end, while the crawls are the same."""
    one = baseline.load(folder, "universities", "R2")
    assert one is not None
    curve = list(one.curves["external"])
    curve[7] += 0.03 * curve[-1]
    other = replace(one, curves=one.curves | {"external": curve})
    case = replace(SITES, policies=("R2",))
    (change,) = judging._of_runs(case, case.plan(), Scope.SITE, one, other)
    assert change.startswith("external links: ")
    assert f"after {one.steps[7]} visits, before {curve[7]:.4g}" in change
    curve[7] -= 0.02 * curve[-1]
    assert not list(judging._of_runs(case, case.plan(), Scope.SITE, one, other))
    curve[7] = math.nan
    assert len(list(judging._of_runs(case, case.plan(), Scope.SITE, other, one))) == 1
    other = replace(one, steps=[2 * step for step in one.steps])
    (change,) = judging._of_runs(case, case.plan(), Scope.SITE, one, other)
    assert "other steps" in change


def test_a_changed_recall_precision_graph_is_named(tmp_path: Path) -> None:
    """An index whose order changes while the crawls are the same."""
    case = RegressionCase("regional", 100, 1000, ("hits", "tfidf"))
    assert len(rerun.accept(rerun.run([case], tmp_path, 1), tmp_path)) == 2
    for policy in case.policies:
        one = baseline.load(tmp_path, "regional", policy)
        assert one is not None and len(one.points) == 11 and one.points[0] > 0.5
        points = [*one.points[:2], one.points[2] + 0.03, *one.points[3:]]
        (change,) = judging._of_runs(case, case.plan(), Scope.WEB, one, replace(one, points=points))
        assert change.startswith(f"precision at recall 0.2: {one.points[2]:.4g}, before ")
        assert change.endswith("; 1 of 11 points moved by more than 0.02")
        (change,) = judging._of_runs(case, case.plan(), Scope.WEB, one, replace(one, points=[]))
        assert change.startswith("the 11-point graph is measured now")
        near = [points[0] - 0.01, *one.points[1:]]
        assert not list(
            judging._of_runs(case, case.plan(), Scope.WEB, one, replace(one, points=near))
        )
        path = baseline.path_of(tmp_path, "regional", policy)
        path.write_text(json.dumps({**json.loads(path.read_text()), "points": [0.5]}))
        with pytest.raises(CrawlError, match="does not have 11 points"):
            baseline.load(tmp_path, "regional", policy)


def test_all_report_formats_name_the_failed_policy(slipped: dict[str, PolicyResult]) -> None:
    """JUnit, Markdown, annotations or JSON that omit a failed policy."""
    found = list(slipped.values())
    fell = [one for one in found if one.changes]
    assert len(fell) == 6
    made = list(map(of_policy, found))
    assert reports.totals(made) == "1 of 7 policies as expected, 6 fell"
    for text in map(html.unescape, (reports.junit(made), reports.github(made), reports.sarif(made),
                                    reports.as_json(made))):  # fmt: skip
        for one in fell:
            assert one.name in text
            assert of_policy(one).again in text


def test_a_target_set_of_another_size_is_named(folder: Path) -> None:
    """A traceback when a profile has one more site than the baseline."""
    one = baseline.load(folder, "universities", "R1")
    assert one is not None
    case = replace(SITES, policies=("R1",))
    other = replace(one, sites=one.sites[1:], digests=["other", *one.digests[1:]])
    (run,) = rerun.run([case], folder, 1)
    assert run.now is not None
    changes = list(judging._of_runs(case, case.plan(), Scope.SITE, run.now, other))
    count = len(one.sites)
    assert f"the target set has {count - 1} sites, before {count - 2}" in changes


def test_an_interrupted_accept_writes_all_files_or_none(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C after some of the files, and a message that nothing was written."""
    found = rerun.run([AGAIN], folder, 1)
    save = baseline.save

    def interrupted(place: Path, one: baseline.Baseline) -> Path:
        os.kill(os.getpid(), signal.SIGINT)  # another thread may take it
        return save(place, one)

    monkeypatch.setattr(baseline, "save", interrupted)
    with pytest.raises(KeyboardInterrupt):
        rerun.accept([replace(one, before=None) for one in found], tmp_path)
    names = [name for _, name in baseline.committed(tmp_path)]
    assert names == ["scent on living", "uniform on living"]
