"""A ticket lock: a process takes a ticket and enters when its number comes up.

It shows a spec with a mutant, a small change that the properties must find, and with a proof that a
process that waits enters: lemmas say which tickets are in use, and a rank says how far it is.

    counterpoint check ticket_lock.py
    counterpoint check ticket_lock.py --engine induction --set processes=4
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
    decreases,
    every,
    implies,
    invariant,
    ite,
    leads_to,
    lemma,
    mutant,
    require,
    some,
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

    @action(fair="weak")
    def enter(s, p):
        """Enter when the ticket's number comes up."""
        require(s.place[p] == Place.WAITING, s.ticket[p] == s.turn)
        s.place[p] = Place.INSIDE

    @action(fair="weak")
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

    @leads_to
    def who_waits_enters(s):
        """The first process enters at some time if it waits."""
        return s.place[0] == Place.WAITING, s.place[0] == Place.INSIDE

    @decreases(of=who_waits_enters)
    def how_far(s):
        """The tickets before that of the first process, and whether the next must still enter."""
        somebody = some(s.place[p] == Place.INSIDE for p in s.processes)
        return s.ticket[0] - s.turn, ite(somebody, 0, 1)

    @lemma
    def tickets_in_use(s):
        """Who is not outside has a ticket from the turn on, and who is inside has the turn."""
        return s.turn <= s.next_ticket and every(
            implies(s.place[p] != Place.OUTSIDE, s.has_ticket(p)) for p in s.processes
        )

    def has_ticket(s, p):
        """Return whether the ticket of a process can be one in use."""
        its = s.ticket[p]
        return (
            (s.turn <= its)
            & (its < s.next_ticket)
            & ((its == s.turn) | (s.place[p] != Place.INSIDE))
        )

    @lemma
    def tickets_differ(s):
        """No two processes that are not outside have the same ticket, and no ticket is lost."""
        there = [s.place[p] != Place.OUTSIDE for p in s.processes]
        return (count(there[p] for p in s.processes) == s.next_ticket - s.turn) & every(
            implies(there[p] & there[q], s.ticket[p] != s.ticket[q])
            for p in s.processes
            for q in s.processes
            if p < q
        )


@mutant(killed={"one-inside": 4, "who-waits-enters": 4})
class TakesTheNumberLater(TicketLock):
    """A ticket is read, and the counter moves only when the process enters."""

    @action
    def take(s, p):
        """Read the next ticket without taking it."""
        require(s.place[p] == Place.OUTSIDE, s.next_ticket < 4)
        s.ticket[p] = s.next_ticket
        s.place[p] = Place.WAITING

    @action(fair="weak")
    def enter(s, p):
        """Enter, and only now take the ticket."""
        require(s.place[p] == Place.WAITING, s.ticket[p] == s.turn, s.next_ticket < 4)
        s.next_ticket = s.next_ticket + 1
        s.place[p] = Place.INSIDE
