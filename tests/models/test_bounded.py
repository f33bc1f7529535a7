"""Runs of at most k steps: what is said after each number of steps, and what z3 was asked."""

from __future__ import annotations

from typing import Any

import pytest
import z3

from counterpoint.models.limits import Limits
from counterpoint.models.prove import bounded
from counterpoint.models.verdict import Verdict
from counterpoint.spec.notation import (
    ANY,
    Boolean,
    Index,
    Integer,
    Model,
    Spec,
    Step,
    action,
    finished,
    initially,
    invariant,
    lemma,
    require,
    sometimes,
    transition,
)

Said = dict[str, tuple[str, str, int | None]]


class Climb(Spec):
    """Up by one or two, from 0 or 1; at the top a jump back, once, and then beyond the range."""

    strides = Index(2, names="k", labels="one two")
    place = Integer(0, 4, initially=ANY)
    tired = Boolean()

    @initially
    def low(s):
        return s.place < 2

    @action
    def up(s, k):
        require(s.place < 3)
        s.place = s.place + k + 1

    @action
    def fall(s):
        require(s.place == 4, not s.tired)
        s.place = 0
        s.tired = True

    @action
    def slip(s):
        require(s.place == 3, s.tired)
        s.place = s.place - 4

    @invariant
    def not_at_the_top(s):
        return s.place < 4

    @invariant
    def always(s):
        return s.place >= 0

    @transition
    def no_fall(s, after):
        return after.place > s.place

    @sometimes
    def tired_above(s):
        return s.tired and s.place == 2

    @sometimes
    def never(s):
        return s.place == 1 and s.place == 2

    @finished
    def over(s):
        return s.place == 3


def said(model: Model, steps: int, *names: str, **more: Any) -> Said:
    """Return the answer, the extent and the depth of each claim."""
    wanted = [p for p in model.properties if not names or p.name in names]
    found = bounded.check(model, None, wanted, steps, **more)
    assert [v.claim for v in found] == wanted
    assert {v.engine for v in found} == {"bounded"}
    return {v.claim.name: (v.answer, v.extent, v.depth) for v in found}


def test_what_is_said_after_each_number_of_steps() -> None:
    """A step too many or too few; a claim called clean by a run that did not come as far."""
    model = Model(Climb())
    top, fall = "not-at-the-top", "no-fall"
    open_ = ("unknown", "{}", 0)
    for k in range(8):
        extent = "1 step" if k == 1 else f"{k} steps"
        found = said(model, k)
        assert found["always"] == ("holds", extent, k)
        assert found["never"] == (open_[0], extent, k)
        assert found[top] == (("violated", "2 steps", 2) if k >= 2 else ("holds", extent, k))
        assert found[fall] == (("violated", "3 steps", 3) if k >= 3 else ("holds", extent, k))
        assert found["tired-above"] == (
            ("holds", "4 steps", 4) if k >= 4 else ("unknown", extent, k)
        )
        assert found["ranges"] == (("violated", "6 steps", 6) if k >= 6 else ("holds", extent, k))
        assert found["no-deadlock"] == (
            ("violated", "5 steps", 5) if k >= 5 else ("holds", extent, k)
        )


def by_name(verdicts: list[Verdict]) -> dict[str, Verdict]:
    """Return verdicts by property."""
    return {v.claim.name: v for v in verdicts}


def test_each_violation_comes_with_its_run() -> None:
    """A run without the step that fails, or with one more."""
    model = Model(Climb())
    found = by_name(bounded.check(model, steps=7))
    for name, verdict in found.items():
        if verdict.trace is not None:
            assert len(verdict.trace.steps) == verdict.depth, name
    ranges, fall = found["ranges"].trace, found["no-fall"].trace
    assert ranges is not None
    assert fall is not None
    assert (ranges.steps[-1], len(ranges.states)) == (Step("slip", ()), 6)
    assert ranges.states[-1] == (3, 1)
    assert (fall.steps[-1], fall.states[-1]) == (Step("fall", ()), (0, 1))
    assert "place would become -1" in found["ranges"].reason
    deadlock = found["no-deadlock"]
    assert deadlock.reason == "no step is possible, and the run may not end there"
    assert found["never"].reason == "not reached within 7 steps"
    assert found["always"].reason == found["no-fall"].reason == ""
    assert found["always"].compared
    assert found["always"].compared > 5


