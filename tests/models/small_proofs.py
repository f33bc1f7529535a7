"""Small specs for which the correct answer of every proof is known."""

from __future__ import annotations

from typing import Any

from counterpoint.models.prove import induction
from counterpoint.models.verdict import Verdict
from counterpoint.spec.notation import (
    Boolean,
    Integer,
    Model,
    Spec,
    action,
    finished,
    invariant,
    lemma,
    require,
    sometimes,
    transition,
)


class Ring(Spec):
    """A ring of four places; from other places, which no run reaches, runs leave it."""

    x = Integer(0, 9)
    y = Integer(0, 9)
    grown = Integer(0, 5, grows=True)
    odd = Boolean()

    @action
    def go(s):
        require(s.x < 3)
        s.x = s.x + 1
        s.odd = not s.odd

    @action
    def back(s):
        require(s.x == 3)
        s.x = 0
        s.odd = False

    @action
    def far(s):
        require(s.x > 5)
        s.x = s.x - 1
        s.y = s.y + 1

    @action
    def grow(s):
        s.grown = s.grown + 1

    @invariant
    def small(s):
        return s.x <= 3

    @invariant
    def y_is_zero(s):
        return s.y == 0

    @sometimes
    def three(s):
        return s.x == 3

    @transition
    def never_down_by_one(s, after):
        return after.x != s.x - 1

    @finished
    def nowhere(s):
        return s.x > 9


class Lemmas(Ring):
    """The ring with three lemmas: one is inductive, one needs the first, one is not inductive."""

    @lemma
    def parity(s):
        return s.odd == (s.x % 2 == 1)

    @lemma
    def low(s):
        return s.x <= 3

    @lemma
    def zero(s):
        return s.y == 0


class Falling(Ring):
    """The ring with a lemma that is false, one that needs it, and one that needs the second."""

    @lemma
    def stays(s):
        return s.grown < 4

    @lemma
    def rests(s):
        return s.y <= 0 and s.x <= 5

    @action
    def up(s):
        require(s.grown > 3)
        s.x = 6

    @lemma
    def even(s):
        return s.y % 2 == 0

    @action
    def odd_then(s):
        require(s.x == 6)
        s.y = 1

    @lemma
    def nothing(s):
        return s.grown >= 0


def checked(model: Model, **more: Any) -> dict[str, Verdict]:
    """Return verdicts by property."""
    return {v.claim.name: v for v in induction.check(model, **more)}


def answers(model: Model, **more: Any) -> dict[str, str]:
    """Return answers by property."""
    return {name: v.answer for name, v in checked(model, **more).items()}
