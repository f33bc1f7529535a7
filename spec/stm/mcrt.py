"""McRT-STM: Saha, Adl-Tabatabai, Hudson, Minh and Hertzberg, PPoPP 2006 (pp. 187-197).

Objects are updated in place. A write first takes the object's record, which then names its owner,
saves the old value for an undo, and stores the new value at once. A read checks the record, saves
its version and loads the value; at commit the transaction checks that all records it has read still
have the saved versions. A commit frees its records, each with its next version; an abort first
restores the old values.

Lesani and Palsberg (Proving Non-opacity, DISC 2013) found it not opaque: the object may be taken
and overwritten between a read's check of the record and its load, so that the read returns a value
that is not committed and perhaps never will be (write exposure). The reader cannot commit, but it
has seen the value.

``read-check=record`` checks the record again after the load; then a reader that cannot commit can
still see two objects of different moments. ``read-check=all-records`` checks the records of all
objects read, which corrects the error. An abort restores and frees object by object.
"""

from __future__ import annotations

from typing import Self

from counterpoint.spec.notation import (
    Array,
    Boolean,
    Choice,
    Claim,
    Integer,
    Reference,
    Value,
    action,
    every,
    implies,
    invariant,
    no,
    require,
    some,
    sometimes,
    transition,
)

from .memory import Source, Status, TransactionalMemory
from .stepped import Owner, SteppedReads