def test_one_claim_alone_is_looked_for() -> None:
    """A claim that is answered by what another one found, or a run that goes on for nothing."""
    model = Model(Climb())
    for name, depth in (("not-at-the-top", 2), ("no-fall", 3), ("ranges", 6), ("no-deadlock", 5)):
        assert said(model, 8, name) == {name: ("violated", f"{depth} steps", depth)}
        assert said(model, depth, name) == {name: ("violated", f"{depth} steps", depth)}
        if name in ("ranges", "no-fall"):
            assert said(model, depth - 1, name)[name][0] == "holds"
    asked: list[str] = []
    bounded.check(
        model, None, [model.property_named("not-at-the-top")], 8,
        lambda name, *_: asked.append(name),
    )  # fmt: skip
    asked = [name for name in asked if "reading" not in name]
    assert asked == [f"bounded/step-{k}/not-at-the-top" for k in range(3)]


class Short(Spec):
    """Two steps, and an end."""

    n = Integer(0, 2)

    @action
    def go(s):
        require(s.n < 2)
        s.n = s.n + 1

    @invariant
    def fine(s):
        return s.n < 3

    @sometimes
    def there(s):
        return s.n == 2

    @sometimes
    def beyond(s):
        return s.n * s.n == 3

    @finished
    def over(s):
        return s.n == 2

    @lemma
    def not_too_far(s):
        return s.n < 2


def test_where_no_run_is_longer_all_is_said() -> None:
    """A bound that is told though all states were seen; or all states said to be seen too soon."""
    model = Model(Short())
    everything = "all states"
    assert said(model, 9) == {
        "fine": ("holds", everything, 2),
        "there": ("holds", "2 steps", 2),
        "beyond": ("violated", everything, 2),
        "no-deadlock": ("holds", everything, 2),
        "ranges": ("holds", everything, 2),
    }
    assert said(model, 3)["fine"] == ("holds", everything, 2)
    assert said(model, 2)["fine"] == ("holds", "2 steps", 2)
    found = by_name(bounded.check(model, steps=9))
    assert found["beyond"].reason == "no run reaches it"
    assert found["beyond"].trace is None
    lemmas = bounded.check(model, None, model.lemmas, 9)
    assert [(v.answer, v.depth) for v in lemmas] == [("violated", 2)]


def test_what_z3_was_asked() -> None:
    """An obligation that a verdict rests on and that no file has; one under another's name."""
    model = Model(Short())
    asked: list[tuple[str, Any]] = []
    bounded.check(model, None, None, 9, lambda name, _, answer: asked.append((name, answer)))
    asked = [(n.removeprefix("bounded/"), a) for n, a in asked if "reading" not in n]
    assert asked == [
        ("step-0/5-properties", z3.unsat),
        ("step-1/5-properties", z3.unsat),
        ("step-2/5-properties", z3.sat),
        ("step-2/4-properties", z3.unsat),
        ("step-3/no-run-is-as-long", z3.unsat),
    ]


def test_every_question_has_all_that_was_assumed() -> None:
    """A file from which a condition is missing: another solver answers another question."""
    model = Model(Climb())

    def again(name: str, conditions: Any, answer: Any) -> None:
        solver = z3.Solver()
        solver.add(*conditions)
        assert solver.check() == answer, name

    bounded.check(model, None, None, 5, again)


def test_at_the_last_length_only_states_are_judged() -> None:
    """A step beyond the bound that is judged: a run of one step more than was asked."""
    model = Model(Climb())
    asked: list[str] = []
    bounded.check(model, None, None, 1, lambda name, *_: asked.append(name))
    asked = [name for name in asked if "reading" not in name]
    assert asked == ["bounded/step-0/7-properties", "bounded/step-1/5-properties"]


class NoStart(Short):
    """It begins nowhere."""

    @initially
    def nowhere(s):
        return s.n == 1


def test_without_an_initial_state_nothing_is_said() -> None:
    """Everything holds of no run at all."""
    found = bounded.check(Model(NoStart()), steps=3)
    assert {(v.answer, v.reason, v.extent, v.depth) for v in found} == {
        ("unknown", "there is no initial state", "0 steps", -1)
    }


