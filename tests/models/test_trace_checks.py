"""Symbolic reading of a spec: kinds of values, checks that a guard decides, infeasible paths."""

from __future__ import annotations

from counterpoint.models.symbolic.trace import (
    trace,
)
from counterpoint.spec.notation import (
    Boolean,
    Integer,
    Model,
    Spec,
    action,
    ite,
    nodes,
    require,
    transition,
)

from .test_trace import of


class Kinds(Spec):
    """Truth values assigned to numbers, and the other way round."""

    f = Boolean()
    n = Integer(0, 1)
    a = Integer(0, 3)
    b = Integer(0, 3)

    @action
    def swap(s):
        s.f, s.n = s.n == 1, ite(s.f, 1, 0)

    @action
    def mix(s):
        s.n = s.f
        s.f = True

    @action
    def back(s):
        s.a, s.b = s.b, s.a

    @action
    def same(s):
        s.a = s.a

    @action
    def contradicts(s):
        require(s.a < s.b)
        require(s.b < s.a)
        s.n = 0

    @action
    def far(s):
        if s.a + s.b > 3:
            require(s.a + s.b > 6)
            s.a = s.a + 1
        else:
            s.b = 2


def test_values_have_the_kind_of_their_variables() -> None:
    """A truth value stored as a number, which makes a later comparison wrong."""
    system = trace(Model(Kinds()))
    for command in system.commands:
        for place, node in command.updates:
            assert node.boolean == system.model.cells[place].boolean
    assert [c.step.action for c in system.commands] == ["swap", "mix", "back", "same", "far"]
    assert of(system, "same")[0].updates == ()
    assert [place for place, _ in of(system, "back")[0].updates] == [2, 3]


class Judged(Spec):
    """Guards that decide what a transition property demands."""

    n = Integer(0, 9)

    @action
    def go(s):
        require(s.n < 3)
        s.n = s.n + 1

    @transition
    def not_far(s, after):
        return after.n <= 5

    @transition
    def far(s, after):
        return after.n >= 9


def test_what_a_guard_decides_of_a_check() -> None:
    """A check kept that is always true, or one left out that is always false."""
    [command] = trace(Model(Judged())).commands
    assert [c.claim for c in command.checks] == ["far"]
    assert len({command, command.checks[0], *command.checks}) == 2


class Tangled(Spec):
    """Infeasible conditions that only z3, or another order of the conditions, recognises."""

    f = Boolean()
    a = Integer(0, 4)
    b = Integer(0, 4)
    c = Integer(0, 4)
    n = Integer(1, 3)

    @action
    def within(s):
        require(s.a < s.b)
        require(s.b < s.c)
        require(s.c - s.a < 4)
        s.n = s.c - s.a

    @action
    def other_order(s):
        if s.f:
            if s.a >= 3 and s.b <= 3:
                s.n = 1
        else:
            require(s.a < s.b)
            require(s.a >= 3)
            require(s.b <= 3)
            s.n = 2


def test_what_cannot_be_is_left_out() -> None:
    """A step wrongly reported to leave its range, or a path that no state can take."""
    system = trace(Model(Tangled()))
    assert not [c for c in system.commands if c.leaves]
    [n] = [i for i, c in enumerate(system.model.cells) if c.variable == "n"]
    other = [c.updates for c in of(system, "other_order")]
    assert other
    assert ((n, nodes.constant(2)),) not in other
