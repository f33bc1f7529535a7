"""Atomic commitment with a coordinator that may die in the middle of its broadcast.

All who decide decide the same; but if the coordinator dies some may never decide. By Özalp
Babaoğlu and Sam Toueg, "Non-blocking atomic commitment" (1993); module ACP_SB of tlaplus/Examples,
by Stephan Merz. Who is not alive is faulty, so that this needs no variable.

    counterpoint check atomic_commit.py --set participants=3
"""

from enum import IntEnum

from counterpoint import (
    ANY,
    Array,
    Boolean,
    Index,
    Member,
    Spec,
    action,
    choose,
    eventually,
    every,
    implies,
    invariant,
    ite,
    no,
    require,
    some,
    transition,
)


class Decision(IntEnum):
    """What somebody has decided."""

    NONE, COMMIT, ABORT = range(3)


class Vote(IntEnum):
    """What the coordinator knows of a vote."""

    UNKNOWN, YES, NO = range(3)


class AtomicCommit(Spec):
    """Each participant has a vote from the beginning."""

    participants = Index(2, names="p", labels="P")
    votes_yes = Array(participants, Boolean(initially=ANY))
    vote_sent = Array(participants, Boolean())
    alive = Array(participants, Boolean(initially=True))
    decided = Array(participants, Member(Decision))
    asked = Array(participants, Boolean())
    vote = Array(participants, Member(Vote))
    answer = Array(participants, Member(Decision))
    coordinator = Member(Decision)
    coordinator_alive = Boolean(initially=True)

    @action(fair="weak", fair_for=())
    def coordinate(s, p, what=choose("ask", "hear", "miss", "commit", "abort", "tell")):
        """One step of the coordinator; it does not stop as long as it lives."""
        require(s.coordinator_alive)
        if what == "ask":
            require(s.asked[p] == 0)
            s.asked[p] = True
        elif what == "tell":
            require(s.coordinator != Decision.NONE, s.answer[p] == Decision.NONE)
            s.answer[p] = s.coordinator
        else:
            require(s.coordinator == Decision.NONE)
            s.decide(p, what)

    def decide(s, p, what):
        """Hear a vote or miss it, and decide."""
        if what in ("hear", "miss"):
            require(every(s.asked[k] for k in s.participants), s.vote[p] == Vote.UNKNOWN)
        if what == "hear":
            require(s.vote_sent[p])
            s.vote[p] = ite(s.votes_yes[p], Vote.YES, Vote.NO)
        elif what == "miss":
            require(s.alive[p] == 0, s.vote_sent[p] == 0)
            s.coordinator = Decision.ABORT
        else:
            require(p == 0, every(s.vote[k] != Vote.UNKNOWN for k in s.participants))
            all_yes = every(s.vote[k] == Vote.YES for k in s.participants)
            require(all_yes == (what == "commit"))
            s.coordinator = Decision.COMMIT if what == "commit" else Decision.ABORT

    @action(fair="weak", fair_for=("p",))
    def take_part(s, p, what=choose("vote", "refuse", "give up", "follow")):
        """One step of a participant; it does not stop as long as it lives."""
        require(s.alive[p])
        if what == "vote":
            require(s.asked[p])
            s.vote_sent[p] = True
        else:
            require(s.decided[p] == Decision.NONE)
            if what == "refuse":
                require(s.vote_sent[p], s.votes_yes[p] == 0)
                s.decided[p] = Decision.ABORT
            elif what == "give up":
                require(s.coordinator_alive == 0, s.asked[p] == 0)
                s.decided[p] = Decision.ABORT
            else:
                require(s.answer[p] != Decision.NONE)
                s.decided[p] = s.answer[p]

    @action
    def coordinator_dies(s):
        """The coordinator dies."""
        require(s.coordinator_alive)
        s.coordinator_alive = False

    @action
    def die(s, p):
        """A participant dies."""
        require(s.alive[p])
        s.alive[p] = False

    def faulty(s):
        """Somebody is dead."""
        return some(s.alive[p] == 0 for p in s.participants) | (s.coordinator_alive == 0)

    @invariant
    def all_decide_the_same(s):
        """Nobody commits while another one aborts."""
        return no(
            (s.decided[p] == Decision.COMMIT) & (s.decided[q] == Decision.ABORT)
            for p in s.participants
            for q in s.participants
        )

    @invariant
    def commit_needs_all_votes(s):
        """If one commits, all have voted yes."""
        commits = some(s.decided[p] == Decision.COMMIT for p in s.participants)
        return implies(commits, every(s.votes_yes[p] for p in s.participants))

    @invariant
    def abort_has_a_reason(s):
        """If one aborts, one has voted no, or somebody is dead."""
        aborts = some(s.decided[p] == Decision.ABORT for p in s.participants)
        return implies(aborts, some(s.votes_yes[p] == 0 for p in s.participants) | s.faulty())

    @transition
    def decided_once(s, after):
        """A decision does not change."""
        return every(
            implies(s.decided[p] != Decision.NONE, s.decided[p] == after.decided[p])
            for p in s.participants
        )

    @eventually
    def all_decide_or_one_dies(s):
        """Without a death all decide."""
        return every(s.decided[p] != Decision.NONE for p in s.participants) | s.faulty()
