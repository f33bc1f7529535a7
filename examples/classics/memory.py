"""A memory that answers requests of processors.

From "Specifying Systems" by Leslie Lamport (2002), chapters 5 and 8; modules InternalMemory and
LiveInternalMemory of tlaplus/Examples.

    counterpoint check memory.py
"""

from enum import IntEnum

from counterpoint import (
    ANY,
    Array,
    Index,
    Integer,
    Member,
    Record,
    Spec,
    action,
    every,
    implies,
    invariant,
    leads_to,
    require,
)


class At(IntEnum):
    """What a processor waits for."""

    READY, BUSY, DONE = range(3)


class Kind(IntEnum):
    """What a processor's buffer, or the interface, has."""

    NOTHING, VALUE, READ, WRITE = range(4)


class Memory(Spec):
    """The interface shows the last request or answer."""

    processors = Index(2, names="p", labels="P")
    addresses = Index(1, names="a", labels="A")
    values = Index(2, names="v", labels="V")
    memory = Array(addresses, Integer(0, lambda s: len(s.values) - 1, initially=ANY))
    at = Array(processors, Member(At))
    buffer = Array(processors, Record(kind=Member(Kind), address=addresses, value=values))
    shown = Record(by=processors, kind=Member(Kind), address=addresses, value=values)

    @action
    def read(s, p, a):
        """Ask for the value at an address."""
        s.ask(p, dict(kind=Kind.READ, address=a, value=0))

    @action
    def write(s, p, a, v):
        """Ask to write a value."""
        s.ask(p, dict(kind=Kind.WRITE, address=a, value=v))

    def ask(s, p, request):
        """Send a request over the interface."""
        require(s.at[p] == At.READY)
        s.buffer[p] = request
        s.shown = dict(by=p, **request)
        s.at[p] = At.BUSY

    @action(fair="weak", fair_for=("p",))
    def do(s, p, a):
        """Read or write the memory."""
        require(s.at[p] == At.BUSY, s.buffer[p].address == a)
        if s.buffer[p].kind == Kind.WRITE:
            s.memory[a] = s.buffer[p].value
            s.buffer[p] = dict(kind=Kind.NOTHING, address=0, value=0)
        else:
            s.buffer[p] = dict(kind=Kind.VALUE, address=0, value=s.memory[a])
        s.at[p] = At.DONE

    @action(fair="weak")
    def answer(s, p):
        """Show the answer."""
        require(s.at[p] == At.DONE)
        s.shown.by = p
        s.shown.kind = s.buffer[p].kind
        s.shown.address = s.buffer[p].address
        s.shown.value = s.buffer[p].value
        s.at[p] = At.READY

    @invariant
    def busy_has_a_request(s):
        """Who is busy has a request, and who is done an answer."""
        return every(
            implies(s.at[p] == At.BUSY, s.buffer[p].kind >= Kind.READ)
            & implies(s.at[p] == At.DONE, s.buffer[p].kind <= Kind.VALUE)
            for p in s.processors
        )

    @leads_to
    def a_request_is_answered(s):
        """A processor that asks is answered; all processors are alike."""
        return s.at[0] == At.BUSY, s.at[0] == At.READY
