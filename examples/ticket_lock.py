"""A ticket lock: a process takes a ticket and enters when its number comes up.

It shows a spec with a mutant: a small change that the properties must find.

    counterpoint check ticket_lock.py
    counterpoint check ticket_lock.py --mutants
    counterpoint check ticket_lock.py:TicketLock/takes-the-number-later
"""

from enum import IntEnum

from counterpoint import (
    Array,
    Index,
    Integer,
    Member,
    Spec,
    action,
    count,
    invariant,
    mutant,
    require,
    sometimes,
)


class Place(IntEnum):
    """Where a process is."""

    OUTSIDE, WAITING, INSIDE = range(3)


class TicketLock(Spec):
    """Four tickets; a run ends when all of them are used."""

    processes = Index(2, names="p", labels="P")
    next_ticket = Integer(0, 4)
    turn = Integer(0, 4)
    ticket = Array(processes, Integer(0, 4))
    place = Array(processes, Member(Place))

    @action
    def take(s, p):
        """Take the next ticket, in one atomic step."""
        require(s.place[p] == Place.OUTSIDE, s.next_ticket < 4)
        s.ticket[p] = s.next_ticket
        s.next_ticket = s.next_ticket + 1
        s.place[p] = Place.WAITING

    @action
    def enter(s, p):
        """Enter when the ticket's number comes up."""
        require(s.place[p] == Place.WAITING, s.ticket[p] == s.turn)
        s.place[p] = Place.INSIDE

    @action
    def leave(s, p):
        """Call the next number."""
        require(s.place[p] == Place.INSIDE)
        s.turn = s.turn + 1
        s.place[p] = Place.OUTSIDE

    @invariant
    def one_inside(s):
        """At most one process is inside."""
        return count(s.place[p] == Place.INSIDE for p in s.processes) <= 1

    @sometimes
    def the_last_ticket_is_used(s):
        """All four numbers can come up."""
        return s.turn == 4


@mutant(killed={"one-inside": 4})
class TakesTheNumberLater(TicketLock):
    """A ticket is read, and the counter moves only when the process enters."""

    @action
    def take(s, p):
        """Read the next ticket without taking it."""
        require(s.place[p] == Place.OUTSIDE, s.next_ticket < 4)
        s.ticket[p] = s.next_ticket
        s.place[p] = Place.WAITING

    @action
    def enter(s, p):
        """Enter, and only now take the ticket."""
        require(s.place[p] == Place.WAITING, s.ticket[p] == s.turn, s.next_ticket < 4)
        s.next_ticket = s.next_ticket + 1
        s.place[p] = Place.INSIDE
