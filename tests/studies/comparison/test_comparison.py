"""A plan gives the same figures for any number of processes; reports of a comparison."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from counterpoint.crawler.policy.protocol import Scope
from counterpoint.crawler.schedulers.finding import find
from counterpoint.crawler.worlds.crawl import digest_of
from counterpoint.sim_web import profile
from counterpoint.studies.comparison.comparison import Comparison, as_json, compare
from counterpoint.studies.comparison.measures import BY_NAME
from counterpoint.studies.comparison.page import page
from counterpoint.studies.comparison.plan import POINTS, ComparisonPlan
from counterpoint.studies.comparison.planted import Planted
from counterpoint.studies.comparison.plots import axis, label
from counterpoint.studies.comparison.run import PolicyRunner
from counterpoint.studies.comparison.table import lines

HERE = "tests.studies.comparison.policies"
BOTH = (f"{HERE}:Queue", f"{HERE}:Stack", f"{HERE}:WithinSites", f"{HERE}:RoundRobin")


def plan(*policies: str, seeds: int = 4, budget: int = 70) -> ComparisonPlan:
    """Return a small plan."""
    return ComparisonPlan(
        policies or BOTH, profile.load("broder-1999"), budget, 500, range(3, 3 + seeds), 3
    )


@pytest.fixture(scope="module")
def found() -> Comparison:
    """The result of the plan, computed by one process."""
    return compare(plan(), 1)


@pytest.mark.long
def test_figures_do_not_depend_on_the_processes(found: Comparison) -> None:
    """A figure that depends on which run ended first, or on earlier runs of a process."""
    assert as_json(compare(plan(), 2)) == as_json(found)
    # Nothing ran before the first, and what runs third and last ran after all there is.
    one_by_one = [as_json(compare(plan(name), 1))["policies"][0] for name in BOTH[2:]]
    together = as_json(found)["policies"][2:]
    for alone, among in zip(one_by_one, together, strict=True):
        assert alone["digests"] == among["digests"]
        assert alone["curves"] == among["curves"]


def test_the_order_equals_a_plain_search(found: Comparison) -> None:
    """A policy that sees another web than the planted one; a digest of other pages."""
    for seed in (3, 6):
        web = Planted(plan(), seed)
        queue = web.starts(Scope.WEB)
        for at in range(70):
            if at < len(queue):
                queue += [t for t in web.web.out_links(queue[at]).tolist() if t not in queue]
        run = next(run for run in found.policies[0].runs if run.seed == seed)
        assert run.digest == digest_of(np.array(queue[:70]))
        assert run.final["external"] == sum(int(web.external[page]) for page in queue[:70])


def test_webs_may_differ_in_their_number_of_sites(found: Comparison) -> None:
    """An error after all the work, or visits of one site counted for another site."""
    first = found.policies[0]
    one, *others = first.runs
    few = replace(one, sites=np.array([60, 10]))
    apart = replace(found, policies=(replace(first, runs=(few, *others)), *found.policies[1:]))
    assert len(one.sites) == 4
    rest = np.sum([run.sites for run in others], axis=0)
    counts = np.array([60, 0, 0, 10]) + rest
    assert apart.policies[0].sites() == pytest.approx((counts / counts.sum()).tolist())
    assert apart.site_names() == found.site_names()
    assert page(apart, "again") and list(lines(apart)) and as_json(apart)


def test_each_policy_gets_its_scope(found: Comparison) -> None:
    """A site's crawl that leaves the site; a crawl of known pages that ends after one pass."""
    free, _, within, known = found.policies
    assert within.sites()[-1] == 0 < free.sites()[-1]
    assert within.values("external") != free.values("external")
    assert known.values("freshness") and not known.values("external")
    assert not free.values("freshness")
    assert [measure.name for measure in found.measured()] == [
        "external", "pages", "quantity", "quality", "top", "freshness", "age", "q", "q_share",
    ]  # fmt: skip


def test_the_reason_of_an_end_is_reported() -> None:
    """A stalled crawl that looks as if it had spent its budget."""
    short = compare(plan(BOTH[2], seeds=2, budget=100_000), 1)
    assert short.policies[0].whys() == [("nothing is left", 2)]
    assert all(value == 1 for value in short.policies[0].values("quantity"))
    curve = short.policies[0].curve("quantity")
    assert curve[-1].value == 1
    assert len(curve) == POINTS


