"""What detecting termination means where messages take their time.

A passive node becomes active again when a message arrives, so the system has terminated only when
all nodes are passive and no message is on its way. By Stephan Merz and Markus Kuppe; module
AsyncTerminationDetection of tlaplus/Examples, with its bound of three messages for each node.

    counterpoint check async_termination.py --set nodes=4
"""

from counterpoint import (
    ANY,
    Array,
    Boolean,
    Index,
    Integer,
    Spec,
    action,
    choose,
    constraint,
    every,
    implies,
    initially,
    invariant,
    leads_to,
    no,
    require,
    transition,
)


class AsyncTermination(Spec):
    """The problem, and no algorithm."""

    nodes = Index(3, names="i j", labels="N")
    active = Array(nodes, Boolean(initially=ANY))
    pending = Array(nodes, Integer(0, 4))
    detected = Boolean(initially=ANY)

    def terminated(s):
        """Nothing is active, and nothing is on its way."""
        return no(s.active[n] | (s.pending[n] > 0) for n in s.nodes)

    @initially
    def detected_means_terminated(s):
        """Termination may be known from the beginning."""
        return implies(s.detected, s.terminated())

    @constraint
    def few_messages(s):
        """At most three messages wait for a node."""
        return every(s.pending[n] <= 3 for n in s.nodes)

    @action
    def become_passive(s, i, at_once=choose("no", "yes")):
        """A node becomes passive; if all is over, this may be detected at once."""
        require(s.active[i])
        s.active[i] = False
        if at_once == "yes":
            require(s.terminated(), s.detected == 0)
            s.detected = True

    @action
    def send(s, i, j):
        """An active node sends a message."""
        require(s.active[i])
        s.pending[j] = s.pending[j] + 1

    @action
    def receive(s, i):
        """A message activates a node."""
        require(s.pending[i] > 0)
        s.active[i] = True
        s.pending[i] = s.pending[i] - 1

    @action(fair="weak")
    def detect(s):
        """The detector says that all is over."""
        require(s.terminated())
        s.detected = True

    @invariant
    def detected_is_true(s):
        """What was detected is true."""
        return implies(s.detected, s.terminated())

    @transition
    def the_end_is_the_end(s, after):
        """After termination nothing begins again."""
        return implies(s.terminated(), after.terminated())

    @leads_to
    def termination_is_detected(s):
        """If all is over, this is detected."""
        return s.terminated(), s.detected
