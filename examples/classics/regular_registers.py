"""Leslie Lamport's smallest example, where a read may overlap a write and see the old or new value.

As in `teaching_concurrency`, but x is set in two steps: in between, a reader may get
either value. From "Teaching Concurrency" (2009); module SimpleRegular of tlaplus/Examples, where x
is the set of the values that a read may get.

    counterpoint check regular_registers.py --set processes=5
"""

from enum import IntEnum

from counterpoint import (
    Array,
    Boolean,
    Index,
    Member,
    Spec,
    action,
    choose,
    every,
    finished,
    implies,
    invariant,
    require,
    some,
)


class At(IntEnum):
    """The next step of a process."""

    BEGIN, SET, COPY, DONE = range(4)


class Register(IntEnum):
    """What a read may get: 0, 0 or 1, or 1."""

    ZERO, EITHER, ONE = range(3)


class RegularRegisters(Spec):
    """Processes in a circle."""

    processes = Index(3, names="p", labels="P")
    at = Array(processes, Member(At))
    x = Array(processes, Member(Register))
    y = Array(processes, Boolean())

    @action
    def begin(s, p):
        """Begin to set its own x."""
        require(s.at[p] == At.BEGIN)
        s.x[p] = Register.EITHER
        s.at[p] = At.SET

    @action
    def set_own(s, p):
        """Finish setting it."""
        require(s.at[p] == At.SET)
        s.x[p] = Register.ONE
        s.at[p] = At.COPY

    @action
    def copy(s, p, seen=choose("0", "1")):
        """Copy a value that the x of the process before it may have."""
        before = s.x[(p - 1) % len(s.processes)]
        require(s.at[p] == At.COPY)
        require(before != (Register.ONE if seen == "0" else Register.ZERO))
        s.y[p] = seen == "1"
        s.at[p] = At.DONE

    @finished
    def all_done(s):
        """All have done all steps."""
        return every(s.at[p] == At.DONE for p in s.processes)

    @invariant
    def one_y_is_set(s):
        """When all are done, a y is set."""
        return implies(s.all_done(), some(s.y[p] for p in s.processes))
