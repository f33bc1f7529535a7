"""Two-phase commit with a second manager, which takes over when the first one hides.

By Murat Demirbas, after Jim Gray and Leslie Lamport; module 2PCwithBTM of tlaplus/Examples. One
participant may fail, and so may the first manager.

    counterpoint check backup_commit.py
"""

from enum import IntEnum

from counterpoint import (
    Array,
    Boolean,
    Index,
    Member,
    Spec,
    action,
    choose,
    every,
    finished,
    implies,
    invariant,
    no,
    require,
    some,
    sometimes,
)


class State(IntEnum):
    """What a participant has done."""

    WORKING, PREPARED, COMMITTED, ABORTED, FAILED = range(5)


class Decision(IntEnum):
    """What participants see of the managers' decision."""

    NONE, COMMIT, ABORT, HIDDEN = range(4)


class At(IntEnum):
    """The next step of a manager."""

    LOOK, COMMIT, ABORT, HIDE, DONE = range(5)


class BackupCommit(Spec):
    """Manager 0 decides first, and manager 1 if the decision is hidden."""

    participants = Index(3, names="p", labels="P")
    managers = Index(2, names="m", labels="M", at_least=2, at_most=2)
    state = Array(participants, Member(State))
    left = Array(participants, Boolean())
    decision = Member(Decision)
    at = Array(managers, Member(At))

    @action
    def take_part(s, p, what=choose("prepare", "commit", "abort", "fail")):
        """Prepare, follow the decision, abort, or fail if nobody has."""
        require(s.left[p] == 0, s.state[p] <= State.PREPARED)
        if what == "prepare":
            require(s.state[p] == State.WORKING)
            s.state[p] = State.PREPARED
        elif what == "commit":
            require(s.decision == Decision.COMMIT)
            s.state[p] = State.COMMITTED
        elif what == "abort":
            require((s.state[p] == State.WORKING) | (s.decision == Decision.ABORT))
            s.state[p] = State.ABORTED
        elif no(s.state[k] == State.FAILED for k in s.participants):
            s.state[p] = State.FAILED

    @action
    def leave(s, p):
        """Stop when all is decided."""
        require(s.left[p] == 0, s.state[p] > State.PREPARED)
        s.left[p] = True

    @action
    def look(s, m, what=choose("commit", "abort")):
        """See whether all are prepared, or one has aborted or failed."""
        require(s.at[m] == At.LOOK, (m == 0) | (s.decision == Decision.HIDDEN))
        committed = some(s.state[p] == State.COMMITTED for p in s.participants)
        if what == "commit":
            require(every(s.state[p] == State.PREPARED for p in s.participants) | committed)
            s.at[m] = At.COMMIT
        else:
            require(some(s.state[p] >= State.ABORTED for p in s.participants), no(committed))
            s.at[m] = At.ABORT

    @action
    def decide(s, m):
        """Show the decision."""
        require((s.at[m] == At.COMMIT) | (s.at[m] == At.ABORT))
        s.decision = Decision.COMMIT if s.at[m] == At.COMMIT else Decision.ABORT
        s.at[m] = At.HIDE if m == 0 else At.DONE

    @action
    def hide(s):
        """Manager 0 fails, and nobody sees its decision any more."""
        require(s.at[0] == At.HIDE)
        s.decision = Decision.HIDDEN
        s.at[0] = At.DONE

    @finished
    def all_done(s):
        """All have stopped."""
        left = every(s.left[p] for p in s.participants)
        return left & every(s.at[m] == At.DONE for m in s.managers)

    @invariant
    def consistent(s):
        """No participant commits while another one aborts."""
        return implies(
            some(s.state[p] == State.ABORTED for p in s.participants),
            no(s.state[p] == State.COMMITTED for p in s.participants),
        )

    @sometimes
    def the_second_commits(s):
        """The second manager can commit."""
        return (s.at[1] == At.DONE) & (s.decision == Decision.COMMIT)
