"""Dijkstra and Scholten's detection of termination by a tree of those who are not yet done.

A leader sends messages, and who receives one may send more. Each message is acknowledged, and the
last acknowledgement to the one who made a process active waits until that process is done with
everything. By Edsger Dijkstra and Carel Scholten, EWD687a (1980); module EWD687a of
tlaplus/Examples, by Leslie Lamport and Markus Kuppe, with its network and its bound.

    counterpoint check ewd687a.py
"""

from enum import IntEnum

from counterpoint import (
    Array,
    Boolean,
    Index,
    Integer,
    Number,
    Reference,
    Spec,
    action,
    choose,
    constraint,
    every,
    implies,
    invariant,
    leads_to,
    require,
)

FROM, TO = (0, 1, 2, 2), (1, 2, 1, 3)
"""Edges lead from the leader 0 to process 1, between 1 and 2, and from 2 to 3."""


class NoEdge(IntEnum):
    """A process has no parent."""

    NONE = -1


class EWD687a(Spec):
    """Counters in place of messages: their order does not matter."""

    processes = Index(4, names="p", labels="P", at_least=4, at_most=4)
    edges = Index(4, names="e", labels="E", at_least=4, at_most=4)
    most = Number(2, at_least=1, at_most=4, help="the most messages of a kind on an edge")
    active = Array(processes, Boolean(initially=lambda s, p: p == 0))
    messages = Array(edges, Integer(0, lambda s: s.most + 1))
    acknowledgements = Array(edges, Integer(0, lambda s: s.most + 1))
    sent = Array(edges, Integer(0, lambda s: s.most + 1))
    received = Array(edges, Integer(0, lambda s: s.most + 1))
    parent = Array(processes, Reference(edges, NoEdge))

    @constraint
    def few_messages(s):
        """No counter is greater than the bound."""
        most = s.most
        return every(
            (s.messages[e] <= most)
            & (s.acknowledgements[e] <= most)
            & (s.sent[e] <= most)
            & (s.received[e] <= most)
            for e in s.edges
        )

    def is_neutral(s, p):
        """A process is passive, and nobody waits for it nor it for anybody."""
        nothing_received = every(s.received[e] == 0 for e in s.edges if TO[e] == p)
        nothing_sent = every(s.sent[e] == 0 for e in s.edges if FROM[e] == p)
        return (s.active[p] == 0) & nothing_received & nothing_sent

    @action(fair="weak", fair_for=())
    def step(s, e, what=choose("send", "receive", "acknowledge", "hear", "rest", "lead no more")):
        """One step of a process at an end of an edge; the system does not stop by itself."""
        source, target = FROM[e], TO[e]
        if what == "send":
            require(s.active[source])
            s.sent[e] = s.sent[e] + 1
            s.messages[e] = s.messages[e] + 1
        elif what == "receive":
            require(s.messages[e] > 0)
            if s.is_neutral(target):
                s.parent[target] = e
            s.messages[e] = s.messages[e] - 1
            s.received[e] = s.received[e] + 1
            s.active[target] = True
        elif what == "acknowledge":
            s.acknowledge(e, target)
        elif what == "hear":
            require(s.acknowledgements[e] > 0)
            s.acknowledgements[e] = s.acknowledgements[e] - 1
            s.sent[e] = s.sent[e] - 1
        else:
            process = target if what == "rest" else source
            require(e in (0, 1, 3) if what == "rest" else e == 0)  # each process once
            s.active[process] = False

    def acknowledge(s, e, p):
        """Acknowledge a message; the last one to the parent only as the last step."""
        require(s.received[e] > 0)
        others = every(s.received[d] == 0 for d in s.edges if TO[d] == p and d != e)
        done = others & every(s.sent[d] == 0 for d in s.edges if FROM[d] == p)
        last = s.received[e] == 1
        require(implies((s.parent[p] == e) & last, done & (s.active[p] == 0)))
        s.received[e] = s.received[e] - 1
        s.acknowledgements[e] = s.acknowledgements[e] + 1
        if s.is_neutral(p):
            s.parent[p] = NoEdge.NONE

    @invariant
    def counters_agree(s):
        """Each message that is not acknowledged is on its way, received, or its answer is."""
        return every(
            s.sent[e] == s.received[e] + s.acknowledgements[e] + s.messages[e] for e in s.edges
        )

    @invariant
    def the_leader_is_last(s):
        """When the leader is done with everything, so are all others."""
        return implies(s.is_neutral(0), every(s.is_neutral(p) for p in s.processes))

    @leads_to
    def termination_is_detected(s):
        """If nothing is active and no message is on its way, the leader finds out."""
        over = every(s.active[p] == 0 for p in s.processes)
        return over & every(s.messages[e] == 0 for e in s.edges), s.is_neutral(0)
