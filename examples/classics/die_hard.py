"""Die Hard: measure four gallons with a jug of three and a jug of five.

The invariant says that this is impossible. It is violated, and the shortest run to a violation is
the solution. By Leslie Lamport, from the film of 1995; module DieHard of tlaplus/Examples.

    counterpoint check die_hard.py
"""

from counterpoint import Integer, Spec, action, invariant, minimum


class DieHard(Spec):
    """Two jugs without marks, and a tap."""

    small = Integer(0, 3)
    big = Integer(0, 5)

    @action
    def fill_small(s):
        """Fill the small jug."""
        s.small = 3

    @action
    def fill_big(s):
        """Fill the big jug."""
        s.big = 5

    @action
    def empty_small(s):
        """Empty the small jug."""
        s.small = 0

    @action
    def empty_big(s):
        """Empty the big jug."""
        s.big = 0

    @action
    def small_to_big(s):
        """Pour from the small jug into the big one."""
        poured = minimum(s.small, 5 - s.big)
        s.big = s.big + poured
        s.small = s.small - poured

    @action
    def big_to_small(s):
        """Pour from the big jug into the small one."""
        poured = minimum(s.big, 3 - s.small)
        s.small = s.small + poured
        s.big = s.big - poured

    @invariant
    def not_solved(s):
        """The big jug never has four gallons."""
        return s.big != 4
