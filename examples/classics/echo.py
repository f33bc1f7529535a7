"""The echo algorithm: one node makes a spanning tree of a network by messages.

Who gets its first message takes the sender as its parent and writes to all its other neighbours;
who has a message from each neighbour answers its parent, who then counts it as a child. By Ernest
Chang, "Echo algorithms" (1982); module Echo of tlaplus/Examples, by Stephan Merz.

    counterpoint check echo.py
"""

from enum import IntEnum

from counterpoint import (
    Array,
    Index,
    Integer,
    Member,
    Messages,
    Reference,
    Set,
    Spec,
    action,
    choose,
    every,
    finished,
    implies,
    invariant,
    require,
)


class At(IntEnum):
    """The next step of a node."""

    START, LISTEN, ANSWER, DONE = range(4)


class Nobody(IntEnum):
    """A node has no parent."""

    NONE = -1


class Echo(Spec):
    """All nodes are neighbours, and node 0 begins."""

    nodes = Index(3, names="n m", labels="N", at_least=2, at_most=4)
    at = Array(nodes, Member(At))
    parent = Array(nodes, Reference(nodes, Nobody))
    children = Array(nodes, Set(nodes))
    heard = Array(nodes, Integer(0, lambda s: len(s.nodes) - 1))
    net = Messages(call=dict(to=nodes, by=nodes), answer=dict(to=nodes, by=nodes))

    @action
    def start(s, n):
        """Node 0 calls all its neighbours."""
        require(s.at[n] == At.START)
        s.at[n] = At.LISTEN
        if n == 0:
            for k in s.nodes:
                if k != n:
                    s.net.call.send(to=k, by=n)

    @action
    def listen(s, n, m, kind=choose("call", "answer")):
        """Take a message from a neighbour, and make the first one's sender the parent."""
        require(n != m, s.at[n] == At.LISTEN, s.heard[n] < len(s.nodes) - 1)
        if kind == "call":
            s.net.call.receive(to=n, by=m)
        else:
            s.net.answer.receive(to=n, by=m)
            s.children[n].add(m)
        s.heard[n] = s.heard[n] + 1
        if n != 0 and s.heard[n] == 1:
            s.parent[n] = m
            for k in s.nodes:
                if k not in (n, m):
                    s.net.call.send(to=k, by=n)

    @action
    def hear_all(s, n):
        """All neighbours have written."""
        require(s.at[n] == At.LISTEN, s.heard[n] == len(s.nodes) - 1)
        s.at[n] = At.ANSWER

    @action
    def answer(s, n, m):
        """Answer the parent."""
        require(s.at[n] == At.ANSWER)
        if n == 0:
            require(m == 0)
        else:
            require(s.parent[n] == m)
            s.net.answer.send(to=m, by=n)
        s.at[n] = At.DONE

    @finished
    def all_done(s):
        """All have answered."""
        return every(s.at[n] == At.DONE for n in s.nodes)

    @invariant
    def the_first_has_no_parent(s):
        """Node 0 is the root."""
        return s.parent[0] == Nobody.NONE

    @invariant
    def children_and_parents(s):
        """Who is a child of a node has it as its parent, and in the end also the other way."""
        return every(
            implies(s.children[m].has(n), s.parent[n] == m)
            & implies((s.parent[n] == m) & (s.at[m] == At.DONE), s.children[m].has(n))
            for n in s.nodes
            for m in s.nodes
        )
