"""The election of a leader in a ring by Chang and Roberts.

Some nodes begin and send their number round. A node passes on what it gets if it has lost or the
number is lower than its own; who gets its own number back has won. By Ernest Chang and Rosemary
Roberts (1979); module ChangRoberts of tlaplus/Examples, by Stephan Merz.

    counterpoint check chang_roberts.py
"""

from enum import IntEnum

from counterpoint import (
    ANY,
    Array,
    Boolean,
    Index,
    Member,
    Set,
    Spec,
    action,
    choose,
    every,
    implies,
    initially,
    invariant,
    ite,
    leads_to,
    require,
    some,
)


class State(IntEnum):
    """What a node knows."""

    CANDIDATE, LOST, WON = range(3)


class ChangRoberts(Spec):
    """The number of node n is n."""

    nodes = Index(3, names="n", labels="N", at_least=2)
    begins = Array(nodes, Boolean(initially=ANY))
    state = Array(nodes, Member(State, initially=ANY))
    started = Array(nodes, Boolean())
    inbox = Array(nodes, Set(nodes))

    @initially
    def who_begins_is_candidate(s):
        """Who does not begin has lost from the start."""
        return every(s.state[n] == ite(s.begins[n], State.CANDIDATE, State.LOST) for n in s.nodes)

    @action(fair="weak")
    def start(s, n):
        """Send the own number, if this node begins."""
        require(s.started[n] == 0)
        s.started[n] = True
        if s.begins[n]:
            s.inbox[(n + 1) % len(s.nodes)].add(n)

    @action(fair="weak", fair_for=("n",))
    def receive(s, n, number=choose(nodes)):
        """Take a number, and pass it on or not."""
        require(s.started[n], s.inbox[n].has(number))
        s.inbox[n].remove(number)
        if (s.state[n] == State.LOST) | (number < n):
            s.state[n] = State.LOST
            s.inbox[(n + 1) % len(s.nodes)].add(number)
        elif number == n:
            s.state[n] = State.WON

    @invariant
    def the_lowest_wins(s):
        """Who has won began, all others have lost, and those who began have higher numbers."""
        return every(
            implies(
                s.state[n] == State.WON,
                (s.begins[n] == 1) & (s.state[m] == State.LOST) & ((s.begins[m] == 0) | (m > n)),
            )
            for n in s.nodes
            for m in s.nodes
            if m != n
        )

    @leads_to
    def somebody_wins(s):
        """If there is a candidate, somebody wins."""
        return (
            some(s.state[n] == State.CANDIDATE for n in s.nodes),
            some(s.state[n] == State.WON for n in s.nodes),
        )
