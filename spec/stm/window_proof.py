"""A proof that the corrected window protocol is opaque in runs of any length: its lemmas.

Every transaction has a place in one order: an update its commit time, every other transaction the
bottom of its window; at one place the update stands first. The lemmas state that a transaction has
read the versions that are current at its place in that order. They hold of the protocol itself: the
classes here only add variables for the proof (ghosts: no step depends on them), and remove the
limit on a transaction's operations, which makes the result stronger.

`EndlessWindow` lets every process run transactions for ever and forgets each transaction when
the next begins.
`recorded_window.RecordedWindow` keeps the whole history of transactions that run once, and so the
criteria themselves, opacity among them, follow from its lemmas.
"""

from __future__ import annotations

from typing import Self

from counterpoint.spec.notation import (
    Array,
    Integer,
    Value,
    every,
    implies,
    invariant,
    ite,
    lemma,
    no,
    require,
    some,
    transition,
)

from .history import CRITERIA
from .memory import Source, Status, TransactionalMemory
from .window import Stage, Window


class PlacedWindow(Window):
    """The window protocol, with the place of each transaction and the dates that it has read."""

    name = "window-proof"
    any_number = ("transactions", "objects")

    place = Array(
        TransactionalMemory.transactions,
        Integer(lambda s: s.origin, lambda s: len(s.transactions), grows=True),
        initially=lambda s, t: s.origin,
    )
    read_date = Array(
        (TransactionalMemory.transactions, TransactionalMemory.objects),
        Integer(lambda s: s.origin, lambda s: len(s.transactions), grows=True),
        initially=lambda s, t, x: s.origin,
    )

    # Ghosts

    def may_operate(s, kind: str, t: Value, x: Value) -> Value:
        """Return whether t may read or write x; without programs, any number of times."""
        if s.plans:
            return super().may_operate(kind, t, x)
        read = every(kind == "r", s.has_read(t, x))
        return every(s.status[t] == Status.LIVE, no(s.wrote[t, x]), no(read))

    def record_read(s, t: Value, x: Value) -> None:
        """Record the date of the version that is read."""
        super().record_read(t, x)
        s.read_date[t, x] = s.date[x]

    def forget(s, t: Value) -> None:
        """Record the place before the variables it depends on are cleared."""
        s.place[t] = ite(s.drawn(t), s.commit_time[t], s.bottom[t])
        super().forget(t)

    # Words for the lemmas

    def running(s, t: Value) -> Value:
        """Return whether t has begun and not ended."""
        return some(s.status[t] == Status.LIVE, s.status[t] == Status.COMMITTING)

    def validated(s, t: Value) -> Value:
        """Return whether t has validated what it read."""
        return s.stage[t] >= Stage.VALIDATED

    def drawn(s, t: Value) -> Value:
        """Return whether t has drawn its commit time and has not ended."""
        return s.stage[t] == Stage.PUBLISHING

    def undrawn(s, t: Value) -> Value:
        """Return whether t is running and has drawn no commit time."""
        return every(s.running(t), no(s.drawn(t)))

    def current(s, t: Value, x: Value) -> Value:
        """Return whether t is running and its copy of x has not been overwritten."""
        return every(s.running(t), s.has_read(t, x), no(s.overwritten[t, x]))

    def to_publish(s, u: Value, x: Value) -> Value:
        """Return whether u has drawn its commit time and is still to publish x."""
        return every(s.drawn(u), s.wrote[u, x], no(s.published[u, x]))

    def placed(s, t: Value) -> Value:
        """Return t's place: its commit time or its bottom."""
        now = ite(s.drawn(t), s.commit_time[t], s.bottom[t])
        return ite(s.running(t), now, s.place[t])

    def next_time(s) -> Value:
        """Return the commit time that would be drawn now."""
        return s.clock if s.returns == "old" else s.clock + 1

    # Lemmas

    @lemma
    def the_clock_is_ahead(s) -> Value:
        """No date, end or place is later than the clock, and no commit time is drawn twice."""
        return every(
            every(s.clock >= s.date[x] for x in s.objects),
            every(
                implies(s.overwritten[t, x], s.clock >= s.end[t, x])
                for t in s.transactions
                for x in s.objects
            ),
            every(s.clock >= s.placed(t) for t in s.transactions),
            every(implies(s.drawn(t), s.next_time() > s.commit_time[t]) for t in s.transactions),
        )

    @lemma
    def the_idle_hold_nothing(s) -> Value:
        """Only a committing transaction holds locks, and only a running one has a window."""
        return every(
            every(
                (s.stage[t] != Stage.OUTSIDE) == (s.status[t] == Status.COMMITTING),
                every(implies(s.holds[t, x], s.stage[t] != Stage.OUTSIDE) for x in s.objects),
                every(implies(s.published[t, x], s.drawn(t)) for x in s.objects),
                every(implies(s.overwritten[t, x], s.running(t)) for x in s.objects),
                every(implies(s.overwritten[t, x], s.has_read(t, x)) for x in s.objects),
                every(
                    implies(
                        s.status[t] == Status.NOT_BEGUN,
                        every(no(s.has_read(t, x)), no(s.wrote[t, x])),
                    )
                    for x in s.objects
                ),
            )
            for t in s.transactions
        )

    @lemma
    def locks_are_owned(s) -> Value:
        """A lock has one owner, who read or wrote the object."""
        return every(
            every(
                implies(s.holds[t, x], s.needs_lock(t, x)),
                every(
                    implies(t != u, no(every(s.holds[t, x], s.holds[u, x]))) for u in s.transactions
                ),
            )
            for t in s.transactions
            for x in s.objects
        )

    @lemma
    def locks_are_taken_in_order(s) -> Value:
        """A transaction that holds a lock holds all that it needs before it in the order."""
        return every(
            implies(every(s.holds[t, x], y < x, s.needs_lock(t, y)), s.holds[t, y])
            for t in s.transactions
            for x in s.objects
            for y in s.objects
        )

    @lemma
    def the_validated_are_current(s) -> Value:
        """From validation on a transaction holds all its locks, and all it read is current."""
        return every(
            every(
                implies(every(s.validated(t), s.needs_lock(t, x)), s.holds[t, x]),
                implies(every(s.validated(t), s.overwritten[t, x]), s.published[t, x]),
                implies(s.published[t, x], s.wrote[t, x]),
            )
            for t in s.transactions
            for x in s.objects
        )

    @lemma
    def current_copies_are_present(s) -> Value:
        """A current copy has the date of its object."""
        return every(
            implies(s.current(t, x), s.read_date[t, x] == s.date[x])
            for t in s.transactions
            for x in s.objects
        )

    @lemma
    def windows_are_open(s) -> Value:
        """Versions that a transaction read have dates in its window, and end after its bottom."""
        return every(
            implies(
                every(s.undrawn(t), s.has_read(t, x)),
                every(
                    s.read_date[t, x] <= s.bottom[t],
                    implies(s.overwritten[t, x], s.bottom[t] < s.end[t, x]),
                ),
            )
            for t in s.transactions
            for x in s.objects
        )

    @lemma
    def updates_follow_what_they_saw(s) -> Value:
        """A commit time is later than all dates that the update has read or will overwrite."""
        return every(
            every(
                implies(s.to_publish(u, x), s.date[x] < s.commit_time[u]),
                implies(every(s.drawn(u), s.has_read(u, x)), s.read_date[u, x] < s.commit_time[u]),
            )
            for u in s.transactions
            for x in s.objects
        )

    @lemma
    def readers_precede_what_is_to_come(s) -> Value:
        """A reader of the current x stands before an update that is still to publish x."""
        return every(
            implies(
                every(s.to_publish(u, x), s.undrawn(t), s.current(t, x)),
                s.bottom[t] < s.commit_time[u],
            )
            for u in s.transactions
            for t in s.transactions
            for x in s.objects
        )

    # What follows from them

    @transition
    def places_respect_real_time(s, after: Self) -> Value:
        """The places of new transactions and updates come after those of all ended ones."""
        return every(
            implies(
                every(s.ended(u), u != t),
                every(
                    implies(
                        every(no(s.running(t)), after.running(t)), s.placed(u) <= after.placed(t)
                    ),
                    implies(every(no(s.drawn(t)), after.drawn(t)), s.placed(u) < after.placed(t)),
                ),
            )
            for t in s.transactions
            for u in s.transactions
        )

    @transition
    def places_only_advance(s, after: Self) -> Value:
        """The place of a running transaction never moves back; of an ended one, never at all."""
        return every(
            every(
                implies(every(s.running(t), after.running(t)), s.placed(t) <= after.placed(t)),
                implies(every(s.running(t), after.ended(t)), s.placed(t) == after.placed(t)),
                implies(every(s.ended(t), after.ended(t)), s.placed(t) == after.placed(t)),
            )
            for t in s.transactions
        )


