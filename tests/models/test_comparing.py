"""Symbolic readings compared with plain runs: each slip of a reading is found and reported."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

import pytest

from counterpoint.models.symbolic import comparing
from counterpoint.models.symbolic.comparing import (
    LEAVES,
    ComparisonResult,
    Difference,
    compare,
    note_on_ranges,
    show_state,
    with_comparison,
)
from counterpoint.models.symbolic.comparing import random_states as along_runs
from counterpoint.models.symbolic.trace import Check, Command, System
from counterpoint.models.verdict import Verdict
from counterpoint.spec.notation import Integer, Model, Spec, SpecError, Step, Values, action, nodes
from tests.models.shop import Shop, read


@pytest.fixture
def model() -> Model:
    """Return a model."""
    return Model(Shop())


def everywhere(model: Model) -> list[Values]:
    """Return the states of many random runs."""
    return along_runs(model)


def test_a_right_reading_differs_nowhere(model: Model) -> None:
    """A difference reported for a correct reading, so that every verdict is unknown."""
    states = everywhere(model)
    assert compare(read(model), states, model.properties) == ComparisonResult(len(states), "")
    assert compare(read(model), states, model.properties, most=7) == ComparisonResult(7, "")
    assert compare(read(model), states, ()) == ComparisonResult(len(states), "")


def changed(system: System, place: int, **changes: object) -> None:
    """Change one command of the symbolic reading."""
    commands = list(system.commands)
    commands[place] = replace(commands[place], **changes)  # type: ignore[arg-type]
    system.commands = tuple(commands)


def place_of(system: System, action: str, leaves: bool = False) -> int:
    """Return the position of a command."""
    return next(
        i for i, c in enumerate(system.commands)
        if c.step.action == action and bool(c.leaves) == leaves
    )  # fmt: skip


def no_guard(system: System) -> None:
    """Remove a guard."""
    changed(system, place_of(system, "close"), guard=())


def never(system: System) -> None:
    """Remove a command."""
    at = place_of(system, "close")
    system.commands = system.commands[:at] + system.commands[at + 1 :]


def no_update(system: System) -> None:
    """Remove an assignment."""
    at = place_of(system, "buy")
    changed(system, at, updates=system.commands[at].updates[:1])


def stays(system: System) -> None:
    """Read a step that leaves a range as one that does not."""
    changed(system, place_of(system, "buy", True), leaves="")


def goes(system: System) -> None:
    """Read a step that stays in range as one that leaves it."""
    changed(system, place_of(system, "buy"), leaves="money")


def two_ways(system: System) -> None:
    """Add a second command for one step."""
    one = system.commands[place_of(system, "close")]
    system.commands = (*system.commands, replace(one, updates=()))


def never_right(system: System) -> None:
    """Read a transition property as always false."""
    check = Check(nodes.FALSE, "no-gift")
    changed(system, place_of(system, "close"), checks=(check,))


def wrong_claim(system: System) -> None:
    """Read an invariant as always false."""
    system.claims["open-or-sold-out"] = nodes.FALSE


def wrong_witness(system: System) -> None:
    """Read a witness as always true."""
    system.claims["all-gone"] = nodes.TRUE


def wrong_end(system: System) -> None:
    """Read that a run may end in any state."""
    system.__dict__["may_end"] = nodes.TRUE


def no_start(system: System) -> None:
    """Read that no state is initial."""
    system.__dict__["initial"] = nodes.FALSE


def wrong_start(system: System) -> None:
    """Read that every state is initial."""
    system.__dict__["initial"] = nodes.TRUE


AGAIN = "; in the engine, or when plain Python runs it again: "

SLIPS: dict[str, tuple[Callable[[System], None], str, str]] = {
    "a guard": (no_guard, "close", "is not possible; in the engine"),
    "a command": (never, "close", "closed False→True; in the engine"),
    "an update": (no_update, "buy", "bought 0→1; in the engine"),
    "a step that leaves": (stays, "buy", f"{LEAVES}; in the engine"),
    "a step that stays": (goes, "buy", "runs it again: " + LEAVES),
    "one step in two ways": (two_ways, "close", "changes nothing or closed False→True"),
    "a check": (never_right, "no-gift", f"plain Python: True{AGAIN}False"),
    "a claim": (wrong_claim, "open-or-sold-out", f"plain Python: True{AGAIN}False"),
    "a witness": (wrong_witness, "all-gone", f"plain Python: False{AGAIN}True"),
    "an end": (wrong_end, "finished", f"plain Python: False{AGAIN}True"),
    "no start": (no_start, "initially", f"plain Python: True{AGAIN}False"),
    "a start": (wrong_start, "initially", f"plain Python: False{AGAIN}True"),
}


@pytest.mark.parametrize("name", SLIPS)
def test_a_slip_of_a_reading_is_seen(name: str, model: Model) -> None:
    """A wrong reading that is not noticed, or is reported for another part of the spec."""
    slip, what, message = SLIPS[name]
    system = read(model)
    slip(system)
    states = everywhere(model)
    found = compare(system, states, model.properties)
    assert found.states == len(states)
    assert found.difference.startswith(what)
    assert " means two things, at " in found.difference
    assert message in found.difference
    assert compare(system, states, model.properties) == found


@pytest.mark.parametrize("name", ["a claim", "a witness", "a check", "an end"])
def test_what_nobody_asked_is_not_compared(name: str, model: Model) -> None:
    """A verdict made unknown by a claim that was not selected."""
    system = read(model)
    SLIPS[name][0](system)
    asked = [p for p in model.properties if p.kind == "range"]
    assert not compare(system, everywhere(model), asked).difference


def test_a_difference_is_told_of_all_that_changes(model: Model) -> None:
    """A message without the state, or without the two results that differ."""
    system = read(model)
    no_guard(system)
    start = next(model.initial_states())
    difference = compare(system, [start], ()).difference
    assert difference == (
        f"close() means two things, at {show_state(model, start)}: in plain Python: is not "
        "possible; in the engine, or when plain Python runs it again: closed False→True"
    )


def test_a_state_is_shown_by_what_differs_from_the_first(model: Model) -> None:
    """A state of hundreds of cells printed completely, or a message that shows none of them."""
    first = tuple(several[0] for several in model.initial_values())
    assert show_state(model, first) == "the initial state"
    values = list(first)
    values[1], values[2] = 2, 1
    assert show_state(model, tuple(values)) == "bought=2, closed=True"


def test_after_a_difference_nothing_is_said(model: Model) -> None:
    """A verdict that stands although the symbolic reading differs from the user's text."""
    verdicts = [Verdict(model, p, "bounded", "holds", "2 steps") for p in model.properties]
    right = with_comparison(verdicts, ComparisonResult(5))
    assert {(v.answer, v.compared, v.reason) for v in right} == {("holds", 5, "")}
    wrong = with_comparison(verdicts, ComparisonResult(5, "it differs"))
    assert {(v.answer, v.reason, v.trace) for v in wrong} == {("unknown", "it differs", None)}
    assert [v.claim for v in wrong] == [v.claim for v in right] == list(model.properties)


