"""The bakery: a lock by numbers that need not be read or written at once.

While a process writes, another one that reads may get any value; the writer's steps say so. By
Leslie Lamport, "A new solution of Dijkstra's concurrent programming problem" (1974); module Bakery
of tlaplus/Examples, where numbers go up to 2. The published number of states is not that of the
algorithm: its configuration begins in all states of an inductive invariant.

    counterpoint check bakery.py
    counterpoint check bakery.py --engine induction
"""

from enum import IntEnum

from counterpoint import (
    Array,
    Boolean,
    Index,
    Integer,
    Member,
    Number,
    Set,
    Spec,
    action,
    choose,
    count,
    every,
    implies,
    invariant,
    ite,
    lemma,
    no,
    require,
    sometimes,
)


class At(IntEnum):
    """The next step of a process."""

    WORK, RAISE, LOOK, CHOOSE, LOWER, WAIT, COMPARE, INSIDE, LEAVE = range(9)


class Bakery(Spec):
    """Who has a number waits for all who have a lower one."""

    processes = Index(2, names="p q", labels="P")
    highest = Number(2, at_least=1, at_most=8)
    at = Array(processes, Member(At))
    number = Array(processes, Integer(0, lambda s: s.highest))
    flag = Array(processes, Boolean())
    unchecked = Array(processes, Set(processes))
    seen = Array(processes, Integer(0, lambda s: s.highest))
    next = Array(processes, Integer(0, lambda s: len(s.processes) - 1))

    def check_all(s, p):
        """All others are to be looked at."""
        for q in s.processes:
            if q != p:
                s.unchecked[p].add(q)
        s.unchecked[p].discard(p)

    @action
    def work(s, p):
        """Do something else."""
        require(s.at[p] == At.WORK)
        s.at[p] = At.RAISE

    @action
    def write_flag(s, p, how=choose("not yet", "done")):
        """Write the flag before and after choosing; while it is written it may have any value."""
        require((s.at[p] == At.RAISE) | (s.at[p] == At.LOWER))
        raises = s.at[p] == At.RAISE
        if how == "not yet":
            s.flag[p] = s.flag[p] == 0
        else:
            s.flag[p] = raises
            s.check_all(p)
            s.seen[p] = ite(raises, 0, s.seen[p])
            s.at[p] = ite(raises, At.LOOK, At.WAIT)

    @action
    def look(s, p, q):
        """Look at another one's number."""
        require(s.at[p] == At.LOOK, s.unchecked[p].has(q))
        s.unchecked[p].remove(q)
        s.seen[p] = ite(s.number[q] > s.seen[p], s.number[q], s.seen[p])

    @action
    def choose_now(s, p):
        """All numbers are seen, or all others are compared."""
        require((s.at[p] == At.LOOK) | (s.at[p] == At.WAIT), s.unchecked[p].empty)
        s.at[p] = ite(s.at[p] == At.LOOK, At.CHOOSE, At.INSIDE)

    @action
    def write_number(
        s, p, n=choose(Integer(0, lambda s: s.highest)), how=choose("not yet", "done")
    ):
        """Write a greater number, or 0 in the end; while it is written it may have any value."""
        require((s.at[p] == At.CHOOSE) | (s.at[p] == At.LEAVE))
        if how == "done":
            require((n > s.seen[p]) if s.at[p] == At.CHOOSE else n == 0)
            s.at[p] = ite(s.at[p] == At.CHOOSE, At.LOWER, At.WORK)
        s.number[p] = n

    @action
    def wait(s, p, q):
        """Wait until another one is not choosing."""
        require(s.at[p] == At.WAIT, s.unchecked[p].has(q), s.flag[q] == 0)
        s.next[p] = q
        s.at[p] = At.COMPARE

    @action
    def compare(s, p, q):
        """Wait until the other one has no number, or a greater one."""
        require(s.at[p] == At.COMPARE, s.next[p] == q)
        mine, other = s.number[p], s.number[q]
        require((other == 0) | (mine < other) | ((mine == other) & (p < q)))
        s.unchecked[p].discard(q)
        s.at[p] = At.WAIT

    @action
    def use(s, p):
        """Do what only one may do."""
        require(s.at[p] == At.INSIDE)
        s.at[p] = At.LEAVE

    @invariant
    def one_inside(s):
        """At most one process is inside."""
        return count(s.at[p] == At.INSIDE for p in s.processes) <= 1

    def is_before(s, p, q):
        """Process p has a number, and q has or will have a greater one if it wants to enter."""
        mine, other = s.number[p], s.number[q]
        looks = (s.at[q] == At.LOOK) & (s.unchecked[q].has(p) | (s.seen[q] >= mine))
        chooses = (s.at[q] == At.CHOOSE) & (s.seen[q] >= mine)
        less = (mine < other) | ((mine == other) & (p < q))
        waits = (s.at[q] == At.WAIT) | (s.at[q] == At.COMPARE)
        follows = less & ((s.at[q] == At.LOWER) | (waits & s.unchecked[q].has(p)))
        away = (s.at[q] <= At.RAISE) | (s.at[q] == At.LEAVE)
        return (mine > 0) & (away | looks | chooses | follows)

    def has_checked(s, p, q):
        """Process p is inside, or has compared itself with q."""
        waits = (s.at[p] == At.WAIT) | (s.at[p] == At.COMPARE)
        return (s.at[p] == At.INSIDE) | (waits & no(s.unchecked[p].has(q)))

    @lemma
    def who_waits_has_a_number(s):
        """From lowering the flag to being inside a process has a number."""
        return every(
            implies((s.at[p] >= At.LOWER) & (s.at[p] <= At.INSIDE), s.number[p] > 0)
            for p in s.processes
        )

    @lemma
    def who_chooses_shows_its_flag(s):
        """While a process looks and chooses its flag is up."""
        return every(
            implies((s.at[p] == At.LOOK) | (s.at[p] == At.CHOOSE), s.flag[p]) for p in s.processes
        )

    @lemma
    def who_is_checked_is_after(s):
        """Who has compared itself with another one is before it; inside, it is before all."""
        return every(
            implies((s.at[p] == At.WAIT) | (s.at[p] == At.COMPARE), s.unchecked[p].has(p) == 0)
            & implies(s.at[p] == At.COMPARE, s.next[p] != p)
            & every(implies(s.has_checked(p, q), s.is_before(p, q)) for q in s.processes if q != p)
            for p in s.processes
        )

    @lemma
    def who_is_compared_has_seen(s):
        """If the next one is choosing, it has seen the number of the one that waits for it."""
        return every(
            implies(
                (s.at[p] == At.COMPARE)
                & (s.next[p] == q)
                & (((s.at[q] == At.LOOK) & no(s.unchecked[q].has(p))) | (s.at[q] == At.CHOOSE)),
                s.seen[q] >= s.number[p],
            )
            for p in s.processes
            for q in s.processes
            if q != p
        )

    @sometimes
    def all_get_in(s):
        """The last process can get in."""
        return s.at[len(s.processes) - 1] == At.INSIDE
