"""The "window" transactional memory: our reconstruction, not the paper's text.

Imbs and Raynal's protocol (PaCT 2009, corrected in The Journal of Supercomputing 2010) keeps for
each transaction a window of logical time in which it can be serialized. A verification study found
it incorrect when Fetch&Increment, inside the commit operation, returns the old value of the clock,
and found no fault when it returns the new one. Only that study's conclusion is available to us; the
protocol below is reconstructed from it, and what it leaves open is a parameter (a *reading*).

Locks, the validation, Fetch&Increment, each publication and the unlocking are steps of their own.
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
    Value,
    action,
    every,
    implies,
    invariant,
    ite,
    maximum,
    minimum,
    no,
    require,
    some,
    sometimes,
    transition,
)

from .memory import Status, TransactionalMemory


class Stage(IntEnum):
    """Where a transaction is within its commit operation."""

    OUTSIDE = 0
    LOCKING = 1
    VALIDATED = 2
    PUBLISHING = 3


class Window(TransactionalMemory):
    """The window protocol; ``fetch-and-increment=old`` is the incorrect one."""

    name = "window-stm"
    published_claim = Claim("fetch-and-increment", broken="old", clean="new", criterion="opacity")

    returns = Choice(
        "new",
        "old",
        name="fetch-and-increment",
        help="the clock value that Fetch&Increment returns",
    )
    clock_read = Choice(
        "begin", "commit-only", help="the window's bottom at begin: the clock, or before all"
    )
    recheck = Choice(
        "later", "later-or-equal", "every-read", "never",
        help="when a read re-checks the window: the date is > bottom, >= bottom, always, never",
    )  # fmt: skip
    recheck_locked = Choice(
        "abort", "wait", "ignore", help="a re-check that finds something already read locked"
    )
    empty_window = Choice(
        "reaches", "passes", help="the window is empty when bottom >= top, or when bottom > top"
    )
    version_end = Choice("ct", "ct-1", help="the time at which an overwritten version ends")
    readers_wait = Choice("yes", "no", help="whether a read waits until the object is unlocked")
    finite_window = Choice(
        "abort", "pick", help="an update whose window is finite aborts, or picks a time inside it"
    )
    locks = Choice("reads-and-writes", "writes", help="what a commit locks")
    unlock = Choice("at-the-end", "object-by-object", help="when a commit unlocks")

    clock = Integer(0, lambda s: len(s.transactions), grows=True)
    date = Array(
        TransactionalMemory.objects,
        Integer(lambda s: s.origin, lambda s: len(s.transactions), grows=True),
        initially=lambda s, x: s.origin,
    )
    holds = Array((TransactionalMemory.transactions, TransactionalMemory.objects), Boolean())

    stage = Array(TransactionalMemory.transactions, Member(Stage))
    bottom = Array(
        TransactionalMemory.transactions,
        Integer(lambda s: s.origin, lambda s: len(s.transactions), grows=True),
        initially=lambda s, t: s.origin,
    )
    commit_time = Array(
        TransactionalMemory.transactions, Integer(0, lambda s: len(s.transactions), grows=True)
    )
    published = Array((TransactionalMemory.transactions, TransactionalMemory.objects), Boolean())
    overwritten = Array((TransactionalMemory.transactions, TransactionalMemory.objects), Boolean())
    end = Array(
        (TransactionalMemory.transactions, TransactionalMemory.objects),
        Integer(
            lambda s: -1 if s.version_end == "ct-1" else 0,
            lambda s: len(s.transactions),
            grows=True,
        ),
    )

    @property
    def origin(s) -> int:
        """The date of the first versions, and the bottom of a window before the clock is read.

        Where the commit alone touches the clock, it lies before every time that a commit can draw,
        even the old value: otherwise the first versions would look as new as the first update, and
        OLD would be broken by the initial state alone.
        """
        return 0 if s.clock_read == "begin" else -1

    # The transaction's operations

    @action
    def begin(s, t: int) -> None:
        """Let bottom := clock, top := +inf."""
        s.record_begin(t)
        if s.clock_read == "begin":
            s.bottom[t] = s.clock

    @action
    def read(s, t: int, x: int) -> None:
        """Copy (value, date) in one step; a version later than the bottom moves the window."""
        require(s.may_operate("r", t, x))
        if s.returns_own_copy(t, x):
            return
        if s.readers_wait == "yes":
            require(no(s.holds[u, x] for u in s.transactions))
        if s.must_recheck(t, x):
            locked = some(every(s.has_read(t, y), s.locked_by_other(t, y)) for y in s.objects)
            if s.recheck_locked == "wait":
                require(no(locked))
            elif s.recheck_locked == "abort" and locked:
                s.abort(t)
                return
            bottom = maximum(s.bottom[t], s.date[x])
            if s.window_is_empty(t, bottom):
                s.abort(t)
                return
            s.bottom[t] = bottom
        s.record_read(t, x)

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
        """Lock what was read or written, one by one in a fixed order."""
        first = every(s.may_commit(t), s.writes_something(t))
        require(some(first, s.stage[t] == Stage.LOCKING))
        require(s.needs_lock(t, x), no(s.holds[t, x]))
        require(every(implies(every(y < x, s.needs_lock(t, y)), s.holds[t, y]) for y in s.objects))
        require(no(s.holds[u, x] for u in s.transactions))
        if first:
            s.record_commit_call(t)
            s.stage[t] = Stage.LOCKING
        s.holds[t, x] = True

    @action
    def validate(s, t: int) -> None:
        """Something read was overwritten (top finite): unlock, abort."""
        require(s.stage[t] == Stage.LOCKING)
        require(every(implies(s.needs_lock(t, x), s.holds[t, x]) for x in s.objects))
        if no(s.overwritten[t, x] for x in s.objects):
            s.stage[t] = Stage.VALIDATED
        elif s.finite_window == "abort":
            s.abort(t)
        else:
            s.pick_time(t)

    @action
    def fetch_and_increment(s, t: int) -> None:
        """Let ct := Fetch&Increment(clock)."""
        require(s.stage[t] == Stage.VALIDATED)
        old = s.clock
        s.clock = old + 1
        s.commit_time[t] = old if s.returns == "old" else s.clock
        s.stage[t] = Stage.PUBLISHING

    @action
    def publish(s, t: int, x: int) -> None:
        """Publish (v, ct), in a fixed order; the old version ends at ct."""
        require(s.stage[t] == Stage.PUBLISHING, s.wrote[t, x], no(s.published[t, x]))
        require(every(implies(every(y < x, s.wrote[t, y]), s.published[t, y]) for y in s.objects))
        time = s.commit_time[t]
        for u in s.transactions:
            running = some(s.status[u] == Status.LIVE, s.status[u] == Status.COMMITTING)
            ends = every(running, s.has_read(u, x), no(s.overwritten[u, x]))
            s.end[u, x] = ite(ends, time if s.version_end == "ct" else time - 1, s.end[u, x])
            s.overwritten[u, x] = some(s.overwritten[u, x], ends)
        s.date[x] = time
        s.published[t, x] = True
        s.record_publish(t, x)

    @action(when=lambda s: s.unlock == "at-the-end")
    def unlock_all(s, t: int) -> None:
        """Only when all are published: unlock everything."""
        require(s.stage[t] == Stage.PUBLISHING, s.all_published(t))
        s.record_commit(t)
        s.forget(t)

    @action(when=lambda s: s.unlock == "object-by-object")
    def unlock_one(s, t: int, x: int) -> None:
        """Unlock an object as soon as it is published, or at once if it was only read."""
        require(s.stage[t] == Stage.PUBLISHING, s.holds[t, x])
        require(implies(s.wrote[t, x], s.published[t, x]))
        s.holds[t, x] = False
        if every(s.all_published(t), no(s.holds[t, y] for y in s.objects)):
            s.record_commit(t)
            s.forget(t)

    # The window

    def must_recheck(s, t: int, x: int) -> Value:
        """Return whether t's read of x re-checks its window."""
        if s.recheck == "later":
            return s.date[x] > s.bottom[t]
        if s.recheck == "later-or-equal":
            return s.date[x] >= s.bottom[t]
        return s.recheck == "every-read"

    def window_is_empty(s, t: int, bottom: Value) -> Value:
        """Return whether a bottom reaches top, the least end of anything t has read."""
        if s.empty_window == "reaches":
            return some(every(s.overwritten[t, y], bottom >= s.end[t, y]) for y in s.objects)
        return some(every(s.overwritten[t, y], bottom > s.end[t, y]) for y in s.objects)

    def top(s, t: int) -> Value:
        """Return the least end of anything t has read; beyond the clock while nothing ended."""
        open_end = len(s.transactions) + 1
        return minimum(ite(s.overwritten[t, x], s.end[t, x], open_end) for x in s.objects)

    def pick_time(s, t: int) -> None:
        """Commit at the latest time inside the finite window, if the dates allow it."""
        time = s.top(t) - 1
        fits = every(implies(s.wrote[t, x], s.date[x] < time) for x in s.objects)
        if every(s.bottom[t] < time, fits):
            s.commit_time[t] = time
            s.stage[t] = Stage.PUBLISHING
        else:
            s.abort(t)

    # Locks

    def needs_lock(s, t: int, x: int) -> Value:
        """Return whether t's commit locks x."""
        return some(s.wrote[t, x], every(s.locks == "reads-and-writes", s.has_read(t, x)))

    def locked_by_other(s, t: int, x: int) -> Value:
        """Return whether another transaction holds x."""
        return some(every(u != t, s.holds[u, x]) for u in s.transactions)

    def all_published(s, t: int) -> Value:
        """Return whether everything that t wrote is published."""
        return every(implies(s.wrote[t, x], s.published[t, x]) for x in s.objects)

    def abort(s, t: int) -> None:
        """Unlock everything and abort."""
        s.record_abort(t)
        s.forget(t)

    def forget(s, t: int) -> None:
        """Release t's locks and clear data it no longer needs."""
        s.stage[t] = Stage.OUTSIDE
        s.bottom[t] = s.origin
        s.commit_time[t] = 0
        for x in s.objects:
            s.holds[t, x] = False
            s.published[t, x] = False
            s.overwritten[t, x] = False
            s.end[t, x] = 0

    # What must hold in addition to the criteria

    @invariant
    def one_owner(s) -> Value:
        """No two transactions hold the lock of one object."""
        return no(
            every(t < u, s.holds[t, x], s.holds[u, x])
            for x in s.objects
            for t in s.transactions
            for u in s.transactions
        )

    @invariant
    def idle_holds_nothing(s) -> Value:
        """A transaction that is not committing holds no lock."""
        return no(every(s.holds[t, x], s.idle(t)) for t in s.transactions for x in s.objects)

    @invariant
    def nothing_half_published(s) -> Value:
        """No transaction has read from another that still has an object to publish."""
        return no(
            every(
                t != w,
                s.source[t, x] == w,
                s.status[w] == Status.COMMITTING,
                no(s.all_published(w)),
            )
            for t in s.transactions
            for w in s.transactions
            for x in s.objects
        )

    @transition
    def time_runs_forward(s, after: Self) -> Value:
        """Neither the clock nor the date of an object ever runs backwards."""
        return every(after.clock >= s.clock, every(after.date[x] >= s.date[x] for x in s.objects))

    @sometimes(when=lambda s: s.may_overlap)
    def a_window_shrinks(s) -> Value:
        """A live transaction's window can become finite."""
        return some(
            every(s.status[t] == Status.LIVE, s.overwritten[t, x])
            for t in s.transactions
            for x in s.objects
        )

    def picture(self) -> Picture:
        """Return versions and windows on the line of the logical clock."""
        transactions, objects = type(self).transactions, type(self).objects

        running = (Status.LIVE, Status.COMMITTING)
        tops = {t: self.top(t) for t in self.transactions}
        return Picture(
            now=self.clock,
            versions={
                objects.label(self, x): (self.date[x], self.writer_label(x)) for x in self.objects
            },
            windows={
                transactions.label(self, t): (
                    self.bottom[t],
                    tops[t] if tops[t] <= len(self.transactions) else None,
                )
                for t in self.transactions
                if self.status[t] in running
            },
        )
