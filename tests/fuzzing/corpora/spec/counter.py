"""Processes add one to a shared counter, and lose some."""

from counterpoint import Array, Index, Integer, Spec, action, every, implies, invariant, require


class Counter(Spec):
    """Processes add one to a shared counter; reading and writing are two steps."""

    processes = Index(2, names="p", labels="P")
    counter = Integer(0, 9)
    copy = Array(processes, Integer(0, 9))
    step = Array(processes, Integer(0, 2))

    @action
    def read(s, p):
        require(s.step[p] == 0)
        s.copy[p], s.step[p] = s.counter, 1

    @action
    def write(s, p):
        require(s.step[p] == 1)
        s.counter, s.step[p] = s.copy[p] + 1, 2

    @invariant
    def nothing_is_lost(s):
        return implies(every(s.step[p] == 2 for p in s.processes), s.counter == len(s.processes))
