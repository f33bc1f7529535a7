"""The window protocol with its whole history: the lemmas from which the criteria follow.

It adds to the lemmas of `window_proof.PlacedWindow` those that relate places to the recorded
history: the writers of the versions that were read, and the transactions that had ended when
another began. The criteria as `memory` states them follow from these lemmas. For any number of
transactions it follows that every order that the places allow explains all reads.
"""

from __future__ import annotations

from counterpoint.spec.notation import Value, every, implies, invariant, ite, lemma, no, some

from .memory import Earlier, Source, Status
from .window_proof import PlacedWindow


class RecordedWindow(PlacedWindow):
    """The window protocol with its recorded history, from whose lemmas the criteria follow."""

    name = "recorded-window"
    in_other_words = dict.fromkeys(  # opacity, and the criteria that it implies
        ("serializability", "strict_serializability", "virtual_world_consistency", "opacity"),
        ("places-make-an-order", "the-order-explains-all"),
    )

    def update(s, t: Value) -> Value:
        """Return whether t's place is a commit time."""
        committed = every(s.status[t] == Status.COMMITTED, s.writes_something(t))
        return some(s.drawn(t), committed)

    def wrote_version(s, w: Value, x: Value) -> Value:
        """Return whether w has published a version of x."""
        return some(s.published[w, x], every(s.status[w] == Status.COMMITTED, s.wrote[w, x]))

    @lemma
    def versions_have_writers(s) -> Value:
        """The current version is the last writer's, and its date is the writer's place."""
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
        """The date of a read version is the place of the committed update that wrote it."""
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
        """An ended update has read only versions dated before its place."""
        return every(
            implies(every(s.update(t), s.has_read(t, x)), s.read_date[t, x] < s.placed(t))
            for t in s.transactions
            for x in s.objects
        )

    @lemma
    def nothing_is_hidden(s) -> Value:
        """No update that writes x has a place between the version that t has read and t's place."""

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
        """No two updates have the same place, and no later update can get it."""
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
        """Transactions that had ended before another began stand before it."""
        return every(
            implies(
                s.precedes(u, t),
                every(
                    u != t,
                    s.ended(u),
                    s.status[t] != Status.NOT_BEGUN,
                    ite(s.update(t), s.placed(u) < s.placed(t), s.placed(u) <= s.placed(t)),
                    no(s.precedes(t, u)),
                    every(implies(s.precedes(v, u), s.precedes(v, t)) for v in s.transactions),
                ),
            )
            for u in s.transactions
            for t in s.transactions
        )

    @lemma
    def nobody_reads_from_the_running(s) -> Value:
        """When a transaction begins, only ended transactions have been read from."""
        return every(
            s.before[u, t] != Earlier.EFFECTIVE for u in s.transactions for t in s.transactions
        )

    @lemma
    def commits_are_called_in_time(s) -> Value:
        """Transactions that had ended when another asked to commit stand before its commit time."""
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
        """Only a concurrent transaction can overwrite a copy or cause an abort."""
        return every(
            every(
                implies(s.status[t] == Status.ABORTED, no(s.alone(t))),
                every(
                    implies(every(s.overwritten[t, x], no(s.drawn(t))), no(s.alone(t)))
                    for x in s.objects
                ),
            )
            for t in s.transactions
        )

    # Consequences, stated for any number of transactions

    def stands_before(s, t: Value, u: Value) -> Value:
        """Return whether t stands before u: by place, then updates first, then by real time.

        Readers that ran concurrently at the same place have no order; any order is allowed.
        """
        later = every(
            s.placed(t) == s.placed(u),
            no(s.update(u)),
            some(s.update(t), s.precedes(t, u)),
        )
        return some(s.placed(t) < s.placed(u), later)

    @invariant
    def places_make_an_order(s) -> Value:
        """The relation "stands before" has no cycle."""
        return every(
            every(
                implies(s.stands_before(t, u), no(s.stands_before(u, t))),
                every(
                    implies(
                        every(s.stands_before(t, u), s.stands_before(u, v)), s.stands_before(t, v)
                    )
                    for v in s.transactions
                ),
            )
            for t in s.transactions
            for u in s.transactions
        )

    @invariant
    def the_order_explains_all(s) -> Value:
        """In every order that the places allow, real time is kept and each read is explained.

        This is opacity for all these orders: a transaction reads from one that stands before it,
        and any other effective writer of the object stands before the writer or after the reader.
        """
        return every(
            every(
                implies(s.precedes(t, u), s.stands_before(t, u))
                for t in s.transactions
                for u in s.transactions
            ),
            every(
                implies(s.source[u, x] == t, s.stands_before(t, u))
                for t in s.transactions
                for u in s.transactions
                for x in s.objects
            ),
            every(
                implies(
                    every(t != u, s.source[t, x] == Source.FIRST, s.update(u), s.wrote[u, x]),
                    s.stands_before(t, u),
                )
                for t in s.transactions
                for u in s.transactions
                for x in s.objects
            ),
            every(
                implies(
                    every(u != t, u != w, s.source[t, x] == w, s.update(u), s.wrote[u, x]),
                    some(s.stands_before(u, w), s.stands_before(t, u)),
                )
                for t in s.transactions
                for u in s.transactions
                for w in s.transactions
                for x in s.objects
            ),
        )
