"""The gate's crawls: a policy that changed falls and is described; one that did not passes."""

from __future__ import annotations

import json
import math
import shutil
import signal
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from counterpoint.ci.regression import baseline, cases, judging, report, rerun
from counterpoint.ci.regression.cases import Case
from counterpoint.ci.regression.judging import Judged
from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.policy.protocol import Scope
from counterpoint.crawler.schedulers.catalogue import POLICIES

SITES = Case("universities", 300, 3000, ("equal-quanta", "R1", "R2", "R3", "breadth-first"))
AGAIN = Case("living", 400, 100, ("scent", "uniform"))
SLIPS = "tests.ci.regression.slips"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Yield baselines of what the policies do."""
    place = tmp_path_factory.mktemp("baselines")
    found = rerun.run([SITES, AGAIN], place, 1)
    assert all("there is no baseline" in one.changes[0] for one in found)
    assert len(rerun.accept(found, place)) == 7
    yield place


def ran(case: Case, folder: Path, **instead: str) -> dict[str, Judged]:
    """Run a case with slips in the place of policies; return the outcomes by policy."""
    told = {name.replace("_", "-"): f"{SLIPS}:{slip}" for name, slip in instead.items()}
    found = rerun.run([case], folder, 1, instead=told)
    return {one.name.partition(" on ")[0]: one for one in found}


def test_what_is_untouched_passes_twice_alike(folder: Path) -> None:
    """A gate that falls by chance, or a report in which the order or a date changes."""
    few = [replace(SITES, policies=("R3", "breadth-first")), AGAIN]
    first, second = rerun.run(few, folder, 2), rerun.run(few, folder, 1)
    assert [one.answer for one in first] == ["as expected"] * 4
    assert report.page(first) == report.page(second)
    assert rerun.accept(first, folder) == []


@pytest.fixture(scope="module")
def slipped(folder: Path) -> dict[str, Judged]:
    """Return what the gate says of a slip in each policy."""
    found = ran(SITES, folder, R1="NeverDecremented", R2="OffByOne", R3="Inverted",
                equal_quanta="Starved", breadth_first="LastIn")  # fmt: skip
    return found | ran(AGAIN, folder, scent="Truncated")


@pytest.mark.parametrize(
    ("policy", "causes"),
    [
        ("R1", ["step 31 visits page", "is starved: none of the visits", "external links: "]),
        ("R2", ["the order of visits changed on 3 of 3 webs: step 3 visits page"]),
        ("R3", ["step 11 visits page", "external links: "]),
        ("equal-quanta", ["is starved: none of the visits, before 10.0%"]),
        ("breadth-first", ["pages of a site no longer come by level: ", "after level"]),
        ("scent", ["50 pages are visited at all, before 100"]),
    ],
)
def test_a_slip_is_noticed_and_described(
    slipped: dict[str, Judged], policy: str, causes: list[str]
) -> None:
    """A slip in the order that passes, or that is only said to have changed a digest."""
    one = slipped[policy]
    assert one.answer == "fell"
    for cause in causes:
        assert any(cause in change for change in one.changes), one.changes
    assert one.again.startswith(f"counterpoint compare {policy} --web ")
    shown = report.page([one])
    assert "<polyline" in shown
    assert one.again in shown


def test_what_has_no_slip_beside_one_passes(slipped: dict[str, Judged]) -> None:
    """A fallen policy that takes others with it."""
    assert slipped["uniform"].answer == "as expected"


def test_a_policy_that_does_what_none_may_do_is_named(folder: Path) -> None:
    """A policy that fails, and a gate that has nothing to compare and so passes."""
    one = ran(replace(SITES, policies=("breadth-first",)), folder, breadth_first="Again")
    (change,) = one["breadth-first"].changes
    assert "step 7: asked for page" in change
    assert change.endswith("before: it did not fall")


def test_a_measure_that_moves_is_named_with_its_interval(folder: Path) -> None:
    """A measure that leaves its band unseen because the order is the same."""
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


def test_a_curve_that_is_measured_otherwise_is_named(folder: Path) -> None:
    """A curve that changes and ends where it did, in crawls that are the same."""
    one = baseline.load(folder, "universities", "R2")
    assert one is not None
    curve = list(one.curves["external"])
    curve[7] += 0.03 * curve[-1]
    other = replace(one, curves=one.curves | {"external": curve})
    case = replace(SITES, policies=("R2",))
    (change,) = judging._of_runs(case.plan, Scope.SITE, one, other)
    assert change.startswith("external links: ")
    assert f"after {one.steps[7]} visits, before {curve[7]:.4g}" in change
    curve[7] -= 0.02 * curve[-1]
    assert not list(judging._of_runs(case.plan, Scope.SITE, one, other))
    curve[7] = math.nan
    assert len(list(judging._of_runs(case.plan, Scope.SITE, other, one))) == 1
    other = replace(one, steps=[2 * step for step in one.steps])
    (change,) = judging._of_runs(case.plan, Scope.SITE, one, other)
    assert "other steps" in change


def test_a_graph_of_recall_and_precision_that_moves_is_named(tmp_path: Path) -> None:
    """An index in another order, of crawls that are the same."""
    case = Case("regional", 100, 1000, ("hits", "tfidf"))
    assert len(rerun.accept(rerun.run([case], tmp_path, 1), tmp_path)) == 2
    for policy in case.policies:
        one = baseline.load(tmp_path, "regional", policy)
        assert one is not None and len(one.points) == 11 and one.points[0] > 0.5
        points = [*one.points[:2], one.points[2] + 0.03, *one.points[3:]]
        (change,) = judging._of_runs(case.plan, Scope.WEB, one, replace(one, points=points))
        assert change.startswith(f"precision at recall 0.2: {one.points[2]:.4g}, before ")
        assert change.endswith("; 1 of 11 points moved by more than 0.02")
        (change,) = judging._of_runs(case.plan, Scope.WEB, one, replace(one, points=[]))
        assert change.startswith("the 11-point graph is measured now")
        near = [points[0] - 0.01, *one.points[1:]]
        assert not list(judging._of_runs(case.plan, Scope.WEB, one, replace(one, points=near)))
        path = baseline.path_of(tmp_path, "regional", policy)
        path.write_text(json.dumps({**json.loads(path.read_text()), "points": [0.5]}))
        with pytest.raises(CrawlError, match="has not 11 points"):
            baseline.load(tmp_path, "regional", policy)


def test_what_is_said_elsewhere_says_the_same(slipped: dict[str, Judged]) -> None:
    """JUnit, Markdown, annotations or JSON that miss a fallen policy."""
    found = list(slipped.values())
    fell = [one for one in found if one.changes]
    assert len(fell) == 6
    assert report.total(found) == "1 of 7 policies crawl as before, 6 fell"
    assert [c.answer for c in report.cases(found)].count("violated") == 6
    for text in (report.summary(found), report.github(found), json.dumps(report.as_json(found))):
        for one in fell:
            assert one.name in text
            assert one.again in text


def test_orders_are_kept_exactly() -> None:
    """A packed order that loses a page."""
    order = np.random.default_rng(1).integers(0, 2**31 - 1, 1000)
    assert (baseline.unpacked(baseline.packed(order)) == order).all()


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"version": 2}', '{"version": 1, "x": 0}'])
def test_a_file_that_is_no_baseline_is_refused(tmp_path: Path, text: str) -> None:
    """A traceback instead of the name of the file."""
    path = baseline.path_of(tmp_path, "universities", "R1")
    path.parent.mkdir()
    path.write_text(text)
    with pytest.raises(CrawlError, match=r"R1\.json"):
        baseline.load(tmp_path, "universities", "R1")


@pytest.mark.parametrize(
    ("part", "bad", "said"),
    [
        ("why", ["x"], "as many reasons"),
        ("values", {"external": [1.0]}, "external has not a number for each digest"),
        ("curves", {"external": [1.0]}, "external has not a number for each step"),
        ("sites", [float("nan")], "a share of the visits"),
        ("digests", ["0", "1", "2"], "not the one of its first digest"),
        ("order", "AAAA", "Error"),
        ("web_pages", 5, "pages that its web has not"),
    ],
)
def test_a_baseline_whose_parts_do_not_fit_is_refused(
    folder: Path, tmp_path: Path, part: str, bad: object, said: str
) -> None:
    """A traceback, or a policy blamed for a merge of its baseline that went wrong."""
    whole = baseline.load(folder, "universities", "R2")
    assert whole is not None
    baseline.save(tmp_path, whole)
    path = baseline.path_of(tmp_path, "universities", "R2")
    path.write_text(json.dumps({**json.loads(path.read_text()), part: bad}))
    with pytest.raises(CrawlError, match=r"R2\.json is no baseline: .*--accept makes it anew"):
        rerun.run([replace(SITES, policies=("R1", "R2"))], tmp_path)
    with pytest.raises(CrawlError, match=said):
        baseline.load(tmp_path, "universities", "R2")


def test_a_target_set_of_another_size_is_named(folder: Path) -> None:
    """A traceback when a profile gets a site."""
    one = baseline.load(folder, "universities", "R1")
    assert one is not None
    case = replace(SITES, policies=("R1",))
    other = replace(one, sites=one.sites[1:], digests=["other", *one.digests[1:]])
    (run,) = rerun.run([case], folder, 1)
    assert run.now is not None
    changes = list(judging._of_runs(case.plan, Scope.SITE, run.now, other))
    count = len(one.sites)
    assert f"the target set has {count - 1} sites, before {count - 2}" in changes


def test_accepting_is_not_cut_in_half(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C after some of the files, and a message that nothing was written."""
    found = rerun.run([AGAIN], folder, 1)
    save = baseline.save

    def interrupted(place: Path, one: baseline.Baseline) -> Path:
        signal.raise_signal(signal.SIGINT)
        return save(place, one)

    monkeypatch.setattr(baseline, "save", interrupted)
    with pytest.raises(KeyboardInterrupt):
        rerun.accept([replace(one, before=None) for one in found], tmp_path)
    assert baseline.committed(tmp_path) == {("living", "scent"), ("living", "uniform")}


def test_every_policy_is_pinned() -> None:
    """A scheduler that no gate watches, or a baseline that no case reads."""
    named = {(case.profile, policy) for case in cases.CASES for policy in case.policies}
    assert {policy for _, policy in named} == set(POLICIES)
    assert baseline.committed(rerun.FOLDER) == named
    for profile, policy in named:
        assert baseline.load(rerun.FOLDER, profile, policy) is not None


def test_a_baseline_without_a_case_is_named_and_removed(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Files that stay after their policy is gone."""
    place = tmp_path / "baselines"
    shutil.copytree(folder / "living", place / "living")
    monkeypatch.setattr(rerun, "CASES", (replace(AGAIN, policies=("uniform",)),))
    (place / "living" / "gone.json").write_text("{}")
    found = rerun.run(None, place, 1)
    strays = [one.name for one in found if one.changes]
    assert strays == ["gone on living", "scent on living"]
    removed = rerun.accept(found, place)
    assert removed == ["living/gone.json: removed", "living/scent.json: removed"]
    assert baseline.committed(place) == {("living", "uniform")}
