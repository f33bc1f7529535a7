"""NOrec: Dalessandro, Spear and Scott, PPoPP 2010 (pp. 67-78).

No ownership records: one global sequence lock, odd while an update publishes, and validation by
value. A transaction's snapshot is the clock value at which its reads were last known to be valid. A
read that finds that the clock has moved compares all values it has read with the current ones; so
does a commit that fails to move the clock from its snapshot. A comparison counts only if the clock
did not move meanwhile. Loads, single comparisons and publications are steps of their own.

Values are all different by default, so that comparing values is comparing writers. With
``values=two`` all transactions write one of two values, one of them the first: then a read stays
valid if its object is overwritten with the same value.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Self

from counterpoint.spec.notation import (
    Array,
    Boolean,
    Choice,
    Integer,
    Member,
    Value,
    action,
    every,
    invariant,
    no,
    require,
    some,
    sometimes,
    transition,
)

from . import history
from .memory import Source, TransactionalMemory
from .stepped import SteppedReads


class Stage(IntEnum):
    """Where a transaction is within its commit operation."""

    OUTSIDE = 0
    ACQUIRING = 1
    PUBLISHING = 2


class NOrec(SteppedReads):
    """NOrec: one sequence lock, validation by value; ``comparison=late`` is incorrect."""

    name = "norec"

    comparison = Choice(
        "repeated", "once", "late",
        help="if the clock moves meanwhile: compare again; let the snapshot be the clock as it was "
        "before (the read or commit then finds that it moved), or as it is after",
    )  # fmt: skip
    values = Choice(
        "distinct",
        "two",
        help="whether all written values differ, or are one of two: 0 (also at first) and 1",
    )

    clock = Integer(0, lambda s: 2 * len(s.transactions))
    stage = Array(TransactionalMemory.transactions, Member(Stage))
    snapshot = Array(
        TransactionalMemory.transactions, Integer(0, lambda s: 2 * len(s.transactions))
    )
    comparing = Array(TransactionalMemory.transactions, Boolean())
    compared_at = Array(
        TransactionalMemory.transactions, Integer(0, lambda s: 2 * len(s.transactions))
    )
    compared = Array((TransactionalMemory.transactions, TransactionalMemory.objects), Boolean())

    # The transaction's operations

    @action
    def begin(s, t: int) -> None:
        """Let the snapshot be the clock, once no transaction publishes."""
        require(s.is_free())
        s.record_begin(t)
        s.snapshot[t] = s.clock

    @action
    def read(s, t: int, x: int) -> None:
        """Load the value."""
        require(s.may_operate("r", t, x))
        if not s.returns_own_copy(t, x):
            s.load_present(t, x)

    @action
    def load_again(s, t: int, x: int) -> None:
        """Load the value once more, at the new snapshot."""
        require(s.target[t] == x, s.loaded[t] == Source.NOT_READ, no(s.comparing[t]))
        s.load_present(t, x)

    @action
    def return_value(s, t: int, x: int) -> None:
        """Return the value if the clock is still the snapshot."""
        require(s.has_loaded(t, x), no(s.comparing[t]), s.is_at_snapshot(t))
        s.answer(t, x)

    @action
    def write(s, t: int, x: int) -> None:
        """Buffer the value."""
        require(s.may_operate("w", t, x))
        s.record_write(t, x)

    @action
    def commit_read_only(s, t: int) -> None:
        """Nothing written: commit."""
        require(s.may_commit(t), no(s.writes_something(t)))
        s.record_commit(t)
        s.forget(t)

    # Validation

    @action
    def begin_comparison(s, t: int) -> None:
        """The clock has moved: save it, once it is even, to compare all values read."""
        asks = s.asks_to_commit(t)
        require(some(asks, s.stage[t] == Stage.ACQUIRING, s.loaded[t] != Source.NOT_READ))
        require(no(s.comparing[t]), no(s.is_at_snapshot(t)), s.is_free())
        if asks:
            s.call_commit(t)
        s.comparing[t] = True
        s.compared_at[t] = s.clock
        s.loaded[t] = Source.NOT_READ

    @action
    def compare(s, t: int, x: int) -> None:
        """Compare values read with the current ones, in a fixed order; another value: abort."""
        require(s.comparing[t], s.must_compare(t, x))
        require(no(s.must_compare(t, y) for y in s.objects if y < x))
        if s.is_valid(t, x):
            s.compared[t, x] = True
        else:
            s.abort(t)

    @action
    def end_comparison(s, t: int) -> None:
        """All are equal: the snapshot is the saved clock; if the clock has moved: compare again."""
        require(s.comparing[t], no(s.must_compare(t, x) for x in s.objects))
        require(some(s.comparison == "once", s.is_free()))
        if s.comparison_counts(t):
            s.snapshot[t] = s.clock if s.comparison == "late" else s.compared_at[t]
            s.comparing[t] = False
            s.compared_at[t] = 0
        else:
            s.compared_at[t] = s.clock
        for x in s.objects:
            s.compared[t, x] = False

    # The commit operation of an update

    @action
    def acquire(s, t: int) -> None:
        """Move the clock from the snapshot to the next number, which is odd: compare-and-swap."""
        asks = s.asks_to_commit(t)
        require(some(asks, s.stage[t] == Stage.ACQUIRING))
        require(no(s.comparing[t]), s.is_at_snapshot(t))
        if asks:
            s.call_commit(t)
        s.clock = s.clock + 1
        s.stage[t] = Stage.PUBLISHING

    @action
    def publish(s, t: int, x: int) -> None:
        """Store the value, in a fixed order."""
        require(s.stage[t] == Stage.PUBLISHING, s.must_publish(t, x))
        require(no(s.must_publish(t, y) for y in s.objects if y < x))
        s.record_publish(t, x)

    @action
    def release(s, t: int) -> None:
        """Let the clock be even again."""
        require(s.stage[t] == Stage.PUBLISHING, no(s.must_publish(t, x) for x in s.objects))
        s.clock = s.clock + 1
        s.record_commit(t)
        s.forget(t)

    # The sequence lock and what is compared

    def is_free(s) -> Value:
        """Return whether no transaction publishes: the clock is even."""
        return s.clock % 2 == 0

    def is_at_snapshot(s, t: int) -> Value:
        """Return whether the clock has not moved since t's reads were known to be valid."""
        return s.clock == s.snapshot[t]

    def must_compare(s, t: int, x: int) -> Value:
        """Return whether t's comparison has still to check x."""
        return every(s.has_read(t, x), no(s.compared[t, x]))

    def is_valid(s, t: int, x: int) -> Value:
        """Return whether x has the value that t read."""
        if s.values == "two":
            return s.value(s.source[t, x]) == s.value(s.writer[x])
        return s.source[t, x] == s.writer[x]

    def comparison_counts(s, t: int) -> Value:
        """Return whether t's comparison is of a single moment."""
        return some(s.comparison != "repeated", s.clock == s.compared_at[t])

    def must_publish(s, t: int, x: int) -> Value:
        """Return whether t has still to publish x."""
        return every(s.wrote[t, x], s.writer[x] != t)

    def value(s, writer: Value) -> Value:
        """Return the value that a transaction writes: 1, 0, 1, ...; initially objects have 0."""
        return some(writer == t for t in s.transactions if t % 2 == 0)

    def asks_to_commit(s, t: int) -> Value:
        """Return whether t, an update, is about to call its commit."""
        return every(s.may_commit(t), s.writes_something(t))

    def call_commit(s, t: int) -> None:
        """Let t call its commit."""
        s.record_commit_call(t)
        s.stage[t] = Stage.ACQUIRING

    def abort(s, t: int) -> None:
        """Abort; there is nothing to undo."""
        s.record_abort(t)
        s.forget(t)

    def forget(s, t: int) -> None:
        """Clear data that t no longer needs."""
        s.drop_read(t)
        s.stage[t] = Stage.OUTSIDE
        s.snapshot[t] = 0
        s.comparing[t] = False
        s.compared_at[t] = 0
        for x in s.objects:
            s.compared[t, x] = False

    # What must hold in addition to the criteria

    @invariant(when=lambda s: s.values == "two")
    def opacity_of_values(s) -> Value:
        """Opaque, if reads are judged by values and not by writers."""
        first, values = 0, [int(s.value(t)) for t in s.transactions]
        return history.opaque_by_value(s.history(), first, values)

    @invariant
    def one_publisher(s) -> Value:
        """The clock is odd exactly while one transaction publishes."""
        publishing = [s.stage[t] == Stage.PUBLISHING for t in s.transactions]
        pairs = [(t, u) for t in s.transactions for u in s.transactions if t < u]
        return every(
            some(publishing) == no(s.is_free()),
            no(every(publishing[t], publishing[u]) for t, u in pairs),
        )

    @invariant
    def idle_holds_nothing(s) -> Value:
        """A transaction that is not committing does not publish."""
        return no(every(s.stage[t] != Stage.OUTSIDE, s.idle(t)) for t in s.transactions)

    @transition
    def time_runs_forward(s, after: Self) -> Value:
        """The clock never runs backwards."""
        return after.clock >= s.clock

    @sometimes(when=lambda s: s.may_overlap and s.operations > 1 and len(s.objects) > 1)
    def a_snapshot_moves(s) -> Value:
        """A transaction can get a later snapshot if all values it has read are unchanged."""
        return some(
            every(s.comparing[t], s.compared[t, x], s.compared_at[t] == s.clock)
            for t in s.transactions
            for x in s.objects
        )

    @sometimes(when=lambda s: s.may_overlap and len(s.transactions) > 2 and s.processes != 2)
    def a_comparison_is_repeated(s) -> Value:
        """The clock can move while a transaction compares."""
        return some(
            every(s.comparing[t], s.compared_at[t] != s.clock, s.is_free()) for t in s.transactions
        )
