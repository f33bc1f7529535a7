"""What detecting termination means where a message arrives at once.

Active nodes activate others or become passive. When all are passive nothing happens any more, and
a detector must say so, then or later, and never before. By Stephan Merz; module
SyncTerminationDetection of tlaplus/Examples.

    counterpoint check sync_termination.py --set nodes=7
"""

from counterpoint import (
    ANY,
    Array,
    Boolean,
    Index,
    Spec,
    action,
    choose,
    implies,
    initially,
    invariant,
    leads_to,
    no,
    require,
    transition,
)


class SyncTermination(Spec):
    """The problem, and no algorithm."""

    nodes = Index(3, names="i j", labels="N")
    active = Array(nodes, Boolean(initially=ANY))
    detected = Boolean(initially=ANY)

    def all_passive(s):
        """Nothing is active."""
        return no(s.active[n] for n in s.nodes)

    @initially
    def detected_means_passive(s):
        """Termination may be known from the beginning."""
        return implies(s.detected, s.all_passive())

    @action
    def become_passive(s, i, at_once=choose("no", "yes")):
        """A node becomes passive; if it was the last one, this may be detected at once."""
        require(s.active[i])
        s.active[i] = False
        if at_once == "yes":
            require(s.all_passive(), s.detected == 0)
            s.detected = True

    @action
    def activate(s, i, j):
        """An active node activates a node."""
        require(s.active[i])
        s.active[j] = True

    @action(fair="weak")
    def detect(s):
        """The detector says that nothing is active."""
        require(s.all_passive())
        s.detected = True

    @invariant
    def detected_is_true(s):
        """What was detected is true."""
        return implies(s.detected, s.all_passive())

    @transition
    def detected_stays(s, after):
        """What was detected stays detected."""
        return implies(s.detected, after.detected)

    @leads_to
    def termination_is_detected(s):
        """If all are passive, this is detected."""
        return s.all_passive(), s.detected
