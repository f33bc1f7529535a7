"""What [BeeBot] takes for granted: links lead to companions, and pages take equal times."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from counterpoint.sim_web.profile import load
from counterpoint.studies.comparison.plan import ComparisonPlan
from counterpoint.studies.comparison.planted import Planted
from counterpoint.studies.papers.assumptions import (
    agreeing,
    companions,
    found_in,
    in_the_time_of,
)
from counterpoint.studies.papers.assumptions_report import findings, sections
from counterpoint.studies.papers.beebot import RULES, TIMED, BeeBot, crawled
from counterpoint.studies.papers.report import ANSWERED, IN_PART, NOT_REPRODUCED, REPRODUCED


@pytest.fixture(scope="module")
def planted() -> Planted:
    """Return a small web of the ten universities."""
    return Planted(ComparisonPlan((), load("universities"), 300, 12_000), 3)


def test_companions_are_other_hosts_of_which_each_counts_once(planted: Planted) -> None:
    """Sites of the set that count as companions, and companions that count for each link."""
    pages = np.arange(0, planted.web.pages_of(9).stop, 7)
    hosts = {int(planted.host[page]) for one in pages.tolist()
             for page in planted.web.out_links(one)}  # fmt: skip
    assert hosts & set(planted.sites)
    assert companions(planted, pages) == len(hosts - set(planted.sites)) > 20
    assert companions(planted, pages[:0]) == 0


def test_pairs_that_differ_in_both_numbers_count() -> None:
    """A pair without a difference, or one of the reverse order, that supports the claim."""
    assert agreeing({"a": 5, "b": 3, "c": 4}, {"a": 9, "b": 2, "c": 1}) == (2, 3)
    assert agreeing({"a": 5, "b": 5, "c": 5}, {"a": 9, "b": 2, "c": 1}) == (0, 0)
    assert agreeing({"a": 5, "b": 3}, {"a": 2, "b": 2}) == (0, 0)


def test_a_page_counts_if_its_scan_ends_in_time() -> None:
    """A page that is half scanned when the time is over, or one that ends just then."""
    links, costs = np.array([1, 10, 100, 1000]), np.array([2, 3, 4, 0])
    order = np.array([2, 0, 1, 3])
    assert [found_in(time, order, links, costs) for time in (3, 4, 5, 6, 8, 9)] == [
        0, 100, 100, 101, 101, 1111,
    ]  # fmt: skip


def test_the_time_is_that_of_the_first_rule() -> None:
    """Another budget than the first rule's time, and an order that ends too early to compare."""
    links, sizes = np.array([1, 10, 100, 1000]), np.array([2, 3, 4, 0])
    first = np.array([2, 0])
    longer = {"R2": np.array([1, 0, 2]), "R3": np.array([3, 2, 1])}
    assert in_the_time_of(first, longer, links, sizes) == {"R2": 11, "R3": 1100}
    with pytest.raises(ValueError, match="R2 ends before"):
        in_the_time_of(first, {"R2": np.array([1])}, links, sizes)


def test_what_is_measured_is_what_is_reported() -> None:
    """A finding that does not follow from the rules' own numbers."""
    web = replace(
        crawled(300, ("institutes", 1)),
        found={rule: 10 * k for k, rule in enumerate(RULES, 1)},
        timed={TIMED[0]: 55, TIMED[1]: 80},
    )
    assert set(web.companions) > set(RULES)

    def study(companions: list[int]) -> BeeBot:
        one = replace(web, companions=dict(zip(RULES, companions, strict=True)))
        return BeeBot(range(2), 300, dict.fromkeys(("institutes", "universities", "sample"),
                                                   (one, one)))  # fmt: skip

    rising = list(range(len(RULES)))
    answers = [findings(study(numbers))[0].answer for numbers in
               (rising, [*rising[:-2], 8, 7], rising[::-1])]  # fmt: skip
    assert answers == [REPRODUCED, IN_PART, NOT_REPRODUCED]
    equal = findings(study(rising))[1]
    places = [RULES.index(rule) + 1 for rule in TIMED]
    apart = max(abs(place - time / 10) for place, time in zip(places, (55, 80), strict=True))
    assert equal.answer == ANSWERED and equal.here.endswith(f"at most {apart:.2f}")
    assert [table.rows[0][:3] for part in sections(study(rising)) for table in part.tables] == [
        ("institutes", "R1", "10"), ("institutes", TIMED[0], f"{places[0]:.2f} ± 0.00"),
    ]  # fmt: skip
