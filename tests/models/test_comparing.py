"""What an engine has read, against plain runs: every slip of a reading is seen and told."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

import pytest

from counterpoint.models.symbolic import comparing
from counterpoint.models.symbolic.comparing import (
    LEAVES,
    Compared,
    Difference,
    compare,
    judged,
    leaving,
    shown,
)
from counterpoint.models.symbolic.comparing import walked as along_runs
from counterpoint.models.symbolic.trace import Check, Command, System
from counterpoint.models.verdict import Verdict
from counterpoint.spec.notation import Integer, Model, Spec, SpecError, Step, Values, action, nodes
from tests.models.shop import Shop, read


@pytest.fixture
def model() -> Model:
    """Return a model."""
    return Model(Shop())


def everywhere(model: Model) -> list[Values]:
    """Return the states of many runs."""
    return along_runs(model)


def test_a_right_reading_differs_nowhere(model: Model) -> None:
    """A difference that is none: every verdict would be unknown."""
    states = everywhere(model)
    assert compare(read(model), states, model.properties) == Compared(len(states), "")
    assert compare(read(model), states, model.properties, most=7) == Compared(7, "")
    assert compare(read(model), states, ()) == Compared(len(states), "")


def changed(system: System, place: int, **changes: object) -> None:
    """Change a command of what was read."""
    commands = list(system.commands)
    commands[place] = replace(commands[place], **changes)  # type: ignore[arg-type]
    system.commands = tuple(commands)


def place_of(system: System, action: str, leaves: bool = False) -> int:
    """Return the place of a command."""
    return next(
        i for i, c in enumerate(system.commands)
        if c.step.action == action and bool(c.leaves) == leaves
    )  # fmt: skip


def no_guard(system: System) -> None:
    """Take a guard away."""
    changed(system, place_of(system, "close"), guard=())


def never(system: System) -> None:
    """Take a command away."""
    at = place_of(system, "close")
    system.commands = system.commands[:at] + system.commands[at + 1 :]


def no_update(system: System) -> None:
    """Take an assignment away."""
    at = place_of(system, "buy")
    changed(system, at, updates=system.commands[at].updates[:1])


def stays(system: System) -> None:
    """Take it that nobody leaves a range."""
    changed(system, place_of(system, "buy", True), leaves="")


def goes(system: System) -> None:
    """Take it that a step leaves a range which does not."""
    changed(system, place_of(system, "buy"), leaves="money")


def two_ways(system: System) -> None:
    """Add a second way of one step."""
    one = system.commands[place_of(system, "close")]
    system.commands = (*system.commands, replace(one, updates=()))


def never_right(system: System) -> None:
    """Read a transition property that is always false."""
    check = Check(nodes.FALSE, "no-gift")
    changed(system, place_of(system, "close"), checks=(check,))


def wrong_claim(system: System) -> None:
    """Read a claim as its contrary."""
    system.claims["open-or-sold-out"] = nodes.FALSE


def wrong_witness(system: System) -> None:
    """Read a witness as always true."""
    system.claims["all-gone"] = nodes.TRUE


def wrong_end(system: System) -> None:
    """Read that a run may end anywhere."""
    system.__dict__["may_end"] = nodes.TRUE


def no_start(system: System) -> None:
    """Read that a run begins nowhere."""
    system.__dict__["initial"] = nodes.FALSE


def wrong_start(system: System) -> None:
    """Read that a run may begin anywhere."""
    system.__dict__["initial"] = nodes.TRUE


AGAIN = "; as the engine has read it, or when it is run again: "

SLIPS: dict[str, tuple[Callable[[System], None], str, str]] = {
    "a guard": (no_guard, "close", "is not possible; as the engine"),
    "a command": (never, "close", "closed False→True; as the engine"),
    "an update": (no_update, "buy", "bought 0→1; as the engine"),
    "a step that leaves": (stays, "buy", f"{LEAVES}; as the engine"),
    "a step that stays": (goes, "buy", "run again: " + LEAVES),
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
    """A reading that is wrong and passes for right, or a difference told of another place."""
    slip, what, told = SLIPS[name]
    system = read(model)
    slip(system)
    states = everywhere(model)
    found = compare(system, states, model.properties)
    assert found.states == len(states)
    assert found.difference.startswith(what)
    assert " means two things, at " in found.difference
    assert told in found.difference
    assert compare(system, states, model.properties) == found


@pytest.mark.parametrize("name", ["a claim", "a witness", "a check", "an end"])
def test_what_nobody_asked_is_not_compared(name: str, model: Model) -> None:
    """A verdict made unknown by a claim that it does not speak of."""
    system = read(model)
    SLIPS[name][0](system)
    asked = [p for p in model.properties if p.kind == "range"]
    assert not compare(system, everywhere(model), asked).difference


def test_a_difference_is_told_of_all_that_changes(model: Model) -> None:
    """A message without the state, or without what both say."""
    system = read(model)
    no_guard(system)
    start = next(model.initial_states())
    told = compare(system, [start], ()).difference
    assert told == (
        f"close() means two things, at {shown(model, start)}: in plain Python: is not possible; "
        "as the engine has read it, or when it is run again: closed False→True"
    )


def test_a_state_is_shown_by_what_differs_from_the_first(model: Model) -> None:
    """A state of hundreds of cells printed whole, or one that shows nothing."""
    first = tuple(several[0] for several in model.initial_values())
    assert shown(model, first) == "the initial state"
    values = list(first)
    values[1], values[2] = 2, 1
    assert shown(model, tuple(values)) == "bought=2, closed=True"


def test_after_a_difference_nothing_is_said(model: Model) -> None:
    """A verdict that stands though what was judged is not the user's text."""
    verdicts = [Verdict(model, p, "bounded", "holds", "2 steps") for p in model.properties]
    right = judged(verdicts, Compared(5))
    assert {(v.answer, v.compared, v.reason) for v in right} == {("holds", 5, "")}
    wrong = judged(verdicts, Compared(5, "it differs"))
    assert {(v.answer, v.reason, v.trace) for v in wrong} == {("unknown", "it differs", None)}
    assert [v.claim for v in wrong] == [v.claim for v in right] == list(model.properties)


