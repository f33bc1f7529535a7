"""Voting: what the Paxos algorithm does, without messages.

Acceptors vote in numbered ballots, and a value is chosen when a quorum votes for it in the same
ballot. An acceptor votes only for what a quorum shows to be safe: nothing else was or can be
chosen in an earlier ballot. By Leslie Lamport, "The Paxos algorithm, or how to win a Turing award"
(2019); module Voting of tlaplus/Examples.

    counterpoint check voting.py --set ballots=3
"""

from enum import IntEnum
from itertools import combinations

from counterpoint import (
    Array,
    Index,
    Integer,
    Reference,
    Spec,
    action,
    every,
    implies,
    invariant,
    no,
    require,
    some,
    sometimes,
)


class NoVote(IntEnum):
    """An acceptor has not voted in a ballot."""

    NONE = -1


class Voting(Spec):
    """Quorums are the smallest majorities."""

    acceptors = Index(3, names="a", labels="A")
    values = Index(2, names="v", labels="V")
    ballots = Index(2, names="b", labels="B")
    vote = Array((acceptors, ballots), Reference(values, NoVote))
    promised = Array(acceptors, Integer(-1, lambda s: len(s.ballots) - 1, initially=-1))

    def quorums(s):
        """All smallest majorities."""
        return list(combinations(s.acceptors, len(s.acceptors) // 2 + 1))

    @action
    def promise(s, a, b):
        """An acceptor will not vote in lower ballots any more."""
        require(b > s.promised[a])
        s.promised[a] = b

    def shows_safe(s, quorum, b, v):
        """The last ballot before b in which one of the quorum voted, if any, had a vote for v."""
        promised = every(s.promised[a] >= b for a in quorum)
        silent = [no(s.vote[a, c] >= 0 for a in quorum) for c in range(b)]
        voted = (some(s.vote[a, c] == v for a in quorum) & every(silent[c + 1 :]) for c in range(b))
        return promised & (every(silent) | some(voted))

    @action
    def vote_for(s, a, b, v):
        """Vote in a ballot in which nobody has voted otherwise, for a value that is safe."""
        require(s.promised[a] <= b, s.vote[a, b] == NoVote.NONE)
        require(every((s.vote[c, b] == NoVote.NONE) | (s.vote[c, b] == v) for c in s.acceptors))
        require(some(s.shows_safe(quorum, b, v) for quorum in s.quorums()))
        s.vote[a, b] = v
        s.promised[a] = b

    def chosen(s, v):
        """A quorum voted for a value in one ballot."""
        return some(
            every(s.vote[a, b] == v for a in quorum) for quorum in s.quorums() for b in s.ballots
        )

    @invariant
    def one_value_is_chosen(s):
        """No two values are chosen."""
        return no(s.chosen(v) & s.chosen(w) for v in s.values for w in s.values if v < w)

    @invariant
    def one_value_in_a_ballot(s):
        """All votes in a ballot are for the same value."""
        return every(
            implies((s.vote[a, b] >= 0) & (s.vote[c, b] >= 0), s.vote[a, b] == s.vote[c, b])
            for a in s.acceptors
            for c in s.acceptors
            if a < c
            for b in s.ballots
        )

    def none_other_choosable(s, b, v):
        """A quorum voted for v in a ballot, or will never vote in it."""
        return some(
            every(
                (s.vote[a, b] == v) | ((s.promised[a] > b) & (s.vote[a, b] == NoVote.NONE))
                for a in quorum
            )
            for quorum in s.quorums()
        )

    @invariant
    def votes_are_safe(s):
        """Who votes for a value knows that no other one can be chosen in an earlier ballot."""
        return every(
            implies(s.vote[a, b] == v, every(s.none_other_choosable(c, v) for c in range(b)))
            for a in s.acceptors
            for b in s.ballots
            for v in s.values
        )

    @sometimes
    def something_is_chosen(s):
        """A value can be chosen."""
        return some(s.chosen(v) for v in s.values)