def test_a_state_is_shown_where_it_has_less_than_the_first() -> None:
    """A message that shows only the cells whose values have grown."""

    class Down(Spec):
        n = Integer(0, 3, initially=3)

        @action
        def go(s):
            s.n = s.n - 1

    assert show_state(Model(Down()), (1,)) == "n=1"

    class Large(Spec):
        n = Integer(0, 5000, initially=1000)

        @action
        def go(s):
            s.n = 7

    assert show_state(Model(Large()), (int("1000"),)) == "the initial state"
    assert ComparisonResult() == ComparisonResult(0, "")


def test_a_move_is_judged_by_its_own_checks(model: Model) -> None:
    """A transition property judged by the checks of another one."""
    system = read(model)
    checks = tuple(Check(nodes.FALSE, name) for name in ("a-name", "z-name"))
    changed(system, place_of(system, "close"), checks=checks)
    assert not compare(system, everywhere(model), model.properties).difference


def test_a_step_that_does_something_else_the_second_time(model: Model) -> None:
    """Chance or hidden memory in an action, which the symbolic reading cannot show."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Model, "take", _moody())
        found = compare(read(model), [(5, 3, 0)] * 40, ())
    assert "close() means two things" in found.difference


def _moody() -> Callable[[Model, Values, Step], Values | None]:
    asked = [0]

    def take(model: Model, values: Values, step: Step) -> Values | None:
        asked[0] += step.action == "close"
        if step.action != "close":
            return None
        return (*values[:2], 1) if asked[0] == 1 else (*values[:2], 0)

    return take


def test_an_error_of_a_plain_run_is_a_difference(model: Model) -> None:
    """A traceback on a spec that fails in plain Python."""
    system = read(model)

    def fails(*_: object) -> None:
        raise SpecError("it cannot")

    start = next(model.initial_states())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Model, "take", fails)
        difference = compare(system, [start], ()).difference
    assert (
        difference == f"plain Python fails in buy(t=tea), at {show_state(model, start)}: it cannot"
    )


def test_what_is_too_deep_to_be_compared_is_not(model: Model) -> None:
    """A traceback on a spec whose expressions are deeply nested."""

    def deep(*_: object) -> None:
        raise RecursionError

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(comparing._Comparison, "at", deep)
        assert compare(read(model), everywhere(model), ()) == ComparisonResult(0, "")


def test_a_move_is_judged_where_a_step_leads_somewhere(model: Model) -> None:
    """A transition property judged for a step that is not possible."""
    system = read(model)
    start = next(model.initial_states())
    claim = model.property_named("no-gift")
    one = comparing._Comparison(system, [claim], random.Random(0), 1)
    assert (one.moves, one.stops, one.claims) == ([claim], False, [])
    one.at(start, 0, 1)
    one.model.spec.__class__.no_gift, kept = (lambda s, after: False), Shop.no_gift
    try:
        with pytest.raises(Difference, match="no-gift means two things"):
            one.at(start, 0, 1)
        one.at((0, 3, 1), 0, 1)  # nothing is possible there
        one.at((0, 0, 0), 0, 1)  # and there money leaves its range
    finally:
        Shop.no_gift = kept  # type: ignore[method-assign]


def test_a_step_that_may_leave_is_told_where_nobody_asked(model: Model) -> None:
    """A claim that holds only because the step that breaks it leaves a range, unreported."""
    system = read(model)
    invariants = [p for p in model.properties if p.kind == "invariant"]
    assert note_on_ranges(system, invariants) == (
        "not judged: ranges (buy: a step that leaves a range counts as not possible)",
    )
    others = [p for p in model.properties if p.kind != "range"]
    assert note_on_ranges(system, others) == note_on_ranges(system, invariants)
    assert note_on_ranges(system, model.properties) == ()
    system.commands = tuple(c for c in system.commands if not c.leaves)
    assert note_on_ranges(system, invariants) == ()


def test_commands_know_nothing_of_each_other() -> None:
    """The commands of one step counted among those of another."""
    model = Model(Shop())
    one = comparing._Comparison(read(model), (), random.Random(0), 1)
    assert {step: {c.step for c in ways} for step, ways in one.commands.items()} == {
        step: {step} for step in one.commands
    }
    assert all(isinstance(c, Command) for ways in one.commands.values() for c in ways)
