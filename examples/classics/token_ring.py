"""Dijkstra's ring that puts itself in order, whatever state it begins in.

Node 0 has the token if its counter is that of the last node, and then counts on; another node has
it if its counter differs from that of the node before, and then copies that one. By Dijkstra,
EWD426 (1974); module TokenRing of tlaplus/Examples, by Markus Kuppe and Murat Demirbas.

    counterpoint check token_ring.py --set nodes=6 --set values=6
"""

from counterpoint import (
    ANY,
    Array,
    Index,
    Integer,
    Number,
    Spec,
    action,
    count,
    ite,
    require,
    stays,
)


class TokenRing(Spec):
    """Each node sees the counter of the node before it."""

    nodes = Index(3, names="i", labels="N")
    values = Number(3, at_least=2, at_most=16)
    counter = Array(nodes, Integer(0, lambda s: s.values - 1, initially=ANY))

    def has_token(s, i):
        """Whether a node may move."""
        before = s.counter[i - 1] if i > 0 else s.counter[len(s.nodes) - 1]
        return s.counter[i] != before if i > 0 else s.counter[i] == before

    @action(fair="weak", fair_for=())
    def move(s, i):
        """The node that has a token hands it on."""
        require(s.has_token(i))
        if i > 0:
            s.counter[i] = s.counter[i - 1]
        else:
            s.counter[i] = ite(s.counter[i] == s.values - 1, 0, s.counter[i] + 1)

    @stays
    def one_token(s):
        """From some time on there is one token."""
        return count(s.has_token(i) for i in s.nodes) == 1
