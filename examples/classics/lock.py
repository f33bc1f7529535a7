"""A lock that two processes take and leave: what a lock must do.

The published algorithms of the same folder must do the same as this one. By Jarod Differdange;
module Lock of tlaplus/Examples.

    counterpoint check lock.py
"""

from enum import IntEnum

from counterpoint import (
    Array,
    Boolean,
    Index,
    Member,
    Spec,
    action,
    count,
    implies,
    invariant,
    require,
    some,
)


class At(IntEnum):
    """The next step of a process."""

    WORK, TAKE, INSIDE, LEAVE = range(4)


class Lock(Spec):
    """A process works, takes the lock, uses it and leaves it."""

    processes = Index(2, names="p", labels="P")
    at = Array(processes, Member(At))
    free = Boolean(initially=True)

    @action
    def work(s, p):
        """Do something else."""
        require(s.at[p] == At.WORK)
        s.at[p] = At.TAKE

    @action
    def take(s, p):
        """Take the lock if it is free."""
        require(s.at[p] == At.TAKE, s.free)
        s.free = False
        s.at[p] = At.INSIDE

    @action
    def use(s, p):
        """Do what only one may do."""
        require(s.at[p] == At.INSIDE)
        s.at[p] = At.LEAVE

    @action
    def leave(s, p):
        """Free the lock."""
        require(s.at[p] == At.LEAVE)
        s.free = True
        s.at[p] = At.WORK

    @invariant
    def one_inside(s):
        """At most one process is inside."""
        return count(s.at[p] >= At.INSIDE for p in s.processes) <= 1

    @invariant
    def the_lock_is_taken(s):
        """While a process is inside, the lock is not free."""
        return implies(some(s.at[p] >= At.INSIDE for p in s.processes), s.free == 0)
