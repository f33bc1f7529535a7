"""Paxos: consensus by messages that may be lost, repeated and late.

A leader of a ballot asks acceptors for promises, and proposes what the last vote among a quorum's
promises was for, or anything if nobody has voted. By Leslie Lamport, "The Part-Time Parliament"
(1998); module Paxos of tlaplus/Examples, from "How to win a Turing award" (2019). Messages are
never removed: they may be received late, again, or never.

    counterpoint check paxos.py
"""

from itertools import combinations

from voting import Voting

from counterpoint import (
    Array,
    Index,
    Integer,
    Messages,
    Spec,
    action,
    every,
    implies,
    invariant,
    ite,
    no,
    refines,
    require,
    some,
    sometimes,
)


class Paxos(Spec):
    """Quorums are the smallest majorities; -1 is no ballot, or no value."""

    acceptors = Index(3, names="a", labels="A")
    values = Index(2, names="v", labels="V")
    ballots = Index(2, names="b", labels="B")
    promised = Array(acceptors, Integer(-1, lambda s: len(s.ballots) - 1, initially=-1))
    voted_in = Array(acceptors, Integer(-1, lambda s: len(s.ballots) - 1, initially=-1))
    voted_for = Array(acceptors, Integer(-1, lambda s: len(s.values) - 1, initially=-1))
    net = Messages(
        prepare=dict(ballot=ballots),
        promise=dict(
            by=acceptors,
            ballot=ballots,
            last=Integer(-1, lambda s: len(s.ballots) - 1),
            value=Integer(-1, lambda s: len(s.values) - 1),
        ),
        propose=dict(ballot=ballots, value=values),
        accept=dict(by=acceptors, ballot=ballots, value=values),
    )

    def quorums(s):
        """All smallest majorities."""
        return list(combinations(s.acceptors, len(s.acceptors) // 2 + 1))

    @action
    def prepare(s, b):
        """The leader of a ballot asks for promises."""
        s.net.prepare.send(ballot=b)

    @action
    def promise(s, a, b):
        """An acceptor promises to ignore lower ballots, and says what it voted for last."""
        require(s.net.prepare.has(ballot=b), b > s.promised[a])
        s.promised[a] = b
        s.net.promise.send(by=a, ballot=b, last=s.voted_in[a], value=s.voted_for[a])

    def promises(s, a, b, votes):
        """Whether an acceptor promised for ballot b with one of some last votes."""
        return some(s.net.promise.has(by=a, ballot=b, last=c, value=v) for c, v in votes)

    def allows(s, quorum, b, v):
        """All of a quorum promised, and v was the last vote of all, or nobody had voted."""
        votes = [(c, w) for c in range(b) for w in s.values]
        promised = every(s.promises(a, b, [(-1, -1), *votes]) for a in quorum)
        last = (
            some(s.promises(a, b, [(c, v)]) for a in quorum)
            & no(s.promises(a, b, [vote for vote in votes if vote[0] > c]) for a in quorum)
            for c in range(b)
        )
        return promised & (no(s.promises(a, b, votes) for a in quorum) | some(last))

    @action
    def propose(s, b, v):
        """The leader of a ballot proposes one value that a quorum allows."""
        require(no(s.net.propose.has(ballot=b, value=w) for w in s.values))
        require(some(s.allows(quorum, b, v) for quorum in s.quorums()))
        s.net.propose.send(ballot=b, value=v)

    @action
    def accept(s, a, b, v):
        """An acceptor votes for a proposal, unless it has promised not to."""
        require(s.net.propose.has(ballot=b, value=v), b >= s.promised[a])
        s.promised[a] = b
        s.voted_in[a] = b
        s.voted_for[a] = v
        s.net.accept.send(by=a, ballot=b, value=v)

    def chosen(s, v):
        """A quorum voted for a value in one ballot."""
        return some(
            every(s.net.accept.has(by=a, ballot=b, value=v) for a in quorum)
            for quorum in s.quorums()
            for b in s.ballots
        )

    @invariant
    def one_value_is_chosen(s):
        """No two values are chosen."""
        return no(s.chosen(v) & s.chosen(w) for v in s.values for w in s.values if v < w)

    @invariant
    def last_vote_was_sent(s):
        """What an acceptor remembers as its last vote it has sent."""
        return every(
            implies(
                (s.voted_in[a] == b) & (s.voted_for[a] == v),
                s.net.accept.has(by=a, ballot=b, value=v),
            )
            & (s.promised[a] >= s.voted_in[a])
            for a in s.acceptors
            for b in s.ballots
            for v in s.values
        )

    @refines(Voting)
    def is_a_vote(s, abstract):
        """Each step is one of voting without messages, where a vote is a message of acceptance."""
        for a in s.acceptors:
            abstract.promised[a] = s.promised[a]
            for b in s.ballots:
                vote = -1
                for v in s.values:
                    vote = ite(s.net.accept.has(by=a, ballot=b, value=v), v, vote)
                abstract.vote[a, b] = vote

    @sometimes
    def something_is_chosen(s):
        """A value can be chosen."""
        return some(s.chosen(v) for v in s.values)