def test_a_state_is_shown_where_it_has_less_than_the_first() -> None:
    """Only what has grown shown of a state."""

    class Down(Spec):
        n = Integer(0, 3, initially=3)

        @action
        def go(s):
            s.n = s.n - 1

    assert shown(Model(Down()), (1,)) == "n=1"

    class Large(Spec):
        n = Integer(0, 5000, initially=1000)

        @action
        def go(s):
            s.n = 7

    assert shown(Model(Large()), (int("1000"),)) == "the initial state"
    assert Compared() == Compared(0, "")


def test_a_move_is_judged_by_its_own_checks(model: Model) -> None:
    """A property of steps that is held against what another one demands."""
    system = read(model)
    checks = tuple(Check(nodes.FALSE, name) for name in ("a-name", "z-name"))
    changed(system, place_of(system, "close"), checks=checks)
    assert not compare(system, everywhere(model), model.properties).difference


def test_a_step_that_does_something_else_the_second_time(model: Model) -> None:
    """Chance or memory in an action that no text shows."""
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
    """A spec that fails in plain Python, told as a traceback."""
    system = read(model)

    def fails(*_: object) -> None:
        raise SpecError("it cannot")

    start = next(model.initial_states())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Model, "take", fails)
        told = compare(system, [start], ()).difference
    assert told == f"plain Python fails in buy(t=tea), at {shown(model, start)}: it cannot"


def test_what_is_too_deep_to_be_compared_is_not(model: Model) -> None:
    """A traceback on a spec whose expressions are deep."""

    def deep(*_: object) -> None:
        raise RecursionError

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(comparing._Comparison, "at", deep)
        assert compare(read(model), everywhere(model), ()) == Compared(0, "")


def test_a_move_is_judged_where_a_step_leads_somewhere(model: Model) -> None:
    """A transition property judged of a step that leads nowhere."""
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
    """A claim that holds since the step that breaks it leads nowhere: without a word."""
    system = read(model)
    invariants = [p for p in model.properties if p.kind == "invariant"]
    assert leaving(system, invariants) == (
        "not judged: ranges (buy: a step that leaves a range leads nowhere)",
    )
    others = [p for p in model.properties if p.kind != "range"]
    assert leaving(system, others) == leaving(system, invariants)
    assert leaving(system, model.properties) == ()
    system.commands = tuple(c for c in system.commands if not c.leaves)
    assert leaving(system, invariants) == ()


def test_commands_know_nothing_of_each_other() -> None:
    """The commands of another step taken for a way of this one."""
    model = Model(Shop())
    one = comparing._Comparison(read(model), (), random.Random(0), 1)
    assert {step: {c.step for c in ways} for step, ways in one.commands.items()} == {
        step: {step} for step in one.commands
    }
    assert all(isinstance(c, Command) for ways in one.commands.values() for c in ways)
