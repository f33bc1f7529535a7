"""Q of an index, on real texts of a small site; S.C.E.N.T. in its limits."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from counterpoint.sim_web.profile import load
from counterpoint.studies.comparison.plan import ComparisonPlan
from counterpoint.studies.comparison.planted import Oracle, Planted
from counterpoint.studies.papers import scent, scent_report, scent_sweep
from counterpoint.studies.papers.report import NOT_REPRODUCED
from counterpoint.studies.papers.visiting import HARVESTS

from .scheduled_visits import Site

RUNS, BATCH, PAGES = 12, 5, 60


@pytest.fixture(scope="module")
def site() -> Site:
    """Return a site that is visited twelve times, every six hours."""
    return Site(Planted(ComparisonPlan((), load("living"), 1, PAGES), 2), BATCH, RUNS, 6 * 3600.0)


def test_q_is_its_definition(site: Site) -> None:
    """Sizes of the wrong version, or copies that differ from the page when it was visited."""
    order = site.order_of("scent,batch=5", 0)
    copies = [0] * PAGES
    texts = site._texts
    for run, q in enumerate(site.value(order)):
        for page in order[run * BATCH : (run + 1) * BATCH].tolist():
            copies[page] = int(site.versions[run, page])
        total = 0.0
        for page in range(PAGES):
            one, now = np.array([page]), np.array([site.versions[run, page]])
            copy = np.array([copies[page]])
            size, deleted = (int(x[0]) for x in texts.compared(one, copy, now))
            before = int(texts.compared(one, now, copy)[0][0])
            actual = (size + before - deleted) / 2
            assert actual == int(actual) >= 0
            total += math.log(1 + actual) - math.log(1 + deleted)
        assert q == pytest.approx(total)


def test_no_schedule_beats_a_fresh_index(site: Site) -> None:
    """A maximum that is exceeded; an oracle that is no better than a blind policy."""
    best = np.array([site.best(run) for run in range(RUNS)])
    informed = site.value(site.informed())
    assert (informed <= best + 1e-9).all()
    for policy in ("scent,batch=5", "uniform", "random-revisit"):
        value = site.value(site.order_of(policy, 1))
        assert (value <= best + 1e-9).all()
        assert value[0] <= informed[0] + 1e-9
        assert value.sum() < informed.sum()


def test_an_index_of_all_pages_is_fresh() -> None:
    """Visits that do not count, or that count one run too late."""
    site = Site(Planted(ComparisonPlan((), load("living"), 1, PAGES), 2), PAGES, 3, 6 * 3600.0)
    best = [site.best(run) for run in range(3)]
    assert site.value(site.order_of("uniform", 0)) == pytest.approx(best)


@pytest.fixture(scope="module")
def study() -> scent.Scent:
    """Return the study of two small webs of each kind."""
    return scent.study(range(2), pages=60, runs=160)


def test_scent_at_its_limits(study: scent.Scent) -> None:
    """DeltaS that does not give equal visits; a printed harvest that omits static pages."""
    base = scent.CASES[0]
    largest = len(scent.DELTAS) - 1
    assert all(run.spread <= 1 for run in study.sites[base])
    uniform = study.over(base, "uniform", "limit").value
    assert study.at(base, largest).value == pytest.approx(uniform, abs=1e-9)
    assert study.share(base, "to_static", 0).value < study.share(base, "to_static", largest).value
    assert study.at(base, 0, "limit", "size").value < study.at(base, 0).value
    for case in study.sites:
        for name in (*HARVESTS, "per_second", "apart"):
            assert all(study.at(case, k, "fresh", name).value < 1 for k in range(largest + 1))


def test_no_policy_is_better_than_its_maximum(study: scent.Scent) -> None:
    """A limit that is below what a policy reaches by more than chance."""
    for case in study.sites:
        assert study.over(case, "informed", "fresh").value <= 1 + 1e-9
        assert study.over(case, "estimated", "informed").value < 1 + 1e-9
        for name in ("planned", "estimated", "uniform", "bandit", "model"):
            assert study.over(case, name, "limit").value < 1.06
        assert study.over(case, "planned", "limit").value > 0.9
    for point in study.sweep:
        assert (point.q <= 1.06 * point.limit[:, None]).all()


def test_pages_never_visited_are_shares_of_the_static_ones() -> None:
    """A share of all pages, most of which change and are visited."""
    case = scent.CASES[1]
    found, some = scent.visited(120, 60, (case, 1)), scent.sites_of(case, 120, 60, 1)
    static = [page for page in range(120) if some.rates[page] == 0]
    for delta, share in zip(scent.DELTAS, found.never.tolist(), strict=True):
        visits = some.scent("difference", delta).visits[30:]
        assert share == pytest.approx(np.mean([not visits[:, page].any() for page in static]))
    assert 0 < found.never[0] < 1


def test_static_pages_are_left_out_if_a_visit_leaves_nothing_of_a_scent() -> None:
    """An ablation that halves scents as S.C.E.N.T. does, and so changes nothing."""
    found = scent.visited(60, 80, (scent.CASES[0], 1))
    assert found.never[0] < 0.1 and found.forgotten > 0.9


def test_the_tuned_delta_is_chosen_on_other_sites(study: scent.Scent) -> None:
    """A DeltaS that is fitted to the very site on which it is measured."""
    case = scent.CASES[3]
    rows = study.rows(case, "difference")
    assert study.tuned(case).tolist() == [rows[0, rows[1].argmax()], rows[1, rows[0].argmax()]]
    point = study.sweep[5]
    assert point.tuned.tolist() == [point.q[0, point.q[1].argmax()],
                                    point.q[1, point.q[0].argmax()]]  # fmt: skip


def test_the_report_names_an_ablation_for_each_reason(study: scent.Scent) -> None:
    """A finding without its figures, or a table without one of the sites."""
    report = scent_report.report(study)
    by_claim = {one.claim: one for one in report.findings}
    assert len(by_claim) == len(report.findings) == 11
    uniformly = next(one for claim, one in by_claim.items() if "uniformly" in claim)
    assert uniformly.answer != NOT_REPRODUCED
    assert "Ablation" in next(o for c, o in by_claim.items() if "no longer visited" in c).why
    first = report.sections[0].tables[0]
    assert [row[0] for row in first.rows] == [case.name for case in scent.CASES]
    assert len(study.to_json()["cases"]) == len(scent.CASES)
    assert len(study.to_json()["sweep"]) == len(scent_sweep.GRID)


def test_a_rule_is_surely_better_if_the_whole_interval_is(study: scent.Scent) -> None:
    """A rule that is better on one of two webs alone, and said to be surely better."""

    def better(more: tuple[float, float]) -> str:
        sites = {
            case: tuple(replace(run, estimated=float(q) + one * run.limit)
                        for run, q, one in zip(runs, study.tuned(case), more, strict=True))
            for case, runs in study.sites.items()
        }  # fmt: skip
        report = scent_report.report(replace(study, sites=sites))
        (found,) = (one for one in report.findings if one.claim.startswith("scents, or estimated"))
        return found.why

    cases = len(study.sites)
    assert f"better in {cases} of {cases} cases" in better((0.3, 0.31))
    assert f"better in 0 of {cases} cases" in better((0.0, 0.3))


def test_the_gain_is_over_the_better_end() -> None:
    """A gain over the worse end, which any DeltaS but the worst has."""
    q = np.array([[2.0, 7.0, 6.0], [2.0, 7.0, 6.0]])
    point = scent_sweep.SweepPoint(0.2, 0.5, 0.05, np.array([10.0, 10.0]), q)
    assert point.gain.value == pytest.approx(0.1) and point.is_inner
    assert replace(point, q=q[:, ::-1]).gain.value == pytest.approx(0.1)
    assert not replace(point, q=q[:, [0, 1, 1]]).is_inner


def test_static_pages_are_those_that_never_change(site: Site) -> None:
    """A rate of 0 for a page that changes."""
    planted = Planted(ComparisonPlan((), load("living"), 1, PAGES), 2)
    static = [page for page in range(PAGES) if Oracle(planted).rate(page) == 0]
    assert 0 < len(static) < PAGES
    assert not site.versions[:, static].any()