def test_a_limit_leaves_the_rest_unknown() -> None:
    """A run that was cut short and is called clean."""
    found = bounded.check(Model(Climb()), Limits(0.0), steps=3)
    assert {v.answer for v in found} == {"unknown"}
    assert {v.reason for v in found} == {"the time limit of 0 s was reached"}

    class Some(Limits):
        def check(self, line: str = "") -> None:
            if line == "4 steps":
                raise bounded.LimitReached("so far")

    found = bounded.check(Model(Climb()), Some(), steps=9)
    said_ = {v.claim.name: (v.answer, v.reason, v.extent) for v in found}
    assert said_["always"] == ("unknown", "so far", "3 steps")
    assert said_["tired-above"] == ("unknown", "so far", "3 steps")
    assert said_["no-fall"][0] == said_["not-at-the-top"][0] == "violated"


def test_a_solver_that_gives_up_decides_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """An answer that is none taken for "no such run"."""
    model = Model(Short())
    timeouts = []

    class Tired:
        def __init__(self) -> None:
            self.real = z3.Solver()
            self.asked = 0

        def add(self, *conditions: Any) -> None:
            self.real.add(*conditions)

        def set(self, name: str, value: int) -> None:
            timeouts.append((name, value))

        def check(self, *assumptions: Any) -> Any:
            self.asked += 1
            return self.real.check(*assumptions) if self.asked < 4 else z3.unknown

        def reason_unknown(self) -> str:
            return "tired"

        def model(self) -> Any:
            return self.real.model()

    monkeypatch.setattr(bounded.z3, "SolverFor", lambda _: Tired())
    found = bounded.check(model, steps=5)
    assert {v.answer for v in found} == {"unknown"}
    assert {v.reason for v in found} == {"the solver gave up: tired"}
    assert timeouts == []
    bounded.check(model, Limits(100.0), steps=5)
    assert len(timeouts) == 4
    assert all(name == "timeout" and 90_000 < value <= 100_000 for name, value in timeouts)


class Leaving(Short):
    """It may leave its range."""

    @action
    def go(s):
        s.n = s.n + 1


def test_a_step_that_may_leave_is_told_where_nobody_asked() -> None:
    """A claim that holds since the step that breaks it leads nowhere: without a word."""
    model = Model(Leaving())
    told = ("not judged: ranges (go: a step that leaves a range leads nowhere)",)
    [found] = bounded.check(model, None, [model.property_named("fine")], 5)
    assert found.notes == told
    assert {v.notes for v in bounded.check(model, steps=5)} == {()}


def test_a_wrong_reading_decides_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A verdict on something else than the text."""
    compared = bounded.comparing.Compared(7, "it differs")
    monkeypatch.setattr(bounded.comparing, "compare", lambda *_, **__: compared)
    found = bounded.check(Model(Climb()), steps=3)
    assert {(v.answer, v.reason, v.extent, v.depth) for v in found} == {
        ("unknown", "it differs", "0 steps", None)
    }


class Once(Short):
    """One step, and an end."""

    n = Integer(0, 1)

    @action
    def go(s):
        require(s.n < 1)
        s.n = s.n + 1

    @finished
    def over(s):
        return s.n == 1


def test_where_a_run_ends_after_one_step() -> None:
    """The length told of another step."""
    asked: list[str] = []
    bounded.check(Model(Once()), None, None, 9, lambda name, *_: asked.append(name))
    assert asked[-1] == "bounded/step-2/no-run-is-as-long"


class Endless(Leaving):
    """It may leave its range; two properties of steps, of which one is broken."""

    @action
    def round(s):
        s.n = 0

    @transition
    def always_small(s, after):
        return after.n <= 2

    @transition
    def up(s, after):
        return after.n >= s.n


def test_a_property_of_steps_is_judged_by_its_own_checks() -> None:
    """A step that leaves a range, or that breaks another property, taken for a violation."""
    found = said(Model(Endless()), 4)
    assert found["always-small"] == ("holds", "4 steps", 4)
    assert (found["up"][0], found["ranges"][0]) == ("violated", "violated")
    [unasked] = bounded.check(Model(Endless()), None, [Model(Endless()).property_named("fine")])
    assert unasked.extent == "20 steps"


class Still(Spec):
    """Nothing is ever possible."""

    n = Integer(0, 1)

    @action
    def go(s):
        require(s.n > s.n)

    @invariant
    def zero(s):
        return s.n == 0


def test_a_spec_without_commands() -> None:
    """A traceback where there is nothing to choose from."""
    assert said(Model(Still()), 3)["zero"] == ("holds", "all states", 0)
