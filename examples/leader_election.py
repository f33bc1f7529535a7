"""Leader election in a ring (Chang and Roberts): the process with the greatest number wins.

Each process sends its number to its neighbour, which passes on greater numbers only. A process that
gets its own number back is the leader. With ``passes=all`` smaller numbers are passed on, too, and
several processes think that they are the leader.

    counterpoint check leader_election.py
    counterpoint check leader_election.py --set processes=5
    counterpoint check leader_election.py --set passes=all
"""

from counterpoint import (
    Array,
    Boolean,
    Choice,
    Index,
    Spec,
    action,
    count,
    finished,
    implies,
    invariant,
    no,
    require,
    some,
    sometimes,
)


class LeaderElection(Spec):
    """Process p stands at place p of the ring, and p is its number, too."""

    processes = Index(4, names="p n", labels="P", at_least=2)
    passes = Choice("greater", "all", help="which numbers a process passes on")

    sent = Array(processes, Boolean())
    waiting = Array((processes, processes), Boolean())
    """Whether the number n waits at process p, for p to read it."""
    leads = Array(processes, Boolean())

    def neighbour(s, p):
        """Return the process to which p sends."""
        return (p + 1) % len(s.processes)

    @action
    def start(s, p):
        """Send one's own number."""
        require(no(s.sent[p]))
        s.sent[p] = True
        s.waiting[s.neighbour(p), p] = True

    @action
    def read(s, p, n):
        """Read a number: pass it on, drop it, or lead if it is one's own."""
        require(s.waiting[p, n])
        s.waiting[p, n] = False
        if n == p:
            s.leads[p] = True
        elif n > p or s.passes == "all":
            s.waiting[s.neighbour(p), n] = True

    @finished
    def the_ring_is_quiet(s):
        """All have sent, and no number is on its way."""
        return no(
            some(no(s.sent[p]) for p in s.processes)
            | some(s.waiting[p, n] for p in s.processes for n in s.processes)
        )

    @invariant
    def one_leader(s):
        """At most one process leads."""
        return count(s.leads[p] for p in s.processes) <= 1

    @invariant
    def the_greatest_leads(s):
        """When the ring is quiet, the process with the greatest number leads."""
        return implies(s.the_ring_is_quiet(), s.leads[len(s.processes) - 1])

    @sometimes
    def a_leader_is_found(s):
        """The greatest can lead."""
        return s.leads[len(s.processes) - 1]
