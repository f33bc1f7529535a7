"""The prover and k-induction: which questions they ask, and what they make of the answers."""

from __future__ import annotations

from typing import Any

import pytest
import z3

from counterpoint.models.limits import LimitReached, Limits
from counterpoint.models.prove import k_induction, proving
from counterpoint.models.prove.proving import Failure, Prover
from counterpoint.models.symbolic.obligations import unrecorded
from counterpoint.models.symbolic.trace import trace
from counterpoint.spec.notation import (
    ANY,
    Array,
    Index,
    Integer,
    Model,
    Spec,
    action,
    every,
    initially,
    invariant,
    lemma,
    require,
)
from tests.models.small_proofs import Falling, Lemmas, answers, checked


class Slow(Spec):
    """It takes k steps to see that the end is never met."""

    x = Integer(0, 9)

    @action
    def go(s):
        require(s.x < 2)
        s.x = (s.x + 1) % 2

    @action
    def astray(s):
        require(s.x >= 4)
        s.x = s.x + 1

    @invariant
    def not_nine(s):
        return s.x != 9

    @invariant
    def not_seven(s):
        return s.x != 7


def test_how_many_steps_at_once_a_claim_takes() -> None:
    """K that is one too many or too few; or a base case left out, by which all is proved."""
    model = Model(Slow())
    nine, seven = (model.property_named(n) for n in ("not-nine", "not-seven"))

    def proved(k: int, *claims: Any) -> dict[str, int]:
        return k_induction.proved(trace(model), (), claims, Limits(), k)

    # From 4 to 7 it takes three steps: four in a row where it was not met prove it.
    assert proved(0, seven) == proved(3, seven) == proved(4, nine) == {}
    assert proved(4, seven) == {"not-seven": 4}
    # Together they help each other: to 9 leads 8, and to 8 leads 7.
    assert proved(3, seven, nine) == {}
    assert proved(4, seven, nine) == {"not-seven": 4, "not-nine": 4}
    found = checked(model, wanted=[seven], steps=4)
    assert found["not-seven"].notes == ("no lemmas", "4-induction")
    assert checked(model, wanted=[seven])["not-seven"].answer == "unknown"


class Wrong(Slow):
    """The same is false after three steps."""

    @action
    def go(s):
        require(s.x < 4)
        s.x = s.x + 1

    @invariant
    def not_three(s):
        return s.x != 3


@pytest.mark.parametrize("steps", [1, 3, 4])
def test_what_is_false_at_some_time_is_not_proved(steps: int) -> None:
    """Induction without a beginning, or with one that is too short."""
    model = Model(Wrong())
    claims = [model.property_named(n) for n in ("not-three", "not-seven", "ranges")]
    assert k_induction.proved(trace(model), (), claims, Limits(), steps) == {}
    assert answers(model, steps=steps)["not-three"] == "unknown"


def test_lemmas_are_known_in_every_state_of_k_steps() -> None:
    """A lemma that is not used at the end, or used where it is not known."""
    model = Model(Lemmas())
    system = trace(model)
    deadlock, y = (model.property_named(n) for n in ("no-deadlock", "y-is-zero"))
    assert k_induction.proved(system, model.lemmas, [y], Limits(), 1) == {"y-is-zero": 1}
    assert k_induction.proved(system, (), [y], Limits(), 3) == {}
    low = [p for p in model.lemmas if p.name == "low"]
    assert k_induction.proved(system, low, [y], Limits(), 1) == {"y-is-zero": 1}
    assert k_induction.proved(system, (), [deadlock], Limits(), 2) == {"no-deadlock": 1}


def recorded(call: Any) -> list[tuple[str, Any, Any]]:
    """Return what z3 was asked, each question asked again and answered alike."""
    asked: list[tuple[str, Any, Any]] = []

    def record(name: str, conditions: Any, answer: Any) -> None:
        solver = z3.Solver()
        solver.add(*conditions)
        assert solver.check() == answer, name
        asked.append((name, list(conditions), answer))

    call(record)
    return asked


def test_what_k_induction_asks() -> None:
    """An obligation without the ranges, the steps or the start that it is about."""
    model = Model(Slow())
    claim = model.property_named("not-seven")
    told: list[str] = []
    limits = Limits(progress=told.append)
    asked = recorded(
        lambda record: k_induction.proved(trace(model), (), [claim], limits, 4, record)
    )
    assert told == [f"{i}-induction" for k in range(1, 5) for i in range(k + 1)]
    expected = []
    for k in range(1, 5):
        expected += [(f"{k}-induction/start-{i}/not-seven", z3.unsat) for i in range(k)]
        expected.append((f"{k}-induction/step/not-seven", z3.unsat if k == 4 else z3.sat))
    assert [(name, answer) for name, _, answer in asked] == expected


