"""Proofs by ranks: the states in which a run waits after the first condition of a `leads_to`."""

from __future__ import annotations

import pytest

from counterpoint import (
    Boolean,
    Integer,
    Spec,
    action,
    decreases,
    eventually,
    infinitely_often,
    leads_to,
    require,
)
from counterpoint.models.checking.engines import check
from counterpoint.spec.locks.philosophers import Philosophers
from counterpoint.spec.notation import Model

from .test_ranks import proved


@pytest.mark.parametrize("philosophers", [2, 3, 6])
def test_who_waits_is_found_by_the_values_of_the_conditions(philosophers: int) -> None:
    """A philosopher who is thought to be hungry while putting forks down."""
    model = Model(Philosophers(philosophers=philosophers, fairness="weak"))
    found = proved(model, "who-eats-thinks-again", "who-is-hungry-eats")
    assert found["who-eats-thinks-again"].answer == "holds"
    assert found["who-is-hungry-eats"].answer == "unknown"
    assert not Model(Philosophers()).ranks


class Lost(Spec):
    """Somebody who waits gets lost on the second step, or in a wide range on the first."""

    at = Integer(1, 4)
    far = Integer(0, 1000, initially=7)
    waits = Boolean(True)

    @action(fair="weak")
    def second(s):
        require(s.at == 2)
        s.at = 3

    @action(fair="weak")
    def first(s):
        require(s.at == 1)
        s.at = 2

    @action(fair="weak")
    def give_up(s):
        require(s.waits)
        s.waits = False

    @leads_to
    def arrives(s):
        return s.at == 1, s.at == 4

    @decreases(of=arrives)
    def left(s):
        return 3 - s.at

    @leads_to
    def comes_near(s):
        return s.waits and s.far == 7, s.far == 0

    @decreases(of=comes_near)
    def patience(s):
        return s.waits


def test_all_states_in_which_a_run_waits_count() -> None:
    """A state that a waiting run reaches by several steps, or that ends its first condition."""
    model = Model(Lost())
    assert {v.answer for v in check(model, wanted=model.temporal)} == {"violated"}
    found = proved(model)
    assert {v.answer for v in found.values()} == {"unknown"}
    assert "  at = 3" in found["arrives"].explanation.lines
    assert "  waits = False" in found["comes-near"].explanation.lines


class Passing(Spec):
    """A number that passes two, and stops at four."""

    n = Integer(0, 4)
    odd = Boolean(False)

    @action(fair="weak")
    def go(s):
        require(s.n < 4)
        s.n = s.n + 1
        s.odd = not s.odd

    @eventually
    def is_two(s):
        return s.n == 2

    @decreases(of=is_two)
    def left(s):
        return 2 - s.n

    @eventually
    def is_five(s):
        return s.n == 5

    @decreases(of=is_five)
    def left_to_five(s):
        return 5 - s.n

    @infinitely_often
    def is_two_again(s):
        return s.n == 2

    @decreases(of=is_two_again)
    def left_again(s):
        return 4 - s.n


def test_eventually_waits_from_the_start_only() -> None:
    """States after the goal that need a rank, or states before it that need none."""
    model = Model(Passing())
    right = {v.claim.name: v.answer for v in check(model, wanted=model.temporal)}
    assert right == {"is-two": "holds", "is-five": "violated", "is-two-again": "violated"}
    found = {name: v.answer for name, v in proved(model).items()}
    assert found == {"is-two": "holds", "is-five": "unknown", "is-two-again": "unknown"}
