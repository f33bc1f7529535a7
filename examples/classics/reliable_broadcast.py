"""Reliable broadcast with processes that may send anything to anybody.

A correct process that has the message, or hears of it from enough others, says so to all; who
hears of it from even more accepts it. By T. K. Srikanth and Sam Toueg, "Simulating authenticated
broadcasts to derive simple fault-tolerant algorithms" (1987); module bcastByz of tlaplus/Examples,
by Igor Konnov, Thanh Hai Tran and Josef Widder. One of four processes is faulty.

    counterpoint check reliable_broadcast.py
"""

from enum import IntEnum

from counterpoint import (
    ANY,
    Array,
    Boolean,
    Index,
    Member,
    Number,
    Spec,
    action,
    choose,
    count,
    every,
    initially,
    invariant,
    leads_to,
    no,
    require,
    some,
    some_subset,
)


class State(IntEnum):
    """What a process has done."""

    WITHOUT, WITH, ECHOED, ACCEPTED = range(4)


class ReliableBroadcast(Spec):
    """Who is faulty is open; a faulty process needs no steps, for its messages are always there."""

    processes = Index(4, names="p", labels="P", at_least=4, at_most=7)
    tolerated = Number(1, at_least=0, at_most=2)
    faulty = Array(processes, Boolean(initially=ANY))
    state = Array(processes, Member(State, initially=ANY))
    heard = Array((processes, processes), Boolean())
    echoed = Array(processes, Boolean())

    @initially
    def some_have_the_message(s):
        """Some have the message, some do not; as many are faulty as are tolerated."""
        early = every(s.state[p] <= State.WITH for p in s.processes)
        return early & (count(s.faulty[p] for p in s.processes) == s.tolerated)

    def step(s, p, senders, rule):
        """Hear echoes, and act."""
        require(s.faulty[p] == 0)
        for k in senders:
            s.heard[p, k] = True
        n, t = len(s.processes), s.tolerated
        echoes = count(s.heard[p, k] for k in s.processes)
        fresh = s.state[p] <= State.WITH
        if rule == "has it":
            require(s.state[p] == State.WITH)
        elif rule == "echo":
            require(fresh, echoes >= n - 2 * t, echoes < n - t)
        else:
            require(fresh if rule == "accept" else s.state[p] == State.ECHOED, echoes >= n - t)
        s.state[p] = State.ACCEPTED if "accept" in rule else State.ECHOED
        s.echoed[p] = True

    @action(fair="weak", fair_for=())
    def hear_correct(
        s,
        p,
        senders=some_subset(processes),
        rule=choose("has it", "echo", "accept", "accept later"),
    ):
        """Hear only what correct processes have sent; this is not left out for ever."""
        require(every(s.echoed[k] for k in senders))
        s.step(p, senders, rule)

    @action
    def hear_any(
        s,
        p,
        senders=some_subset(processes),
        rule=choose("has it", "echo", "accept", "accept later"),
    ):
        """Hear also a faulty process."""
        require(some(s.faulty[k] for k in senders))
        require(every(s.echoed[k] | s.faulty[k] for k in senders))
        s.step(p, senders, rule)

    def correct_are(s, state):
        """All correct processes are in a state."""
        return every((s.state[p] == state) | s.faulty[p] for p in s.processes)

    @invariant
    def echoes_are_sent_by_correct(s):
        """A faulty process never counts as one that has echoed."""
        return no(s.faulty[p] & s.echoed[p] for p in s.processes)

    @leads_to
    def broadcast_is_accepted(s):
        """If all correct processes have the message, all of them accept it."""
        return s.correct_are(State.WITH), s.correct_are(State.ACCEPTED)

    @leads_to
    def one_accepts_all_accept(s):
        """If one correct process accepts, all of them do."""
        one = some((s.state[p] == State.ACCEPTED) & (s.faulty[p] == 0) for p in s.processes)
        return one, s.correct_are(State.ACCEPTED)