def prover(model: Model, **more: Any) -> Prover:
    """Return a prover of a spec's own lemmas."""
    return Prover(trace(model), model.lemmas, Limits(), **more)


def test_which_commands_break_which_lemma() -> None:
    """A failure of another action, a command that is not named, or a lemma that is passed over."""
    found = prover(Model(Falling())).failures()
    assert [(f.lemma.name, f.action, f.reason) for f in found] == [("stays", "grow", "")]
    [failure] = found
    commands = trace(Model(Falling())).commands
    assert [commands[i].step.action for i in failure.commands] == ["grow"]
    assert not commands[failure.commands[0]].leaves
    assert prover(Model(Lemmas())).failures() == []

    class Several(Spec):
        n = Integer(0, 9)
        m = Integer(0, 9)
        hands = Index(2, names="h")

        @action
        def up(s, h):
            require(s.n < 5)
            s.n = s.n + h + 1

        @action
        def across(s):
            s.m, s.n = s.n, s.m

        @lemma
        def at_zero(s):
            return s.n == 0

        @lemma
        def ordered(s):
            return s.n <= s.m

        @lemma
        def later(s):
            return s.m != 0

        @initially
        def start(s):
            return s.m == 0

    model = Model(Several())
    proof = prover(model)
    failures = [(f.lemma.name, f.action, len(f.commands)) for f in proof.failures()]
    assert failures == [
        ("at-zero", "up", 2), ("at-zero", "across", 1), ("ordered", "up", 1),
        ("ordered", "across", 1), ("later", "", 0), ("later", "across", 1),
    ]  # fmt: skip
    assert proof.starts == {"later": (0, 0)}
    up = next(f for f in proof.failures() if f.action == "up")
    assert len({proof.system.commands[i].step for i in up.commands}) == 2


class NoStart(Lemmas):
    """It begins nowhere."""

    @initially
    def nowhere(s):
        return s.x == 1


def test_without_an_initial_state_nothing_is_proved() -> None:
    """Everything holds of no run at all."""
    with pytest.raises(LimitReached, match="there is no initial state"):
        prover(Model(NoStart())).failures()
    found = checked(Model(NoStart()))
    assert {(v.answer, v.reason) for v in found.values()} == {
        ("unknown", "there is no initial state")
    }


class Several(Spec):
    """It starts anywhere in a part of its range, and grows."""

    n = Integer(2, 6, initially=ANY)
    total = Integer(0, 3, grows=True)

    @action
    def add(s):
        s.total = s.total + s.n

    @initially
    def low(s):
        return s.n < 5

    @lemma
    def from_two_to_four(s):
        return every(s.n >= 2, s.n <= 4)

    @lemma
    def not_four(s):
        return s.n != 4

    @invariant
    def within(s):
        return s.n > 1

    @invariant
    def no_end(s):
        return s.total < 100


def test_ranges_are_known_and_those_that_grow_have_no_end() -> None:
    """A range that is not known, or an upper end that the proof relies on and no run keeps."""
    found = checked(Model(Several()))
    assert (found["from-two-to-four"].answer, found["within"].answer) == ("holds", "holds")
    assert (found["no-end"].answer, found["ranges"].answer) == ("unknown", "holds")
    four = found["not-four"]
    assert (four.answer, four.depth, four.extent) == (
        "violated", 0, "0 steps: it is false at the start"
    )  # fmt: skip
    assert four.reason == "not kept by the start"
    assert four.trace is not None
    assert four.trace.states[0][0] == 4


def test_ranges_for_z3() -> None:
    """An end of a range that is one off or that is left out."""
    model = Model(Several())
    frame = prover(model).frame
    solver = z3.Solver()
    solver.add(*proving.ranges(frame))
    n, total = frame.terms
    assert len(proving.ranges(frame)) == 4
    for term, low, high in ((n, 2, 6), (total, 0, 3)):
        for value in (low - 1, low, high, high + 1):
            possible = solver.check(term == value) == z3.sat
            assert possible == (low <= value <= high)
    endless = Prover(trace(Model(Several(), unbounded=True)), (), Limits())
    assert len(proving.ranges(endless.frame)) == 3


def test_what_is_to_be_shown_after_a_command() -> None:
    """A lemma that is not asked for after a command that changes what it speaks of."""
    model = Model(Lemmas())
    proof = prover(model)
    goals = {c.step.action: set(proof.after(c)) for c in proof.system.commands if not c.leaves}
    assert goals == {
        "go": {"parity", "low"}, "back": set(), "far": {"parity", "low", "zero"}, "grow": set()
    }  # fmt: skip
    go = next(c for c in proof.system.commands if c.step.action == "go")
    low = model.property_named("low")
    assert proof.ask("x", proof.frame.guard(go), proof.fails_after(low, go)) == z3.unsat
    assert proof.ask("x", proof.fails_after(low, go)) == z3.sat