@pytest.mark.parametrize("budget", [1, 2, 49, 50, 51, 2000])
def test_curves_end_at_the_budget(budget: int) -> None:
    """A grid with a repeated point, with a point at 0, or without its last point."""
    grid = plan(budget=budget).grid.tolist()
    assert grid == sorted(set(grid))
    assert grid[0] >= 1
    assert grid[-1] == budget
    assert len(grid) == min(budget, POINTS)


def test_overspending_is_visible() -> None:
    """Pages beyond the budget that are not counted, or that count at the budget."""
    run = PolicyRunner(plan("R3-printed"), 3).run(0, find("R3-printed"))
    assert run.steps > 70
    assert run.final["pages"] == run.steps
    assert run.curves["pages"][-1] == 70


def test_an_unvisited_page_keeps_its_first_copy() -> None:
    """A policy that visits one page again and again, and is fresher than one that visits all."""
    names = (f"{HERE}:RoundRobin", f"{HERE}:FirstOnly")
    web_profile = ComparisonPlan(
        names, profile.load("living"), 900, 300, range(3), visits_per_day=300.0
    )
    all_of_them, one = compare(web_profile, 1).policies
    for measure in ("freshness", "q", "q_share"):
        assert min(all_of_them.values(measure)) > max(one.values(measure))
    beside = one.against(all_of_them, BY_NAME["age"])
    assert beside is not None
    assert (beside.wins, beside.losses) == (0, 3)


def test_the_table_fits_a_terminal(found: Comparison) -> None:
    """Lines that break, or figures that differ from those of the JSON."""
    text = list(lines(found))
    assert all(len(line) <= 80 for line in text), max(text, key=len)
    assert text[0] == "broder-1999: 4 webs of 500 pages, 70 fetched on each"
    first = as_json(found)["policies"][0]["measures"]["external"]
    half = first["interval"][1] - first["mean"]
    at = text.index(f"  {BOTH[0]}")
    assert text[at + 1] == f"{'':22}{first['mean']:10,.1f} ± {half:,.2f}"
    alone = list(lines(compare(plan(BOTH[0], seeds=1), 1)))
    whole = plan(BOTH[0], seeds=1, budget=500)
    assert next(lines(compare(whole, 1))).endswith(" up to 500 fetched on each")
    assert not any("±" in line or "won" in line for line in alone)


def test_the_page_is_self_contained(found: Comparison) -> None:
    """A page that loads a file, a curve that leaves its diagram, a name that becomes markup."""
    text = page(found, "counterpoint compare <b>")
    assert "<script" not in text and "http:" not in text and "https:" not in text
    assert "counterpoint compare &lt;b&gt;" in text
    assert "nan" not in text.lower().replace("nano", "")
    assert text.count("<polyline") == 3 * 4 + 4
    for part in text.split('points="')[1:]:
        for point in part.partition('"')[0].split():
            x, y = map(float, point.split(","))
            assert 0 <= x <= 460 and 0 <= y <= 260
    assert "freshness" in text and "days" in text


def test_json_is_valid(found: Comparison) -> None:
    """NaN or Infinity, which JSON does not have."""
    report = json.loads(json.dumps(as_json(found), allow_nan=False))
    assert report["seeds"] == [3, 6]
    assert report["steps"][-1] == 70
    assert len(report["policies"]) == 4
    against = report["policies"][1]["measures"]["pages"]["against"]
    assert against == {
        "policy": BOTH[0], "difference": 0, "interval": [0, 0], "wins": 0, "ties": 4, "losses": 0,
    }  # fmt: skip


def test_ticks_are_round_and_enclose_the_data() -> None:
    """A curve outside its diagram, or an endless number of ticks."""
    for low, high in ((0, 1), (0, 0), (5, 5), (-3, 7), (0.81, 0.86), (0, 31_000), (-1e-9, 0)):
        ticks = axis(low, high)
        assert 2 <= len(ticks) <= 8
        assert ticks[0] <= low + 1e-6 * (ticks[-1] - ticks[0])
        assert ticks[-1] >= high - 1e-6 * (ticks[-1] - ticks[0])
    assert [label(value, (0.0, 20_000.0)) for value in (0.0, 20_000.0)] == ["0", "20k"]
    assert label(0.125, (0.0, 1.0), share=True) == "12.5%"
