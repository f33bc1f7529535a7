"""A barrier: all wait until all are there, and then all go on.

What a barrier must do, without an algorithm. By Jarod Differdange; module Barrier of
tlaplus/Examples.

    counterpoint check barrier.py --set processes=6
"""

from counterpoint import Array, Boolean, Index, Spec, action, every, require, transition


class Barrier(Spec):
    """A process is outside, or it waits."""

    processes = Index(3, names="p", labels="P")
    waits = Array(processes, Boolean())

    @action
    def arrive(s, p):
        """Come to the barrier."""
        require(s.waits[p] == 0)
        s.waits[p] = True

    @action
    def open(s):
        """All are there: all go on."""
        require(every(s.waits[p] for p in s.processes))
        for p in s.processes:
            s.waits[p] = False

    @transition
    def all_or_none_go_on(s, after):
        """Who leaves the barrier leaves it together with all others."""
        all_go = every(s.waits[p] & (after.waits[p] == 0) for p in s.processes)
        return all_go | every(s.waits[p] <= after.waits[p] for p in s.processes)
