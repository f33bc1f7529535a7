"""Chameneos: creatures meet in pairs and change their colours, until they fade.

By Claude Kaiser and Jean-François Pradat-Peyre (2003); module Chameneos of tlaplus/Examples, by
Mariusz Ryndzionek.

    counterpoint check chameneos.py --set creatures=4 --set meetings=4
"""

from enum import IntEnum

from counterpoint import (
    ANY,
    Array,
    Index,
    Integer,
    Member,
    Number,
    Reference,
    Spec,
    action,
    every,
    implies,
    initially,
    invariant,
    require,
)


class Colour(IntEnum):
    """The colour of a creature."""

    BLUE, RED, YELLOW, FADED = range(4)


class Nobody(IntEnum):
    """The meeting place is empty."""

    EMPTY = -1


class Chameneos(Spec):
    """One creature waits at the meeting place; the next one meets it."""

    creatures = Index(3, names="c", labels="C")
    meetings = Number(3, at_least=1, at_most=8)
    colour = Array(creatures, Member(Colour, initially=ANY))
    met = Array(creatures, Integer(0, lambda s: s.meetings))
    waiting = Reference(creatures, Nobody)
    past = Integer(0, lambda s: s.meetings)

    @initially
    def nobody_has_faded(s):
        """Each creature has a colour."""
        return every(s.colour[c] != Colour.FADED for c in s.creatures)

    @action
    def wait(s, c):
        """Come to the empty place, if a meeting is left."""
        require(s.colour[c] != Colour.FADED, s.waiting == Nobody.EMPTY, s.past < s.meetings)
        s.waiting = c

    @action
    def fade(s, c):
        """Fade, when no meeting is left."""
        require(s.colour[c] != Colour.FADED, s.waiting == Nobody.EMPTY, s.past == s.meetings)
        s.colour[c] = Colour.FADED

    @action
    def meet(s, c):
        """Meet who waits: both keep their colour if it is the same, or both take the third one."""
        require(s.colour[c] != Colour.FADED, s.waiting != c, s.waiting != Nobody.EMPTY)
        other = s.waiting
        if s.colour[c] != s.colour[other]:
            third = Colour.BLUE + Colour.RED + Colour.YELLOW - s.colour[c] - s.colour[other]
            s.colour[c] = third
            s.colour[other] = third
        s.met[c] = s.met[c] + 1
        s.met[other] = s.met[other] + 1
        s.waiting = Nobody.EMPTY
        s.past = s.past + 1

    @invariant
    def two_for_each_meeting(s):
        """In the end each meeting was counted by two creatures."""
        return implies(s.past == s.meetings, sum(s.met[c] for c in s.creatures) == 2 * s.meetings)
