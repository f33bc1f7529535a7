"""The states in which a symbolic reading is compared with plain runs, and how many they are."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest

from counterpoint.models.symbolic import comparing
from counterpoint.models.symbolic.comparing import (
    LEAVES,
    ComparisonResult,
    Difference,
    compare,
    plain_result,
)
from counterpoint.models.symbolic.comparing import random_states as along_runs
from counterpoint.models.symbolic.trace import System
from counterpoint.spec.notation import (
    ANY,
    Integer,
    Model,
    Spec,
    SpecError,
    Step,
    Values,
    action,
    initially,
    nodes,
)
from tests.documentation import __file__ as beside
from tests.models.shop import Shop, read


@pytest.fixture
def model() -> Model:
    """Return a model."""
    return Model(Shop())


def test_states_of_random_runs(model: Model) -> None:
    """States that no run reaches, too many states, or other states each time."""
    found = along_runs(model)
    assert found == along_runs(model)
    assert len(set(found)) == len(found)
    starts = set(model.initial_states())
    assert set(found[: len(starts)]) == starts
    reached = set(starts)
    for state in found:
        nexts = [plain_result(model, state, step) for step in model.steps]
        reached |= {after for after in nexts if isinstance(after, tuple)}
    assert set(found) <= reached
    assert found != along_runs(model, seed=1)
    assert len(along_runs(model, number=3)) == 3
    assert set(along_runs(model, number=50, length=0)) == starts


def test_the_steps_of_a_run_are_those_that_are_possible(model: Model) -> None:
    """A run that ends although a step is possible, or continues after leaving a range."""
    chance = random.Random(0)
    assert comparing._one_after(model, (5, 3, 1), chance) is None
    assert comparing._one_after(model, (0, 0, 0), chance) is None
    assert comparing._one_after(model, (5, 3, 0), chance) == (5, 3, 1)
    assert {comparing._one_after(model, (4, 0, 0), chance) for _ in range(40)} == {
        (3, 1, 0), (2, 1, 0)
    }  # fmt: skip
    buy, rum, close = model.steps
    assert (buy.action, rum.action, close.action) == ("buy", "buy", "close")
    assert plain_result(model, (1, 0, 0), rum) == LEAVES
    assert plain_result(model, (1, 0, 0), buy) == (0, 1, 0)
    assert plain_result(model, (1, 0, 0), close) is None


class Many(Spec):
    """A spec with many initial states, in which two variables are equal, among very many states."""

    a = Integer(0, 99, initially=ANY)
    b = Integer(0, 99, initially=ANY)
    narrow = True

    @initially
    def alike(s):
        return s.a == s.b or not s.narrow

    @action
    def go(s):
        s.a = (s.a + 1) % 100


class Wide(Many):
    """The same two variables with any initial values."""

    narrow = False


class Exactly(Spec):
    """A spec whose only initial state is the last one of its ranges."""

    a = Integer(0, 63, initially=ANY)
    b = Integer(0, 63, initially=ANY)

    @initially
    def last(s):
        return s.a + s.b == 126

    @action
    def go(s):
        s.a = 0


def test_starts_are_found_among_many() -> None:
    """A spec with many initial states of which none is found, or all are enumerated."""
    some = comparing._starts(Model(Many()), random.Random(0))
    assert some
    assert all(a == b for a, b in some)
    assert len(set(some)) == len(some)
    assert len(comparing._starts(Model(Wide()), random.Random(0))) == comparing.STARTS == 64
    assert comparing.TRIES == 64 * 64
    assert len(comparing._starts(Model(Many()), random.Random(0))) < 60  # not all are enumerated
    for seed in range(12):
        assert comparing._starts(Model(Exactly()), random.Random(seed)) == [(63, 63)]


def test_runs_end_that_meet_nothing_new(monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs over few states that use all of the time, or that end too early."""
    asked = []
    monkeypatch.setattr(comparing, "_one_after", lambda *_: asked.append(1))
    monkeypatch.setattr(comparing, "STARTS", 290)
    assert 256 < len(along_runs(Model(Wide()))) <= 290
    assert len(asked) == 20


