"""Equal quanta, R1, R2 and R3: exact counts, engines that agree, and webs crawled by hand."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterpoint.models.explore import exhaustive
from counterpoint.models.loading import load
from counterpoint.models.prove import bounded, induction
from counterpoint.models.random import stateful
from counterpoint.spec.crawl.equal_quanta import EqualQuanta
from counterpoint.spec.crawl.r1 import R1
from counterpoint.spec.crawl.r2 import R2
from counterpoint.spec.crawl.r3 import R3, index_place, latest_visit, may_precede
from counterpoint.spec.crawl.ucb import compare
from counterpoint.spec.notation import Model, SpecError
from tests.examples import one_in
from tests.needs import find
from tests.protocols import violated
from tests.spec.crawl import webs
from tests.spec.crawl.webs import Web

STUCK = {"exhausted-sites-leave": 1, "no-deadlock": 1}

UNDEFINED = {"one-choice": 2, "no-division-by-zero": 2, "no-deadlock": 2}


@pytest.mark.parametrize(
    ("reference", "settings", "states", "transitions", "broken"),
    [
        ("equal-quanta", "", 537, 804, {}),
        ("equal-quanta", "quantum=5", 467, 652, {}),
        ("equal-quanta", "sites=3 budget=9", 7255, 11046, {}),
        ("equal-quanta", "sites=1", 35, 50, {}),
        ("r1", "", 2923, 5034, {}),
        ("r1", "reading=printed", 10633, 20448, {"never-overspends": 6, **STUCK}),
        ("r1", "rest=all-but-one-share", 15531, 33534, {"never-overspends": 6}),
        ("r1", "rest=to-all-but-one-share", 7163, 14082, {"never-overspends": 6}),
        ("r1", "rest=to-all-but-one-share sites=2", 535, 966, {"spends-all-it-can": 4}),
        ("r1", "rounding=nearest", 3307, 5202, {"never-overspends": 6}),
        ("r1", "exhausted=stay", 1603, 2466, dict.fromkeys(STUCK, 3)),
        ("r1", "budget=8", 26110, 55437, {}),
        ("r1", "budget=2", 43, 42, {}),
        ("r2", "", 1975, 4362, {}),
        ("r2", "reading=printed", 1331, 2670, {"never-overspends": 8, **STUCK}),
        ("r2", "stops=after-a-step", 3258, 7632, {"never-overspends": 8}),
        ("r2", "exhausted=stay", 1005, 1812, STUCK),
        (
            "r2",
            "sums=last-page-twice",
            20260,
            31920,
            {"the-best-is-chosen": 6, "ties-go-to-the-first": 6},
        ),
        ("r2", "step=1", 2139, 5049, {}),
        ("r2", "budget=3", 125, 156, {}),
        ("r2", "sites=3 budget=10", 75752, 183228, {}),
        ("r3", "", 3548, 8610, {}),
        (
            "r3",
            "reading=printed",
            2591,
            5514,
            {"never-overspends": 9, "exhausted-sites-leave": 2, **UNDEFINED},
        ),
        ("r3", "stops=after-it", 4604, 11598, {"never-overspends": 9}),
        ("r3", "without-links=divides", 3470, 8364, UNDEFINED),
        ("r3", "exhausted=stay", 2067, 4230, dict.fromkeys(STUCK, 2)),
        ("r3", "sites=3 links=1 budget=12", 27506, 49332, {}),
        ("r3", "links=0", 65, 64, {}),
        ("gittins", "", 2140, 5091, {}),
        ("gittins", "rewards=pages", 3909, 7845, {}),
        ("gittins", "sites=3", 16116, 34752, {}),
        ("gittins", "rewards=pages links=1 pages=12 budget=14", 7732, 15520, {}),
        ("gittins", "discount=0 horizon=1", 2021, 4605, {}),
    ],
)
def test_counts_and_shortest_lengths(
    reference: str, settings: str, states: int, transitions: int, broken: dict[str, int]
) -> None:
    """A change of a rule, of a flaw, or of a property of a rule."""
    verdicts = exhaustive.check(load(reference, settings.split()))
    assert violated(verdicts) == broken
    assert (verdicts[0].states, verdicts[0].transitions) == (states, transitions)
    assert {v.answer for v in verdicts} <= {"holds", "violated"}
    assert not verdicts[0].notes or find("gcc") is None  # a note says that Python is slower


@pytest.mark.long
@pytest.mark.parametrize(
    ("reference", "reading"),
    one_in(3, [*product(["r1", "r2", "r3"], ["corrected", "printed"]), ("equal-quanta", None)]),
)
def test_z3_and_random_runs_agree(reference: str, reading: str | None) -> None:
    """An engine that finds more or less than the others."""
    model = load(reference, [f"reading={reading}"] if reading else [])
    exact = {v.claim.name: v for v in exhaustive.check(model)}
    for verdict in bounded.check(model, steps=9):
        assert verdict.answer == exact[verdict.claim.name].answer, verdict.claim.name
        assert verdict.depth == exact[verdict.claim.name].depth, verdict.claim.name
    for verdict in stateful.check(model, runs=500 if reading == "printed" else 60):
        assert (verdict.answer == "violated") <= (exact[verdict.claim.name].answer == "violated")
        if reading == "printed" and verdict.claim.kind in ("invariant", "deadlock"):
            assert verdict.answer == exact[verdict.claim.name].answer, verdict.claim.name


@pytest.mark.long
@pytest.mark.parametrize("reference", ["r1", "r2", "r3"])
def test_flaws_that_are_not_given_follow_the_reading(reference: str) -> None:
    """A flaw that cannot be corrected alone, or that the command to reproduce a run omits."""
    printed = load(reference, ["reading=printed"])
    assert printed.changed_parameters() == {"reading": "printed"}
    mended = load(reference, ["reading=printed", "exhausted=leave"])
    assert mended.changed_parameters() == {"reading": "printed", "exhausted": "leave"}
    claim = mended.property_named("exhausted-sites-leave")
    assert [v.answer for v in exhaustive.check(mended, wanted=[claim])] == ["holds"]
    assert [v.answer for v in exhaustive.check(printed, wanted=[claim])] == ["violated"]
    flawed = load(reference, ["exhausted=stay"])
    assert flawed.changed_parameters() == {"exhausted": "stay"}
    assert load(reference).changed_parameters() == {}


@pytest.mark.long
@pytest.mark.parametrize(
    ("reference", "settings"),
    [
        ("equal-quanta", "sites=3 budget=40 pages=20 quantum=4"),
        ("equal-quanta", "quantum=5"),
        ("r1", "sites=4 budget=40 pages=20"),
        ("r2", "sites=3 budget=40 pages=20 step=3"),
        ("r3", ""),
        ("gittins", ""),
        ("gittins", "rewards=pages sites=3 pages=12 budget=30"),
    ],
)
def test_they_are_right_in_every_step(reference: str, settings: str) -> None:
    """A lemma that is not kept, or a claim that is true only up to a bound."""
    verdicts = induction.check(load(reference, settings.split()))
    assert {v.answer for v in verdicts if v.claim.kind != "sometimes"} == {"holds"}


def test_sizes_that_contradict_each_other_are_refused() -> None:
    """A web whose pages have more links than the rule has room for."""
    with pytest.raises(SpecError, match="amounts is one more than links: 3"):
        load("r1", ["amounts=5"])
    assert load("r1", ["links=4"]).spec.parameters["amounts"] == 5


@pytest.mark.long
@pytest.mark.parametrize("reference", ["equal-quanta", "r1", "r2", "r3", "gittins"])
def test_one_page_revealed_at_a_time_says_all(reference: str) -> None:
    """A verdict that would change if pages could reveal several links within their site."""

    def seen(reveals: int) -> set[tuple[Any, ...]]:
        model = load(reference, [f"reveals={reveals}"])
        run = exhaustive.explore(model)
        found = set()
        for packed in run.states:
            state = model.at(run.layout.unpack(packed))
            hidden = {i for i, c in enumerate(model.cells) if c.variable == "known"}
            rest = tuple(v for i, v in enumerate(state._store.values) if i not in hidden)
            ended = tuple(state.known[i] == state.scanned[i] for i in state.sites)  # type: ignore[attr-defined]
            found.add((rest, ended))
        return found

    assert seen(1) == seen(2)


# Comparisons with a simulator that shares no code with the specs


@given(web=webs.webs, budget=st.integers(1, 20), quantum=st.integers(1, 4))
@settings(deadline=None, max_examples=60)
def test_equal_quanta_by_hand(web: Web, budget: int, quantum: int) -> None:
    """A turn that is skipped, or a turn given to an exhausted site."""
    expected = webs.equal_quanta(web, budget, quantum)
    assert webs.run(EqualQuanta, web, budget=budget, quantum=quantum) == expected


@given(web=webs.webs, budget=st.integers(1, 20))
@settings(deadline=None, max_examples=60)
def test_r1_by_hand(web: Web, budget: int) -> None:
    """A share, a tie or a remainder that differs from the rule."""
    assert webs.run(R1, web, budget=budget) == webs.r1(web, budget)


@given(web=webs.webs, budget=st.integers(1, 20), step=st.integers(1, 4))
@settings(deadline=None, max_examples=60)
def test_r2_by_hand(web: Web, budget: int, step: int) -> None:
    """A step that continues on an exhausted site, or an index with the wrong count."""
    assert webs.run(R2, web, budget=budget, step=step) == webs.r2(web, budget, step)


@given(web=webs.webs, budget=st.integers(1, 20), initial=st.integers(1, 3))
@settings(deadline=None, max_examples=60)
def test_r3_by_hand(web: Web, budget: int, initial: int) -> None:
    """An index whose rank does not fit its value, or an Xmax that is not the largest value."""
    assert webs.run(R3, web, budget=budget, initial=initial) == webs.r3(web, budget, initial)


# R3's index as a small integer, and how long a site can wait


def test_places_are_in_the_order_of_indices() -> None:
    """Two sites of a contest whose ranks are not in the order of their indices."""
    for n in range(2, 10):
        for largest in (1, 2):
            pairs = [(s, t) for t in range(1, n) for s in range(largest * t + 1)]
            for s1, t1 in pairs:
                for s2, t2 in pairs:
                    if t1 + t2 == n:
                        one = index_place(2, 8, 10, largest, t1, s1, n)
                        other = index_place(2, 8, 10, largest, t2, s2, n)
                        expected = compare(s1, t1, s2, t2, largest, n)
                        assert (one > other) - (one < other) == expected


@pytest.mark.parametrize(("pages", "latest"), [(1, 6), (2, 15), (3, 30)])
def test_how_long_a_site_can_wait(pages: int, latest: int) -> None:
    """A bound that differs from the derived one, or that no crawl reaches.

    Two sites, one without links and one with a link on each page: R3 by hand.
    """
    assert latest_visit(pages, 2, 1000) == latest
    other = latest - pages
    assert may_precede(other - 1, pages, latest - 1)
    assert not may_precede(other, pages, latest)
    order = webs.r3([[(0, 1)] * 60, [(1, 1)] * 60], 60, 1)
    assert [n for n, i in enumerate(order) if i == 0][pages] == latest


def test_a_starved_site_holds_the_most() -> None:
    """A witness of starvation of a site that has nothing left to offer."""
    verdict = next(v for v in exhaustive.check(Model(R2())) if v.claim.name == "a-site-is-starved")
    assert verdict.trace is not None
    last = verdict.model.at(verdict.trace.states[-1])
    assert isinstance(last, R2)
    (starved,) = (i for i in last.sites if last.has_page(i) and last.found[i] == 0)
    hidden = last.links * (last.pages - last.scanned[starved])
    assert last.scanned[starved] == last.step
    assert hidden > sum(last.found[i] for i in last.sites) > 0


RULES: dict[str, Callable[[Web, int], list[int]]] = {
    "r2": lambda web, budget: webs.r2(web, budget, 2),
    "r3": lambda web, budget: webs.r3(web, budget, 2),
}


@pytest.mark.parametrize(("rule", "visits"), [("r2", 2), ("r3", 93)])
def test_starvation_by_hand(rule: str, visits: int) -> None:
    """R2 that returns to a site whose first pages are empty, or R3 that does not."""
    poor = [(1, 1), *[(0, 1)] * 99]
    rich = [(0, 1)] * 2 + [(3, 1)] * 98
    order = RULES[rule]([poor, rich], 100)
    assert order.count(1) == visits
