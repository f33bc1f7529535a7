"""A small spec with one property of each kind, and the parts that an engine reads from it."""

from __future__ import annotations

from counterpoint.models.symbolic.trace import System, trace
from counterpoint.spec.notation import (
    ANY,
    Boolean,
    Index,
    Integer,
    Model,
    Spec,
    action,
    finished,
    initially,
    invariant,
    require,
    sometimes,
    transition,
)


class Shop(Spec):
    """Goods are bought with money; a purchase may overdraw."""

    things = Index(2, names="t", labels="tea rum")
    money = Integer(0, 5, initially=ANY)
    bought = Integer(0, 3)
    closed = Boolean()

    @initially
    def rich(s):
        return s.money >= 4

    @action
    def buy(s, t):
        require(not s.closed, s.bought < 3)
        s.money = s.money - t - 1
        s.bought = s.bought + 1

    @action
    def close(s):
        require(s.bought == 3, not s.closed)
        s.closed = True

    @invariant
    def open_or_sold_out(s):
        return s.bought == 3 if s.closed else True

    @sometimes
    def all_gone(s):
        return s.money == 0

    @transition
    def no_gift(s, after):
        return after.money <= s.money

    @finished
    def at_the_end(s):
        return s.closed or s.money == 0


def read(model: Model) -> System:
    """Return all parts that an engine reads from the spec."""
    system = trace(model)
    _ = system.claims, system.may_end, system.initial
    return system
