"""What crawlers do for ever: verdicts, and agreement with the specs that count."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import floor

import pytest

from counterpoint.models.checking import engines
from counterpoint.models.loading import load
from counterpoint.models.verdict import Verdict
from counterpoint.spec.crawl.focused_for_ever import FocusedForEver
from counterpoint.spec.crawl.r3 import latest_visit
from counterpoint.spec.crawl.scent import Scent
from counterpoint.spec.notation import Model, SpecError, Step, Values

VISITS = "counterpoint.spec.crawl.visits"
PROOF = "counterpoint.spec.crawl.scent_proof:VisitedForEver"


def judged(spec: str, name: str, *settings: str) -> Verdict:
    """Return the verdict on a temporal property."""
    model = load(spec, settings)
    (found,) = engines.check(model, wanted=[model.property_named(name)])
    return found


def facts(verdict: Verdict) -> tuple[str, str, int | None]:
    """Return the answer, how far it goes, and the number of all states.

    A search that finds a lasso early does not visit all of them.
    """
    if verdict.answer == "holds":
        return verdict.answer, verdict.extent, verdict.states
    (whole,) = engines.check(verdict.model, wanted=[verdict.model.property_named("ranges")])
    assert whole.answer == "holds"
    return verdict.answer, verdict.extent, whole.states


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ([], ("holds", "all runs", 744)),
        (["places=0"], ("holds", "all runs", 199)),
        (["static=3"], ("holds", "all runs", 46)),
        (["pages=4", "batch=2", "places=0"], ("holds", "all runs", 654)),
        (["delta-s=3"], ("holds", "all runs", 1_978)),
    ],
)
def test_with_a_gain_an_unchanged_page_is_visited_for_ever(
    settings: list[str], expected: tuple[str, str, int]
) -> None:
    """A page that starves although it gains."""
    found = judged("scent-for-ever", "the-first-page-is-visited-for-ever", *settings)
    assert facts(found) == expected


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        (["changing=1"], ("holds", "all runs", 34)),
        (["pages=4", "batch=2", "changing=2"], ("holds", "all runs", 101)),
        (["pages=4", "batch=2", "changing=1"], ("violated", "16 steps, then 4 for ever", 390)),
        (["pages=2", "static=2"], ("violated", "1 step, then 2 for ever", 3)),
        (["pages=2", "static=1"], ("violated", "6 steps, then 2 for ever", 41)),
    ],
)
def test_without_gain_an_unchanged_page_is_left_if_others_change(
    settings: list[str], expected: tuple[str, str, int]
) -> None:
    """The claim held without its condition, or a page visited for ever though others change."""
    found = judged("scent-for-ever", "the-first-page-is-left", "delta-s=0", *settings)
    assert facts(found) == expected


@pytest.mark.parametrize(
    "settings",
    [
        ["delta-s=3"],
        pytest.param(["delta-s=5", "changes=3", "initial=5"], marks=pytest.mark.long),
    ],
)
def test_with_a_large_gain_pages_are_visited_evenly(settings: list[str]) -> None:
    """Visits that differ by two, or are never equal again."""
    for name in ("all-are-visited-equally-often", "visits-never-differ-by-two"):
        assert judged("scent-for-ever", name, *settings).answer == "holds"


def steps(model: Model, values: Values) -> Iterator[tuple[Step, Values]]:
    """Yield the possible steps, with the state after each."""
    for step in model.steps:
        after = model.take(values, step)
        if after is not None:
            yield step, after


def reachable(model: Model, goes: Callable[[Values, Step], bool]) -> set[Values]:
    """Return the states that a model reaches by some of its steps."""
    found = set(model.initial_states())
    todo = list(found)
    while todo:
        values = todo.pop()
        for step, after in steps(model, values):
            if goes(values, step) and after not in found:
                found.add(after)
                todo.append(after)
    return found


@pytest.mark.parametrize("places", [0, 2])
@pytest.mark.parametrize(
    "settings",
    [
        ["static=1"],
        ["static=0", "delta-s=0", "initial=5"],
        ["static=1", "delta-s=2", "batch=2", "changes=3"],
        ["static=3", "delta-s=0"],
    ],
)
def test_each_run_of_scent_is_a_run_for_ever(settings: list[str], places: int) -> None:
    """A step of the counted spec that its form without a count leaves out or does differently."""
    counted = load("scent", [*settings, "iterations=4"])
    endless = load("scent-for-ever", [*settings, f"places={places}"])
    assert isinstance(counted.spec, Scent)

    def whole(values: Values) -> tuple[list[int], list[bool]]:
        state = counted.at(values)
        assert isinstance(state, Scent)
        scents = [floor(state.scent[p] * 2**places / 2**4) for p in state.pages]
        return scents, [bool(state.visited[p]) for p in state.pages]

    def shown(values: Values) -> tuple[list[int], list[bool]]:
        state = endless.at(values)
        assert isinstance(state, Scent)
        return [state.scent[p] for p in state.pages], [bool(state.visited[p]) for p in state.pages]

    doubles = endless.spec.never_changes  # type: ignore[attr-defined]
    todo = [(next(counted.initial_states()), next(endless.initial_states()))]
    seen = set(todo)
    while todo:
        values, other = todo.pop()
        if not doubles:
            assert whole(values) == shown(other)
        for step, after in steps(counted, values):
            same = endless.take(other, step)
            assert same is not None, (step, other)
            if (after, same) not in seen:
                seen.add((after, same))
                todo.append((after, same))
    assert len(seen) > 4


def test_where_nothing_changes_the_order_is_the_counted_one() -> None:
    """Scents that are doubled in the wrong moment: pages then come in another order."""
    for settings in (["pages=2", "static=2"], ["pages=3", "static=3"], ["pages=5", "static=5"]):
        counted = load("scent", [*settings, "delta-s=0", "iterations=16"])
        endless = load("scent-for-ever", [*settings, "delta-s=0"])
        values, other = next(counted.initial_states()), next(endless.initial_states())
        for _ in range(16):
            ((step, values),) = steps(counted, values)
            ((same, other),) = steps(endless, other)
            assert step == same


def test_a_crawl_ends_if_answers_come() -> None:
    """A crawl that never ends although each page is answered, or ends without that promise."""
    model = load("frontier-for-ever", ["pages=3"])
    found = engines.check(model, wanted=model.temporal)
    assert [(one.answer, one.states) for one in found] == [("holds", 167)] * 2
    weak = judged("frontier-for-ever", "the-crawl-ends", "fairness=weak", "pages=3")
    assert facts(weak) == ("violated", "0 steps, then 2 for ever", 167)
    assert weak.trace is not None
    assert [step.action for step in weak.trace.steps] == ["request", "restart"]


def test_restarts_need_no_count() -> None:
    """States of the form without a count that no number of interruptions reaches, or fewer."""
    endless = load("frontier-for-ever", ["pages=3"])
    counted = load("frontier", ["pages=3", "interruptions=3"])
    place = next(k for k, cell in enumerate(counted.cells) if cell.label == "restarts")
    states = reachable(counted, lambda values, step: True)
    without = {(*v[:place], 0, *v[place + 1 :]) for v in states}
    assert without == reachable(endless, lambda values, step: True)


def test_growth_stops_where_the_web_does() -> None:
    """A crawl of a finite web that goes on for ever, or of an endless one that ends."""
    expected = {
        (): ("holds", "all runs", 2_486),
        ("web=endless",): ("violated", "3 steps, then 6 for ever", 2_309),
        ("web=endless", "steps=2"): ("holds", "all runs", 1_848),
        ("crawler=standard",): ("holds", "all runs", 276),
    }
    for settings, fact in expected.items():
        model = load("focused-for-ever", settings)
        found = engines.check(model, wanted=model.temporal)
        assert facts(found[0]) == fact
        assert [(one.answer, one.extent) for one in found] == [fact[:2], fact[:2]]
    with pytest.raises(SpecError, match="web=endless is for crawler=focused"):
        load("focused-for-ever", ["web=endless", "crawler=standard"])


def test_an_endless_web_is_the_same_until_a_page_is_forgotten() -> None:
    """Other steps on the endless web before the first page is forgotten."""
    few = ["hubs=1", "authorities=2", "failures=0"]
    finite = load("focused-for-ever", few)
    endless = load("focused-for-ever", [*few, "web=endless"])

    def keeps_all(values: Values, step: Step) -> bool:
        state = finite.at(values)
        assert isinstance(state, FocusedForEver)
        return step.action != "go_on" or not state.is_spent(0)

    assert reachable(finite, keeps_all) == reachable(endless, keeps_all)


@pytest.mark.parametrize(
    ("spec", "settings", "expected"),
    [
        ("r3-visits", [], ("holds", "all runs", 1_075)),
        ("r3-visits", ["budget=7", "pages=7"], ("holds", "all runs", 707)),
        ("r3-visits", ["budget=6"], ("violated", "6 steps, then none for ever", 441)),
        (f"{VISITS}:VisitsOfEqualQuanta", [], ("holds", "all runs", 997)),
        (f"{VISITS}:VisitsOfR1", [], ("violated", "8 steps, then none for ever", 5_593)),
        (f"{VISITS}:VisitsOfR2", [], ("violated", "8 steps, then none for ever", 1_077)),
    ],
)
def test_r3_comes_back_to_every_site(
    spec: str, settings: list[str], expected: tuple[str, str, int]
) -> None:
    """R3 that starves a site within its bound, or R1 or R2 that does not."""
    assert facts(judged(spec, "every-site-is-visited-again", *settings)) == expected


def test_the_least_budget_is_the_bound_and_one() -> None:
    """A bound on the wait of R3 that differs from where its verdict changes."""
    assert latest_visit(1, 2, 8) == 6


@pytest.mark.parametrize(
    ("spec", "name", "settings"),
    [
        (PROOF, "the-first-page-is-visited-for-ever", []),
        (PROOF, "the-first-page-is-visited-for-ever", ["delta-s=3", "changes=3"]),
        pytest.param(
            PROOF, "the-first-page-is-visited-for-ever", ["pages=4", "batch=2"],
            marks=pytest.mark.slow,
        ),
        ("r3-visits", "every-site-is-visited-again", []),
        pytest.param(
            "r3-visits", "every-site-is-visited-again", ["budget=7", "pages=7"],
            marks=pytest.mark.slow,
        ),
    ],
)  # fmt: skip
def test_ranks_prove_it_for_every_run(spec: str, name: str, settings: list[str]) -> None:
    """A proof that a rank does not give any more."""
    model = load(spec, settings)
    (found,) = engines.check(model, "induction", wanted=[model.property_named(name)])
    assert (found.answer, found.extent) == ("holds", "every run"), found.reason


def test_a_rank_proves_nothing_that_is_false() -> None:
    """A proof for R3 with a budget that is too small: a site waits to its end."""
    model = load("r3-visits", ["budget=6", "pages=6"])
    (found,) = engines.check(
        model, "induction", wanted=[model.property_named("every-site-is-visited-again")]
    )
    assert found.answer == "unknown"
