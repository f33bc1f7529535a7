"""The prover for any number: its questions, its use of answers, and its time limits."""

from __future__ import annotations

from typing import Any

import pytest
import z3

from counterpoint.models.limits import LimitReached, Limits
from counterpoint.models.prove.sizes import any_number, quantifiers
from counterpoint.models.prove.sizes.quantifiers import START, QuantifiedPrinter, QuantifiedProver
from counterpoint.spec.notation import Model, Spec, SpecError, action, finished, nodes, require
from tests.models.locks import Broken, Nobody, Proved, prover


def test_which_actions_break_a_lemma() -> None:
    """A failure at the wrong action, at the start, or at no action."""
    model = Model(Broken())
    made = prover(model)
    broken = {p.name: set(made.broken_by(p)) for p in model.lemmas}
    assert broken == {
        "has-the-key": {"steal"}, "within": set(), "at-most": set(),
        "wrong-at-the-start": {START}, "fine": set(),
    }  # fmt: skip
    made.drop(["has-the-key"])
    assert "has-the-key" not in made.lemmas
    assert set(made.broken_by(model.property_named("at-most"))) == {"enter"}
    assert START == "the start"


def test_what_the_prover_says_of_claims() -> None:
    """A claim that follows and is not proved, or one that is proved and does not follow."""
    model = Model(Proved())
    made = prover(model)
    claims = {p.name: p for p in model.properties}
    assert {n: made.judge(p) for n, p in claims.items() if p.kind != "sometimes"} == {
        n: "" for n, p in claims.items() if p.kind != "sometimes"
    }
    with pytest.raises(SpecError, match="a sometimes cannot be judged by one step"):
        made.judge(claims["somebody"])
    made.drop(["has-the-key"])
    assert made.judge(claims["one-inside"]) in (quantifiers.NOT_INDUCTIVE, "z3 finds no proof")
    assert made.judge(claims["few-turns"]) == ""
    made.add([claims["one-inside"]])
    assert made.judge(claims["one-inside"]) == ""


class Leaving(Proved):
    """A lock that leaves a range and violates a transition property."""

    @action
    def look(s):
        s.turns = s.turns + 1

    @action
    def back(s):
        require(s.turns > 0)
        s.turns = s.turns - 1


class Beyond(Proved):
    """A lock that writes beyond the end of an array."""

    @action
    def push(s, p):
        s.inside[p + 1] = False


class Ending(Proved):
    """A lock whose run may end."""

    @finished
    def over(s):
        return s.turns == 3


class Stuck(Ending):
    """A lock whose run also stops in states where it may not end."""

    @action
    def enter(s, p):
        require(s.key == Nobody.NOBODY, s.turns == 0)
        s.key = p
        s.inside[p] = True

    @action
    def leave(s, p):
        require(s.inside[p], s.turns == 0)
        s.inside[p] = False

    @action
    def look(s):
        require(s.turns < 1)
        s.turns = s.turns + 1


@pytest.mark.parametrize(
    ("cls", "claim", "holds"),
    [(Leaving, "ranges", False), (Leaving, "never-back", False), (Beyond, "ranges", False),
     (Proved, "ranges", True), (Ending, "no-deadlock", True), (Stuck, "no-deadlock", False)],
)  # fmt: skip
def test_what_may_fail_is_not_proved(cls: type[Spec], claim: str, holds: bool) -> None:
    """A range, an array index, a step or a deadlock that is not checked."""
    model = Model(cls())
    reason = prover(model).judge(model.property_named(claim))
    assert (reason == "") == holds
    assert reason in ("", quantifiers.NOT_INDUCTIVE, "z3 finds no proof")


def test_every_question_has_all_that_was_assumed() -> None:
    """A file without one of the assumptions, so that a second solver gets another question."""
    asked: list[tuple[str, Any]] = []

    def record(name: str, conditions: Any, answer: Any) -> None:
        solver = z3.Solver(ctx=conditions[0].ctx)
        solver.set("timeout", 2000)
        solver.add(*conditions)
        asked.append((name, answer))
        assert solver.check() in (answer, z3.unknown)

    found = any_number.check(Model(Proved()), record=record)
    assert {v.answer for v in found} == {"holds"}
    names = [name for name, _ in asked]
    assert all(name.startswith("any-number/proved/") for name in names)
    short = {name.removeprefix("any-number/proved/") for name in names}
    assert short >= {
        "start/within", "enter/has-the-key", "leave/has-the-key", "look/has-the-key",
        "follows/one-inside", "enter/ranges", "enter/within", "leave/within",
    }  # fmt: skip
    assert all(answer == z3.unsat for _, answer in asked)