class McRT(SteppedReads):
    """McRT: as published it exposes writes; ``read-check=all-records`` is the corrected one."""

    name = "mcrt"

    published_claim = Claim(
        "read-check", broken="nothing", clean="all-records", criterion="opacity"
    )

    read_check = Choice(
        "nothing", "record", "all-records",
        help="what a read checks after its load: nothing, its record, the records of all reads",
    )  # fmt: skip
    undo_version = Choice(
        "next", "same", help="the version of a record that an abort frees; the same hides the undo"
    )

    owner = Array(TransactionalMemory.objects, Reference(TransactionalMemory.transactions, Owner))
    version = Array(TransactionalMemory.objects, Integer(0, lambda s: len(s.transactions)))
    noted = Array(
        (TransactionalMemory.transactions, TransactionalMemory.objects),
        Integer(0, lambda s: len(s.transactions)),
    )
    undo = Array(
        (TransactionalMemory.transactions, TransactionalMemory.objects),
        Reference(TransactionalMemory.transactions, Source),
    )
    undoing = Array(TransactionalMemory.transactions, Boolean())
    checked = Array((TransactionalMemory.transactions, TransactionalMemory.objects), Boolean())

    # The transaction's operations

    @action
    def begin(s, t: int) -> None:
        """Begin."""
        s.record_begin(t)

    @action
    def read(s, t: int, x: int) -> None:
        """Check x's record and save its version; if it has an owner: abort."""
        require(s.may_operate("r", t, x))
        if s.returns_own_copy(t, x):
            return
        if s.owned_by_other(t, x):
            s.abort(t)
            return
        s.target[t] = x
        s.noted[t, x] = s.version[x]

    @action
    def load(s, t: int, x: int) -> None:
        """Load the value; without a check, return it."""
        require(s.target[t] == x, s.loaded[t] == Source.NOT_READ)
        s.load_present(t, x)
        if s.read_check == "nothing":
            s.answer(t, x)

    @action(when=lambda s: s.read_check != "nothing")
    def check(s, t: int, x: int) -> None:
        """Return the value if the records are as they were saved; else abort."""
        require(s.has_loaded(t, x))
        if s.read_is_consistent(t, x):
            s.answer(t, x)
        else:
            s.abort(t)

    @action
    def write(s, t: int, x: int) -> None:
        """Take x's record, save the old value and store the new one; if it has an owner: abort."""
        require(s.may_operate("w", t, x))
        if s.owned_by_other(t, x):
            s.abort(t)
            return
        s.owner[x] = t
        s.undo[t, x] = s.writer[x]
        s.record_write(t, x)
        s.record_publish(t, x)

    # The commit operation

    @action
    def validate(s, t: int, x: int) -> None:
        """Check the records that were read, in a fixed order; another version, or owner: abort."""
        asks = s.may_commit(t)
        require(s.is_committing(t), s.must_check(t, x))
        require(no(s.must_check(t, y) for y in s.objects if y < x))
        if asks:
            s.record_commit_call(t)
        if s.is_valid(t, x):
            s.checked[t, x] = True
        else:
            s.abort(t)

    @action
    def release(s, t: int, x: int) -> None:
        """Free a record, with its next version; with the last one, the commit is done."""
        asks = s.may_commit(t)
        require(s.is_committing(t), s.owner[x] == t)
        require(no(s.must_check(t, y) for y in s.objects))
        require(no(s.owner[y] == t for y in s.objects if y < x))
        if asks:
            s.record_commit_call(t)
        s.version[x] = s.version[x] + 1
        s.owner[x] = Owner.NOBODY
        if s.owns_nothing(t):
            s.record_commit(t)
            s.forget(t)

    @action
    def commit_read_only(s, t: int) -> None:
        """Nothing written, and all reads are valid: commit."""
        require(s.status[t] == Status.COMMITTING, s.owns_nothing(t))
        require(no(s.must_check(t, x) for x in s.objects))
        s.record_commit(t)
        s.forget(t)

    @action
    def restore(s, t: int, x: int) -> None:
        """Store the old value again and free the record; with the last one, the abort is done."""
        require(s.undoing[t], s.owner[x] == t)
        require(no(s.owner[y] == t for y in s.objects if y < x))
        s.writer[x] = s.undo[t, x]
        if s.undo_version == "next":
            s.version[x] = s.version[x] + 1
        s.owner[x] = Owner.NOBODY
        if s.owns_nothing(t):
            s.record_abort(t)
            s.forget(t)

    # Records

    def may_operate(s, kind: str, t: Value, x: Value) -> Value:
        """Return whether t may read or write x as its next operation: not while it aborts."""
        return every(super().may_operate(kind, t, x), no(s.undoing[t]))

    def is_committing(s, t: int) -> Value:
        """Return whether t is in its commit operation, or about to begin it."""
        may = some(s.may_commit(t), s.status[t] == Status.COMMITTING)
        return every(may, no(s.undoing[t]))

    def owned_by_other(s, t: int, x: int) -> Value:
        """Return whether another transaction owns x."""
        return every(s.owner[x] != Owner.NOBODY, s.owner[x] != t)

    def is_valid(s, t: int, x: int) -> Value:
        """Return whether x's record is as t saved it, except for t's own ownership."""
        return every(no(s.owned_by_other(t, x)), s.version[x] == s.noted[t, x])

    def read_is_consistent(s, t: int, x: int) -> Value:
        """Return whether t may return the value that it has loaded from x."""
        others = every(implies(s.has_read(t, y), s.is_valid(t, y)) for y in s.objects)
        return every(s.is_valid(t, x), some(s.read_check == "record", others))

    def must_check(s, t: int, x: int) -> Value:
        """Return whether t's validation has still to check x."""
        return every(s.has_read(t, x), no(s.checked[t, x]))

    def abort(s, t: int) -> None:
        """Abort: at once if nothing was written, else after the old values are restored."""
        s.drop_read(t)
        if s.owns_nothing(t):
            s.record_abort(t)
            s.forget(t)
        else:
            s.undoing[t] = True

    def owns_nothing(s, t: int) -> Value:
        """Return whether t owns no object."""
        return no(s.owner[x] == t for x in s.objects)

    def forget(s, t: int) -> None:
        """Clear data that t no longer needs."""
        s.drop_read(t)
        s.undoing[t] = False
        for x in s.objects:
            s.noted[t, x] = 0
            s.undo[t, x] = Source.NOT_READ
            s.checked[t, x] = False

    # What must hold in addition to the criteria

    @invariant
    def ended_owns_nothing(s) -> Value:
        """A transaction owns only what it writes, and nothing once it has ended."""
        return no(
            every(s.owner[x] == t, some(s.ended(t), no(s.wrote[t, x])))
            for t in s.transactions
            for x in s.objects
        )

    @invariant
    def nothing_uncommitted_stays(s) -> Value:
        """The value of an object without an owner was committed, or is the initial one."""
        return no(
            every(s.writer[x] == t, s.owner[x] != t, s.idle(t), s.status[t] != Status.COMMITTED)
            for t in s.transactions
            for x in s.objects
        )

    @transition
    def time_runs_forward(s, after: Self) -> Value:
        """The version of a record never runs backwards."""
        return every(after.version[x] >= s.version[x] for x in s.objects)

    @sometimes(when=lambda s: s.may_overlap)
    def a_load_meets_an_owner(s) -> Value:
        """An object can be taken between a read's check of its record and its load."""
        return some(
            every(s.target[t] == x, s.loaded[t] == Source.NOT_READ, s.owned_by_other(t, x))
            for t in s.transactions
            for x in s.objects
        )
