"""The prover and k-induction: their questions to z3, and what they conclude from the answers."""

from __future__ import annotations

from typing import Any

import pytest
import z3

from counterpoint.models.limits import LimitReached, Limits
from counterpoint.models.prove import k_induction, proving
from counterpoint.models.prove.proving import Prover
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
    """A spec that needs k steps to exclude its final value."""

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
    """A k that is off by one, or a missing base case, without which all claims are proved."""
    model = Model(Slow())
    nine, seven = (model.property_named(n) for n in ("not-nine", "not-seven"))

    def proved(k: int, *claims: Any) -> dict[str, int]:
        return k_induction.proved_claims(trace(model), (), claims, Limits(), k)

    # From 4 to 7 it takes three steps: four in a row where it was not met prove it.
    assert proved(0, seven) == proved(3, seven) == proved(4, nine) == {}
    assert proved(4, seven) == {"not-seven": 4}
    # Each claim needs the other one: 8 leads to 9, and 7 leads to 8.
    assert proved(3, seven, nine) == {}
    assert proved(4, seven, nine) == {"not-seven": 4, "not-nine": 4}
    found = checked(model, wanted=[seven], steps=4)
    assert found["not-seven"].notes == ("no lemmas", "4-induction")
    assert checked(model, wanted=[seven])["not-seven"].answer == "unknown"


class Wrong(Slow):
    """The same spec with a claim that is false after three steps."""

    @action
    def go(s):
        require(s.x < 4)
        s.x = s.x + 1

    @invariant
    def not_three(s):
        return s.x != 3


@pytest.mark.parametrize("steps", [1, 3, 4])
def test_what_is_false_at_some_time_is_not_proved(steps: int) -> None:
    """Induction without a base case, or with one that is too short."""
    model = Model(Wrong())
    claims = [model.property_named(n) for n in ("not-three", "not-seven", "ranges")]
    assert k_induction.proved_claims(trace(model), (), claims, Limits(), steps) == {}
    assert answers(model, steps=steps)["not-three"] == "unknown"


def test_lemmas_are_known_in_every_state_of_k_steps() -> None:
    """A lemma that is not used in the last state, or used where it is not known."""
    model = Model(Lemmas())
    system = trace(model)
    deadlock, y = (model.property_named(n) for n in ("no-deadlock", "y-is-zero"))
    assert k_induction.proved_claims(system, model.lemmas, [y], Limits(), 1) == {"y-is-zero": 1}
    assert k_induction.proved_claims(system, (), [y], Limits(), 3) == {}
    low = [p for p in model.lemmas if p.name == "low"]
    assert k_induction.proved_claims(system, low, [y], Limits(), 1) == {"y-is-zero": 1}
    assert k_induction.proved_claims(system, (), [deadlock], Limits(), 2) == {"no-deadlock": 1}


def recorded(call: Any) -> list[tuple[str, Any, Any]]:
    """Return the questions to z3; each is asked again and must get the same answer."""
    asked: list[tuple[str, Any, Any]] = []

    def record(name: str, conditions: Any, answer: Any) -> None:
        solver = z3.Solver()
        solver.add(*conditions)
        assert solver.check() == answer, name
        asked.append((name, list(conditions), answer))

    call(record)
    return asked


def test_what_k_induction_asks() -> None:
    """An obligation without its ranges, steps or initial states."""
    model = Model(Slow())
    claim = model.property_named("not-seven")
    lines: list[str] = []
    limits = Limits(progress=lines.append)
    asked = recorded(
        lambda record: k_induction.proved_claims(trace(model), (), [claim], limits, 4, record)
    )
    assert lines == [f"{i}-induction" for k in range(1, 5) for i in range(k + 1)]
    expected = []
    for k in range(1, 5):
        expected += [(f"{k}-induction/start-{i}/not-seven", z3.unsat) for i in range(k)]
        expected.append((f"{k}-induction/step/not-seven", z3.unsat if k == 4 else z3.sat))
    assert [(name, answer) for name, _, answer in asked] == expected


def prover(model: Model, **more: Any) -> Prover:
    """Return a prover of a spec's own lemmas."""
    return Prover(trace(model), model.lemmas, Limits(), **more)


def test_which_commands_break_which_lemma() -> None:
    """A failure at the wrong action, a missing command, or a lemma that is left out."""
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
    """A spec without an initial state."""

    @initially
    def nowhere(s):
        return s.x == 1


def test_without_an_initial_state_nothing_is_proved() -> None:
    """A claim that is called proved for a spec that has no run."""
    with pytest.raises(LimitReached, match="there is no initial state"):
        prover(Model(NoStart())).failures()
    found = checked(Model(NoStart()))
    assert {(v.answer, v.reason) for v in found.values()} == {
        ("unknown", "there is no initial state")
    }


class Several(Spec):
    """A spec that starts anywhere in a part of its range, and grows."""

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
    """A range that is not assumed, or an assumed upper bound of a growing variable."""
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
    """A bound of a range that is off by one or missing."""
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
    """A lemma that is not checked after a command that changes its variables."""
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


class Pairs(Spec):
    """A lemma with two parts, of which a step changes one."""

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
    """Thousands of unchanged parts checked again after every step."""
    proof = prover(Model(Pairs()))
    assert len(proof.parts["low"]) == 2
    for command in proof.system.commands:
        if not command.leaves and command.updates:
            assert len(proof.after(command).get("low", [])) <= 1
    assert proof.failures() == []
