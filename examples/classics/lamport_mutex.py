"""Mutual exclusion by logical clocks: Leslie Lamport's distributed algorithm.

A process sends its clock's value to all, and enters when all have answered and no earlier request
is known. From "Time, clocks, and the ordering of events in a distributed system" (1978); module
LamportMutex of tlaplus/Examples, by Stephan Merz.

    counterpoint check lamport_mutex.py
"""

from enum import IntEnum

from counterpoint import (
    Array,
    Boolean,
    Index,
    Integer,
    Member,
    Number,
    Queue,
    Record,
    Set,
    Spec,
    action,
    constraint,
    count,
    every,
    invariant,
    ite,
    require,
)


class Kind(IntEnum):
    """The kind of a message."""

    REQUEST, ANSWER, RELEASE = range(3)


class LamportMutex(Spec):
    """Between each two processes there is a channel that keeps the order."""

    processes = Index(2, names="p q", labels="P")
    latest = Number(3, at_least=1, at_most=8, help="the greatest value of a clock")
    clock = Array(processes, Integer(1, lambda s: s.latest + 1))
    request = Array((processes, processes), Integer(0, lambda s: s.latest + 1))
    answered = Array(processes, Set(processes))
    inside = Array(processes, Boolean())
    net = Array(
        (processes, processes),
        Queue(Record(kind=Member(Kind), clock=Integer(0, lambda s: s.latest + 1)), capacity=3),
    )

    @constraint
    def early(s):
        """No clock is late."""
        return every(s.clock[p] <= s.latest for p in s.processes)

    def tell_all(s, p, kind, clock):
        """Send a message to all others."""
        for q in s.processes:
            if q != p:
                s.net[p, q].put(kind=kind, clock=clock)

    @action
    def ask(s, p):
        """Ask to enter."""
        require(s.request[p, p] == 0)
        s.request[p, p] = s.clock[p]
        s.tell_all(p, Kind.REQUEST, s.clock[p])
        s.answered[p] = {p}

    @action
    def hear_request(s, p, q):
        """Answer a request of q."""
        require(p != q)
        require(s.net[q, p].length > 0)
        require(s.net[q, p].first.kind == Kind.REQUEST)
        message = s.net[q, p].take()
        s.request[p, q] = message.clock
        s.clock[p] = ite(message.clock > s.clock[p], message.clock, s.clock[p]) + 1
        s.net[p, q].put(kind=Kind.ANSWER, clock=0)

    @action
    def hear_answer(s, p, q):
        """Hear an answer of q."""
        require(p != q)
        require(s.net[q, p].length > 0)
        require(s.net[q, p].first.kind == Kind.ANSWER)
        s.net[q, p].take()
        s.answered[p].add(q)

    def is_before(s, p, q):
        """Whether p knows no request of q that comes before its own."""
        mine, other = s.request[p, p], s.request[p, q]
        return (other == 0) | (mine < other) | ((mine == other) & (p < q))

    @action
    def enter(s, p):
        """Enter when all have answered and nobody is before it."""
        require(s.answered[p].size == len(s.processes))
        require(every(s.is_before(p, q) for q in s.processes if q != p))
        s.inside[p] = True

    @action
    def leave(s, p):
        """Leave, and say so to all."""
        require(s.inside[p])
        s.inside[p] = False
        s.tell_all(p, Kind.RELEASE, 0)
        s.request[p, p] = 0
        s.answered[p].clear()

    @action
    def hear_release(s, p, q):
        """Forget a request of q."""
        require(p != q)
        require(s.net[q, p].length > 0)
        require(s.net[q, p].first.kind == Kind.RELEASE)
        s.net[q, p].take()
        s.request[p, q] = 0

    @invariant
    def one_inside(s):
        """At most one process is inside."""
        return count(s.inside[p] for p in s.processes) <= 1
