"""Prisoners and two switches: how one of them can know that all were in the room.

The warden brings prisoners into a room, one at a time, again and again. Each must flip one of two
switches. One of them counts: he moves switch A down, and the others move it up twice at most;
switch B is for those who have nothing to say. By the radio programme Car Talk; module Prisoners of
tlaplus/Examples, by Leslie Lamport.

    counterpoint check prisoners.py
    counterpoint check prisoners.py --set others=5
"""

from counterpoint import (
    ANY,
    Array,
    Boolean,
    Index,
    Integer,
    Spec,
    action,
    eventually,
    every,
    implies,
    invariant,
)


class Prisoners(Spec):
    """The counter, and the others."""

    others = Index(2, names="p", labels="P")
    a_is_up = Boolean(initially=ANY)
    b_is_up = Boolean(initially=ANY)
    signals = Array(others, Integer(0, 2))
    counted = Integer(0, lambda s: 2 * len(s.others) + 1)

    @action(fair="weak")
    def visit(s, p):
        """Move A up if it is down and this was done less than twice, or else flip B."""
        if (s.a_is_up == 0) & (s.signals[p] < 2):
            s.a_is_up = True
            s.signals[p] = s.signals[p] + 1
        else:
            s.b_is_up = s.b_is_up == 0

    @action(fair="weak")
    def count_one(s):
        """The counter moves A down if it is up, or else flips B."""
        if s.a_is_up:
            s.a_is_up = False
            s.counted = s.counted + 1
        else:
            s.b_is_up = s.b_is_up == 0

    def done(s):
        """The counter says that all were there."""
        return s.counted == 2 * len(s.others)

    @invariant
    def done_is_true(s):
        """When the counter says so, all have been there."""
        return implies(s.done(), every(s.signals[p] > 0 for p in s.others))

    @eventually
    def he_says_so(s):
        """In the end the counter says so."""
        return s.done()
