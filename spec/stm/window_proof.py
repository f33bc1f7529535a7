"""Why the corrected window protocol is right, for any number of steps: lemmas for induction.

Every transaction has a place in one order: an update its commit time, every other transaction the
bottom of its window; at one place the update stands first. The lemmas say that what a transaction
has read is what that order shows at its place. They speak of the protocol itself: the classes here
add only what is recorded for the proof (ghosts: no step depends on them), and leave out the limit
on a transaction's operations, which proves more.

`EndlessWindow` lets every process run transactions for ever and forgets each as the next begins.
`RecordedWindow` keeps the whole history of transactions that run once, and so the criteria
themselves, opacity among them, follow from its lemmas.
"""

from __future__ import annotations

from typing import Self

from spec.notation import (
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

from .history import CRITERIA, alone
from .memory import Source, Status, TransactionalMemory
from .window import Stage, Window


class PlacedWindow(Window):
    """The window protocol, with the place of each transaction and the dates that it has read."""

    name = "window-proof"

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
        """Return whether t may read or write x; without programs, as often as it likes."""
        if s.plans:
            return super().may_operate(kind, t, x)
        read = every(kind == "r", s.has_read(t, x))
        return every(s.status[t] == Status.LIVE, no(s.wrote[t, x]), no(read))

    def record_read(s, t: Value, x: Value) -> None:
        """Note the date of the version that is read."""
        super().record_read(t, x)
        s.read_date[t, x] = s.date[x]

    def forget(s, t: Value) -> None:
        """Note the place, before what it depends on is forgotten."""
        s.place[t] = ite(s.drawn(t), s.commit_time[t], s.bottom[t])
        super().forget(t)

    # Words for the lemmas

    def running(s, t: Value) -> Value:
        """Return whether t has begun and not ended."""
        return some(s.status[t] == Status.LIVE, s.status[t] == Status.COMMITTING)

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
        """No date, end or place is later than the clock; no time that was drawn comes again."""
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
        """Whoever holds a lock holds all that it needs before it."""
        return every(
            implies(every(s.holds[t, x], y < x, s.needs_lock(t, y)), s.holds[t, y])
            for t in s.transactions
            for x in s.objects
            for y in s.objects
        )

    @lemma
    def the_validated_are_current(s) -> Value:
        """From validation on a transaction holds all its locks, and all it read is current."""
        validated = {t: s.stage[t] >= Stage.VALIDATED for t in s.transactions}
        return every(
            every(
                implies(every(validated[t], s.needs_lock(t, x)), s.holds[t, x]),
                implies(every(validated[t], s.overwritten[t, x]), s.published[t, x]),
                implies(s.published[t, x], s.wrote[t, x]),
            )
            for t in s.transactions
            for x in s.objects
        )

    @lemma
    def current_copies_are_present(s) -> Value:
        """What is read and current has the date of the object."""
        return every(
            implies(s.current(t, x), s.read_date[t, x] == s.date[x])
            for t in s.transactions
            for x in s.objects
        )

    @lemma
    def windows_are_open(s) -> Value:
        """What a transaction read was dated within its window, and ends beyond its bottom."""
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
        """A commit time lies after all dates that the update has read or is to overwrite."""
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
        """Whoever has read the current x stands before an update that is still to publish x."""
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
        """A transaction begins, and an update is placed, after all that have ended."""
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
    """Every process runs transactions for ever; nothing is recorded of those that have ended."""

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
        """What a running transaction has read is what stands at its place in the order."""
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


class RecordedWindow(PlacedWindow):
    """Every transaction runs once, and the history is kept: the criteria follow."""

    name = "recorded-window"

    def update(s, t: Value) -> Value:
        """Return whether t's place is a commit time."""
        committed = every(s.status[t] == Status.COMMITTED, s.writes_something(t))
        return some(s.drawn(t), committed)

    def wrote_version(s, w: Value, x: Value) -> Value:
        """Return whether w has published a version of x."""
        return some(s.published[w, x], every(s.status[w] == Status.COMMITTED, s.wrote[w, x]))

    @lemma
    def versions_have_writers(s) -> Value:
        """The present version is the last writer's, and dated by its place."""
        return every(
            every(
                implies(s.writer[x] < 0, s.date[x] == s.origin),
                every(
                    implies(
                        s.writer[x] == w,
                        every(s.wrote_version(w, x), s.date[x] == s.placed(w)),
                    )
                    for w in s.transactions
                ),
                every(
                    implies(
                        s.wrote_version(w, x),
                        every(s.origin < s.placed(w), s.placed(w) <= s.date[x]),
                    )
                    for w in s.transactions
                ),
            )
            for x in s.objects
        )

    @lemma
    def copies_have_sources(s) -> Value:
        """What was read is dated by the place of the committed update that wrote it."""
        return every(
            every(
                implies(s.source[t, x] == Source.FIRST, s.read_date[t, x] == s.origin),
                implies(s.current(t, x), s.source[t, x] == s.writer[x]),
                implies(s.has_read(t, x), s.read_date[t, x] <= s.placed(t)),
                every(
                    implies(
                        s.source[t, x] == w,
                        every(
                            s.status[w] == Status.COMMITTED,
                            s.wrote[w, x],
                            s.read_date[t, x] == s.placed(w),
                            w != t,
                        ),
                    )
                    for w in s.transactions
                ),
            )
            for t in s.transactions
            for x in s.objects
        )

    @lemma
    def ended_updates_precede(s) -> Value:
        """An ended update read only what was dated before its place."""
        return every(
            implies(every(s.update(t), s.has_read(t, x)), s.read_date[t, x] < s.placed(t))
            for t in s.transactions
            for x in s.objects
        )

    @lemma
    def nothing_is_hidden(s) -> Value:
        """No update that writes x stands between the version t has read and t's place."""

        def before_or_after(t: Value, v: Value, x: Value) -> Value:
            undrawn = some(
                every(s.overwritten[t, x], s.end[t, x] <= s.placed(v)),
                every(s.current(t, x), s.to_publish(v, x)),
            )
            later = ite(s.undrawn(t), undrawn, s.placed(t) < s.placed(v))
            return some(s.placed(v) <= s.read_date[t, x], later)

        return every(
            implies(
                every(t != v, s.has_read(t, x), s.update(v), s.wrote[v, x]),
                before_or_after(t, v, x),
            )
            for t in s.transactions
            for v in s.transactions
            for x in s.objects
        )

    @lemma
    def updates_have_places_of_their_own(s) -> Value:
        """No two updates have one place, and no later one can have it either."""
        return every(
            implies(
                s.update(t),
                every(
                    s.placed(t) < s.next_time(),
                    every(
                        implies(every(t != u, s.update(u)), s.placed(t) != s.placed(u))
                        for u in s.transactions
                    ),
                ),
            )
            for t in s.transactions
        )

    @lemma
    def real_time_is_kept(s) -> Value:
        """What had ended before a transaction began stands before it."""
        return every(
            implies(
                s.before[u, t],
                every(
                    u != t,
                    s.ended(u),
                    s.status[t] != Status.NOT_BEGUN,
                    ite(s.update(t), s.placed(u) < s.placed(t), s.placed(u) <= s.placed(t)),
                    no(s.before[t, u]),
                    every(implies(s.before[v, u], s.before[v, t]) for v in s.transactions),
                ),
            )
            for u in s.transactions
            for t in s.transactions
        )

    @lemma
    def commits_are_called_in_time(s) -> Value:
        """What had ended when a transaction asked to commit stands before its commit time."""
        return every(
            implies(
                s.before_commit[u, t],
                every(
                    u != t,
                    s.ended(u),
                    s.status[t] >= Status.COMMITTING,
                    implies(s.update(t), s.placed(u) < s.placed(t)),
                ),
            )
            for u in s.transactions
            for t in s.transactions
        )

    @lemma
    def overwriting_takes_two(s) -> Value:
        """A copy is overwritten, and a transaction aborts, only beside a concurrent one."""
        h = s.history()
        return every(
            every(
                implies(s.status[t] == Status.ABORTED, no(alone(h, t))),
                every(
                    implies(every(s.overwritten[t, x], no(s.drawn(t))), no(alone(h, t)))
                    for x in s.objects
                ),
            )
            for t in s.transactions
        )
