"""Two-phase commit with messages that stay in the network for ever.

A transaction manager commits when it has heard from all resource managers that they are prepared.
A message that was sent is never removed: it may be received late, again, or never. The managers'
states are those of a transaction commit, as `transaction_commit` has it.
By Jim Gray and Leslie Lamport, "Consensus on Transaction Commit" (2006); module TwoPhase of
tlaplus/Examples.

    counterpoint check two_phase.py
    counterpoint check two_phase.py --set managers=4
"""

from enum import IntEnum

from transaction_commit import TransactionCommit

from counterpoint import (
    Array,
    Index,
    Member,
    Messages,
    Set,
    Spec,
    action,
    every,
    implies,
    invariant,
    no,
    refines,
    require,
    some,
    sometimes,
)


class State(IntEnum):
    """What a resource manager has decided."""

    WORKING, PREPARED, COMMITTED, ABORTED = range(4)


class Decision(IntEnum):
    """What the transaction manager has decided."""

    NONE, COMMIT, ABORT = range(3)


class TwoPhase(Spec):
    """One transaction manager and several resource managers."""

    managers = Index(3, names="m", labels="R")
    state = Array(managers, Member(State))
    decision = Member(Decision)
    prepared = Set(managers)
    net = Messages(prepared=dict(by=managers), commit=dict(), abort=dict())

    @action
    def hear(s, m):
        """The transaction manager hears that a resource manager is prepared."""
        require(s.decision == Decision.NONE, s.net.prepared.has(by=m))
        s.prepared.add(m)

    @action
    def decide_to_commit(s):
        """All are prepared: commit."""
        require(s.decision == Decision.NONE, s.prepared.size == len(s.managers))
        s.decision = Decision.COMMIT
        s.net.commit.send()

    @action
    def decide_to_abort(s):
        """Abort, for any reason."""
        require(s.decision == Decision.NONE)
        s.decision = Decision.ABORT
        s.net.abort.send()

    @action
    def prepare(s, m):
        """A resource manager says that it is prepared."""
        require(s.state[m] == State.WORKING)
        s.state[m] = State.PREPARED
        s.net.prepared.send(by=m)

    @action
    def give_up(s, m):
        """A resource manager aborts by itself, as long as it has not said anything."""
        require(s.state[m] == State.WORKING)
        s.state[m] = State.ABORTED

    @action
    def learn_commit(s, m):
        """A resource manager learns that all commit."""
        require(s.net.commit.has())
        s.state[m] = State.COMMITTED

    @action
    def learn_abort(s, m):
        """A resource manager learns that all abort."""
        require(s.net.abort.has())
        s.state[m] = State.ABORTED

    @invariant
    def consistent(s):
        """No manager commits while another one aborts."""
        return implies(
            some(s.state[m] == State.ABORTED for m in s.managers),
            no(s.state[m] == State.COMMITTED for m in s.managers),
        )

    @refines(TransactionCommit)
    def is_a_commit(s, abstract):
        """What the managers do is a step of a transaction commit without messages."""
        for m in s.managers:
            abstract.state[m] = s.state[m]

    @sometimes
    def all_commit(s):
        """It is possible that all commit."""
        return every(s.state[m] == State.COMMITTED for m in s.managers)
