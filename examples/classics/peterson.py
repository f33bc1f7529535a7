"""Peterson's lock for two processes, and what it promises.

A process says that it wants to enter, lets the other one go first, and waits until the other does
not want to enter or has let it go first. By Gary Peterson (1981); module Peterson of
tlaplus/Examples, by Jarod Differdange, there without a promise of fairness. With
``fairness=weak`` each process goes on, except that it may stay in its own work for ever, and then
who wants to enter does so.

    counterpoint check peterson.py
    counterpoint check peterson.py --set fairness=weak
"""

from enum import IntEnum

from counterpoint import (
    Array,
    Boolean,
    Choice,
    Index,
    Integer,
    Member,
    Spec,
    action,
    count,
    every,
    implies,
    invariant,
    leads_to,
    require,
)


class At(IntEnum):
    """The next step of a process."""

    WORK, WANT, YIELD, WAIT, INSIDE, LEAVE = range(6)


class Peterson(Spec):
    """Two processes, one lock."""

    processes = Index(2, names="p", labels="P", at_least=2, at_most=2)
    fairness = Choice("none", "weak")
    at = Array(processes, Member(At))
    wants = Array(processes, Boolean())
    turn = Integer(0, 1)

    @action
    def work(s, p):
        """Do something else, as long as it takes."""
        require(s.at[p] == At.WORK)
        s.at[p] = At.WANT

    @action(fair=lambda s: s.fairness)
    def want(s, p):
        """Say that it wants to enter."""
        require(s.at[p] == At.WANT)
        s.wants[p] = True
        s.at[p] = At.YIELD

    @action(fair=lambda s: s.fairness)
    def let_the_other_go_first(s, p):
        """Give the turn to the other one."""
        require(s.at[p] == At.YIELD)
        s.turn = 1 - p
        s.at[p] = At.WAIT

    @action(fair=lambda s: s.fairness)
    def enter(s, p):
        """Enter if the other one does not want to, or has given the turn."""
        require(s.at[p] == At.WAIT, (s.wants[1 - p] == 0) | (s.turn == p))
        s.at[p] = At.INSIDE

    @action(fair=lambda s: s.fairness)
    def use(s, p):
        """Do what only one may do."""
        require(s.at[p] == At.INSIDE)
        s.at[p] = At.LEAVE

    @action(fair=lambda s: s.fairness)
    def leave(s, p):
        """Say that it does not want to enter any more."""
        require(s.at[p] == At.LEAVE)
        s.wants[p] = False
        s.at[p] = At.WORK

    @invariant
    def one_inside(s):
        """At most one process is inside."""
        return count(s.at[p] >= At.INSIDE for p in s.processes) <= 1

    @invariant
    def inside_has_the_turn(s):
        """Who is inside has the turn, or the other one has not yet given it."""
        return every(
            implies(s.at[p] >= At.INSIDE, (s.turn == p) | (s.at[1 - p] <= At.YIELD))
            for p in s.processes
        )

    @leads_to(when=lambda s: s.fairness == "weak")
    def who_wants_enters(s):
        """The first process enters whenever it wants to; the second one is its mirror image."""
        return s.at[0] == At.WANT, s.at[0] == At.INSIDE
