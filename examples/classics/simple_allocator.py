"""An allocator of resources: clients ask for several, get some at a time, and give them back.

By Stephan Merz; module SimpleAllocator of tlaplus/Examples. A client that waits for nothing gives
everything back, then or later, and the allocator may not pass over a client for ever.

    counterpoint check simple_allocator.py
"""

from counterpoint import (
    Array,
    Index,
    Set,
    Spec,
    action,
    every,
    infinitely_often,
    invariant,
    leads_to,
    no,
    require,
    some_subset,
)


class SimpleAllocator(Spec):
    """Each client has a set of resources that it wants, and one of those that it has."""

    clients = Index(3, names="c", labels="C")
    resources = Index(2, names="r", labels="R")
    wants = Array(clients, Set(resources))
    has = Array(clients, Set(resources))

    @action
    def request(s, c, wanted=some_subset(resources)):
        """A client that has nothing and waits for nothing asks for some resources."""
        require(len(wanted) > 0, s.wants[c].empty, s.has[c].empty)
        s.wants[c] = wanted

    @action(fair="strong", fair_for=("c",))
    def allocate(s, c, given=some_subset(resources)):
        """A client gets some free resources of those that it asked for."""
        require(len(given) > 0)
        for r in given:
            require(s.wants[c].has(r), no(s.has[k].has(r) for k in s.clients))
        s.has[c] = s.has[c] | given
        s.wants[c] = s.wants[c] - given

    @action
    def give_back_some(s, c, given=some_subset(resources)):
        """A client gives back a part of what it has, even before it has everything."""
        require(len(given) > 0, s.has[c].size > len(given))
        require(every(s.has[c].has(r) for r in given))
        s.has[c] = s.has[c] - given

    @action(fair="weak")
    def give_back_all(s, c):
        """A client gives back all that it has."""
        require(s.has[c].size > 0)
        s.has[c].clear()

    @invariant
    def one_owner(s):
        """No resource belongs to two clients."""
        return every(
            no(s.has[c].has(r) & s.has[k].has(r) for r in s.resources)
            for c in s.clients
            for k in s.clients
            if c < k
        )

    @leads_to
    def a_satisfied_client_gives_back(s):
        """A client that waits for nothing will have nothing; all clients are alike."""
        return s.wants[0].empty, s.has[0].empty

    @leads_to
    def a_client_gets_what_it_wants(s):
        """A client that waits for a resource gets it; all clients and resources are alike."""
        return s.wants[0].has(0), s.has[0].has(0)

    @infinitely_often
    def a_client_waits_for_nothing(s):
        """A client is satisfied again and again."""
        return s.wants[0].empty
