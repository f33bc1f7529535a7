"""S.C.E.N.T. with a budget of time: its steps are those of the spec, and no time is overspent."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.policy.protocol import Outcome, Setting
from counterpoint.crawler.schedulers.costs import TimeBudget, VisitCost
from counterpoint.crawler.schedulers.finding import find
from counterpoint.crawler.schedulers.harvests import HARVESTS, worth
from counterpoint.crawler.schedulers.scent import TOO_LARGE, Scent
from counterpoint.crawler.schedulers.web import FLYING, SPENT
from counterpoint.spec.crawl.scent_time import ScentInTime

from .test_against_specs import Beside


def scent(pages: int, budget: int, **parameters: Any) -> Scent:
    """Return a scheduler."""
    return Scent(Setting(range(pages), budget, parameters=parameters))


@settings(max_examples=80, deadline=None)
@given(
    pages=st.integers(1, 5),
    time=st.integers(1, 8),
    per_byte=st.integers(0, 2),
    delta=st.integers(0, 3),
    sizes=st.integers(1, 4),
    data=st.data(),
)
def test_the_steps_are_those_of_the_spec(
    pages: int, time: int, per_byte: int, delta: int, sizes: int, data: st.DataObject
) -> None:
    """A page visited out of turn, or that does not fit, or an iteration that ends too early."""
    spec = ScentInTime(pages=pages, time=time, per_byte=per_byte, delta_s=delta, sizes=sizes,
                       changes=4, iterations=6)  # fmt: skip
    beside = Beside(spec)
    given_ = {"time": time, "per_byte": per_byte, "delta": delta, "initial": 3}
    fast = Scent(Setting(range(pages), 99, parameters=given_), lambda o: float(o.difference))
    fast._sizes[:] = [page % sizes for page in range(pages)]
    while beside.state.iteration < 6:
        request = fast.next()
        if request is None:
            assert fast.why == TOO_LARGE
            assert not any(beside.may("visit", p, 0) for p in range(pages))
            return
        page, change = request.page, data.draw(st.integers(0, 3))
        assert sum(beside.may("visit", p, 0) for p in range(pages)) == 1
        beside.do("visit", page, change)
        fast.observe(Outcome(page, 200, size=page % sizes, difference=change))
        assert fast.scent.tolist() == [beside.state.scent[p] / 2**6 for p in range(pages)]


@settings(max_examples=80, deadline=None)
@given(
    sizes=st.lists(st.integers(0, 40), min_size=1, max_size=6),
    time=st.integers(1, 60),
    data=st.data(),
)
def test_no_more_time_is_spent_than_there_is(
    sizes: list[int], time: int, data: st.DataObject
) -> None:
    """Time overspent by more than the growth of pages, which no crawler can know before."""
    cost = VisitCost(0.5, 1.0)
    fast = scent(len(sizes), 60, time=time, per_byte=0.5)
    spent = overdrawn = 0.0
    while (request := fast.next()) is not None:
        iterations = fast._iteration
        grown = max(0, sizes[request.page] + data.draw(st.integers(-3, 3)))
        overdrawn += max(0.0, cost.seconds(grown) - cost.seconds(fast._sizes[request.page]))
        spent += cost.seconds(grown)
        fast.observe(Outcome(request.page, 200, size=grown, difference=1))
        assert spent <= iterations * time + overdrawn + 1e-9


def test_what_is_overdrawn_is_paid_back() -> None:
    """A debt that is forgotten, or time that is saved up."""
    budget = TimeBudget(10.0)
    budget.take(4.0)
    assert budget.allows(6.0) and not budget.allows(6.1)
    budget.settle(4.0, 13.0)
    assert budget.left == -3.0
    budget.begin()
    assert budget.left == 7.0
    budget.begin()
    assert budget.left == 10.0


def test_rounded_costs_fit() -> None:
    """A visit that is lost since a sum of decimal costs is rounded up, or an iteration in vain."""
    fast = scent(5, 9, time=0.6, per_visit=0.2)
    assert [fast.next() is not None for _ in range(4)] == [True, True, True, False]
    budget = TimeBudget(0.3)
    assert budget.allows_ever(0.1 * 3) and not budget.allows_ever(0.3001)
    budget.take(0.1)
    assert not budget.allows(0.2001)
    assert TimeBudget(3e9).allows(3e9 + 1) and not TimeBudget(3e9).allows(3e9 + 9)
    budget.left = -0.1
    budget.begin(budget.runs_until(0.2))
    assert budget.allows(0.2) and budget.left < 0.21


@pytest.mark.parametrize("status", [200, 404])
def test_why_a_crawl_ended(status: int) -> None:
    """A reason that is the size of a page while the budget is spent or answers are awaited."""
    fast = scent(1, 1, time=5, per_byte=1)
    fast.next()
    assert fast.next() is None and fast.why == SPENT
    fast.observe(Outcome(0, status, size=50))
    assert fast.next() is None and fast.why == SPENT
    fast = scent(2, 9, time=5, per_byte=1)
    fast.next(), fast.next()
    fast.observe(Outcome(0, status, size=50))
    assert fast.next() is None and fast.why == FLYING
    fast.observe(Outcome(1, status, size=50))
    assert fast.next() is None and fast.why == TOO_LARGE


@pytest.mark.parametrize("harvest", [None, lambda outcome: 1.0])
def test_failed_visits_show_what_they_cost(harvest: Callable[[Outcome], float] | None) -> None:
    """A page that always fails and is never known to be large, so that time is overdrawn."""
    parameters = {"time": 5, "per_byte": 1}
    fast = Scent(Setting([0], 3, parameters=parameters), harvest)
    assert fast.next() is not None
    fast.observe(Outcome(0, 404, size=50))
    assert fast.next() is None and fast.why == TOO_LARGE


def test_a_failed_visit_leaves_the_copy() -> None:
    """A harvest that compares with an error page, of which the logarithm may not exist."""
    fast = scent(1, 9, time=50, harvest="worth", delta=0, initial=8)
    for status, size, difference in ((200, 900, 0), (404, 0, 0), (200, 100, 900)):
        fast.next()
        fast.observe(Outcome(0, status, size=size, difference=difference))
    assert fast.scent[0] == 1 + HARVESTS["worth"](100, 900, 900, 1)


def test_the_expected_cost_is_that_of_the_last_answer() -> None:
    """A page that has become small and counts as large for ever."""
    fast = scent(2, 99, time=9, per_byte=1)
    for size in (8, 8, 2, 2, 2):
        request = fast.next()
        assert request is not None
        fast.observe(Outcome(request.page, 200, size=size))
    assert [fast.next() is not None for _ in range(3)] == [True, True, False]


def test_scent_for_a_second() -> None:
    """An order by scent alone, or the cheapest first whatever its scent is."""
    sizes, differences = (1, 9, 4), (10, 200, 1)
    for by, expected in (("scent", [1, 0, 2]), ("second", [0, 1, 2])):
        fast = scent(3, 99, time=15, per_byte=1, per_visit=0, by=by, delta=0, initial=0)
        for page in range(3):
            assert fast.next() == (page,)
            fast.observe(Outcome(page, 200, size=sizes[page], difference=differences[page]))
        found = []
        while (request := fast.next()) is not None and request.page not in found:
            found.append(request.page)
        assert found == expected


def test_pace_counts_iterations() -> None:
    """A harvest for each visit, although the iterations since the last one count."""
    fast = scent(2, 99, time=1, delta=0, initial=8, harvest="pace")
    for page, difference in ((0, 0), (1, 0), (0, 50)):
        assert fast.next() == (page,)
        fast.observe(Outcome(page, 200, size=9, difference=difference))
    assert fast.scent.tolist() == [8 / 4 + math.log1p(50) / 2, 4]


def test_a_large_page_is_visited_once_and_harms_no_other() -> None:
    """A crawl that hangs because one page is larger than the time, or that visits it again."""
    fast = scent(2, 40, time=5, per_byte=1, delta=1)
    order = []
    while (request := fast.next()) is not None:
        order.append(request.page)
        fast.observe(Outcome(request.page, 200, size=[50, 2][request.page], difference=0))
    assert order.count(0) == 1 and len(order) == 40
    fast = scent(1, 40, time=5, per_byte=1)
    assert fast.next() is not None
    fast.observe(Outcome(0, 200, size=50))
    assert fast.next() is None and fast.why == TOO_LARGE


@pytest.mark.parametrize(("left", "cost"), [(-3.0, 7.5), (-3.0, 7.0), (-47.0, 1.0), (4.0, 10.0)])
def test_runs_that_pay_a_debt_are_counted(left: float, cost: float) -> None:
    """A debt that is paid back in another time if its runs are not begun one by one."""
    one, many = TimeBudget(10.0), TimeBudget(10.0)
    one.left = many.left = left
    runs = 0
    while not runs or not one.allows(cost):
        one.begin()
        runs += 1
    assert many.runs_until(cost) == runs
    many.begin(runs)
    assert many.left == one.left


def test_a_debt_of_a_million_iterations_takes_no_time() -> None:
    """A crawl that hangs while it pays for a large page, or pages that gain less meanwhile."""
    fast = scent(3, 4, time=1, per_byte=1, delta=2, initial=5)
    for _ in range(2):
        request = fast.next()
        assert request is not None
        fast.observe(Outcome(request.page, 200, size=10**9, difference=0))
    assert fast._iteration == 3 + 2 * 10**9
    gain = 2.0 * (1 + 10**9)  # of each of the two debts
    assert fast.scent.tolist() == [5 / 2 + 2 * gain, (5 + gain) / 2 + gain, 5 + 2 * gain]


def test_harvests() -> None:
    """A harvest of another size than its definition says; of an unchanged page, more than 0."""
    visit = (900, 700, 400, 4)
    assert HARVESTS["difference"](*visit) == math.log(401)
    assert HARVESTS["size"](*visit) == math.log(901)
    assert HARVESTS["bytes"](*visit) == 400
    assert HARVESTS["changed"](*visit) == 1
    assert HARVESTS["share"](*visit) == 400 / 1600
    assert HARVESTS["worth"](*visit) == pytest.approx(math.log(901) - math.log(601) + math.log(401))
    assert HARVESTS["pace"](*visit) == math.log(401) / 4
    assert worth(900, 700, 400) == pytest.approx(math.log(601 / 401))
    same = (900, 900, 0, 1)
    assert [name for name, harvest in HARVESTS.items() if harvest(*same)] == ["size"]


def test_the_harvest_is_a_parameter() -> None:
    """A name of a harvest that is not used, or one that is unknown and accepted."""
    for name, harvest in HARVESTS.items():
        scheduler = find(f"scent,harvest={name},batch=1,initial=8").scheduler([0], 5)
        assert isinstance(scheduler, Scent)
        for difference in (0, 30):
            scheduler.next()
            scheduler.observe(Outcome(0, 200, size=100, difference=difference))
        first = 8 / 2 + harvest(100, 0, 0, 1) + 1
        assert scheduler.scent[0] == first / 2 + harvest(100, 100, 30, 1) + 1
    with pytest.raises(CrawlError, match="harvest is difference or size"):
        find("scent,harvest=most").scheduler([0], 5)
    with pytest.raises(CrawlError, match="time and batch both limit an iteration"):
        find("scent,time=3,batch=1").scheduler([0], 5)


@pytest.mark.parametrize("given_", ["by=second", "per_byte=3", "per_visit=1"])
def test_parameters_without_effect(given_: str) -> None:
    """A parameter that is accepted and changes nothing; a least cost above 0."""
    name = given_.partition("=")[0]
    with pytest.raises(CrawlError, match=f"{name} has no effect without time"):
        find(f"scent,{given_}").scheduler([0], 5)
    assert find(f"scent,time=3,{given_}").scheduler([0], 5).next() == (0,)
    assert find("scent,time=3,per_byte=0,per_visit=0").scheduler([0], 5).next() == (0,)
    for wrong in ("per_byte=-1", "per_visit=-1"):
        with pytest.raises(CrawlError, match="is a number from 0 to"):
            find(f"scent,time=3,{wrong}").scheduler([0], 5)
