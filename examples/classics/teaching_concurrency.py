"""Leslie Lamport's smallest example of concurrency.

Each process sets its own x to 1, and then copies the x of the process before it into its y. When
all are done, at least one y is 1. From "Teaching Concurrency" (2009); module Simple of
tlaplus/Examples.

    counterpoint check teaching_concurrency.py --set processes=5
"""

from enum import IntEnum

from counterpoint import (
    Array,
    Boolean,
    Index,
    Member,
    Spec,
    action,
    every,
    finished,
    implies,
    invariant,
    require,
    some,
)


class At(IntEnum):
    """The next step of a process."""

    SET, COPY, DONE = range(3)


class TeachingConcurrency(Spec):
    """Processes in a circle."""

    processes = Index(3, names="p", labels="P")
    at = Array(processes, Member(At))
    x = Array(processes, Boolean())
    y = Array(processes, Boolean())

    @action
    def set_own(s, p):
        """Set its own x."""
        require(s.at[p] == At.SET)
        s.x[p] = True
        s.at[p] = At.COPY

    @action
    def copy(s, p):
        """Copy the x of the process before it."""
        require(s.at[p] == At.COPY)
        s.y[p] = s.x[(p - 1) % len(s.processes)]
        s.at[p] = At.DONE

    @finished
    def all_done(s):
        """All have done both steps."""
        return every(s.at[p] == At.DONE for p in s.processes)

    @invariant
    def one_y_is_set(s):
        """When all are done, a y is set."""
        return implies(s.all_done(), some(s.y[p] for p in s.processes))

    @invariant
    def done_means_x_is_set(s):
        """Who has done the first step has set its x."""
        return every(implies(s.at[p] >= At.COPY, s.x[p]) for p in s.processes)
