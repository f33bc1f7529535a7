"""A constraint bounds what is explored; it is named, and it is no deadlock."""

from __future__ import annotations

import pytest

from counterpoint import (
    Boolean,
    Integer,
    Spec,
    action,
    constraint,
    finished,
    infinitely_often,
    invariant,
    require,
    sometimes,
)
from counterpoint.models.checking.engines import Options, check
from counterpoint.models.explore.exhaustive import explore
from counterpoint.spec.notation import Model, Values
from tests.needs import need


class Climb(Spec):
    """A number that grows without an end in sight, and a switch."""

    at = Integer(0, 50)
    on = Boolean()

    @action
    def go_up(s):
        s.at = s.at + 1

    @action
    def turn(s):
        require(s.at % 2 == 1)
        s.on = True

    @constraint
    def low(s):
        return s.at <= 4

    @invariant
    def below_five(s):
        return s.at < 5

    @sometimes
    def is_on(s):
        return s.on

    @finished
    def never(s):
        return False


ENGINES = {"exhaustive": "all states", "bounded": "8 steps", "stateful": ""}


@pytest.mark.parametrize("explorer", ["python", "compiled"])
def test_the_states_are_those_within(explorer: str) -> None:
    """A state outside of the constraint that is visited, or one within that is not."""
    if explorer == "compiled":
        need("gcc")
    run = explore(Model(Climb()), explorer=explorer)
    assert run.complete
    found = {run.layout.unpack(state) for state in run.states}
    assert found == {(at, on) for at in range(5) for on in (0, 1) if at or not on}


@pytest.mark.parametrize("engine", ENGINES)
def test_every_engine_stays_within(engine: str) -> None:
    """An engine that leaves the constraint, or calls its end a deadlock, or does not name it."""
    found = check(Model(Climb()), engine, options=Options(steps=8, runs=40))
    for verdict in found:
        assert verdict.answer == "holds", verdict
        if verdict.trace is None:
            assert verdict.extent.startswith(ENGINES[engine])
        assert verdict.extent.endswith(", bounded by low")


def test_a_stop_within_is_a_deadlock() -> None:
    """A deadlock that is taken for the end of the constraint."""

    class Stuck(Climb):
        """It stops at three."""

        @action
        def go_up(s):
            require(s.at < 3)
            s.at = s.at + 1

        @action
        def turn(s):
            require(s.at == 1, s.on == 0)
            s.on = True

    found = {v.claim.name: v for v in check(Model(Stuck()))}
    assert found["no-deadlock"].answer == "violated"
    assert found["no-deadlock"].trace is not None
    assert found["no-deadlock"].trace.states[-1][0] == 3


def test_no_initial_state_outside() -> None:
    """A run that begins where nothing is explored."""

    class Any(Climb):
        """It starts anywhere."""

        at = Integer(0, 50, initially=7)

    (verdict,) = [v for v in check(Model(Any())) if v.claim.name == "below-five"]
    assert verdict.answer == "unknown"
    assert verdict.reason == "there is no initial state that satisfies low"


def test_a_temporal_property_within() -> None:
    """A run that is cut by the constraint, and taken for one that goes on."""

    class Fair(Climb):
        """It must climb, and the constraint stops it."""

        @action(fair="weak")
        def go_up(s):
            s.at = s.at + 1

        @infinitely_often
        def at_four(s):
            return s.at == 4

    (verdict,) = [v for v in check(Model(Fair())) if v.claim.name == "at-four"]
    assert verdict.answer == "holds"
    assert verdict.extent == "all runs, bounded by low"


def test_plain_python_stays_within() -> None:
    """A step in plain Python to a state outside."""
    model = Model(Climb())
    values: Values = (4, 0)
    (up, turn) = model.steps
    assert model.take(values, up) is None
    assert model.take((3, 0), turn) == (3, 1)
    assert model.may_end(values)
    assert not model.may_end((3, 0))


@pytest.mark.parametrize("explorer", ["python", "compiled"])
def test_a_step_that_always_leads_outside(explorer: str) -> None:
    """A constraint that contradicts what a step requires, without being false by itself."""
    if explorer == "compiled":
        need("gcc")

    class Shut(Climb):
        """Its switch can only be turned where the constraint is false."""

        other = Integer(0, 2)

        @action
        def turn(s):
            require(s.at != s.other, s.other == 0)
            s.on = True

        @constraint
        def low(s):
            return (s.at == s.other) & (s.other == 0) & (s.at <= 1)

    model = Model(Shut())
    run = explore(model, explorer=explorer)
    assert [run.layout.unpack(state) for state in run.states] == [(0, 0, 0)]
    assert run.dead_actions() == ["go_up", "turn"]
    assert model.may_end((0, 0, 0))


@pytest.mark.parametrize("explorer", ["python", "compiled"])
def test_a_deadlock_within_a_constraint(explorer: str) -> None:
    """A deadlock taken for an end, since a step would leave the constraint if it were possible."""
    if explorer == "compiled":
        need("gcc")

    class Stuck(Climb):
        """It cannot go on from 2, and would be outside from 4 on."""

        @action
        def go_up(s):
            require(s.at < 2)
            s.at = s.at + 1

        @action
        def jump(s):
            require(s.at == 1, s.on)
            s.at = 5

    model = Model(Stuck())
    claim = model.property_named("no-deadlock")
    (verdict,) = check(model, wanted=[claim], options=Options(explorer=explorer))
    assert (verdict.answer, verdict.depth) == ("violated", 2)
    assert verdict.trace is not None
    assert verdict.trace.states[-1] == (2, 0)
