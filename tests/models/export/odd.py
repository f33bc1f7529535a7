"""A spec whose names and labels are hard for other languages."""

from __future__ import annotations

from counterpoint.spec.notation import (
    ANY,
    Array,
    Index,
    Integer,
    Spec,
    Value,
    action,
    finished,
    invariant,
    sometimes,
    transition,
)


class Odd(Spec):
    """Labels with every sign that ends something somewhere."""

    members = Index(2, names="p", labels='end a;b#c:d"{e}<&>\\')
    end = Array(members, Integer(0, 1, initially=ANY))
    k = Integer(0, 1)

    @action
    def end_it(s, p: Value) -> None:
        """*/ "end"; 'x' -> %% {z}."""
        s.end[p] = 1 - s.end[p]
        s.k = s.k + s.end[p]

    @invariant
    def zero(s) -> Value:
        """*/ wrong after one step."""
        return s.k == 0

    @transition
    def kept(s, after: Odd) -> Value:
        """Wrong of the same step."""
        return after.k == s.k

    @sometimes
    def both(s) -> Value:
        """In one initial state already."""
        return s.end[0] + s.end[1] == 2

    @finished
    def never(s) -> Value:
        """It runs until it leaves its range."""
        return False
