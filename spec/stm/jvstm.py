"""JVSTM: versioned boxes, Cachopo and Rito-Silva, Science of Computer Programming 63(2), 2006.

An object is a box that keeps its old versions, each with the number of the update that made it. A
transaction begins with the number of the most recent committed update and reads, of every box, the
newest version not later than that: so read-only transactions see one memory and never abort. An
update commits under one global lock: it validates that all versions it has read are still the
newest, draws the next number, adds its versions, and only then makes the number the most recent
one.
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
    Picture,
    Reference,
    Value,
    action,
    every,
    implies,
    invariant,
    ite,
    no,
    require,
    some,
    sometimes,
    transition,
)

from .memory import Status, TransactionalMemory, Writer
from .stepped import Owner


class Stage(IntEnum):
    """Where a transaction is within its commit operation."""

    OUTSIDE = 0
    LOCKED = 1
    VALIDATED = 2


class JVSTM(TransactionalMemory):
    """JVSTM: old versions are kept, and read-only transactions never abort."""

    name = "jvstm"

    tag = Choice(
        "next",
        "current",
        help="the number of an update's versions: the next one, or the present one",
    )
    advance_when = Choice(
        "last", "first", name="advance",
        help="an update makes its number the most recent when its versions are there, or before",
    )  # fmt: skip
    validation = Choice(
        "reads", "writes", "nothing",
        help="what must be the newest version still; only what it writes: snapshot isolation",
    )  # fmt: skip

    most_recent = Integer(0, lambda s: len(s.transactions))
    lock_owner = Reference(TransactionalMemory.transactions, Owner)
    number = Array(TransactionalMemory.transactions, Integer(0, lambda s: len(s.transactions)))
    kept = Array((TransactionalMemory.transactions, TransactionalMemory.objects), Boolean())

    stage = Array(TransactionalMemory.transactions, Member(Stage))
    start = Array(TransactionalMemory.transactions, Integer(0, lambda s: len(s.transactions)))
    advanced = Array(TransactionalMemory.transactions, Boolean())

    # The transaction's operations

    @action
    def begin(s, t: int) -> None:
        """Start at the most recent number."""
        s.record_begin(t)
        s.start[t] = s.most_recent

    @action
    def read(s, t: int, x: int) -> None:
        """Return the newest version that is not later than the start."""
        require(s.may_operate("r", t, x))
        if not s.returns_own_copy(t, x):
            s.record_read_of(t, x, s.visible(t, x))

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

    # The commit operation of an update

    @action
    def lock(s, t: int) -> None:
        """Take the global commit lock."""
        require(s.may_commit(t), s.writes_something(t), s.lock_owner == Owner.NOBODY)
        s.record_commit_call(t)
        s.lock_owner = t
        s.stage[t] = Stage.LOCKED

    @action
    def validate(s, t: int) -> None:
        """Draw a number if all versions read are the newest; else abort."""
        require(s.stage[t] == Stage.LOCKED)
        if every(s.is_valid(t, x) for x in s.objects):
            s.number[t] = s.most_recent + 1 if s.tag == "next" else s.most_recent
            s.stage[t] = Stage.VALIDATED
        else:
            s.record_abort(t)
            s.forget(t)

    @action
    def publish(s, t: int, x: int) -> None:
        """Add a version to a box, in a fixed order."""
        require(s.stage[t] == Stage.VALIDATED, s.must_publish(t, x))
        require(no(s.must_publish(t, y) for y in s.objects if y < x))
        require(some(s.advance_when == "last", s.advanced[t]))
        s.kept[t, x] = True
        s.record_publish(t, x)

    @action
    def advance_number(s, t: int) -> None:
        """Make the update's number the most recent one: transactions that begin later see it."""
        require(s.stage[t] == Stage.VALIDATED, no(s.advanced[t]))
        require(some(s.advance_when == "first", s.all_published(t)))
        s.most_recent = s.most_recent + 1
        s.advanced[t] = True

    @action
    def unlock(s, t: int) -> None:
        """Release the lock; the commit is done."""
        require(s.stage[t] == Stage.VALIDATED, s.advanced[t], s.all_published(t))
        s.record_commit(t)
        s.forget(t)

    # Versions

    @property
    def may_want_old_versions(s) -> bool:
        """Whether a transaction can need a version that is no longer the newest."""
        return s.may_overlap and s.tag == "next"

    def visible(s, t: int, x: int) -> Value:
        """Return the writer of the version of x that t sees."""
        return s.version_at(s.start[t], x)

    def version_at(s, time: Value, x: int) -> Value:
        """Return the writer of the newest version of x that is not later than a time."""
        found: Value = Writer.FIRST
        newest: Value = 0
        for w in s.transactions:
            better = every(s.kept[w, x], s.number[w] <= time, s.number[w] >= newest)
            found, newest = ite(better, w, found), ite(better, s.number[w], newest)
        return found

    def is_valid(s, t: int, x: int) -> Value:
        """Return whether x does not prevent the commit of t."""
        if s.validation == "nothing":
            return True
        if s.validation == "writes":
            return implies(s.wrote[t, x], s.visible(t, x) == s.writer[x])
        return implies(s.has_read(t, x), s.source[t, x] == s.writer[x])

    def must_publish(s, t: int, x: int) -> Value:
        """Return whether t has still to publish x."""
        return every(s.wrote[t, x], no(s.kept[t, x]))

    def all_published(s, t: int) -> Value:
        """Return whether everything that t wrote is published."""
        return no(s.must_publish(t, x) for x in s.objects)

    def forget(s, t: int) -> None:
        """Release the lock, and clear data that t no longer needs; its versions and number stay."""
        s.stage[t] = Stage.OUTSIDE
        s.start[t] = 0
        s.advanced[t] = False
        s.lock_owner = ite(s.lock_owner == t, Owner.NOBODY, s.lock_owner)

    # What must hold in addition to the criteria

    @invariant
    def readers_never_abort(s) -> Value:
        """A transaction that has written nothing is never aborted."""
        return no(
            every(s.status[t] == Status.ABORTED, no(s.writes_something(t))) for t in s.transactions
        )

    @invariant
    def idle_holds_nothing(s) -> Value:
        """A transaction that is not committing does not hold the lock."""
        return no(every(s.lock_owner == t, s.idle(t)) for t in s.transactions)

    @transition
    def time_runs_forward(s, after: Self) -> Value:
        """The most recent number never runs backwards, and no version is lost."""
        lost = some(
            every(s.kept[t, x], no(after.kept[t, x])) for t in s.transactions for x in s.objects
        )
        return every(after.most_recent >= s.most_recent, no(lost))

    @sometimes(when=lambda s: s.may_want_old_versions)
    def an_old_version_is_wanted(s) -> Value:
        """A transaction can be about to read a version that is no longer the newest."""
        return some(
            every(s.may_operate("r", t, x), s.visible(t, x) != s.writer[x])
            for t in s.transactions
            for x in s.objects
        )

    def picture(self) -> Picture:
        """Return the newest versions on the line of numbers, and the memory each reader sees."""
        transactions, objects = type(self).transactions, type(self).objects
        running = (Status.LIVE, Status.COMMITTING)
        return Picture(
            now=self.most_recent,
            versions={
                objects.label(self, x): (
                    self.number[self.writer[x]] if self.writer[x] >= 0 else 0,
                    self.writer_label(x),
                )
                for x in self.objects
            },
            windows={
                transactions.label(self, t): (self.start[t], self.start[t] + 1)
                for t in self.transactions
                if self.status[t] in running
            },
        )
