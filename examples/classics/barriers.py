"""A barrier made of two waiting rooms, a lock, a counter and two gates.

In each room all wait until the last one opens its gate. The second room prevents that a fast
process comes round and uses up what another one needs to leave. By Jarod Differdange; module
Barriers of tlaplus/Examples.

    counterpoint check barriers.py --set processes=6
"""

from enum import IntEnum

from counterpoint import (
    Array,
    Boolean,
    Index,
    Integer,
    Member,
    Spec,
    action,
    count,
    implies,
    invariant,
    ite,
    require,
    some,
)


class At(IntEnum):
    """The next step of a process."""

    WORK, LOCK, COUNT, LOOK, OPEN, UNLOCK, WAIT = range(7)


class Barriers(Spec):
    """A process works, and goes through room 0 and room 1."""

    processes = Index(3, names="p", labels="P")
    rooms = Index(2, names="r", labels="R", at_least=2, at_most=2)
    at = Array(processes, Member(At))
    room = Array(processes, Integer(0, 1))
    locked = Boolean()
    inside = Integer(0, lambda s: len(s.processes))
    gate = Array(rooms, Integer(0, lambda s: len(s.processes)))

    @action
    def work(s, p):
        """Do its own work."""
        require(s.at[p] == At.WORK)
        s.at[p] = At.LOCK

    @action
    def lock(s, p):
        """Take the lock."""
        require(s.at[p] == At.LOCK, s.locked == 0)
        s.locked = True
        s.at[p] = At.COUNT

    @action
    def count_itself(s, p, r):
        """Count one more in room 0, and one less in room 1."""
        require(s.at[p] == At.COUNT, s.room[p] == r)
        s.inside = s.inside + (1 if r == 0 else -1)
        s.at[p] = At.LOOK

    @action
    def look(s, p, r):
        """See whether this is the last one."""
        require(s.at[p] == At.LOOK, s.room[p] == r)
        last = s.inside == (len(s.processes) if r == 0 else 0)
        s.at[p] = ite(last, At.OPEN, At.UNLOCK)

    @action
    def open(s, p, r):
        """Let all pass."""
        require(s.at[p] == At.OPEN, s.room[p] == r)
        s.gate[r] = s.gate[r] + len(s.processes)
        s.at[p] = At.UNLOCK

    @action
    def unlock(s, p):
        """Leave the lock."""
        require(s.at[p] == At.UNLOCK)
        s.locked = False
        s.at[p] = At.WAIT

    @action
    def go_through(s, p, r):
        """Go through the gate, into the other room or out."""
        require(s.at[p] == At.WAIT, s.room[p] == r, s.gate[r] > 0)
        s.gate[r] = s.gate[r] - 1
        s.room[p] = 1 - r
        s.at[p] = At.LOCK if r == 0 else At.WORK

    def holds_the_lock(s, p):
        """Whether it is between the lock and the unlock."""
        return (s.at[p] >= At.COUNT) & (s.at[p] <= At.UNLOCK)

    @invariant
    def one_holds_the_lock(s):
        """At most one process has the lock, and then the lock is taken."""
        holding = count(s.holds_the_lock(p) for p in s.processes)
        return (holding <= 1) & implies(holding == 1, s.locked)

    @invariant
    def one_gate_is_open(s):
        """At least one gate is closed."""
        return (s.gate[0] == 0) | (s.gate[1] == 0)

    @invariant
    def rooms_are_apart(s):
        """While somebody has not yet counted for room 0, nobody still has to open room 1."""
        first = some((s.room[p] == 0) & (s.at[p] <= At.OPEN) for p in s.processes)
        second = some((s.room[p] == 1) & (s.at[p] <= At.OPEN) for p in s.processes)
        return implies(first, second == 0)