def test_terms_for_z3() -> None:
    """A member outside of its index, a variable of the wrong sort, or one name for two members."""
    size = nodes._node("size", ("ps",), 1, nodes.UNBOUNDED)
    printer = QuantifiedPrinter({"ps": size})
    p, q = (any_symbol() for _ in range(2))
    assert str(printer.show(p)) != str(printer.show(q))
    assert printer.show(p).eq(printer.show(p))
    solver = z3.Solver(ctx=printer.context)
    solver.add(printer.show(size) == 3, printer.is_member(p))
    for value, possible in ((-1, False), (0, True), (2, True), (3, False)):
        assert (solver.check(printer.show(p) == value) == z3.sat) == possible
    f = nodes._node("apply", ("f", p), 0, 1, True)
    n = nodes._node("apply", ("n", p, q), -2, 5, False)
    assert z3.is_bool(printer.show(f))
    assert z3.is_int(printer.show(n))
    assert printer.show(n).num_args() == 2
    assert z3.is_true(printer.show(nodes.TRUE))
    assert printer.show(nodes.constant(4)).as_long() == 4
    whole = nodes._node("all", ((p,), f), 0, 1, True)
    solver = z3.Solver(ctx=printer.context)
    solver.add(printer.show(size) == 3, printer.show(whole))
    beyond = nodes._node("apply", ("f", nodes.constant(3)), 0, 1, True)
    inner = nodes._node("apply", ("f", nodes.constant(2)), 0, 1, True)
    assert solver.check(z3.Not(printer.show(inner))) == z3.unsat
    assert solver.check(z3.Not(printer.show(beyond))) == z3.sat


def any_symbol() -> nodes.Node:
    """Return a new symbol for a member."""
    from counterpoint.models.prove.sizes.quantified import symbol

    return symbol("ps")


def test_each_question_has_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Minutes for a question that z3 does not decide, or "unknown" taken for a proof."""
    model = Model(Proved())
    made = prover(model)
    asked: list[tuple[float, int]] = []

    def answer(solver: Any, conditions: Any, seconds: float, effort: int = 0) -> Any:
        asked.append((seconds, effort))
        return z3.unknown

    monkeypatch.setattr(made, "_answer", answer)
    assert made.ask("x", [nodes.FALSE], ()) == "z3 finds no proof"
    assert asked == [(quantifiers.SECONDS, 0)] * 3 + [(quantifiers.LAST_LOOK, 0)]
    asked.clear()
    assert made.ask("x", [nodes.FALSE], (), looks=False) == "z3 finds no proof"
    assert asked == [(quantifiers.SECONDS, quantifiers.AT_ONCE)] * 3
    assert made.at_start("x", nodes.FALSE) == "z3 finds no proof"
    assert made.at_start("x", nodes.TRUE) == ""
    assert made.everywhere("x", nodes.TRUE) == ""
    assert made.everywhere("x", nodes.FALSE) == "z3 finds no proof"
    assert quantifiers._said(z3.sat) == quantifiers.NOT_INDUCTIVE
    assert quantifiers._said(z3.unsat) == ""


def test_what_is_left_of_the_time_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    """A question that runs beyond the limit of the whole check."""
    made = QuantifiedProver(Model(Proved()), Limits(3.0))
    given: list[int] = []

    class Solver:
        def set(self, name: str, value: int) -> None:
            if name == "timeout":
                given.append(value)

        def push(self) -> None:
            pass

        pop = push

        def add(self, *_: Any) -> None:
            pass

        def check(self) -> Any:
            return z3.unknown

        def reason_unknown(self) -> str:
            return "timeout"

    assert made._answer(Solver(), [], 10.0) == z3.unknown
    assert made._answer(Solver(), [], 0.5) == z3.unknown
    assert 1500 < given[0] <= 3010
    assert given[1] == 500
    made.limits = Limits()
    made._answer(Solver(), [], 10.0)
    assert given[2] == 10_000
    made.limits = Limits(0.0)
    with pytest.raises(LimitReached):
        made._answer(Solver(), [], 10.0)
    assert given[3] == 10