SOLVER = z3.Solver
ALL: list[Tired] = []


class Tired:
    """A solver that gives up on some questions."""

    after = 0

    def __init__(self) -> None:
        self.real = SOLVER()
        self.timeouts: list[tuple[str, int]] = []
        ALL.append(self)
        self.asked = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self.real, name)

    def set(self, name: str, value: int) -> None:
        """Note a limit."""
        self.timeouts.append((name, value))

    def check(self, *conditions: Any) -> Any:
        """Answer the first questions only."""
        self.asked += 1
        if self.asked <= self.after:
            return self.real.check(*conditions)
        return z3.CheckSatResult(z3.Z3_L_UNDEF)  # as z3 does, a new one each time

    def reason_unknown(self) -> str:
        """Say why."""
        return "tired"


@pytest.mark.parametrize("after", [0, 1])
def test_a_solver_that_gives_up_proves_nothing(monkeypatch: pytest.MonkeyPatch, after: int) -> None:
    """An answer that is none taken for a proof."""
    monkeypatch.setattr(Tired, "after", after)
    ALL.clear()
    model = Model(Lemmas())
    system = trace(model)
    monkeypatch.setattr(proving.z3, "Solver", Tired)
    proof = Prover(system, model.lemmas, Limits(100.0))
    failures = proof.failures()
    assert {f.reason for f in failures} == {"tired"}
    assert {f.action for f in failures} >= {"far"}
    assert {f.lemma.name for f in failures if not f.action} == {"parity", "low", "zero"}
    assert proof.follows(model.property_named("small")) == z3.unknown
    assert proof.reason == "tired"
    assert proof.solver.timeouts
    timeouts = [one for solver in ALL for one in solver.timeouts]
    assert len({solver for solver in ALL if solver.timeouts}) == 2
    assert all(name == "timeout" and 90_000 < value <= 100_000 for name, value in timeouts)
    claim = model.property_named("small")
    run = k_induction._Run(system, 1, Limits(100.0), unrecorded)
    monkeypatch.setattr(Tired, "after", 0)
    assert run.impossible("x", z3.BoolVal(False)) is False
    assert all(90_000 < value <= 100_000 for _, value in run.solver.timeouts)
    assert k_induction.proved(system, (), [claim], Limits(), 2) == {}


class Pairs(Spec):
    """A lemma in two parts, of which a step touches one."""

    hands = Index(2, names="h")
    n = Array(hands, Integer(0, 3))

    @action
    def go(s, h):
        require(s.n[h] < 2)
        s.n[h] = s.n[h] + 1

    @lemma
    def low(s):
        return every(s.n[h] <= 2 for h in s.hands)


def test_only_parts_that_a_step_touches_are_asked() -> None:
    """Thousands of parts asked again after every step."""
    proof = prover(Model(Pairs()))
    assert len(proof.parts["low"]) == 2
    for command in proof.system.commands:
        if not command.leaves and command.updates:
            assert len(proof.after(command).get("low", [])) <= 1
    assert proof.failures() == []


class Hardly(Limits):
    """Hardly any time is left; how often that was asked is counted."""

    asked = 0

    def left(self) -> float:
        """Return what is left."""
        return 0.0

    def check(self, line: str = "") -> None:
        """Count."""
        self.asked += 1


def test_a_question_has_some_time_at_least(monkeypatch: pytest.MonkeyPatch) -> None:
    """No time at all, which z3 takes for all the time there is; an answer that comes too late."""
    model = Model(Pairs())
    system = trace(model)
    monkeypatch.setattr(proving.z3, "Solver", Tired)
    ALL.clear()
    limits = Hardly()
    proof = Prover(system, model.lemmas, limits)
    proof.failures()
    limits.asked = 0
    assert proof.ask("x", z3.BoolVal(False)) == z3.unknown
    assert limits.asked == 2
    monkeypatch.setattr(Tired, "after", 10**6)
    assert proof.ask("x", z3.BoolVal(False)) == z3.unsat
    assert limits.asked == 3
    run = k_induction._Run(system, 1, limits, unrecorded)
    run.impossible("x", z3.BoolVal(False))
    given = [value for solver in ALL for _, value in solver.timeouts]
    assert len(given) > 4
    assert set(given) == {1}
    assert len({Failure(model.lemmas[0], "go")} | {Failure(model.lemmas[0], "go")}) == 1
