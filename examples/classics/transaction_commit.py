"""Transaction commit: resource managers commit together, or abort together.

What two-phase commit and Paxos commit must do, without any message: each manager looks at the
states of all. By Jim Gray and Leslie Lamport, "Consensus on Transaction Commit" (2006); module
TCommit of tlaplus/Examples.

    counterpoint check transaction_commit.py
"""

from enum import IntEnum

from counterpoint import (
    Array,
    Index,
    Member,
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


class State(IntEnum):
    """What a resource manager has decided."""

    WORKING, PREPARED, COMMITTED, ABORTED = range(4)


class TransactionCommit(Spec):
    """Each manager decides, and sees the decisions of the others at once."""

    managers = Index(3, names="m", labels="R")
    state = Array(managers, Member(State))

    @action
    def prepare(s, m):
        """Be ready to commit."""
        require(s.state[m] == State.WORKING)
        s.state[m] = State.PREPARED

    @action
    def commit(s, m):
        """Commit, if all are ready or have committed."""
        require(s.state[m] == State.PREPARED)
        require(
            every(
                (s.state[k] == State.PREPARED) | (s.state[k] == State.COMMITTED) for k in s.managers
            )
        )
        s.state[m] = State.COMMITTED

    @action
    def abort(s, m):
        """Abort, if none has committed."""
        require(s.state[m] <= State.PREPARED)
        require(no(s.state[k] == State.COMMITTED for k in s.managers))
        s.state[m] = State.ABORTED

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
