"""Prisoners and one lamp: the same puzzle with one switch, and nobody needs to touch it.

One prisoner counts and turns the lamp off; each other one turns it on once. If nobody knows how
the lamp was in the beginning, each does so twice. Module Prisoner of tlaplus/Examples, by Florian
Schanda.

    counterpoint check prisoners_one_switch.py
    counterpoint check prisoners_one_switch.py --set lamp=unknown
"""

from counterpoint import (
    ANY,
    Array,
    Boolean,
    Choice,
    DerivedIndex,
    Integer,
    Number,
    Set,
    Spec,
    action,
    eventually,
    every,
    implies,
    initially,
    invariant,
)


class PrisonersOneSwitch(Spec):
    """Prisoner 0 counts, and has counted himself from the beginning."""

    others = Number(2, at_most=7)
    lamp = Choice("off", "unknown")
    prisoners = DerivedIndex(lambda s: s.others + 1, names="p", labels="P")

    light = Boolean(initially=ANY)
    signals = Array(prisoners, Integer(0, 2))
    counted = Integer(1, lambda s: 2 * s.others + 2)
    announced = Boolean()
    visited = Set(prisoners)

    @initially
    def the_lamp_is_off(s):
        """The lamp is off, unless nobody knows."""
        return (s.light == 0) | (s.lamp == "unknown")

    @action(fair="weak")
    def visit(s, p):
        """The warden puts a prisoner into the cell with the lamp."""
        s.visited.add(p)
        enough = 2 * s.others + 1 if s.lamp == "unknown" else s.others + 1
        if p == 0:
            if s.light:
                s.light = False
                s.counted = s.counted + 1
            s.announced = s.counted >= enough
        else:
            if (s.light == 0) & (s.signals[p] < (2 if s.lamp == "unknown" else 1)):
                s.light = True
                s.signals[p] = s.signals[p] + 1

    @invariant
    def the_announcement_is_true(s):
        """When it is announced that all were there, all were there."""
        return implies(s.announced, every(s.visited.has(p) for p in s.prisoners))

    @eventually
    def announcement(s):
        """In the end it is announced."""
        return s.announced == 1
