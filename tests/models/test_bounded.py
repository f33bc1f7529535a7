"""Bounded runs of at most k steps: the verdict after each step, and the questions to z3."""

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

Answers = dict[str, tuple[str, str, int | None]]


class Climb(Spec):
    """A climb by one or two from 0 or 1; at the top one jump back, and then out of the range."""

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


def answers_of(model: Model, steps: int, *names: str, **more: Any) -> Answers:
    """Return the answer, the extent and the depth of each claim."""
    wanted = [p for p in model.properties if not names or p.name in names]
    found = bounded.check(model, None, wanted, steps, **more)
    assert [v.claim for v in found] == wanted
    assert {v.engine for v in found} == {"bounded"}
    return {v.claim.name: (v.answer, v.extent, v.depth) for v in found}


def test_what_is_said_after_each_number_of_steps() -> None:
    """A bound that is one off, or a claim called clean before the runs are that long."""
    model = Model(Climb())
    top, fall = "not-at-the-top", "no-fall"
    open_ = ("unknown", "{}", 0)
    for k in range(8):
        extent = "1 step" if k == 1 else f"{k} steps"
        found = answers_of(model, k)
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
    """A run without the failing step, or with one step more."""
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
    """A claim answered with another one's violation, or a run that continues needlessly."""
    model = Model(Climb())
    for name, depth in (("not-at-the-top", 2), ("no-fall", 3), ("ranges", 6), ("no-deadlock", 5)):
        assert answers_of(model, 8, name) == {name: ("violated", f"{depth} steps", depth)}
        assert answers_of(model, depth, name) == {name: ("violated", f"{depth} steps", depth)}
        if name in ("ranges", "no-fall"):
            assert answers_of(model, depth - 1, name)[name][0] == "holds"
    asked: list[str] = []
    bounded.check(
        model, None, [model.property_named("not-at-the-top")], 8,
        lambda name, *_: asked.append(name),
    )  # fmt: skip
    asked = [name for name in asked if "reading" not in name]
    assert asked == [f"bounded/step-{k}/not-at-the-top" for k in range(3)]


class Short(Spec):
    """A spec whose runs end after two steps."""

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
    """A bound reported although all states were seen, or "all states" reported too soon."""
    model = Model(Short())
    everything = "all states"
    assert answers_of(model, 9) == {
        "fine": ("holds", everything, 2),
        "there": ("holds", "2 steps", 2),
        "beyond": ("violated", everything, 2),
        "no-deadlock": ("holds", everything, 2),
        "ranges": ("holds", everything, 2),
    }
    assert answers_of(model, 3)["fine"] == ("holds", everything, 2)
    assert answers_of(model, 2)["fine"] == ("holds", "2 steps", 2)
    found = by_name(bounded.check(model, steps=9))
    assert found["beyond"].reason == "no run reaches it"
    assert found["beyond"].trace is None
    lemmas = bounded.check(model, None, model.lemmas, 9)
    assert [(v.answer, v.depth) for v in lemmas] == [("violated", 2)]


def test_what_z3_was_asked() -> None:
    """An obligation that a verdict rests on without a file, or under another one's name."""
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
    """A file without one of the assumptions, so that a second solver gets another question."""
    model = Model(Climb())

    def again(name: str, conditions: Any, answer: Any) -> None:
        solver = z3.Solver()
        solver.add(*conditions)
        assert solver.check() == answer, name

    bounded.check(model, None, None, 5, again)


def test_at_the_last_length_only_states_are_judged() -> None:
    """A step beyond the bound that is judged, so that a run is one step too long."""
    model = Model(Climb())
    asked: list[str] = []
    bounded.check(model, None, None, 1, lambda name, *_: asked.append(name))
    asked = [name for name in asked if "reading" not in name]
    assert asked == ["bounded/step-0/7-properties", "bounded/step-1/5-properties"]


class NoStart(Short):
    """A spec without an initial state."""

    @initially
    def nowhere(s):
        return s.n == 1


def test_without_an_initial_state_nothing_is_said() -> None:
    """A claim that is called true of a spec that has no run."""
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
    """The answer "unknown" taken for "there is no such run"."""
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
    assert {value for _, value in timeouts} == {2**32 - 1}  # none
    timeouts.clear()
    bounded.check(model, Limits(100.0), steps=5)
    assert len(timeouts) == 4
    assert all(name == "timeout" and 90_000 < value <= 100_010 for name, value in timeouts)