class EndlessWindow(PlacedWindow):
    """Every process runs transactions for ever; ended transactions leave no record."""

    name = "endless-window"
    without = (
        *(criterion.replace("-", "_") for criterion in CRITERIA),
        "alone_commits",
        "nothing_half_published",
        "all_ended",
        "all_commit",
        "a_new_version_is_read",
        "readers_overlap_updates",
    )

    def record_begin(s, t: Value) -> None:
        """Begin a transaction in the place of one that has ended."""
        require(some(s.status[t] == Status.NOT_BEGUN, s.ended(t)))
        s.status[t] = Status.LIVE
        s.place[t] = s.origin
        for x in s.objects:
            s.source[t, x] = Source.NOT_READ
            s.read_date[t, x] = s.origin
            s.wrote[t, x] = False
        if s.plans:
            s.position[t] = 0

    def record_commit_call(s, t: Value) -> None:
        """Let t ask to commit."""
        s.status[t] = Status.COMMITTING

    def record_publish(s, t: Value, x: Value) -> None:
        """Record nothing: every version counts as a first one."""

    @invariant
    def reads_are_explained(s) -> Value:
        """A running transaction has read the versions current at its place in the order."""
        return every(
            implies(
                every(s.running(t), s.has_read(t, x)),
                every(
                    ite(
                        s.drawn(t),
                        s.read_date[t, x] < s.placed(t),
                        s.read_date[t, x] <= s.placed(t),
                    ),
                    some(s.drawn(t), s.current(t, x), s.placed(t) < s.end[t, x]),
                    every(
                        implies(
                            every(s.undrawn(t), s.current(t, x), s.to_publish(u, x)),
                            s.placed(t) < s.commit_time[u],
                        )
                        for u in s.transactions
                    ),
                ),
            )
            for t in s.transactions
            for x in s.objects
        )
