"""A spanning tree: each node finds its distance from the root, and a parent on the way.

A node takes a neighbour as its parent, and any distance that is greater than that neighbour's and
less than its own. By Leslie Lamport; module SpanTreeTest of tlaplus/Examples, which tries all
graphs.

    counterpoint check spanning_tree.py --set nodes=4
"""

from counterpoint import (
    ANY,
    Array,
    Boolean,
    DerivedIndex,
    Index,
    Integer,
    Number,
    Spec,
    action,
    choose,
    eventually,
    every,
    finished,
    implies,
    require,
    some,
)


class SpanningTree(Spec):
    """Node 0 is the root. The distance ``far`` means: not reached."""

    nodes = Index(3, names="n m", labels="N", at_least=2, at_most=5)
    far = Number(4, at_least=2, at_most=8)
    pairs = DerivedIndex(lambda s: len(s.nodes) * (len(s.nodes) - 1) // 2)
    edge = Array(pairs, Boolean(initially=ANY))
    parent = Array(nodes, Integer(0, lambda s: len(s.nodes) - 1, initially=lambda s, n: n))
    distance = Array(
        nodes,
        Integer(0, lambda s: s.far, initially=lambda s, n: s.far if n > 0 else 0),
    )

    def linked(s, n, m):
        """Whether there is an edge between two nodes."""
        if n == m:
            return False
        low, high = min(n, m), max(n, m)
        return s.edge[high * (high - 1) // 2 + low]

    @action(fair="weak", fair_for=())
    def improve(s, n, m, d=choose(Integer(1, lambda s: s.far - 1))):
        """Take a neighbour as the parent, with a smaller distance than before."""
        require(s.linked(n, m), s.distance[m] < d, d < s.distance[n])
        s.distance[n] = d
        s.parent[n] = m

    @finished
    def the_tree_is_right(s):
        """Each node has a parent that is one step nearer, or nothing around it is reached."""
        return every(
            (s.distance[n] == 0) & (s.parent[n] == n)
            if n == 0
            else (
                (s.distance[n] == s.far)
                & (s.parent[n] == n)
                & every(implies(s.linked(n, m), s.distance[m] == s.far) for m in s.nodes if n != m)
            )
            | some(
                (s.parent[n] == m) & (s.distance[n] == s.distance[m] + 1) & s.linked(n, m)
                for m in s.nodes
                if n != m
            )
            for n in s.nodes
        )

    @eventually
    def the_tree_is_found(s):
        """In the end the tree is right."""
        return s.the_tree_is_right()