def test_runs_go_on_that_meet_something_new() -> None:
    """Runs that end although each leads to new states."""
    assert len(along_runs(Model(Wide()), number=200, length=1)) > 64 + 40


def test_a_run_ends_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Random runs that ignore their time limit where each step takes long."""
    now = iter(range(10_000))
    monkeypatch.setattr(comparing.time, "monotonic", lambda: float(next(now)))
    monkeypatch.setattr(comparing, "WALK", 20.0)
    model = Model(Wide())
    found = along_runs(model, number=10_000)
    assert 64 + 10 <= len(found) <= 64 + 20
    monkeypatch.setattr(comparing, "WALK", -1.0)
    assert len(along_runs(model, number=10_000)) == 64


def test_some_states_are_compared_of_many(model: Model) -> None:
    """All of a million states compared, or always the first ones."""
    looked = []
    system = read(model)
    states = [(m, b, 0) for m in range(6) for b in range(4)]

    class Spy(comparing._Comparison):
        def at(self, values: Values, number: int, total: int) -> None:
            looked.append((values, number, total))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(comparing, "_Comparison", Spy)
        assert compare(system, states, (), most=24) == ComparisonResult(24)
        assert [values for values, *_ in looked] == states
        looked.clear()
        assert compare(system, states, (), most=10) == ComparisonResult(10)
        first = [values for values, *_ in looked]
        assert [(n, total) for _, n, total in looked] == [(n, 10) for n in range(10)]
        assert len(set(first)) == 10
        assert first != sorted(first)
        looked.clear()
        compare(system, states, (), most=10, seed=1)
        assert [values for values, *_ in looked] != first


def test_how_much_is_compared_in_each_state(model: Model) -> None:
    """A spec with many steps or large claims that is compared for minutes, or hardly at all."""
    steps, claims = [], []

    class Spy(comparing._Comparison):
        def _step(self, state: object, values: Values, step: Step) -> None:
            steps.append(step)

        def _claims(self, state: object, values: Values) -> None:
            claims.append(values)

    start = next(model.initial_states())

    def looked(most: int, total: int, number: int, parts: int = 1) -> tuple[int, int]:
        steps.clear()
        claims.clear()
        one = Spy(read(model), model.properties, random.Random(0), most)
        one.parts, one.left = parts, ()
        one.at(start, number, total)
        assert len(set(steps)) == len(steps)
        return len(steps), len(claims)

    assert looked(most=100, total=1, number=0) == (3, 1)
    assert looked(most=4, total=2, number=0)[0] == 2  # one step for each state
    assert looked(most=6, total=2, number=0)[0] == 3
    assert looked(most=5, total=2, number=0)[0] == 2
    assert looked(most=2, total=2, number=0)[0] == 1
    assert looked(most=1, total=5, number=0)[0] == 1
    assert looked(most=1, total=99, number=9, parts=10**6) == (1, 1)  # ten states in any case
    assert looked(most=1, total=99, number=10, parts=10**6) == (1, 0)
    assert looked(most=6, total=99, number=11, parts=10) == (1, 1)  # 6 * 20 / 10 states
    assert looked(most=6, total=99, number=12, parts=10) == (1, 0)
    assert looked(most=6, total=99, number=13, parts=10) == (1, 0)
    assert looked(most=6, total=99, number=119, parts=0)[1] == 1
    assert looked(most=6, total=99, number=120, parts=0)[1] == 0


def test_the_size_of_an_expression_counts_each_part_once() -> None:
    """Shared parts counted again, so that a claim seems too large to be compared."""
    a, b = (nodes.cell(c) for c in Model(Wide()).cells)
    total = nodes.add(a, b)
    assert comparing._size(a) == 1
    assert comparing._size(total) == 3
    assert comparing._size(nodes.equal(nodes.subtract(total, a), total)) == 5


def test_one_in_four_steps_is_run_twice(model: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    """Steps that are never run twice, or always, which doubles the time."""
    asked = []
    take = Model.take
    monkeypatch.setattr(
        Model,
        "take",
        lambda m, v, s: asked.append(s) or take(m, v, s),  # type: ignore[func-returns-value]
    )
    start = next(model.initial_states())
    assert not compare(read(model), [start] * 200, ()).difference
    assert 600 * 1.18 < len(asked) < 600 * 1.32


def test_the_documentation_says_how_many_states_are_compared() -> None:
    """Numbers in the documentation that differ from those in the code."""
    root = Path(beside).parent.parent
    text = (root / "docs" / "explanation" / "what-a-verdict-means.md").read_text(encoding="utf-8")
    assert f"in up to {comparing.STATES:,} states" in text
    assert f"up to {comparing.WALKED} that random runs reach" in text


SOLD_OUT = (5, 3, 0)


def without_update(system: System, action: str) -> None:
    """Remove all assignments of an action."""
    system.commands = tuple(
        replace(c, updates=()) if c.step.action == action and not c.leaves else c
        for c in system.commands
    )


@pytest.mark.parametrize("seed", range(6))
def test_a_command_is_compared_where_it_is_entered_first(model: Model, seed: int) -> None:
    """A wrong command that the random choice missed in the states where it was possible."""
    system = read(model)
    without_update(system, "close")
    one = comparing._Comparison(system, (), random.Random(seed), 1)
    with pytest.raises(Difference, match=r"close\(\)"):
        one.at(SOLD_OUT, 0, 99)


def test_commands_that_were_entered_are_looked_for_no_more(model: Model) -> None:
    """All commands tried in all states, or a command wrongly recorded as entered."""
    one = comparing._Comparison(read(model), (), random.Random(0), 1)

    def left() -> list[tuple[str, bool]]:
        return [(c.step.action, bool(c.leaves)) for c in one.left]

    buys = [("buy", False), ("buy", True)] * 2
    assert left() == [*buys, ("close", False)]
    one.at((5, 3, 1), 0, 99)  # nothing is possible
    assert left() == [*buys, ("close", False)]
    one.at(SOLD_OUT, 0, 99)
    assert left() == buys
    one.at((4, 0, 0), 0, 99)
    assert left() == [("buy", True)] * 2
    steps = []
    one._step = lambda *given: steps.append(given)  # type: ignore[assignment, method-assign]
    one.at((4, 0, 0), 0, 99)
    assert len(steps) == 1
    one.at((0, 0, 0), 0, 99)
    assert {step for *_, step in steps[1:]} == {c.step for c in one.left}


def test_a_command_that_no_state_enters_is_compared_elsewhere(model: Model) -> None:
    """A wrong command that is possible only in states that were not visited."""
    system = read(model)
    without_update(system, "close")
    start = next(model.initial_states())
    assert not compare(system, [start], ()).difference
    result = compare(system, [start], (), anywhere=True)
    assert (result.states, result.difference[:8]) == (1, "close() ")
    assert "money" not in result.difference.split(": in plain")[0] or "money=4" in result.difference
    assert not compare(system, [], (), anywhere=True).difference
    assert not compare(read(model), [start], (), anywhere=True).difference
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(comparing, "RARE", 2)  # two that leave the range of money come first
        assert not compare(system, [start], (), anywhere=True).difference
        patch.setattr(comparing, "RARE", 3)
        assert compare(system, [start], (), anywhere=True).difference
    system.commands = tuple(c for c in system.commands if c.step.action != "close")
    assert not compare(system, [start], (), anywhere=True).difference


def test_an_error_elsewhere_says_nothing(model: Model) -> None:
    """An unknown verdict because the spec fails in a state that no run reaches."""
    take = Model.take

    def fails(of: Model, values: Values, step: Step) -> Values | None:
        if step.action == "close" and values[1] == 3:
            raise SpecError("it cannot")
        return take(of, values, step)

    start = next(model.initial_states())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Model, "take", fails)
        assert not compare(read(model), [start], (), anywhere=True).difference
        wrong = read(model)
        goes_on = [c for c in wrong.commands if c.step.action == "close"]
        others = [replace(c, leaves="money") if not c.leaves else replace(c, leaves="")
                  for c in wrong.commands if c.step.action == "buy"]  # fmt: skip
        wrong.commands = (*goes_on, *others)
        assert compare(wrong, [(*SOLD_OUT[:2], 1)], (), anywhere=True).difference
