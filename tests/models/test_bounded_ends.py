"""Bounded runs that leave a range, end early, or have no steps at all."""

from __future__ import annotations

import pytest

from counterpoint.models.prove import bounded
from counterpoint.spec.notation import (
    Integer,
    Model,
    Spec,
    action,
    finished,
    invariant,
    require,
    transition,
)

from .test_bounded import Climb, Short, answers_of


class Leaving(Short):
    """A spec whose step may leave its range."""

    @action
    def go(s):
        s.n = s.n + 1


def test_a_step_that_may_leave_is_told_where_nobody_asked() -> None:
    """A claim that holds only because the step that breaks it leaves a range, unreported."""
    model = Model(Leaving())
    notes = ("not judged: ranges (go: a step that leaves a range counts as not possible)",)
    [found] = bounded.check(model, None, [model.property_named("fine")], 5)
    assert found.notes == notes
    assert {v.notes for v in bounded.check(model, steps=5)} == {()}


def test_a_wrong_reading_decides_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A verdict on a symbolic reading that differs from the text."""
    compared = bounded.comparing.ComparisonResult(7, "it differs")
    monkeypatch.setattr(bounded.comparing, "compare", lambda *_, **__: compared)
    found = bounded.check(Model(Climb()), steps=3)
    assert {(v.answer, v.reason, v.extent, v.depth) for v in found} == {
        ("unknown", "it differs", "0 steps", None)
    }


class Once(Short):
    """A spec whose run ends after one step."""

    n = Integer(0, 1)

    @action
    def go(s):
        require(s.n < 1)
        s.n = s.n + 1

    @finished
    def over(s):
        return s.n == 1


def test_where_a_run_ends_after_one_step() -> None:
    """A verdict that names another length than the run's."""
    asked: list[str] = []
    bounded.check(Model(Once()), None, None, 9, lambda name, *_: asked.append(name))
    assert asked[-1] == "bounded/step-2/no-run-is-as-long"


class Endless(Leaving):
    """A spec that may leave its range, with two transition properties, one of them broken."""

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
    """A step that leaves a range or breaks another property, reported as this violation."""
    found = answers_of(Model(Endless()), 4)
    assert found["always-small"] == ("holds", "4 steps", 4)
    assert (found["up"][0], found["ranges"][0]) == ("violated", "violated")
    [unasked] = bounded.check(Model(Endless()), None, [Model(Endless()).property_named("fine")])
    assert unasked.extent == "20 steps"


class Still(Spec):
    """A spec in which no step is possible."""

    n = Integer(0, 1)

    @action
    def go(s):
        require(s.n > s.n)

    @invariant
    def zero(s):
        return s.n == 0


def test_a_spec_without_commands() -> None:
    """A traceback on a spec that has no commands."""
    assert answers_of(Model(Still()), 3)["zero"] == ("holds", "all states", 0)
