"""Dijkstra's detection of termination by a token in a ring.

The token goes from node 0 down to node 0. A node that activates a higher one becomes black, and a
black node makes the token black. A white token that comes back to a white, passive node 0 means
that no node is active. By Dijkstra, Feijen and van Gasteren, EWD840 (1983); module EWD840 of
tlaplus/Examples, by Stephan Merz.

    counterpoint check ewd840.py --set nodes=4
"""

from counterpoint import (
    ANY,
    Array,
    Boolean,
    Index,
    Integer,
    Spec,
    action,
    every,
    implies,
    invariant,
    leads_to,
    no,
    require,
    some,
)


class EWD840(Spec):
    """Messages activate at once; the token may begin anywhere, and is black."""

    nodes = Index(3, names="i j", labels="N")
    active = Array(nodes, Boolean(initially=ANY))
    black = Array(nodes, Boolean(initially=ANY))
    token = Integer(0, lambda s: len(s.nodes) - 1, initially=ANY)
    token_is_black = Boolean(initially=True)

    @action(fair="weak", fair_for=())
    def pass_token(s, i):
        """Hand the token on, or, at node 0, begin another round."""
        require(s.token == i)
        if i == 0:
            require(s.token_is_black | s.black[0])
            s.token = len(s.nodes) - 1
            s.token_is_black = False
        else:
            require((s.active[i] == 0) | s.black[i] | s.token_is_black)
            s.token = i - 1
            s.token_is_black = s.token_is_black | s.black[i]
        s.black[i] = False

    @action
    def activate(s, i, j):
        """An active node activates another one."""
        require(s.active[i], i != j)
        s.active[j] = True
        if j > i:
            s.black[i] = True

    @action
    def become_passive(s, i):
        """An active node becomes passive."""
        require(s.active[i])
        s.active[i] = False

    def detected(s):
        """Node 0 can see that all is over."""
        white = no(s.token_is_black, s.black[0])
        return (s.token == 0) & white & (s.active[0] == 0)

    @invariant
    def detected_is_true(s):
        """What node 0 sees is true."""
        return implies(s.detected(), no(s.active[n] for n in s.nodes))

    @invariant
    def dijkstras_invariant(s):
        """Above the token all is passive, or below it a node is black, or the token is black."""
        passive = every(implies(s.token < n, s.active[n] == 0) for n in s.nodes)
        black = some((s.token >= n) & s.black[n] for n in s.nodes)
        return passive | black | s.token_is_black

    @leads_to
    def termination_is_detected(s):
        """If all are passive, node 0 sees it."""
        return no(s.active[n] for n in s.nodes), s.detected()
