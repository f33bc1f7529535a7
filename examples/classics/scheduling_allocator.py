"""An allocator that serves clients in the order of a schedule, but lets others go ahead.

A client may get a resource before others only if nobody earlier in the schedule wants it. So a
client must give back only what it has in full, and yet nobody waits for ever. By Stephan Merz;
module SchedulingAllocator of tlaplus/Examples.

    counterpoint check scheduling_allocator.py
"""

from itertools import pairwise, permutations
from math import factorial

from counterpoint import (
    Array,
    DerivedIndex,
    Index,
    Queue,
    Set,
    Spec,
    action,
    choose,
    every,
    implies,
    infinitely_often,
    invariant,
    leads_to,
    no,
    require,
    some,
    some_subset,
)


class SchedulingAllocator(Spec):
    """The schedule has the clients that wait, in the order in which they are served."""

    clients = Index(3, names="c", labels="C", at_most=4)
    resources = Index(2, names="r", labels="R")
    orders = DerivedIndex(lambda s: factorial(len(s.clients)))
    wants = Array(clients, Set(resources))
    has = Array(clients, Set(resources))
    schedule = Queue(clients, capacity=lambda s: len(s.clients))

    @action
    def request(s, c, wanted=some_subset(resources)):
        """A client that has nothing and waits for nothing asks for some resources."""
        require(len(wanted) > 0, s.wants[c].empty, s.has[c].empty)
        s.wants[c] = wanted

    @action(fair="weak", fair_for=("c",))
    def allocate(s, c, given=some_subset(resources), place=choose(clients)):
        """Give free resources to the client at a place, if nobody before it wants them."""
        require(len(given) > 0, place < s.schedule.length)
        require(s.schedule[place] == c)
        for r in given:
            require(s.wants[c].has(r), no(s.has[k].has(r) for k in s.clients))
            for earlier in range(place):
                require(no((s.schedule[earlier] == k) & s.wants[k].has(r) for k in s.clients))
        s.has[c] = s.has[c] | given
        s.wants[c] = s.wants[c] - given
        if s.wants[c].empty:
            s.schedule.pop(place)

    @action
    def give_back_some(s, c, given=some_subset(resources)):
        """A client that still waits gives something back, or another one a part."""
        require(len(given) > 0, every(s.has[c].has(r) for r in given))
        require((s.wants[c].size > 0) | (s.has[c].size > len(given)))
        s.has[c] = s.has[c] - given

    @action(fair="weak")
    def give_back_all(s, c):
        """A client that has all that it wanted gives all back."""
        require(s.wants[c].empty, s.has[c].size > 0)
        s.has[c].clear()

    @action(fair="weak", fair_for=())
    def plan(s, order=choose(orders)):
        """All who wait and are not in the schedule are added to it, in any order."""
        new = [(s.wants[c].size > 0) & no(s.schedule.has(c)) for c in s.clients]
        require(some(new))
        chosen = list(permutations(s.clients))[order]
        for c, after in pairwise(chosen):  # those who are not new are last, in one order
            require(new[c] | (no(new[after]) & (c < after)))
        for c in chosen:
            if new[c]:
                s.schedule.put(c)

    @invariant
    def one_owner(s):
        """No resource belongs to two clients."""
        return every(
            no(s.has[c].has(r) & s.has[k].has(r) for r in s.resources)
            for c in s.clients
            for k in s.clients
            if c < k
        )

    @invariant
    def who_is_planned_waits(s):
        """All in the schedule wait for something."""
        return every(implies(s.schedule.has(c), s.wants[c].size > 0) for c in s.clients)

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
