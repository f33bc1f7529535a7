"""Q of an index, on real texts of a small site; S.C.E.N.T. in its limits."""

from __future__ import annotations

import math

import numpy as np
import pytest

from counterpoint.sim_web.profile import load
from counterpoint.studies.comparison.plan import ComparisonPlan
from counterpoint.studies.comparison.planted import Oracle, Planted
from counterpoint.studies.papers import scent, scent_report
from counterpoint.studies.papers.report import NOT_REPRODUCED
from counterpoint.studies.papers.visits import Site

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


def test_scent_at_its_limits() -> None:
    """DeltaS that does not give equal visits; a printed harvest that omits static pages."""
    found = scent.study(range(2), pages=60, runs=160)
    base = scent.CASES[0]
    largest = len(scent.DELTAS) - 1
    assert all(run.spread <= 1 for run in found.sites[base])
    uniform = found.over(base, "uniform", "informed").value
    assert found.of_informed(base, largest).value == pytest.approx(uniform, abs=1e-9)
    assert found.share(base, "to_static", 0).value < found.share(base, "to_static", largest).value
    assert found.printed(base, 0).value < found.of_informed(base, 0).value
    for case in found.sites:
        assert all(0 < found.of_fresh(case, k).value <= 1 for k in range(len(scent.DELTAS)))
    uniformly = [one for one in scent_report.report(found).findings if "uniformly" in one.claim]
    assert uniformly[0].answer != NOT_REPRODUCED


def test_static_pages_are_those_that_never_change(site: Site) -> None:
    """A rate of 0 for a page that changes."""
    planted = Planted(ComparisonPlan((), load("living"), 1, PAGES), 2)
    static = [page for page in range(PAGES) if Oracle(planted).rate(page) == 0]
    assert 0 < len(static) < PAGES
    assert not site.versions[:, static].any()
