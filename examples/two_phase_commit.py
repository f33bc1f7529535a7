"""Two-phase commit: a coordinator asks all participants, then all commit or all abort.

It shows a protocol over messages, and what a participant must not do: one that has voted yes may
not decide alone. With ``impatient=yes`` it aborts when it has waited too long.

    counterpoint check two_phase_commit.py
    counterpoint check two_phase_commit.py --set participants=4
    counterpoint check two_phase_commit.py --set impatient=yes
"""

from enum import IntEnum

from counterpoint import (
    Array,
    Choice,
    Index,
    Member,
    Spec,
    action,
    every,
    finished,
    implies,
    invariant,
    no,
    require,
    some,
    sometimes,
)


class Vote(IntEnum):
    """The state of a participant."""

    WORKING, PREPARED, COMMITTED, ABORTED = range(4)


class Decision(IntEnum):
    """The state of the coordinator."""

    NONE, COMMIT, ABORT = range(3)


class TwoPhaseCommit(Spec):
    """Messages are not lost, but may take any time."""

    participants = Index(3, names="p", labels="P")
    impatient = Choice("no", "yes", help="a participant that voted yes aborts by itself")

    vote = Array(participants, Member(Vote))
    decision = Member(Decision)

    @action
    def prepare(s, p):
        """Vote yes."""
        require(s.vote[p] == Vote.WORKING)
        s.vote[p] = Vote.PREPARED

    @action
    def refuse(s, p):
        """Vote no, and abort."""
        require(s.vote[p] == Vote.WORKING)
        s.vote[p] = Vote.ABORTED

    @action
    def decide_to_commit(s):
        """Commit after all votes were yes."""
        require(s.decision == Decision.NONE)
        require(every(s.vote[p] == Vote.PREPARED for p in s.participants))
        s.decision = Decision.COMMIT

    @action
    def decide_to_abort(s):
        """Abort after a no."""
        require(s.decision == Decision.NONE)
        require(some(s.vote[p] == Vote.ABORTED for p in s.participants))
        s.decision = Decision.ABORT

    @action
    def learn(s, p):
        """Learn the decision and follow it."""
        require(s.vote[p] == Vote.PREPARED, s.decision != Decision.NONE)
        if s.decision == Decision.COMMIT:
            s.vote[p] = Vote.COMMITTED
        else:
            s.vote[p] = Vote.ABORTED

    @action(when=lambda s: s.impatient == "yes")
    def give_up(s, p):
        """Abort without the coordinator."""
        require(s.vote[p] == Vote.PREPARED)
        s.vote[p] = Vote.ABORTED

    @finished
    def all_are_done(s):
        """Each participant has committed or aborted, and the coordinator has decided."""
        done = (every((s.vote[p] == Vote.COMMITTED) | (s.vote[p] == Vote.ABORTED)
                      for p in s.participants))  # fmt: skip
        return done & (s.decision != Decision.NONE)

    @invariant
    def all_or_none(s):
        """No participant commits while another one aborts."""
        return no(
            some(s.vote[p] == Vote.COMMITTED for p in s.participants)
            & some(s.vote[p] == Vote.ABORTED for p in s.participants)
        )

    @invariant
    def commit_needs_all_votes(s):
        """A commit is decided only after all participants have voted."""
        return implies(
            s.decision == Decision.COMMIT,
            every(s.vote[p] != Vote.WORKING for p in s.participants),
        )

    @sometimes
    def all_commit(s):
        """It is possible that all commit."""
        return every(s.vote[p] == Vote.COMMITTED for p in s.participants)
