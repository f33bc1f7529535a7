"""Paxos commit: a commit protocol in which no single manager can block all others.

Each resource manager's decision is agreed on by an instance of Paxos of its own; its ballot 0
belongs to the manager itself, and a leader who waits too long begins a higher one. By Jim Gray and
Leslie Lamport, "Consensus on Transaction Commit" (2006); module PaxosCommit of tlaplus/Examples.

    counterpoint check paxos_commit.py --set managers=2
"""

from enum import IntEnum
from itertools import combinations

from counterpoint import (
    Array,
    Index,
    Integer,
    Member,
    Messages,
    Spec,
    action,
    choose,
    every,
    implies,
    invariant,
    no,
    require,
    some,
    sometimes,
)


class State(IntEnum):
    """What a resource manager has done."""

    WORKING, PREPARED, COMMITTED, ABORTED = range(4)


class Value(IntEnum):
    """What an acceptor has accepted."""

    NONE, PREPARED, ABORTED = range(3)


class PaxosCommit(Spec):
    """Three acceptors and two ballots; quorums are the smallest majorities."""

    managers = Index(1, names="m", labels="R")
    acceptors = Index(3, names="a", labels="A")
    ballots = Index(2, names="b", labels="B")
    state = Array(managers, Member(State))
    promised = Array((managers, acceptors), Integer(0, lambda s: len(s.ballots) - 1))
    voted_in = Array((managers, acceptors), Integer(-1, lambda s: len(s.ballots) - 1, initially=-1))
    accepted = Array((managers, acceptors), Member(Value))
    net = Messages(
        prepare=dict(of=managers, ballot=ballots),
        promise=dict(
            of=managers,
            by=acceptors,
            ballot=ballots,
            last=Integer(-1, lambda s: len(s.ballots) - 1),
            value=Member(Value),
        ),
        propose=dict(of=managers, ballot=ballots, value=Integer(1, 2)),
        accept=dict(of=managers, by=acceptors, ballot=ballots, value=Integer(1, 2)),
        commit=dict(),
        abort=dict(),
    )

    @action
    def decide_itself(s, m, value=choose(Integer(1, 2))):
        """A manager prepares, or aborts, in ballot 0."""
        require(s.state[m] == State.WORKING)
        s.state[m] = State.PREPARED if value == Value.PREPARED else State.ABORTED
        s.net.propose.send(of=m, ballot=0, value=value)

    @action
    def learn(s, m, what=choose("commit", "abort")):
        """A manager hears the result."""
        require(s.net.commit.has() if what == "commit" else s.net.abort.has())
        s.state[m] = State.COMMITTED if what == "commit" else State.ABORTED

    @action
    def prepare(s, m, b):
        """A leader begins a ballot for a manager."""
        require(b > 0)
        s.net.prepare.send(of=m, ballot=b)

    @action
    def promise(s, m, a, b):
        """An acceptor will ignore lower ballots, and says what it accepted last."""
        require(b > 0, s.net.prepare.has(of=m, ballot=b), s.promised[m, a] < b)
        s.promised[m, a] = b
        s.net.promise.send(of=m, by=a, ballot=b, last=s.voted_in[m, a], value=s.accepted[m, a])

    def quorums(s):
        """All smallest majorities."""
        return list(combinations(s.acceptors, len(s.acceptors) // 2 + 1))

    def last_is(s, m, b, quorum, last, value):
        """Whether one of a quorum promised with this last vote."""
        return some(s.net.promise.has(of=m, by=a, ballot=b, last=last, value=value) for a in quorum)

    def allows(s, m, b, quorum, value):
        """All of a quorum promised, and the last vote was for a value; abort if there is none."""
        votes = [(c, v) for c in range(b) for v in (Value.PREPARED, Value.ABORTED)]
        all_did = every(
            some(s.last_is(m, b, (a,), c, v) for c, v in [(-1, Value.NONE), *votes]) for a in quorum
        )
        last = some(
            s.last_is(m, b, quorum, c, value)
            & no(s.last_is(m, b, quorum, d, v) for d, v in votes if d > c)
            for c in range(b)
        )
        if value == Value.ABORTED:
            last = last | no(s.last_is(m, b, quorum, c, v) for c, v in votes)
        return all_did & last

    @action
    def propose(s, m, b, value=choose(Integer(1, 2))):
        """A leader proposes what a quorum allows, once in a ballot."""
        require(b > 0, no(s.net.propose.has(of=m, ballot=b, value=v) for v in (1, 2)))
        require(some(s.allows(m, b, quorum, value) for quorum in s.quorums()))
        s.net.propose.send(of=m, ballot=b, value=value)

    @action
    def accept(s, m, a, b, value=choose(Integer(1, 2))):
        """An acceptor votes for a proposal, unless it has promised not to."""
        require(s.net.propose.has(of=m, ballot=b, value=value), s.promised[m, a] <= b)
        s.promised[m, a] = b
        s.voted_in[m, a] = b
        s.accepted[m, a] = value
        s.net.accept.send(of=m, by=a, ballot=b, value=value)

    def chosen(s, m, value):
        """A quorum voted for a value in one ballot."""
        return some(
            every(s.net.accept.has(of=m, by=a, ballot=b, value=value) for a in quorum)
            for quorum in s.quorums()
            for b in s.ballots
        )

    @action
    def decide(s, what=choose("commit", "abort")):
        """A leader sees that all have prepared, or that one aborts."""
        if what == "commit":
            require(every(s.chosen(m, Value.PREPARED) for m in s.managers))
            s.net.commit.send()
        else:
            require(some(s.chosen(m, Value.ABORTED) for m in s.managers))
            s.net.abort.send()

    @invariant
    def consistent(s):
        """No manager commits while another one aborts."""
        return implies(
            some(s.state[m] == State.ABORTED for m in s.managers),
            no(s.state[m] == State.COMMITTED for m in s.managers),
        )

    @sometimes
    def all_commit(s):
        """It is possible that all commit."""
        return every(s.state[m] == State.COMMITTED for m in s.managers)
