"""Transactional Locking II: Dice, Shalev and Shavit, DISC 2006 (LNCS 4167, pp. 194-208).

A global version clock, and a versioned write-lock for each object. A transaction draws its read
version rv from the clock when it begins; a read samples the lock, loads the value and checks the
lock again. A commit locks what it writes, increments the clock and so draws its write version wv,
validates its reads against rv, publishes and releases. Each of these is a step of its own; the
validation goes object by object.

With a Fetch&Increment that returns the old value it has the same error as the window protocol: a
version that is published after a reader has begun carries the reader's rv.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Self

from counterpoint.spec.notation import (
    Array,
    Boolean,
    Choice,
    Claim,
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

from .memory import Source, Status, TransactionalMemory
from .stepped import Owner, SteppedReads


class Stage(IntEnum):
    """Where a transaction is within its commit operation."""

    OUTSIDE = 0
    LOCKING = 1
    CLOCK_READ = 2
    STAMPED = 3


class TL2(SteppedReads):
    """TL2: a global clock, versioned locks; ``fetch-and-increment=old`` is incorrect."""

    name = "tl2"
    published_claim = Claim("fetch-and-increment", broken="old", clean="new", criterion="opacity")

    returns = Choice(
        "new",
        "old",
        name="fetch-and-increment",
        help="the clock value that Fetch&Increment returns",
    )
    shortcut = Choice(
        "yes", "no", "if-incremented",
        help="whether rv + 1 = wv makes validation unnecessary; the last: only if t moved the "
             "clock",
    )  # fmt: skip
    clock_update = Choice(
        "increment", "pass", name="clock",
        help="GV1: every update increments the clock; GV4: one that is overtaken takes it as it is",
    )  # fmt: skip

    clock = Integer(0, lambda s: len(s.transactions))
    version = Array(TransactionalMemory.objects, Integer(0, lambda s: len(s.transactions)))
    owner = Array(TransactionalMemory.objects, Reference(TransactionalMemory.transactions, Owner))

    stage = Array(TransactionalMemory.transactions, Member(Stage))
    read_version = Array(
        TransactionalMemory.transactions, Integer(0, lambda s: len(s.transactions))
    )
    write_version = Array(
        TransactionalMemory.transactions, Integer(0, lambda s: len(s.transactions))
    )
    sampled = Array(TransactionalMemory.transactions, Integer(0, lambda s: len(s.transactions)))
    overtaken = Array(TransactionalMemory.transactions, Boolean())
    checked = Array((TransactionalMemory.transactions, TransactionalMemory.objects), Boolean())

    # The transaction's operations

    @action
    def begin(s, t: int) -> None:
        """Let rv := clock."""
        s.record_begin(t)
        s.read_version[t] = s.clock

    @action
    def read(s, t: int, x: int) -> None:
        """Sample x's versioned lock; if it is taken: abort."""
        require(s.may_operate("r", t, x))
        if s.returns_own_copy(t, x):
            return
        if s.locked_by_other(t, x):
            s.abort(t)
            return
        s.target[t] = x
        s.sampled[t] = s.version[x]

    @action
    def load(s, t: int, x: int) -> None:
        """Load the value."""
        require(s.target[t] == x, s.loaded[t] == Source.NOT_READ)
        s.load_present(t, x)

    @action
    def check(s, t: int, x: int) -> None:
        """Return the value if x's lock is free, unchanged and not later than rv; else abort."""
        require(s.has_loaded(t, x))
        if s.read_is_consistent(t, x):
            s.answer(t, x)
            s.sampled[t] = 0
        else:
            s.abort(t)

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
    def lock(s, t: int, x: int) -> None:
        """Lock the written objects, in a fixed order; if another transaction holds one: abort."""
        first = every(s.may_commit(t), s.writes_something(t))
        require(some(first, s.stage[t] == Stage.LOCKING))
        require(s.wrote[t, x], s.owner[x] != t)
        require(every(implies(s.wrote[t, y], s.owner[y] == t) for y in s.objects if y < x))
        if s.locked_by_other(t, x):
            s.abort(t)
            return
        if first:
            s.record_commit_call(t)
            s.stage[t] = Stage.LOCKING
        s.owner[x] = t

    @action(when=lambda s: s.clock_update == "pass")
    def read_clock(s, t: int) -> None:
        """Read the clock, to increment it if no other transaction does so first."""
        require(s.stage[t] == Stage.LOCKING, s.has_all_locks(t))
        s.write_version[t] = s.clock
        s.stage[t] = Stage.CLOCK_READ

    @action
    def fetch_and_increment(s, t: int) -> None:
        """Increment the clock; wv is its value."""
        if s.clock_update == "increment":
            require(s.stage[t] == Stage.LOCKING, s.has_all_locks(t))
        else:
            require(s.stage[t] == Stage.CLOCK_READ)
            s.overtaken[t] = s.clock != s.write_version[t]
        old = s.clock
        s.clock = ite(s.overtaken[t], old, old + 1)
        s.write_version[t] = old if s.returns == "old" else s.clock
        s.stage[t] = Stage.STAMPED

    @action
    def validate(s, t: int, x: int) -> None:
        """Check the objects read, in a fixed order; locked by another or later than rv: abort."""
        require(s.stage[t] == Stage.STAMPED, s.must_check(t, x))
        require(no(s.must_check(t, y) for y in s.objects if y < x))
        if s.is_valid(t, x):
            s.checked[t, x] = True
        else:
            s.abort(t)

    @action
    def publish(s, t: int, x: int) -> None:
        """Store the value, in a fixed order."""
        require(s.stage[t] == Stage.STAMPED, no(s.must_check(t, y) for y in s.objects))
        require(s.owner[x] == t, s.writer[x] != t, s.has_released_before(t, x))
        s.record_publish(t, x)

    @action
    def release(s, t: int, x: int) -> None:
        """Set x's version to wv and free its lock; with the last one, the commit is done."""
        require(s.stage[t] == Stage.STAMPED, s.owner[x] == t, s.writer[x] == t)
        s.version[x] = s.write_version[t]
        s.owner[x] = Owner.NOBODY
        if no(s.owner[y] == t for y in s.objects):
            s.record_commit(t)
            s.forget(t)

    # Versions and locks

    @property
    def may_spare_validation(s) -> bool:
        """Whether an update with reads may need no validation, with any programs."""
        return not s.plans and s.operations > 1 and s.shortcut != "no" and s.returns == "new"

    def locked_by_other(s, t: int, x: int) -> Value:
        """Return whether another transaction holds x."""
        return every(s.owner[x] != Owner.NOBODY, s.owner[x] != t)

    def read_is_consistent(s, t: int, x: int) -> Value:
        """Return whether the loaded version was current when t began, according to x's lock."""
        unchanged = every(no(s.locked_by_other(t, x)), s.version[x] == s.sampled[t])
        return every(unchanged, s.version[x] <= s.read_version[t])

    def is_valid(s, t: int, x: int) -> Value:
        """Return whether the version of x that t read is still the one from t's begin."""
        return every(no(s.locked_by_other(t, x)), s.version[x] <= s.read_version[t])

    def has_all_locks(s, t: int) -> Value:
        """Return whether t holds the locks of all objects it wrote."""
        return every(implies(s.wrote[t, x], s.owner[x] == t) for x in s.objects)

    def has_released_before(s, t: int, x: int) -> Value:
        """Return whether t has released all locks before x in the order."""
        return every(s.owner[y] != t for y in s.objects if y < x)

    def must_check(s, t: int, x: int) -> Value:
        """Return whether t's validation has still to check x."""
        return every(s.has_read(t, x), no(s.checked[t, x]), no(s.needs_no_validation(t)))

    def needs_no_validation(s, t: int) -> Value:
        """Return whether rv + 1 = wv: then no other has drawn a version since t began."""
        spared = s.read_version[t] + 1 == s.write_version[t]
        if s.shortcut == "if-incremented":
            return every(spared, no(s.overtaken[t]))
        return every(s.shortcut == "yes", spared)

    def abort(s, t: int) -> None:
        """Free all locks and abort."""
        s.record_abort(t)
        s.forget(t)

    def forget(s, t: int) -> None:
        """Free t's locks and clear data it no longer needs."""
        s.drop_read(t)
        s.stage[t] = Stage.OUTSIDE
        s.read_version[t] = 0
        s.write_version[t] = 0
        s.sampled[t] = 0
        s.overtaken[t] = False
        for x in s.objects:
            s.checked[t, x] = False
            s.owner[x] = ite(s.owner[x] == t, Owner.NOBODY, s.owner[x])

    # What must hold in addition to the criteria

    @invariant
    def idle_holds_nothing(s) -> Value:
        """A transaction that is not committing holds no lock."""
        return no(every(s.owner[x] == t, s.idle(t)) for t in s.transactions for x in s.objects)

    @transition
    def time_runs_forward(s, after: Self) -> Value:
        """Neither the clock nor the version of an object ever runs backwards."""
        versions = every(after.version[x] >= s.version[x] for x in s.objects)
        return every(after.clock >= s.clock, versions)

    @sometimes(when=lambda s: s.may_spare_validation)
    def a_validation_is_spared(s) -> Value:
        """An update that has read can commit without a validation."""
        return some(
            every(s.stage[t] == Stage.STAMPED, s.needs_no_validation(t), s.has_read(t, x))
            for t in s.transactions
            for x in s.objects
        )

    @sometimes(when=lambda s: s.may_overlap)
    def a_load_meets_a_lock(s) -> Value:
        """An object can be locked between a read's first look at its lock and the second."""
        return some(
            every(s.target[t] == x, s.locked_by_other(t, x))
            for t in s.transactions
            for x in s.objects
        )

    def picture(self) -> Picture:
        """Return versions on the line of the clock, and the moment that each transaction sees."""
        transactions, objects = type(self).transactions, type(self).objects
        moments = {
            t: self.write_version[t] if self.stage[t] == Stage.STAMPED else self.read_version[t]
            for t in self.transactions
            if self.status[t] in (Status.LIVE, Status.COMMITTING)
        }
        return Picture(
            now=self.clock,
            versions={
                objects.label(self, x): (self.version[x], self.writer_label(x))
                for x in self.objects
            },
            windows={transactions.label(self, t): (m, m + 1) for t, m in moments.items()},
        )
